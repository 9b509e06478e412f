"""The policy for sentences that their sources do not support, and for sentences that are not relevant."""

from collections.abc import Callable, Collection, Iterator, Mapping

from ..evidence.leaning import leans
from ..evidence.reason import BESIDE
from ..kernel.settings import Policy
from ..markup import CodeBlock, Row, Unit, mapped, without
from ..ranking import Candidate
from .asserting import is_label
from .draft import Draft
from .report import Removed
from .source_index import CitedPassage, SourceIndex

Settled = tuple[Draft, list[Removed]]
"""A draft after the policy, and the sentences removed from it."""

Passages = Mapping[str, CitedPassage]
"""Passages by label."""


def settled(draft: Draft, policy: Policy, passages: Passages) -> Settled:
    """Return a judged draft after the policy; sentences that are not wholly supported are marked when rendered.

    `strict` removes unsupported and contradicted sentences; `off` drops the verdicts, so that nothing is marked.
    """
    if policy == "off":
        blocks = mapped(draft.blocks, lambda unit: unit.judged(None))
        return draft.model_copy(update={"blocks": blocks}), []
    return (draft, []) if policy == "mark" else without_matching(draft, fails, passages)


def without_matching(draft: Draft, is_removed: Callable[[Unit], bool], passages: Passages) -> Settled:
    """Return a judged draft without the sentences that match, and the records of these."""
    removed = [_removed(draft.title, unit, passages) for unit in draft.units if is_removed(unit)]
    return draft.model_copy(update={"blocks": without(draft.blocks, is_removed)}), removed


def fails(sentence: Unit) -> bool:
    """Whether a sentence was judged unsupported or contradicted."""
    return sentence.verdict is not None and sentence.verdict.verdict in ("unsupported", "contradicted")


def _removed(title: str, unit: Unit, passages: Passages) -> Removed:
    assert unit.verdict is not None
    span = unit.verdict.span
    cite = next((cite for cite in unit.cites if span and (cite.start, cite.end) == (span.start, span.end)), None)
    return Removed(
        section=title,
        text=unit.text,
        verdict=unit.verdict.verdict,
        reasons=unit.verdict.reasons,
        evidence=span.text if span and cite else "",
        source_id=passages[cite.passage].source.id if span and cite else "",
    )


def candidates(draft: Draft, index: SourceIndex) -> Iterator[tuple[Unit, Candidate]]:
    """Yield the cited claims of a draft, each with its candidate answer in the context of the first passage it cites.

    A quoted draft yields none.
    """
    texts = ["", *(unit.text for unit in draft.units), ""]
    for number, unit in enumerate(draft.units, start=1):
        if draft.quoted or not unit.asserts or is_label(unit) or isinstance(unit, CodeBlock) or not unit.cites:
            continue
        cited = index.by_label[unit.cites[0].passage]
        yield (
            unit,
            Candidate(
                text=unit.text,
                before=texts[number - 1],
                after=texts[number + 1],
                around=cited.above,
                passage=cited.passage.text,
                rank=index.ranks[cited.label],
                row=isinstance(unit, Row),
                leans=leans(unit.text),
            ),
        )


def without_irrelevant(draft: Draft, irrelevant: Collection[Unit], index: SourceIndex) -> Settled:
    """Return a draft without the irrelevant sentences, and the records of these."""
    kept, removed = without_matching(draft, lambda unit: unit in irrelevant, index.by_label)
    return kept, [record.model_copy(update={"reasons": [BESIDE, *record.reasons]}) for record in removed]
