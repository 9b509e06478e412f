"""A claim held against a window of the passages, and the verdict: on one assertion, and on a sentence of several."""

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
"""Coverage from which claim and window speak of the same: what they disagree in is a contradiction, and a name or a
denial that is missing is not one more word in which a paraphrase differs."""

HARD = frozenset({"number", "date", "unit", "quote"})
"""What must be in the source however it puts things."""


FEWEST_UNHEARD = 3
"""Content words of a phrase that says something of its own."""

REFUTED, MISSING = 0.1, 0.2
"""Most that the score of a contradicted claim is, and of one whose number, date or quotation no source has.

Of the claims of AttributionBench's development split with such a mismatch people call one in five supported.
"""

FEW = 4
"""Content words up to which a claim says so little that most of them must be there."""

LEAST, LEAST_OF_FEW = 0.34, 0.6
"""Coverage below which a claim of more words, or of few, is not supported: what merely shares its subject with a
passage has some of its words too. Of our own 115 paraphrases none has less than 0.36."""


class ClaimFeatures:
    """A claim as it is compared: its words, and what it states."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = folded(text)

    @cached_property
    def words(self) -> Words:
        """Its words."""
        return Words(self.text)

    def unheard(self, seen: int) -> tuple[str, ...]:
        """Return the phrases with several content words of which none is among those seen, given as bits."""
        text, words = plain(self.text), self.facts.words
        found = []
        for part in parts(words):
            phrase = text[words[part.start].start : words[part.stop - 1].end].strip(" ,;:–()")
            own = frozenset(Words(phrase).unique) - GRAMMAR
            if len(own) >= FEWEST_UNHEARD and not self.words.bits(own) & seen:
                found.append(phrase)
        return tuple(found)

    @cached_property
    def facts(self) -> Facts:
        """Its numbers, dates, names, denials and quotations."""
        return facts(self.text)


@dataclass(frozen=True, slots=True)
class Match:
    """A window, how the claim lies in it, and what speaks against its support.

    `unheard` are the phrases of the claim of which no passage has a word.
    """

    window: Window
    alignment: Alignment
    mismatches: tuple[FactMismatch, ...] = ()
    unheard: tuple[str, ...] = ()

    @property
    def against(self) -> tuple[FactMismatch, ...]:
        """What forbids support: a number, a date or a quotation always, a name or a denial where both say the same."""
        aligned = self.alignment.coverage >= ALIGNED
        return tuple(one for one in self.mismatches if not one.limits and (aligned or one.kind in HARD))

    @property
    def refutes(self) -> bool:
        """Whether the window says something else in the same place."""
        return self.alignment.coverage >= ALIGNED and any(one.opposed for one in self.mismatches)


@dataclass(frozen=True, slots=True)
class Assertion:
    """One of several assertions of a sentence, its best window and the verdict on it; neither when nothing fits."""

    text: str
    match: Match | None
    verdict: Verdict | None

    @property
    def held(self) -> bool:
        """Whether it is supported."""
        return self.verdict is not None and self.verdict.verdict == "supported"


def judged(asked: ClaimFeatures, match: Match, span: Span) -> Verdict:
    """Return the verdict on a claim and the window that fits it best."""
    if not match.mismatches and asked.folded in folded(match.window.text):
        return Verdict(verdict="supported", score=1.0, span=span, method="verbatim")
    alone = len(asked.words.unique) == 1  # one word has no order
    likeness = match.alignment.coverage if alone else match.alignment.likeness
    likely = WEIGHTS.probability(likeness, unlike_length(asked.text, match.window.text))
    reasons = [against(one) for one in match.mismatches]
    if match.against:
        verdict: Support = "contradicted" if match.refutes else "unsupported"
        score = min(likely, REFUTED if match.refutes else MISSING)
        return Verdict(verdict=verdict, score=score, span=span, reasons=reasons)
    reasons += map(unsupported_part, match.unheard)
    two_languages = is_english(asked.text) != is_english(match.window.text)
    least = LEAST_OF_FEW if len(asked.words.unique) <= FEW else LEAST
    if match.alignment.coverage < least and not two_languages:
        verdict, likely = "unsupported", min(likely, MISSING)
    elif likely < (LIKELY if match.unheard else WEIGHTS.supported):
        verdict, likely = "unsettled", min(likely, UNLIKELY) if reasons else likely
    else:
        unsure = is_unspaced(asked.text)  # one character of it may be a denial
        verdict = "partial" if reasons else "unsettled" if unsure else "supported"
    if verdict != "supported":
        missing = unmentioned(asked.text, [match.window.text])
        unsaid = [lacking(missing)] if missing else []
        reasons += [*unsaid, TWO_LANGUAGES] if two_languages else unsaid or [OTHERWISE]
    return Verdict(verdict=verdict, score=likely, span=span, reasons=reasons)


def of_parts(whole: Verdict, parts: Sequence[Assertion], agree: bool) -> Verdict:
    """Return what the assertions of a sentence come to that is not supported as a whole: each may rest on a passage.

    `agree` says that their windows together have nothing against the sentence.
    """
    verdicts = [part.verdict for part in parts if part.verdict]
    if agree and all(part.held for part in parts):
        score = min(verdict.score for verdict in verdicts)
        return whole.model_copy(update={"verdict": "supported", "score": score, "reasons": []})
    refuted = next((verdict for verdict in verdicts if verdict.verdict == "contradicted"), None)
    if whole.verdict == "contradicted" or refuted:
        return refuted or whole
    missing = [part for part in parts if not part.held]
    if len(missing) == len(parts) or (whole.verdict == "unsettled" and not any(map(_is_lost, missing))):
        return whole
    reasons = [*whole.reasons, *(unsupported_part(part.text) for part in missing)]
    return whole.model_copy(update={"verdict": "partial", "reasons": list(dict.fromkeys(reasons))})


def _is_lost(part: Assertion) -> bool:
    """Say whether nothing that was read has to do with an assertion."""
    return part.verdict is None or part.verdict.verdict == "unsupported"
