"""Progress of reading files, with an estimate of the remaining time."""

from collections.abc import Sequence

from ..kernel.events import IngestProgress
from ..kernel.run import Run
from .walk import WalkedFile

TELLING = 0.5  # seconds between two reports
ENOUGH = 0.02  # the share of bytes that must be read before the remaining time is estimated
OPENING = 10_000.0  # the cost of opening a file, in bytes


class Pace:
    """A reporter of the progress of reading files, by bytes; the pages of a PDF share its bytes equally."""

    def __init__(self, run: Run, files: Sequence[WalkedFile]) -> None:
        self._run = run
        self._total = len(files)
        self._bytes = sum(map(_weight, files))
        self._read, self._done = 0, 0.0
        self._in_progress: dict[str, tuple[float, int]] = {}
        self._pages: dict[str, int] = {}
        self._started_at = self._reported_at = run.seconds

    def at(self, file: WalkedFile, page: int, pages: int) -> None:
        """Record that `page` of `pages` pages of a file are read."""
        self._in_progress[file.path] = _weight(file) * page / pages, pages
        self._pages[file.path] = page
        self._tell_if_due()

    def read(self, file: WalkedFile) -> None:
        """Record that a file is read."""
        if file.path in self._in_progress:
            _, self._pages[file.path] = self._in_progress.pop(file.path)
        self._done += _weight(file)
        self._read += 1
        self._tell_if_due()

    def tell(self) -> None:
        """Report the progress."""
        self._reported_at = self._run.seconds
        done = self._done + sum(weight for weight, _ in self._in_progress.values())
        left = (
            (self._reported_at - self._started_at) / done * (self._bytes - done)
            if done >= ENOUGH * self._bytes
            else None
        )
        self._run.emit(IngestProgress("convert", self._read, self._total, left, sum(self._pages.values())))

    def _tell_if_due(self) -> None:
        if self._run.seconds - self._reported_at >= TELLING:
            self.tell()


def _weight(file: WalkedFile) -> float:
    return file.stamp[0] + OPENING
