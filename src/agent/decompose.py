"""Sub-questions and queries made by rules, for planning without a model."""

import re

from ..kernel.sentence import sentence_spans
from ..kernel.term import STOP_WORDS
from ..search.queries import longest, normalised, pointed, sides, topic_of, with_subject

MOST_SUB_QUESTIONS = 4

LETTER = 400  # a longer text has more in it than its questions

_JOINED = re.compile(
    r"(?:\s*;|(?<=[^\s?$])\?+)\s+(?:and\s+)?|\s*,?\s+and\s+(?=(?:how|what|why|when|where|who|which|is|are|does|do|can)\b)",
    re.IGNORECASE,
)

_REQUEST = re.compile(
    r"\b(?:(?:tell|ask|show)\s+(?:me|us)|explain|describe|(?:let\s+(?:me|us)|(?:like|want|need|love)\s+to)\s+know)\b"
    r"[^.!?]*?\b(?P<question>(?:how|what|why|when|where|who|which|whether)\b[^.!?]+)",
    re.IGNORECASE,
)
"""A question without a question mark: "Please also tell me how much the membership costs."."""


def sub_questions(question: str) -> list[str]:
    """Split a question into its joined questions, or into a comparison and the sides of it.

    At most MOST_SUB_QUESTIONS, in the question's wording and order, with `it` replaced by its subject. A question that
    does not split is returned as the only part. Of a text longer than LETTER only the sentences that ask are used.
    """
    whole = _questions_in(" ".join(question.split()))
    parts = [part.strip(" ?;,") for part in _JOINED.split(whole)]
    parts = [part for part in parts if len(part.split()) > 1]
    if len(parts) > 1:
        return [parts[0], *(with_subject(part, parts[0]) for part in parts[1:MOST_SUB_QUESTIONS])]
    compared = sides(whole)
    return [whole.strip(" ?"), *compared][:MOST_SUB_QUESTIONS] if len(compared) > 1 and all(compared) else [whole]


def _questions_in(text: str) -> str:
    """Return the questions and requests of a text longer than LETTER; any other text as it is."""
    if len(text) <= LETTER:
        return text
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    return " ".join(filter(None, map(_question_of, sentences))) or text


def _question_of(sentence: str) -> str:
    """Return the question that a sentence asks, "" if it asks none."""
    if sentence.endswith(("?", "？")):
        return sentence
    request = _REQUEST.search(sentence)
    return f"{request['question'].strip()}?" if request else ""


def further_queries(sub_question: str, tried: set[str]) -> list[str]:
    """Return wider queries for a sub-question that found too little, without those already `tried` (`normalised`).

    They are the first half and the second half of the content words of its topic, and its longest words.
    """
    topic = topic_of(sub_question)
    words = [word for word in topic.split() if word.strip(" ,;:?").lower() not in STOP_WORDS] or topic.split()
    half = max(1, len(words) // 2)
    wider = [" ".join(words[:half]), " ".join(words[half:]), " ".join(longest(topic, 2))]
    return [query for query in pointed(wider, sub_question) if normalised(query) not in tried]
