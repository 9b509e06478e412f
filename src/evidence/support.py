"""How far passages support claims, for whoever has claims and passages and nothing else of the house."""

from collections.abc import Sequence

from ..kernel.argument import door
from ..kernel.source import Passage, Verdict
from .evidence import Evidence
from .statement import visible


@door
def support(claim: str, passages: Sequence[str | Passage]) -> Verdict:
    """Return how far the passages support a claim; see `support_all`."""
    return support_all([(claim, passages)])[0]


@door
def support_all(claims: Sequence[tuple[str, Sequence[str | Passage]]]) -> list[Verdict]:
    """Return for each claim how far its passages support it, in their order.

    Judges by words, and calls unsettled what they cannot tell. Deterministic. Raises ArgumentError for what is no text,
    and nothing else, whatever the texts.
    """
    read: dict[int, Evidence] = {}
    judges = [read.setdefault(id(passages), Evidence(passages)) for _, passages in claims]
    return [judge.judge(visible(claim)) for judge, (claim, _) in zip(judges, claims, strict=True)]
