"""A file as text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """A file's text, plain or Markdown, and what a citation needs to name a place in it.

    Lines end in a newline character alone. The text is not normalised beyond that: it stays what the file says, and
    every offset, in code points, refers to exactly this text. `pages` holds the start of each page or slide, in order,
    and is empty when the kind of file has none. `skipped` says what of the file gave no text, and why: the members
    of an archive, the scanned pages of a PDF.
    """

    text: str
    title: str
    kind: str
    pages: tuple[int, ...] = ()
    skipped: tuple[str, ...] = ()
