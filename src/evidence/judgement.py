"""Derives the verdict on a claim from its best window: on one assertion, and on a sentence of several."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..kernel.language import is_english, is_unspaced
from ..kernel.source import Span, Support, Verdict
from .alignment import LIKELY, UNLIKELY, WEIGHTS, Alignment, Words, folded, unlike_length
from .block import Window
from .clause import parts
from .facts import Facts, facts
from .lexicon import GRAMMAR
from .reason import OTHERWISE, TWO_LANGUAGES, FactMismatch, against, lacking, unsupported_part
from .relevance import unmentioned
from .word import plain

ALIGNED = 0.5
"""Coverage from which claim and window are about the same thing: an opposed fact is then a contradiction, and a missing
name or negation counts as more than the wording of a paraphrase."""

HARD = frozenset({"number", "date", "unit", "quote"})
"""Kinds of facts that the source must contain however it is worded."""


FEWEST_UNHEARD = 3
"""Fewest content words of a phrase that is an assertion of its own."""

REFUTED, MISSING = 0.1, 0.2
"""Largest score of a contradicted claim, and of one whose number, date or quotation is in no source.

Annotators call one in five of the claims with such a mismatch in AttributionBench's development split supported.
"""

FEW = 4
"""Most content words of a short claim, of which the window must have most (LEAST_OF_FEW)."""

LEAST, LEAST_OF_FEW = 0.34, 0.6
"""Coverage below which a claim of more than FEW words, and a short one, is unsupported: a claim that merely shares its
subject with a passage has some of its words too. None of our own 115 paraphrases has less than 0.36."""


class ClaimFeatures:
    """The words and facts by which a claim is compared."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = folded(text)

    @cached_property
    def words(self) -> Words:
        """Its words."""
        return Words(self.text)

    def unmatched(self, known: int) -> tuple[str, ...]:
        """Return the phrases with several content words of which none is `known`, a bit mask of the claim's words."""
        text, words = plain(self.text), self.facts.words
        phrases = []
        for part in parts(words):
            phrase = text[words[part.start].start : words[part.stop - 1].end].strip(" ,;:–()")
            content = frozenset(Words(phrase).unique) - GRAMMAR
            if len(content) >= FEWEST_UNHEARD and not self.words.bits(content) & known:
                phrases.append(phrase)
        return tuple(phrases)

    @cached_property
    def facts(self) -> Facts:
        """Its numbers, dates, names, negations and quotations."""
        return facts(self.text)


@dataclass(frozen=True, slots=True)
class Match:
    """A window, the claim's alignment with it, and the evidence against support.

    `unmatched` are the phrases of the claim that have no word in any passage.
    """

    window: Window
    alignment: Alignment
    mismatches: tuple[FactMismatch, ...] = ()
    unmatched: tuple[str, ...] = ()

    @property
    def against(self) -> tuple[FactMismatch, ...]:
        """The mismatches that rule out support: HARD kinds always, others if the coverage is at least ALIGNED."""
        aligned = self.alignment.coverage >= ALIGNED
        return tuple(
            mismatch for mismatch in self.mismatches if not mismatch.limits and (aligned or mismatch.kind in HARD)
        )

    @property
    def refutes(self) -> bool:
        """Whether the window states something else in place of a fact of the claim."""
        return self.alignment.coverage >= ALIGNED and any(mismatch.opposed for mismatch in self.mismatches)


@dataclass(frozen=True, slots=True)
class Assertion:
    """One of several assertions of a sentence, its best window and its verdict; both None if no window matches."""

    text: str
    match: Match | None
    verdict: Verdict | None

    @property
    def is_supported(self) -> bool:
        """Whether it is supported."""
        return self.verdict is not None and self.verdict.verdict == "supported"


def judged(claim: ClaimFeatures, match: Match, span: Span) -> Verdict:
    """Return the verdict on a claim, given the window that matches it best."""
    if not match.mismatches and claim.folded in folded(match.window.text):
        return Verdict(verdict="supported", score=1.0, span=span, method="verbatim")
    is_single_word = len(claim.words.unique) == 1  # a single word has no order
    likeness = match.alignment.coverage if is_single_word else match.alignment.likeness
    likely = WEIGHTS.probability(likeness, unlike_length(claim.text, match.window.text))
    reasons = [against(mismatch) for mismatch in match.mismatches]
    if match.against:
        verdict: Support = "contradicted" if match.refutes else "unsupported"
        score = min(likely, REFUTED if match.refutes else MISSING)
        return Verdict(verdict=verdict, score=score, span=span, reasons=reasons)
    reasons += map(unsupported_part, match.unmatched)
    two_languages = is_english(claim.text) != is_english(match.window.text)
    least = LEAST_OF_FEW if len(claim.words.unique) <= FEW else LEAST
    if match.alignment.coverage < least and not two_languages:
        verdict, likely = "unsupported", min(likely, MISSING)
    elif likely < (LIKELY if match.unmatched else WEIGHTS.supported):
        verdict, likely = "unsettled", min(likely, UNLIKELY) if reasons else likely
    else:
        unsure = is_unspaced(claim.text)  # a single character may be a negation
        verdict = "partial" if reasons else "unsettled" if unsure else "supported"
    if verdict != "supported":
        missing = unmentioned(claim.text, [match.window.text])
        unsaid = [lacking(missing)] if missing else []
        reasons += [*unsaid, TWO_LANGUAGES] if two_languages else unsaid or [OTHERWISE]
    return Verdict(verdict=verdict, score=likely, span=span, reasons=reasons)


def of_parts(whole: Verdict, parts: Sequence[Assertion], agree: bool) -> Verdict:
    """Return the verdict on a sentence that is not supported as a whole, from the verdicts on its assertions.

    `agree` says that their windows together have no mismatch with the sentence.
    """
    verdicts = [part.verdict for part in parts if part.verdict]
    if agree and all(part.is_supported for part in parts):
        score = min(verdict.score for verdict in verdicts)
        return whole.model_copy(update={"verdict": "supported", "score": score, "reasons": []})
    refuted = next((verdict for verdict in verdicts if verdict.verdict == "contradicted"), None)
    if whole.verdict == "contradicted" or refuted:
        return refuted or whole
    missing = [part for part in parts if not part.is_supported]
    if len(missing) == len(parts) or (whole.verdict == "unsettled" and not any(map(_is_lost, missing))):
        return whole
    reasons = [*whole.reasons, *(unsupported_part(part.text) for part in missing)]
    return whole.model_copy(update={"verdict": "partial", "reasons": list(dict.fromkeys(reasons))})


def _is_lost(part: Assertion) -> bool:
    """Whether no passage is about an assertion."""
    return part.verdict is None or part.verdict.verdict == "unsupported"
