"""Turns quoted statements into blocks of a report: paragraphs, list items, code and a table."""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from ..markup import Block, CodeBlock, ListBlock, Paragraph, Row, Sentence, Styled, TableBlock
from .comparison import SideStatement
from .quotable import Quotable

MOST_CODE = 1_000
"""Most characters of a code block that is quoted with the statement above it."""

_SHORT_LINE = r"\n[^\S\n]*[^\W_][^\n`]{0,60}(?<![.:;!?。：；！？])"
"""A line that is no sentence, such as "Default: 0" between what a setting does and the setting."""

_CODE = re.compile(
    rf"[^\S\n]*(?:{_SHORT_LINE})?\n\s*"
    rf"^[ ]{{0,3}}(?P<fence>```+)\w*\n(?P<code>.{{1,{MOST_CODE}}}?)\n[ ]{{0,3}}(?P=fence)",
    re.MULTILINE | re.DOTALL,
)


def as_blocks(
    quotes: Sequence[Quotable],
    labels: Mapping[int, str] = MappingProxyType({}),
    *,
    code: bool = False,
    whole: bool = False,
    before: str = "",
) -> list[Block]:
    """Return a paragraph for consecutive sentences of a source and a list item for each row or item, with its label.

    With `code`, a code block right below any sentence is quoted too, otherwise only below one that ends in a colon;
    with `whole`, a short sentence with which a paragraph ends. A statement whose successor in the text comes first is
    in brackets after the label `before`, unless both are rows.
    """
    blocks: list[Block] = []
    previous: Quotable | None = None
    for quote in quotes:
        is_row = quote.statement.kind == "row"
        is_aside = before and previous and previous.continues(quote) and quote.order not in labels
        is_aside = is_aside and not (is_row and previous and previous.statement.kind == "row")
        sentence = quote.aside(before) if is_aside else quote.sentence(labels.get(quote.order, ""))
        said = [sentence, *filter(None, [quote.rest if whole else None])]
        below = code_below(quote, code=code)
        own: list[Block] = [Paragraph(sentences=said), *([CodeBlock(code=below, asserts=True)] if below else [])]
        skipped = quote.skipped(previous) if previous else None
        last = blocks[-1] if blocks else None
        if is_row or quote.begins_item:
            items = last.items if isinstance(last, ListBlock) else []
            blocks[len(blocks) - bool(items) :] = [ListBlock(items=[*items, own])]
        elif previous and isinstance(last, ListBlock) and (quote.continues(previous) or skipped):
            _extend(last.items[-1], [*filter(None, [skipped]), *said], own)
        elif previous and isinstance(last, Paragraph) and previous.entry.id == quote.entry.id:
            _extend(blocks, [*filter(None, [skipped]), *said], own)
        else:
            blocks += own
        previous = quote
    return blocks


def _extend(blocks: list[Block], said: Sequence[Sentence], own: Sequence[Block]) -> None:
    """Add sentences to the last one of blocks, with the code below; as blocks of their own if it is no paragraph."""
    last = blocks[-1]
    if isinstance(last, Paragraph):
        blocks[-1:] = [Paragraph(sentences=[*last.sentences, *said]), *own[1:]]
    else:
        blocks += own


def as_label(place: str) -> list[Block]:
    """Return the location of what is quoted below as a line that asserts nothing; no line if it has no name."""
    return [Paragraph(sentences=[Sentence(parts=[place.rstrip()])])] if place else []


def code_below(quote: Quotable, *, code: bool = False) -> str:
    """Return the code right below a statement or a short line after it, empty if there is none.

    Without `code`, the statement must end in a colon.
    """
    if not (code and quote.statement.kind == "sentence") and not quote.statement.text.endswith((":", "：")):
        return ""
    passage = quote.passage.passage
    match = _CODE.match(passage.text, quote.statement.end - passage.start)
    return match["code"] if match else ""


def reads_on(quote: Quotable) -> bool:
    """Whether a statement can follow another: it begins like a sentence, and introduces nothing that is not quoted."""
    leads_on = quote.statement.text.endswith((":", "：")) and not code_below(quote)
    return not (leads_on or quote.statement.text[:1].islower())


def by_source(quotes: Sequence[Quotable]) -> list[Quotable]:
    """Return statements by source, that of the best first; in each, the kind of its best one first, in text order."""
    kinds: dict[str, str] = {}
    for quote in quotes:
        kinds.setdefault(quote.entry.id, quote.statement.kind)
    rank = {id_: number for number, id_ in enumerate(kinds)}
    return sorted(
        quotes, key=lambda quote: (rank[quote.entry.id], quote.statement.kind != kinds[quote.entry.id], quote.order)
    )


def as_table(rows: Iterable[SideStatement]) -> TableBlock:
    """Return a table with the compared things in the first column and statements about them in the second."""
    return TableBlock(
        head=Row(cells=[[], []]),
        rows=[
            Row(
                cells=[[Styled(text=row.side, style=["strong"])], [row.quotable.statement.text, row.quotable.cite]],
                columns=["", ""],
                asserts=True,
            )
            for row in rows
        ],
    )
