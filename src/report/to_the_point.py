"""What a model wrote, as candidates for an answer, and without the claims that serve no question."""

from collections.abc import Collection, Iterator

from ..answer import Candidate
from ..evidence.reason import BESIDE
from ..evidence.statement import leans
from ..tree import CodeBlock, Row, Unit, mapped
from .asserting import is_label
from .draft import Draft
from .policy import Settled, taken_out
from .source_index import SourceIndex


def candidates(draft: Draft, index: SourceIndex) -> Iterator[tuple[Unit, Candidate]]:
    """Yield the cited claims of a draft and what each is as an answer, below what stands above the passage it cites.

    Of a draft that is quoted there are none.
    """
    texts = ["", *(one.text for one in draft.units), ""]
    for place, one in enumerate(draft.units, start=1):
        if draft.quoted or not one.asserts or is_label(one) or isinstance(one, CodeBlock) or not one.cites:
            continue
        cited = index.by_label[one.cites[0].passage]
        yield (
            one,
            Candidate(
                text=one.text,
                before=texts[place - 1],
                after=texts[place + 1],
                around=cited.above,
                passage=cited.passage.text,
                rank=index.ranks[cited.label],
                row=isinstance(one, Row),
                leans=leans(one.text),
            ),
        )


def without_beside(draft: Draft, beside: Collection[Unit], index: SourceIndex) -> Settled:
    """Return a draft without the sentences that are beside the point, and what is told of them."""
    blocks = mapped(draft.blocks, lambda unit: _told(unit) if unit in beside else unit)
    marked = draft.model_copy(update={"blocks": blocks})
    return taken_out(marked, lambda one: one.verdict is not None and BESIDE in one.verdict.reasons, index.by_label)


def _told(unit: Unit) -> Unit:
    """Return a sentence whose verdict says that it is beside the point."""
    assert unit.verdict is not None
    return unit.judged(unit.verdict.model_copy(update={"reasons": [BESIDE, *unit.verdict.reasons]}))
