"""The document tree of a report: blocks, their sentences, and the words and citations of each sentence.

Writers produce it, the checker judges its units, and renderers turn it into a file.
"""

from .nodes import (
    Block,
    Cite,
    CodeBlock,
    Heading,
    ListBlock,
    Mark,
    Paragraph,
    Part,
    Pointer,
    QuoteBlock,
    Row,
    Sentence,
    Style,
    Styled,
    TableBlock,
    Unit,
    gap,
    joined,
    mapped,
    visible_text,
    walk,
    without,
)
from .parser import MarkdownParser, Marker

__all__ = [
    "Block",
    "Cite",
    "CodeBlock",
    "Heading",
    "ListBlock",
    "Mark",
    "MarkdownParser",
    "Marker",
    "Paragraph",
    "Part",
    "Pointer",
    "QuoteBlock",
    "Row",
    "Sentence",
    "Style",
    "Styled",
    "TableBlock",
    "Unit",
    "gap",
    "joined",
    "mapped",
    "visible_text",
    "walk",
    "without",
]
