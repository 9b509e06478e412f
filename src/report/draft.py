"""A section as it is written, before the report is made of it."""

from ..tree import Unit, mapped
from .report import Section


class Draft(Section, frozen=True):
    """A section that may change yet.

    `dropped` counts markers of sources that do not exist, `cut` says that the model was stopped before its end.
    """

    dropped: int = 0
    cut: bool = False

    @property
    def section(self) -> Section:
        """What the report has of it: of each verdict what was decided, not on which span of which passage."""
        return Section(title=self.title, blocks=mapped(self.blocks, _decided), quoted=self.quoted)


def _decided(unit: Unit) -> Unit:
    return unit.judged(unit.verdict and unit.verdict.model_copy(update={"span": None}))
