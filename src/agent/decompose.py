"""Sub-questions and queries by rules, for planning without a model."""

import re

from ..kernel.sentence import sentence_spans
from ..kernel.term import STOP_WORDS
from ..search.queries import longest, normalised, pointed, sides, topic_of, with_subject

MOST_SUB_QUESTIONS = 4

LETTER = 400  # characters from which on a text says more than it asks

_JOINED = re.compile(
    r"(?:\s*;|(?<=[^\s?$])\?+)\s+(?:and\s+)?|\s*,?\s+and\s+(?=(?:how|what|why|when|where|who|which|is|are|does|do|can)\b)",
    re.IGNORECASE,
)

_REQUEST = re.compile(
    r"\b(?:(?:tell|ask|show)\s+(?:me|us)|explain|describe|(?:let\s+(?:me|us)|(?:like|want|need|love)\s+to)\s+know)\b"
    r"[^.!?]*?\b(?P<asked>(?:how|what|why|when|where|who|which|whether)\b[^.!?]+)",
    re.IGNORECASE,
)
"""What asks without a question mark: "Please also tell me how much the membership costs."."""


def sub_questions(question: str) -> list[str]:
    """Split a question into what it asks: its joined questions, or the sides of a comparison and the comparison.

    At most MOST_SUB_QUESTIONS, in the question's own words and order, each with the subject that `it` stands for; a
    question that does not split is its own only part. Of a letter the sentences that ask are looked at alone.
    """
    whole = _asking(" ".join(question.split()))
    parts = [part.strip(" ?;,") for part in _JOINED.split(whole)]
    found = [part for part in parts if len(part.split()) > 1]
    if len(found) > 1:
        return [found[0], *(with_subject(part, found[0]) for part in found[1:MOST_SUB_QUESTIONS])]
    compared = sides(whole)
    return [whole.strip(" ?"), *compared][:MOST_SUB_QUESTIONS] if len(compared) > 1 and all(compared) else [whole]


def _asking(text: str) -> str:
    """Return the questions and requests of a long text, where there are some; what stands around is not asked for."""
    if len(text) <= LETTER:
        return text
    found = [text[start:end] for start, end in sentence_spans(text)]
    return " ".join(filter(None, map(_asked_by, found))) or text


def _asked_by(sentence: str) -> str:
    """Return what a sentence asks, as a question, empty where it asks nothing."""
    if sentence.endswith(("?", "？")):
        return sentence
    request = _REQUEST.search(sentence)
    return f"{request['asked'].strip()}?" if request else ""


def further_queries(sub_question: str, asked: set[str]) -> list[str]:
    """Return wider queries for a sub-question that found too little, none of them asked (`normalised`).

    They are the first and the second half of the words of its topic that say what it is about, and the longest ones.
    """
    topic = topic_of(sub_question)
    words = [word for word in topic.split() if word.strip(" ,;:?").lower() not in STOP_WORDS] or topic.split()
    half = max(1, len(words) // 2)
    wider = [" ".join(words[:half]), " ".join(words[half:]), " ".join(longest(topic, 2))]
    return [query for query in pointed(wider, sub_question) if normalised(query) not in asked]
