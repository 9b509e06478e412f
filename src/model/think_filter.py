"""A filter that removes thinking from a streamed answer."""

import re
from collections.abc import Callable

_TAG = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_LONGEST_TAG = len("</thinking>")


class LongEnoughError(Exception):
    """The stream has more characters than requested."""


class ThinkFilter:
    """A callable that passes on the pieces of an answer, without the text in `<think>…</think>`.

    A tag may be split across pieces; it opens thinking only at the beginning of a line. An unmatched closing tag is
    dropped. `passed` is all text passed on so far; once it has more than `longest` characters (0: no limit), a piece
    raises LongEnoughError.
    """

    def __init__(self, pass_on: Callable[[str], None], longest: int = 0) -> None:
        self._pass_on = pass_on
        self._longest = longest
        self.passed = ""
        self._held = ""
        self._thinking = False
        self._at_line_start = True

    def __call__(self, piece: str) -> None:
        """Take the next piece."""
        self._held += piece
        while tag := _TAG.search(self._held):
            self._pass(tag.start())
            if tag[1] or self._at_line_start:
                self._thinking = not tag[1]
                self._held = self._held[len(tag[0]) :]
                self._at_line_start = True
            else:
                self._pass(len(tag[0]))
        opened = self._held.rfind("<", max(0, len(self._held) - _LONGEST_TAG + 1))
        self._pass(len(self._held) if opened < 0 else opened)
        if 0 < self._longest < len(self.passed):
            raise LongEnoughError

    def end(self) -> None:
        """Pass on the text that was held back as the possible beginning of a tag."""
        self._pass(len(self._held))

    def _pass(self, end: int) -> None:
        text, self._held = self._held[:end], self._held[end:]
        if text and not self._thinking:
            self.passed += text
            self._pass_on(text)
        line = text.rpartition("\n")[2]
        self._at_line_start = not line.strip() and (self._at_line_start or "\n" in text)
