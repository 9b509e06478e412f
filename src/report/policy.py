"""What becomes of the sentences that their sources do not support: removed, marked, or left as they are."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..render.labels import Labels, mark
from ..settings import Policy
from .draft import Draft, Sentence
from .removal import without
from .report import Removed

NO_CODE = "No source has this code."


@dataclass(frozen=True, slots=True)
class Settled:
    """A draft after the policy, and the sentences that it took out."""

    draft: Draft
    removed: tuple[Removed, ...] = ()


def settled(draft: Draft, policy: Policy, words: Labels, has_code: Callable[[str], bool]) -> Settled:
    """Return a judged draft as the report has it.

    Under `strict` a sentence that is unsupported or contradicted goes, as does a block of code of which `has_code` says
    that no source has it, and what is supported in part is marked; under `mark` all sentences of these kinds are
    marked; under `off` nothing is, and no verdict is kept.
    """
    if policy == "off":
        return Settled(_mapped(draft, lambda sentence: replace(sentence, verdict=None)))
    marked = _mapped(draft, lambda sentence: replace(sentence, mark=_mark(sentence, words)))
    if policy == "mark":
        return Settled(marked)
    gone = [_removed(draft.title, sentence) for sentence in marked.sentences if fails(sentence)]
    code = [part for part in marked.parts if isinstance(part, str) and part.startswith("```") and not has_code(part)]
    gone += [Removed(section=draft.title, text=part, verdict="unsupported", reasons=[NO_CODE]) for part in code]
    kept = replace(marked, parts=tuple(part for part in marked.parts if part not in code))
    return Settled(without(kept, fails), tuple(gone))


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
