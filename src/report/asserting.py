"""What in a section claims something that a source must support."""

from ..evidence.claim import FEWEST_TERMS, beyond, is_claim
from ..kernel.sentence import sentence_spans
from ..kernel.term import terms
from ..tree import CodeBlock, Heading, Row, Unit


def asserts(unit: Unit, known: frozenset[str] | None) -> bool:
    """Say whether a sentence, a heading, a row or a block of code, as a reader sees it, asserts something.

    `known` are the roots of what was asked: who repeats them asserts nothing by that, unless in a sentence. None means
    that nobody knows it, as of a stranger's text: then only sentences assert something. The head of a table does so in
    its rows. What is cited is no label, whatever its form, and a heading no sentence that does not end like one.
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
    return any(is_claim(one) or (known is not None and bool(beyond(one, known))) for one in pieces)


def is_label(unit: Unit) -> bool:
    """Say whether it is no sentence, whatever it asserts: a heading, a question, a caption, what leads to a list."""
    return not isinstance(unit, CodeBlock) and (isinstance(unit, Heading) or not is_claim(unit.text))
