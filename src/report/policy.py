"""What becomes of the sentences that their sources do not support: removed, marked, or left as they are."""

from collections.abc import Callable, Mapping

from ..kernel.settings import Policy
from ..tree import Unit, mapped, without
from .draft import Draft
from .report import Removed
from .source_index import CitedPassage

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
