"""The words of queries: the topic of a question, what it compares, and when two queries are the same."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from importlib.resources import files
from itertools import chain

from ..kernel.term import STOP_WORDS, is_wide, terms, written_words

_VERSUS = re.compile(r"\s+(?:vs\.?|versus)\s+", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:please\s+)?(?:what is meant by|(?:what is )?the (?:meaning|definition) of|define|"
    r"how\s+\w+\s+(?:is|are|was|were|do|does|did)|"
    r"(?:what|who|where|when|why|how|which)(?:'s|\s+(?:is|are|was|were|does|do|did|can|could|should|would|"
    r"much|many|long|often))?|is|are|does|do|did|can|tell me about|explain|describe|summari[sz]e|compare)\s+"
    r"(?:the\s+|an?\s+)?",
    re.IGNORECASE,
)


def _pattern(told: str) -> re.Pattern[str]:
    wide = any(map(is_wide, told))
    parts = re.split(r"([12])", told)
    found = "".join({"1": "(?P<one>.+?)", "2": "(?P<other>.+)"}.get(part) or _words(part, wide=wide) for part in parts)
    return re.compile(found, re.IGNORECASE)


def _words(part: str, *, wide: bool) -> str:
    """Return a pattern of words between which one space or more stands, and around them, but in scripts without any."""
    words = ("|".join(map(re.escape, word.split("|"))) for word in part.split())
    return "".join(f"(?:{word})" if wide else rf"(?:(?<=\s)|^)(?:{word})(?:\s+|(?=\W*$))" for word in words)


LONGEST_COMPARISON = 500
"""Characters of a question that compares: in a page of text, words of it that lie far apart compare nothing."""

_TABLE = tomllib.loads(files(__package__).joinpath("comparing.toml").read_text(encoding="utf-8"))
_COMPARING = [_pattern(told) for told in chain.from_iterable(_TABLE.values())]
"""What finds the two things that a question compares, in each language."""

_ENDS_IN_A_VERB = re.compile(
    r"(?:when|where|why|how)\s+(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\s",
    re.IGNORECASE,
)
_ITS = re.compile(r"\b(?:its|their)\b", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|they|them)\b", re.IGNORECASE)
_THEY = re.compile(r"\b(?:they|them|their)\b", re.IGNORECASE)
_ASKERS, _ARTICLES = {"i", "you", "we", "one"}, {"a", "an", "the", "my", "your", "our"}
_INSTEAD = re.compile(r"\binstead$", re.IGNORECASE)
_WHICH_ARE = re.compile(r"(?:which|what)\s+(?P<things>\w.*?)\s+(?:is|are|was|were)\s+(?P<so>[\w-]+)", re.IGNORECASE)
_TAIL = re.compile(r"(?<=\S)\s+(?:do|mean|stand for|used for|for)$", re.IGNORECASE)


def normalised(query: str) -> str:
    """Return the form in which two spellings of one query are equal: lower case, no punctuation, single spaces.

    Letters of full and half width are one; `+` and `#` stay, for C, C++ and C# are not.
    """
    folded = unicodedata.normalize("NFKC", query).casefold()
    kept = (char if unicodedata.category(char)[0] in "LMN" or char in "+#" else " " for char in folded)
    return " ".join("".join(kept).split())


def topic_of(question: str) -> str:
    """Return a question without the words that only make it one."""
    return _TAIL.sub("", _LEAD.sub("", question).strip(" ?.!")) or question


def with_subject(question: str, before: str) -> str:
    """Return a question that speaks of `it`, or of something instead, with what the one before it is about added."""
    subject = _subject_of(before)
    if _ITS.search(subject) or _IT.search(subject):
        return question
    if _THEY.search(question):
        subject = _several(subject)
    question = _ITS.sub(lambda _: f"{subject}'s", question, count=1)
    question = _IT.sub(lambda _: subject, question, count=1)
    return _INSTEAD.sub(lambda found: f"{found[0]} of {subject}", question)


def _subject_of(question: str) -> str:
    """Return what a question is about: its topic, without the verb that ends a question by an auxiliary.

    "Which commands are deprecated" is about deprecated commands, "which levels are there" about levels.
    """
    if found := _WHICH_ARE.fullmatch(question.strip(" ?.!")):
        return found["things"] if found["so"] in STOP_WORDS else f"{found['so']} {found['things']}"
    topic = topic_of(question).split()
    if topic[:1] and topic[0].lower() in _ASKERS:  # "How do I turn on a trace": not the turning on, the trace
        return " ".join(topic[next((place for place, word in enumerate(topic) if word.lower() in _ARTICLES), 0) :])
    return " ".join(topic[:-1] if len(topic) > 1 and _ENDS_IN_A_VERB.match(question) else topic)


def _several(subject: str) -> str:
    """Return the things in the plural that a subject ends with: "annoy messages" of "wait between annoy messages"."""
    last = subject.split()
    while any(word.lower() in STOP_WORDS for word in last):
        last = last[1:]
    return " ".join(last) if last and last[-1].endswith("s") else subject


def sides(question: str) -> list[str]:
    """Return the things that a question compares, two or, beside "versus", more; itself alone when it does not compare.

    The words for it in each language are in `comparing.toml`.
    """
    if len(question) > LONGEST_COMPARISON:
        return [_side(question)]
    if len(parts := _VERSUS.split(question)) > 1:
        return [_side(part) for part in parts]
    found = next(filter(None, (pattern.search(question) for pattern in _COMPARING)), None)
    return [_side(found["one"]), _side(found["other"])] if found else [_side(question)]


def _side(part: str) -> str:
    return _LEAD.sub("", part).strip(" ?？;,")


def pointed(found: Iterable[str], sub_question: str) -> list[str]:
    """Return the queries, each once (`normalised`), without those of one word: they find whatever mentions it."""
    least = min(2, len(terms(sub_question)))
    once: dict[str, str] = {}
    for query in found:
        once.setdefault(normalised(query), query)
    return [query for query in once.values() if query and len(terms(query)) >= least]


def longest(topic: str, number: int) -> list[str]:
    """Return so many of the longest words, in their order; in most languages these say what a text is about.

    Of Chinese and Japanese, words are what stands between function words.
    """
    words = written_words(topic) if is_wide(topic) else topic.split()
    chosen = set(sorted(range(len(words)), key=lambda place: -len(words[place]))[:number])
    return [word for place, word in enumerate(words) if place in chosen]
