"""Sub-questions and queries made by rules, for planning without a model."""

import re

from ..kernel.sentence import sentence_spans
from ..kernel.term import STOP_WORDS
from ..ranking import is_topic
from ..search.queries import JOINED, is_noun_phrase, longest, normalised, pointed, sides, stands_alone, topic_of

MOST_SUB_QUESTIONS = 4

LETTER = 400  # characters; in a longer text, sentences that ask nothing are ignored

_CLAUSES = re.compile(r"[,:.]\s|^(?:at|by|for|from|in|on|since|to|with)\s(?=what|which|whose)", re.IGNORECASE)

_SCENE = re.compile(
    r"[^?]{2,80}?(?:\s[-–—]|:)\s+(?=(?:how|what|why|when|where|who|which|is|are|do|does|did|can)\b)", re.IGNORECASE
)
"""The topic before a question: "The weir - how high is it"."""

_REQUEST = re.compile(
    r"\b(?:(?:tell|ask|show)\s+(?:me|us)|explain|describe|(?:let\s+(?:me|us)|(?:like|want|need|love)\s+to)\s+know)\b"
    r"[^.!?]*?\b(?P<question>(?:how|what|why|when|where|who|which|whether)\b[^.!?]+)",
    re.IGNORECASE,
)
"""Matches a question without a question mark: "Please also tell me how much the membership costs."."""


def sub_questions(question: str) -> list[str]:
    """Split a question into its joined questions, or into a comparison and its sides.

    Returns at most MOST_SUB_QUESTIONS, in the question's wording and order, with `it` replaced by its subject. A
    question that cannot be split is the only part. Of a text longer than LETTER only sentences that ask are used.
    """
    whole = _questions_in(" ".join(question.split()))
    parts = [part.strip(" ?;,") for part in _joined(whole)]
    if len(parts) > 1:
        return parts[:MOST_SUB_QUESTIONS]
    compared = sides(whole)
    return [whole.strip(" ?"), *compared][:MOST_SUB_QUESTIONS] if len(compared) > 1 and all(compared) else [whole]


def _joined(text: str) -> list[str]:
    """Split a text at each joint between two questions that are understandable on their own.

    A piece that asks nothing ("My disk is full") stays with the question next to it; before the first question it, or
    the topic before a dash or a colon, is added to the others too. A question of one word, or one that refers to the
    preceding text, is not split off, unless that text is a noun phrase, which can replace the pronoun.
    """
    split = JOINED.split(text)
    pieces, joints = split[::2], [*split[1::2], ""]
    nothing_asks = all(map(is_topic, pieces))
    asks = [nothing_asks or _asks(piece, joint) for piece, joint in zip(pieces, joints, strict=True)]
    topic = _SCENE.match(pieces[0])
    scene = pieces[0] + joints[0] if not asks[0] else topic[0] if topic else ""
    parts, asked = pieces[:1], asks[0]
    for joint, piece, asking in zip(joints, pieces[1:], asks[1:], strict=False):
        both = asked and asking and " " in piece.strip() and " " in parts[-1].strip()
        if both and (alone := stands_alone(piece.strip(" ?;,"), parts[0])):
            parts.append(scene + alone)
        else:
            parts[-1] += joint + piece
            asked = asked or asking
    return parts


def _asks(piece: str, joint: str) -> bool:
    """Return whether a piece of text, followed by `joint`, asks: by question mark, by a clause, or as a noun phrase.

    Before a semicolon a noun phrase does not count: it could be a statement ("the build fails; where is its log?").
    """
    clauses = _CLAUSES.split(piece)
    return "?" in joint or not all(map(is_topic, clauses)) or (";" not in joint and is_noun_phrase(piece))


def _questions_in(text: str) -> str:
    """Return the questions and requests of a text longer than LETTER, or a shorter text unchanged."""
    if len(text) <= LETTER:
        return text
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    return " ".join(filter(None, map(_question_of, sentences))) or text


def _question_of(sentence: str) -> str:
    """Return the question that a sentence asks, "" if none."""
    if sentence.endswith(("?", "？")):
        return sentence
    request = _REQUEST.search(sentence)
    return f"{request['question'].strip()}?" if request else ""


def further_queries(sub_question: str, tried: set[str]) -> list[str]:
    """Return wider queries for a sub-question that found too little, without those already `tried` (`normalised`).

    They are the first half and the second half of the content words of the topic, and its longest words.
    """
    topic = topic_of(sub_question)
    words = [word for word in topic.split() if word.strip(" ,;:?").lower() not in STOP_WORDS] or topic.split()
    half = max(1, len(words) // 2)
    wider = [" ".join(words[:half]), " ".join(words[half:]), " ".join(longest(topic, 2))]
    return [query for query in pointed(wider, sub_question) if normalised(query) not in tried]
