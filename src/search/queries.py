"""The words of queries: the topic of a question, the things it compares, and the equality of queries."""

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


def _pattern(template: str) -> re.Pattern[str]:
    wide = any(map(is_wide, template))
    sides = {"1": "(?P<first>.+?)", "2": "(?P<second>.+)"}
    parts = (sides.get(part) or _words(part, wide=wide) for part in re.split(r"([12])", template))
    return re.compile("".join(parts), re.IGNORECASE)


def _words(part: str, *, wide: bool) -> str:
    """Return a pattern of words with spaces between and around them, without spaces in `wide` scripts."""
    words = ("|".join(map(re.escape, word.split("|"))) for word in part.split())
    return "".join(f"(?:{word})" if wide else rf"(?:(?<=\s)|^)(?:{word})(?:\s+|(?=\W*$))" for word in words)


LONGEST_COMPARISON = 500
"""Characters of a comparing question at most: in a page of text, words that lie far apart compare nothing."""

_TABLE = tomllib.loads(files(__package__).joinpath("comparing.toml").read_text(encoding="utf-8"))
_COMPARING = [_pattern(template) for template in chain.from_iterable(_TABLE.values())]
"""The patterns, in each language, of the two things that a question compares."""

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

    Letters of full and half width are equal; `+` and `#` stay, as C, C++ and C# are different.
    """
    folded = unicodedata.normalize("NFKC", query).casefold()
    characters = (char if unicodedata.category(char)[0] in "LMN" or char in "+#" else " " for char in folded)
    return " ".join("".join(characters).split())


def topic_of(question: str) -> str:
    """Return a question without its question words."""
    return _TAIL.sub("", _LEAD.sub("", question).strip(" ?.!")) or question


def with_subject(question: str, before: str) -> str:
    """Return a question with `it`, `its`, `they` or `instead` resolved to the subject of the question before."""
    subject = _subject_of(before)
    if _ITS.search(subject) or _IT.search(subject):
        return question
    if _THEY.search(question):
        subject = _several(subject)
    question = _ITS.sub(lambda _: f"{subject}'s", question, count=1)
    question = _IT.sub(lambda _: subject, question, count=1)
    return _INSTEAD.sub(lambda match: f"{match[0]} of {subject}", question)


def _subject_of(question: str) -> str:
    """Return the subject of a question: its topic, without the final verb of a question with an auxiliary.

    "Which commands are deprecated" is about deprecated commands, "which levels are there" about levels.
    """
    if match := _WHICH_ARE.fullmatch(question.strip(" ?.!")):
        return match["things"] if match["so"] in STOP_WORDS else f"{match['so']} {match['things']}"
    topic = topic_of(question).split()
    if topic[:1] and topic[0].lower() in _ASKERS:  # "How do I turn on a trace" is about the trace
        return " ".join(topic[next((i for i, word in enumerate(topic) if word.lower() in _ARTICLES), 0) :])
    return " ".join(topic[:-1] if len(topic) > 1 and _ENDS_IN_A_VERB.match(question) else topic)


def _several(subject: str) -> str:
    """Return the plural at the end of a subject: "annoy messages" of "wait between annoy messages"."""
    last = subject.split()
    while any(word.lower() in STOP_WORDS for word in last):
        last = last[1:]
    return " ".join(last) if last and last[-1].endswith("s") else subject


def sides(question: str) -> list[str]:
    """Return the things that a question compares, two or, with "versus", more; itself alone when it compares nothing.

    The comparing words of each language are in `comparing.toml`.
    """
    if len(question) > LONGEST_COMPARISON:
        return [_side(question)]
    if len(parts := _VERSUS.split(question)) > 1:
        return [_side(part) for part in parts]
    match = next(filter(None, (pattern.search(question) for pattern in _COMPARING)), None)
    return [_side(match["first"]), _side(match["second"])] if match else [_side(question)]


def _side(part: str) -> str:
    return _LEAD.sub("", part).strip(" ?？;,")


def pointed(queries: Iterable[str], sub_question: str) -> list[str]:
    """Return the queries, each once (`normalised`), without those of one word, which find too much."""
    least = min(2, len(terms(sub_question)))
    once: dict[str, str] = {}
    for query in queries:
        once.setdefault(normalised(query), query)
    return [query for query in once.values() if query and len(terms(query)) >= least]


def longest(topic: str, number: int) -> list[str]:
    """Return the `number` longest words, in their order; in most languages these tell what a text is about.

    Chinese and Japanese words are the parts between function words.
    """
    words = written_words(topic) if is_wide(topic) else topic.split()
    chosen = set(sorted(range(len(words)), key=lambda position: -len(words[position]))[:number])
    return [word for position, word in enumerate(words) if position in chosen]
