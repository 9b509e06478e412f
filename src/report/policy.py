"""What becomes of the sentences that their sources do not support, and of those that serve no question."""

from collections.abc import Callable, Collection, Iterator, Mapping

from ..answer import Candidate
from ..evidence.reason import BESIDE
from ..evidence.statement import leans
from ..kernel.settings import Policy
from ..tree import CodeBlock, Row, Unit, mapped, without
from .asserting import is_label
from .draft import Draft
from .report import Removed
from .source_index import CitedPassage, SourceIndex

Settled = tuple[Draft, list[Removed]]
"""A draft after the policy, and the sentences that it took out."""

Passages = Mapping[str, CitedPassage]
"""By their labels."""


def settled(draft: Draft, policy: Policy, passages: Passages) -> Settled:
    """Return a judged draft as the report has it; what is not wholly supported is marked when it is rendered.

    Under `strict` what is unsupported or contradicted goes; under `off` no verdict is kept, so that nothing is marked.
    """
    if policy == "off":
        blocks = mapped(draft.blocks, lambda unit: unit.judged(None))
        return draft.model_copy(update={"blocks": blocks}), []
    return (draft, []) if policy == "mark" else taken_out(draft, fails, passages)


def taken_out(draft: Draft, goes: Callable[[Unit], bool], passages: Passages) -> Settled:
    """Return a judged draft without some of its sentences, and what is told of them."""
    gone = [_removed(draft.title, unit, passages) for unit in draft.units if goes(unit)]
    return draft.model_copy(update={"blocks": without(draft.blocks, goes)}), gone


def fails(sentence: Unit) -> bool:
    """Say whether a sentence was judged and nothing supports it."""
    return sentence.verdict is not None and sentence.verdict.verdict in ("unsupported", "contradicted")


def _removed(title: str, unit: Unit, passages: Passages) -> Removed:
    assert unit.verdict is not None
    span = unit.verdict.span
    cite = next((one for one in unit.cites if span and (one.start, one.end) == (span.start, span.end)), None)
    return Removed(
        section=title,
        text=unit.text,
        verdict=unit.verdict.verdict,
        reasons=unit.verdict.reasons,
        evidence=span.text if span and cite else "",
        source_id=passages[cite.passage].source.id if span and cite else "",
    )


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
    kept, gone = taken_out(draft, lambda unit: unit in beside, index.by_label)
    return kept, [one.model_copy(update={"reasons": [BESIDE, *one.reasons]}) for one in gone]
