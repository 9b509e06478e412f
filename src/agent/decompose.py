"""Sub-questions and queries by rules, for planning without a model."""

import re

from ..term import terms

MOST_SUB_QUESTIONS = 4

SPECIFIC_WORDS = 3
"""Words of the query that is about a detail."""

_VERSUS = re.compile(r"\s+(?:vs\.?|versus|compared (?:to|with))\s+", re.IGNORECASE)
_JOINED = re.compile(
    r"\s*[;?]\s+(?:and\s+)?|\s*,?\s+and\s+(?=(?:how|what|why|when|where|who|which|is|are|does|do|can)\b)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\b(?:between|compare)\s+(?P<one>.+?)\s+(?:and|with|to)\s+(?P<other>.+)$", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:please\s+)?(?:(?:what|who|where|when|why|how|which)(?:'s|\s+(?:is|are|was|were|does|do|did|can|could|should|"
    r"would|much|many|long|often))?|is|are|does|do|did|can|tell me about|explain|describe|summari[sz]e|compare)\s+"
    r"(?:the\s+|an?\s+)?",
    re.IGNORECASE,
)


def sub_questions(question: str) -> list[str]:
    """Split a question into what it asks: its joined questions, or the sides of a comparison and the comparison.

    At most MOST_SUB_QUESTIONS, in the question's own words and order; a question that does not split is its own
    only part.
    """
    whole = " ".join(question.split())
    parts = [part.strip(" ?;,") for part in _JOINED.split(whole)]
    found = [part for part in parts if len(part.split()) > 1]
    if len(found) > 1:
        return found[:MOST_SUB_QUESTIONS]
    sides = _sides(whole)
    return [whole.strip(" ?"), *sides][:MOST_SUB_QUESTIONS] if len(sides) > 1 and all(sides) else [whole]


def _sides(question: str) -> list[str]:
    """Return the things that a question compares; one or none when it does not compare."""
    between = _BETWEEN.search(question)
    parts = [between["one"], between["other"]] if between else _VERSUS.split(question)
    return [_LEAD.sub("", part).strip(" ?;,") for part in parts]


def queries(sub_question: str) -> list[str]:
    """Return three queries at most: the sub-question, its topic alone, and the longest words of the topic."""
    topic = _topic(sub_question)
    return _pointed([sub_question, topic, " ".join(_longest(topic, SPECIFIC_WORDS))], sub_question)


def further_queries(sub_question: str, asked: set[str]) -> list[str]:
    """Return wider queries for a sub-question that found too little: parts of its topic, none asked (`normalised`)."""
    topic = _topic(sub_question)
    words = topic.split()
    half = max(1, len(words) // 2)
    wider = [" ".join(words[:half]), " ".join(words[half:]), " ".join(_longest(topic, 2))]
    return [query for query in _pointed(wider, sub_question) if normalised(query) not in asked]


def _pointed(found: list[str], sub_question: str) -> list[str]:
    """Return the queries, each once, without those of one word: they find whatever mentions it."""
    least = min(2, len(terms(sub_question)))
    return [query for query in dict.fromkeys(found) if query and len(terms(query)) >= least]


def _topic(sub_question: str) -> str:
    """Return a question without the words that only make it one."""
    return _LEAD.sub("", sub_question).strip(" ?.!") or sub_question


def _longest(topic: str, number: int) -> list[str]:
    """Return so many of the longest words, in their order; in most languages these say what a text is about."""
    words = topic.split()
    chosen = set(sorted(range(len(words)), key=lambda place: -len(words[place]))[:number])
    return [word for place, word in enumerate(words) if place in chosen]


def normalised(query: str) -> str:
    """Return the form in which two spellings of one query are equal: lower case, no punctuation, single spaces."""
    return " ".join(re.findall(r"\w+", query.lower()))
