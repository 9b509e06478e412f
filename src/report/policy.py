"""What becomes of the sentences that their sources do not support: removed, marked, or left as they are."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..kernel.settings import Policy
from ..render.labels import Labels, mark
from .draft import Draft, Sentence
from .removal import without
from .report import Removed


@dataclass(frozen=True, slots=True)
class Settled:
    """A draft after the policy, and the sentences that it took out."""

    draft: Draft
    removed: tuple[Removed, ...] = ()


def settled(draft: Draft, policy: Policy, words: Labels) -> Settled:
    """Return a judged draft as the report has it.

    Under `strict` what is unsupported or contradicted goes, and what is supported in part is marked; under `mark` all
    three are marked; under `off` nothing is, and no verdict is kept.
    """
    if policy == "off":
        return Settled(_mapped(draft, lambda sentence: replace(sentence, verdict=None)))
    marked = _mapped(draft, lambda sentence: replace(sentence, mark=_mark(sentence, words)))
    return Settled(marked) if policy == "mark" else taken_out(marked, fails)


def taken_out(draft: Draft, goes: Callable[[Sentence], bool]) -> Settled:
    """Return a judged draft without some of its sentences, and what is told of them."""
    gone = [_removed(draft.title, sentence) for sentence in draft.sentences if goes(sentence)]
    return Settled(without(draft, goes), tuple(gone))


def fails(sentence: Sentence) -> bool:
    """Say whether a sentence was judged and nothing supports it."""
    return sentence.verdict is not None and sentence.verdict.verdict in ("unsupported", "contradicted")


def _mapped(draft: Draft, change: Callable[[Sentence], Sentence]) -> Draft:
    parts = (change(part) if isinstance(part, Sentence) else part for part in draft.parts)
    return replace(draft, parts=tuple(parts))


def _mark(sentence: Sentence, words: Labels) -> str:
    return mark(words, sentence.verdict.verdict, cited=bool(sentence.cites)) if sentence.verdict else ""


def _removed(title: str, sentence: Sentence) -> Removed:
    assert sentence.verdict is not None
    span = sentence.verdict.span
    cite = next((one for one in sentence.cites if span and (one.start, one.end) == (span.start, span.end)), None)
    return Removed(
        section=title,
        text=sentence.text,
        verdict=sentence.verdict.verdict,
        reasons=sentence.verdict.reasons,
        evidence=span.text if span and cite else "",
        source_id=cite.passage.source.id if span and cite else "",
    )
