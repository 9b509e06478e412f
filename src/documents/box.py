"""A run of text and where it stands on a page."""

from dataclasses import dataclass
from typing import Final

GAP: Final = 0.6
"""Heights of its row by which two runs are apart at least if they are two cells; between words it is a third of one."""


@dataclass(frozen=True, slots=True)
class Box:
    """A run of text and its place, in points, upwards and to the right."""

    left: float
    bottom: float
    right: float
    top: float
    text: str

    @property
    def middle(self) -> float:
        """Half way up."""
        return (self.bottom + self.top) / 2

    @property
    def height(self) -> float:
        """From bottom to top."""
        return self.top - self.bottom

    def leads_to(self, other: "Box") -> bool:
        """Say whether another box goes on where this one ends, in the same cell of the same row.

        The letters of a ligature share one box, so the other may begin as far back as a letter is wide.
        """
        gap, height = other.left - self.right, max(self.height, other.height)
        return -height <= gap <= GAP * height and self.bottom <= other.middle <= self.top

    def joined(self, other: "Box", between: str = "") -> "Box":
        """Return both as one."""
        return Box(
            min(self.left, other.left),
            min(self.bottom, other.bottom),
            max(self.right, other.right),
            max(self.top, other.top),
            self.text + between + other.text,
        )
