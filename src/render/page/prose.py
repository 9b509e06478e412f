"""Renders sections as HTML, with a card for each citation and a mark on each doubtful sentence."""

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

from ...kernel.one_line import one_line
from ...markup import Block, CodeBlock, Mark, Part, Pointer, Row, Style, Styled, TableBlock, Unit, gap, visible_text
from ..escape import is_web
from ..labels import mark_of
from .card import Cards, popover
from .element import Html, element, joined, markup, table

if TYPE_CHECKING:
    from ...report import Section
    from ..labels import Labels

LONGEST_TIED = 24  # most characters of a word that is kept on one line with its marker
_ELEMENTS: dict[Style, str] = {"strong": "strong", "emphasis": "em", "struck": "s", "code": "code"}


class Prose:
    """Renders sections in order: with `cards` their citations and no links, without `cards` their links only."""

    def __init__(self, words: "Labels", cards: Cards | None = None, top: int = 3) -> None:
        self._words = words
        self._cards = cards
        self._top = top
        self._citations = count()
        self._title, self._place = "", ""
        self._flags = count(1)
        self._level = top - 1

    def section(self, section: "Section", place: str) -> Html:
        """Return a section: its citations with their cards, its flagged sentences with their reasons."""
        self._title, self._place = section.title, place
        self._flags, self._level = count(1), self._top - 1
        return self.blocks(section.blocks)

    def blocks(self, blocks: Sequence[Block]) -> Html:
        """Return blocks as HTML, one after the other."""
        return joined(*map(self._block, blocks), by="\n")

    def _block(self, block: Block) -> Html:
        match block.kind:
            case "paragraph":
                return element("p", self._sentences(block), dir="auto")
            case "heading":
                self._level = min(self._level + 1, max(self._top, block.level), 6)
                return element(f"h{self._level}", self._unit(block, block.parts), dir="auto")
            case "list":
                items = [element("li", self._item(item), dir="auto") for item in block.items]
                if block.first is None:
                    return element("ul", *items, dir="auto")
                return element("ol", *items, start=None if block.first == 1 else block.first, dir="auto")
            case "quote":
                return element("blockquote", self.blocks(block.blocks), dir="auto")
            case "table":
                rows = [self._row(row, block) for row in block.rows]
                return table(self._row(block.head, block), rows, self._title)
            case "code":
                return self._code(block)

    def _sentences(self, block: Block) -> Html:
        assert block.kind == "paragraph"
        pieces: list[str] = []
        for index, sentence in enumerate(block.sentences):
            pieces += [gap(block.sentences[index - 1], sentence)] if index else []
            pieces.append(self._unit(sentence, sentence.parts))
        return joined(*pieces)

    def _item(self, item: Sequence[Block]) -> Html:
        """Return the content of a list item; a paragraph in it gets no element of its own, unless there are several."""
        if sum(block.kind == "paragraph" for block in item) > 1:
            return self.blocks(item)
        return joined(*(self._sentences(part) if part.kind == "paragraph" else self._block(part) for part in item))

    def _code(self, block: CodeBlock) -> Html:
        code = element("pre", element("code", f"{block.code}\n"))
        behind = joined(self._parts(block.cited), self._chip(block), by=" ")
        return joined(code, element("p", behind, class_="behind", dir="auto") if behind else "")

    def _row(self, row: Row, block: TableBlock) -> Html:
        cells = []
        for column, cell in enumerate(row.cells):
            is_last = column == len(row.cells) - 1
            inside = joined(self._parts(cell), self._chip(row) if is_last else "", by=" ")
            is_heading = row is block.head and bool(visible_text(cell))
            cells.append(
                element(
                    "th" if is_heading else "td",
                    inside,
                    scope="col" if is_heading else None,
                    class_=block.alignment(column) or None,
                    dir="auto",
                )
            )
        return element("tr", *cells)

    def _unit(self, unit: Unit, parts: Sequence[Part]) -> Html:
        """Return a sentence, marked with a button for the reasons if its sources do not wholly support it."""
        inside = self._parts(parts)
        chip = self._chip(unit)
        return joined(element("span", inside, class_=f"claim {_kind(unit)}"), " ", chip) if chip else inside

    def _chip(self, unit: Unit) -> Html:
        """Return the label of a sentence's verdict, as a button that opens the reasons if there are any."""
        label = mark_of(self._words, unit)
        if not label:
            return Html()
        kind = f"flag {_kind(unit)}"
        if unit.verdict is None or not unit.verdict.reasons:
            return element("span", label, class_=kind)
        reasons = (one_line(self._words.text_of(reason)) for reason in unit.verdict.reasons)
        why = [element("span", reason, class_="reason", dir="auto") for reason in reasons]
        title = element("strong", label, class_="card-title")
        return popover(f"w{self._place}-{next(self._flags)}", title, *why, label=label, kind=kind, words=self._words)

    def _parts(self, parts: Sequence[Part]) -> Html:
        pieces: list[str] = []
        for index, part in enumerate(parts):
            if not isinstance(part, Mark):
                pieces.append(self._styled(part) if isinstance(part, Styled) else _lines(part))
                continue
            if self._cards is None:
                continue
            if isinstance(part, Pointer):
                card = self._cards.pointer(part.number)
            else:
                card = self._cards.citation(next(self._citations))
            before = parts[index - 1] if index else None
            rest, word = _untied(before) if isinstance(before, str) else ("", "")
            if word:
                pieces[-1] = _lines(rest)
                card = element("span", f"{word}\u00a0", card, class_="tied")
            elif before is not None and not isinstance(before, Mark):
                pieces.append("\u00a0")
            pieces.append(card)
        return joined(*pieces)

    def _styled(self, part: Styled) -> Html:
        text = _lines(part.text)
        for style in reversed(part.style):
            text = element(_ELEMENTS[style], text)
        return element("a", text, href=part.href) if self._cards is None and is_web(part.href) else text


def _kind(unit: Unit) -> str:
    return unit.verdict.verdict if unit.verdict else "unchecked"


def _lines(text: str) -> Html:
    return Html("<br>\n".join(map(markup, text.split("\n"))))


def _untied(text: str) -> tuple[str, str]:
    """Return a text without its last word, and that word, which is kept on one line with the marker after it."""
    rest, space, word = text.rpartition(" ")
    return (rest + space, word) if word and len(word) <= LONGEST_TIED and "\n" not in word else (text, "")
