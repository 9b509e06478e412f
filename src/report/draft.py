"""A section while it is being written and checked."""

from ..markup import Unit, mapped
from .report import Section


class Draft(Section, frozen=True):
    """A section that may still change.

    `dropped` counts markers of sources that do not exist, and `cut` means that the model's answer was cut off. `absent`
    means that the model does not find in the passages what the section is for; what it wrote only comes near.
    """

    dropped: int = 0
    cut: bool = False
    absent: bool = False

    @property
    def section(self) -> Section:
        """The section for the report, with verdicts without their spans."""
        return Section(title=self.title, blocks=mapped(self.blocks, _without_span), quoted=self.quoted)


def _without_span(unit: Unit) -> Unit:
    return unit.judged(unit.verdict and unit.verdict.model_copy(update={"span": None}))
