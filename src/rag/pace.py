"""How far the reading of files is, and how long it still takes."""

from collections.abc import Sequence

from ..kernel.events import IngestProgress
from ..kernel.run import Run
from .walk import WalkedFile

TELLING = 0.5  # seconds between two tellings
ENOUGH = 0.02  # the share that is read when the time for the rest can be told
OPENING = 10_000.0  # bytes that opening a file counts for


class Pace:
    """Tells a run how far the reading of some files is, by their bytes; the pages of a PDF share its bytes."""

    def __init__(self, run: Run, files: Sequence[WalkedFile]) -> None:
        self._run = run
        self._total = len(files)
        self._bytes = sum(map(_weight, files))
        self._read, self._done = 0, 0.0
        self._at: dict[str, tuple[float, int]] = {}
        self._pages: dict[str, int] = {}
        self._began = self._told = run.seconds

    def at(self, found: WalkedFile, page: int, pages: int) -> None:
        """Note how many pages of a file are read."""
        self._at[found.path] = _weight(found) * page / pages, pages
        self._pages[found.path] = page
        self._tell_now_and_then()

    def read(self, found: WalkedFile) -> None:
        """Note that a file is read."""
        if found.path in self._at:
            _, self._pages[found.path] = self._at.pop(found.path)
        self._done += _weight(found)
        self._read += 1
        self._tell_now_and_then()

    def tell(self) -> None:
        """Tell how far it is."""
        self._told = self._run.seconds
        done = self._done + sum(weight for weight, _ in self._at.values())
        left = (self._told - self._began) / done * (self._bytes - done) if done >= ENOUGH * self._bytes else None
        self._run.emit(IngestProgress("convert", self._read, self._total, left, sum(self._pages.values())))

    def _tell_now_and_then(self) -> None:
        if self._run.seconds - self._told >= TELLING:
            self.tell()


def _weight(found: WalkedFile) -> float:
    return found.stamp[0] + OPENING
