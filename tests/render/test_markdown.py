"""A tree is written as Markdown that shows it, and nothing of its words becomes markup."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from render.test_escape import ATTACKS, kinds
from report.written import blocks_of, text_of
from spyglass.markup import Block, CodeBlock, Heading, Paragraph, Part, Row, Sentence, Styled, TableBlock, walk
from spyglass.report.report import Section

HARM = {"link_open", "image", "html_inline", "html_block"}


def shown(blocks: list[Block]) -> str:
    return text_of(Section(title="", blocks=blocks))


def in_every_place(*parts: Part) -> list[Block]:
    """Return blocks that hold the parts wherever a tree may hold words."""
    words = "".join(part if isinstance(part, str) else "" for part in parts)
    row = Row(cells=[list(parts), list(parts)])
    return [
        Paragraph(sentences=[Sentence(parts=list(parts)), Sentence(parts=list(parts))]),
        Heading(parts=list(parts)),
        TableBlock(head=row, rows=[row]),
        Paragraph(sentences=[Sentence(parts=[Styled(text=words, style=[style])]) for style in ("code", "strong")]),
        CodeBlock(code=words, language=words),
    ]


@pytest.mark.parametrize("attack", ATTACKS)
def test_words_are_never_a_link_a_picture_or_html(attack: str) -> None:
    text = shown(in_every_place(attack))
    assert not kinds(text) & HARM
    assert not kinds(shown(blocks_of(attack))) & HARM


@given(st.text(alphabet="ab \n\\`*_[]()<>!|:/-#~w.@", max_size=60), st.text(alphabet="](:/<`*_|", max_size=4))
def test_neither_are_words_that_stand_beside_one_another(text: str, more: str) -> None:
    cite = next(unit.cites[0] for unit in walk(blocks_of("[1]")))
    assert not kinds(shown(in_every_place(text, more, cite, more, text))) & HARM


@given(st.text(alphabet="ab \n\\`*_[]()<>!|:/-#~.1é雨", max_size=80))
def test_what_is_written_reads_as_it_was_read(text: str) -> None:
    first = blocks_of(text)
    assert _said(blocks_of(shown(first))) == _said(first)


def _said(blocks: list[Block]) -> str:
    """Return the letters of blocks: marks of emphasis may fall away where words touch."""
    return "".join(char for unit in walk(blocks) for char in unit.text if char.isalnum())


def test_everything_that_a_section_is_made_of_is_written() -> None:
    text = (
        "### Part\n\n**bold** and *thin* ~~gone~~ `code[0] < 1|2` [1]. 3 \\< 4.\n\n"
        "- one\n  - two\n- three\n\n  more\n\n7. seven\n8. eight\n\n> quoted\n>\n> more\n\n"
        "| a | b |\n| --- | ---: |\n| 1\\|2 | |\n\n```python\nx = 1\n```\n\na\\\nb"
    )
    assert shown(blocks_of(text)) == text
