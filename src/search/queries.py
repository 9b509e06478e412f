"""Rules for the words of queries: the topic of a question, the things it compares, the equality of queries."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from importlib.resources import files
from itertools import chain, pairwise, takewhile

from ..kernel.term import STOP_WORDS, is_wide, terms, written_words

_VERSUS = re.compile(r"\s+(?:vs\.?|versus)\s+", re.IGNORECASE)
_ADDITION = re.compile(r"\s(?:for|of|in|at|on|für|von|bei|im|pour|para|de|en)\s.+", re.IGNORECASE)
"""What follows the last of compared things belongs to all, unless they have their own: "budget vs cost of piling"."""

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


_YEAR = re.compile(
    r"(?:\w{1,4}\s+)?(?:[12]\d{3}|last year|the year before|vorjahr|año anterior|l'année précédente)", re.IGNORECASE
)

LONGEST_COMPARISON = 500
"""The maximum length, in characters, of a comparing question: in longer texts the words of a pattern are unrelated."""


def _of_all_languages(name: str) -> list[str]:
    """Return the patterns of all languages in a TOML file of this folder."""
    table = tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return list(chain.from_iterable(table.values()))


_COMPARING = [*map(_pattern, _of_all_languages("comparing.toml"))]
"""The patterns, in each language, of the two things that a question compares."""

JOINED = re.compile(
    r"((?:\s*;|(?<=[^\s?$])\?+)\s+(?:and\s+)?|\s*,?\s+and\s+(?=(?:how|what|why|when|where|who|which|is|are|does|do|can)\b))",
    re.IGNORECASE,
)
"""The separator of two questions."""

_BE, _DO = "is|are|was|were|has|have|had", "do|does|did|can|could|will|would|should|may|must"
_THING = r"\s+(?:the\s+|an?\s+)?(?P<thing>.+?)\s+"
_ENDS_IN_A_VERB = [
    re.compile(
        rf"(?:when|where|why|how)\s+(?:{_BE}){_THING}"
        r"(?:\w+(?:ed|en|wn)|born|built|kept|set|sent|made|held|found|done|run|read|lost|put)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:when|where|why|how(?:\s+\w+)?|what|(?:at|by|from|in|on|since|to|with)\s+(?:which|what)\s+\w+)"
        rf"\s+(?:{_DO}){_THING}"
        r"(?:stand\s+for|(?-i:(?!(?:as|at|by|for|from|in|of|on|to|with)$)[a-z-]*(?:[a-rt-z]|ss)))",
        re.IGNORECASE,
    ),
]
"""Questions that end in the verb of their subject: a participle, or an infinitive, which does not end in "s"."""
_HIDES_ITS_SUBJECT = re.compile(
    rf"^(?:{_BE})\b|\b(?:{_DO})\b|^(?:who|what|which|whose)\s+(?!(?:{_BE})\b)", re.IGNORECASE
)
_CLAUSE = re.compile(
    rf"[,:;.?!]\s|\b(?:{_BE}|{_DO}|i|you|we|how|what|why|when|where|who|which|that|if)\b", re.IGNORECASE
)
_ITS = re.compile(r"\b(?:its|their)\b", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|they|them)\b", re.IGNORECASE)
_THEY = re.compile(r"\b(?:they|them|their)\b", re.IGNORECASE)
_POINTING = "|".join(_of_all_languages("pointing.toml")).format(be=_BE, do=_DO)
_POINTS_BACK = re.compile(rf"\b(?:{_POINTING})\b", re.IGNORECASE)
_ASKERS, _ARTICLES = {"i", "you", "we", "one", "to", "there"}, {"a", "an", "the", "my", "your", "our"}
_INSTEAD = re.compile(r"\binstead$", re.IGNORECASE)
_WHICH_ARE = re.compile(r"(?:which|what)\s+(?P<things>\w.*?)\s+(?:is|are|was|were)\s+(?P<so>[\w-]+)", re.IGNORECASE)
_TAIL = re.compile(r"(?<=\S)\s+(?:do|mean|stand for|used for|for)$", re.IGNORECASE)


def normalised(query: str) -> str:
    """Return the form in which two spellings of one query are equal: lower case, no punctuation, single spaces.

    Letters of full and half width are equal; `+` and `#` are kept, because C, C++ and C# are different.
    """
    folded = unicodedata.normalize("NFKC", query).casefold()
    characters = (char if unicodedata.category(char)[0] in "LMN" or char in "+#" else " " for char in folded)
    return " ".join("".join(characters).split())


def topic_of(question: str) -> str:
    """Return a question without its question words."""
    return _TAIL.sub("", _LEAD.sub("", question).strip(" ?.!")) or question


def with_subject(question: str, before: str) -> str:
    """Return a question resolved by `stands_alone`, else with the topic of the question before it in brackets."""
    if (alone := stands_alone(question, before)) or len(before) > LONGEST_COMPARISON:
        return alone or question
    asked = question.rstrip(" ?")
    return f"{asked} ({JOINED.sub(', ', topic_of(before))}){question[len(asked) :]}"


def stands_alone(question: str, before: str) -> str:
    """Return a question with `it`, `its`, `they` or `instead` resolved to the subject of the question before.

    Returns "" if rules cannot resolve the reference: to one of two things ("which one"), to a subject that is not
    certainly a noun phrase, or to one that is not mentioned ("what did we do", "what was the result"). If the question
    before has such a pronoun, too, both refer to something else, and the question stays.
    """
    if _POINTS_BACK.search(question) or _lacks_subject(question):
        return ""
    refers = any(words.search(question) for words in (_ITS, _IT, _INSTEAD))
    if not refers or _ITS.search(before) or _IT.search(before):
        return question
    subject = (_THEY.search(question) and _several(topic_of(before))) or _subject_of(before)
    if not subject:
        return ""
    question = _ITS.sub(lambda _: f"{subject}'s", question, count=1)
    question = _IT.sub(lambda _: subject, question, count=1)
    return _INSTEAD.sub(lambda match: f"{match[0]} of {subject}", question)


def _lacks_subject(question: str) -> bool:
    """Whether a question names nothing but, at most, one thing with a definite article."""
    words = question.lower().strip(" ?.!").split()
    content = [word for word in words if word not in STOP_WORDS]
    return not content or (len(content) == 1 and ("the", content[0]) in pairwise(words))


def _subject_of(question: str) -> str:
    """Return the subject of a question, its topic without a final verb, if it is certainly a noun phrase; else "".

    "Which commands are deprecated" is about deprecated commands, "which levels are there" about levels, "how do I turn
    on a trace" about the trace. No rule can find the end of the subject in "does Apache log addresses".
    """
    question = question.strip(" ?.!")
    words = topic_of(question).split()
    if match := _WHICH_ARE.fullmatch(question):
        words = ([] if match["so"] in STOP_WORDS else [match["so"]]) + match["things"].split()
    elif words[:1] and words[0].lower() in _ASKERS:
        before = list(takewhile(lambda word: word.lower() not in _ARTICLES, words[1:]))
        words = [] if _CLAUSE.search(" ".join(before)) else words[1 + len(before) :]
    elif match := next(filter(None, (pattern.fullmatch(question) for pattern in _ENDS_IN_A_VERB)), None):
        words = match["thing"].split()
    elif _HIDES_ITS_SUBJECT.search(question):
        words = []
    return " ".join(words) if is_noun_phrase(" ".join(words)) else ""


def is_noun_phrase(text: str) -> bool:
    """Return whether a text has no sign of a clause.

    The signs are a verb before an article ("needs a job"), an auxiliary, and a comma.
    """
    words = text.lower().split()
    if not words or words[-1] in STOP_WORDS or _CLAUSE.search(text):
        return False
    return all(one in STOP_WORDS for one, other in pairwise(words) if other in _ARTICLES)


def _several(topic: str) -> str:
    """Return the plural at the end of a topic, or "": "annoy messages" for "wait between annoy messages"."""
    words = topic.split()
    last = list(takewhile(lambda word: word.lower() not in STOP_WORDS, reversed(words)))[::-1]
    return " ".join(last) if last and len(last) < len(words) and last[-1].endswith("s") else ""


def sides(question: str) -> list[str]:
    """Return the things that a question compares, two or, with "versus", more; only the question if it compares none.

    The comparing words of each language are in `comparing.toml`. Two years of one thing, as in "cost in 2026 compared
    to 2025", are not two things: they are told together.
    """
    if len(question) > LONGEST_COMPARISON:
        return [_side(question)]
    for asked in JOINED.split(question)[::2]:
        if len(parts := _VERSUS.split(asked)) > 1:
            *others, last = map(_side, parts)
            shared = _ADDITION.search(last)
            found = [*((f"{one}{shared[0]}" if shared and not _ADDITION.search(one) else one) for one in others), last]
        elif match := next(filter(None, (pattern.search(asked) for pattern in _COMPARING)), None):
            found = [_side(match["first"]), _side(match["second"])]
        else:
            continue
        return [_side(question)] if _YEAR.fullmatch(found[-1]) else found
    return [_side(question)]


def _side(part: str) -> str:
    return _LEAD.sub("", part).strip(" ?？;,")


def pointed(queries: Iterable[str], sub_question: str) -> list[str]:
    """Return the distinct queries (`normalised`) without those of one word, which find too much."""
    least = min(2, len(terms(sub_question)))
    once: dict[str, str] = {}
    for query in queries:
        once.setdefault(normalised(query), query)
    return [query for query in once.values() if query and len(terms(query)) >= least]


def longest(topic: str, number: int) -> list[str]:
    """Return the `number` longest words in their order, which in most languages name the subject of a text.

    Chinese and Japanese words are the parts between function words.
    """
    words = written_words(topic) if is_wide(topic) else topic.split()
    chosen = set(sorted(range(len(words)), key=lambda position: -len(words[position]))[:number])
    return [word for position, word in enumerate(words) if position in chosen]
