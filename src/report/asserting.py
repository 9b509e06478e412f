"""Decides which units of a section assert something that a source must support."""

from ..evidence.claim import FEWEST_TERMS, beyond, is_claim
from ..kernel.sentence import sentence_spans
from ..kernel.term import terms
from ..markup import CodeBlock, Heading, Row, Unit


def asserts(unit: Unit, known: frozenset[str] | None) -> bool:
    """Whether a sentence, a heading, a row or a block of code asserts something, by its visible text.

    `known` are the roots of the questions: repeating them asserts nothing, except in a sentence. None means that the
    questions are unknown, as for a text written elsewhere: then only sentences assert something. The head of a table
    asserts nothing by itself, only as part of the rows. A unit with a citation is judged as a sentence, but a heading
    only if it ends like one.
    """
    text = unit.text
    match unit:
        case CodeBlock():
            return bool(text.strip())
        case Row():
            if not unit.columns or known is None:
                return bool(unit.columns) and is_claim(text)
            return len(terms(text)) >= FEWEST_TERMS or bool(beyond(text, known))
        case Heading() if not text.endswith((".", "。")):
            return known is not None and bool(beyond(text, known))
    if unit.cites and text[-1:].isalnum():
        text = f"{text}."
    pieces = [text[start:end] for start, end in sentence_spans(text)]
    return any(is_claim(piece) or (known is not None and bool(beyond(piece, known))) for piece in pieces)


def is_label(unit: Unit) -> bool:
    """Whether a unit is no sentence, even if it asserts something: a heading, a question, a caption, a list's intro."""
    return not isinstance(unit, CodeBlock) and (isinstance(unit, Heading) or not is_claim(unit.text))
