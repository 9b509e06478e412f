"""Judges claims by comparing their words with passages; usable without a run."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from itertools import islice, permutations
from math import isclose
from operator import or_

from ..kernel.argument import validated
from ..kernel.source import Passage, Span, Verdict
from . import date
from .agreement import agree
from .alignment import Alignment, Words, folded, known_words
from .block import PassageBlock, Window, blocks, windows
from .claim import atoms, without_answer
from .facts import Facts, facts, mismatches
from .judgement import HARD, Assertion, ClaimFeatures, Match, judged, of_parts
from .quantity import Quantity
from .reason import NOTHING, TOO_LONG, FactMismatch
from .relevance import roots
from .visible_text import visible

MOST_BLOCKS = 12
"""Most blocks that are compared sentence by sentence, chosen by the words they share with the claim."""

MOST_WINDOWS = 4
"""Most windows whose alignment is measured in full."""

LONGEST_CLAIM = 5_000
"""Most characters of a claim; a longer text is not a sentence and is unsupported."""

FREQUENT, MANY = 0.2, 500
"""A word is frequent if it is in more than this share of the passages, and in more than this number of blocks."""

LONGEST_ACRONYM = 5

DECISIVE = HARD | {"name"}
"""Kinds of facts without which in its passages no model is asked whether these support a claim."""

OVERSTATED = {"says_otherwise", "says_instead", "quantifier_missing", "word_missing", "denial_missing"}
"""Codes of reasons of a claim that says more than its source, or something else."""

MOST_COUNTED = 12
"""The largest number that may be a count of what the passages list."""

MOST_OPERANDS = 12
"""Most numbers of a claim from which another one may be worked out: bounds the pairs that are tried."""

NO_LESS = 0.15
"""A window without mismatches is preferred if its likeness is at most this much below that of the best window."""


class Evidence:
    """Passages that claims are judged by. Each is parsed once, when a claim is first compared with it."""

    def __init__(self, passages: Sequence[str | Passage]) -> None:
        self._passages = passages
        self._blocks: dict[int, list[PassageBlock]] = {}
        self._facts: dict[str, Facts] = {}

    def judge(self, claim: str, among: Collection[int] | None = None) -> Verdict:
        """Return how far the passages, or those with the indexes in `among`, support a claim.

        A claim is plain text; markup in it is taken literally. Uses no model. Deterministic; never raises, whatever the
        text.
        """
        if len(claim) > LONGEST_CLAIM:
            return Verdict(verdict="unsupported", score=0.0, reasons=[TOO_LONG])
        claim = without_answer(claim)
        features = ClaimFeatures(claim)
        if sentence := self._verbatim(features, among):
            return Verdict(verdict="supported", score=1.0, span=self._span(features, sentence), method="verbatim")
        match = self._best(features, self._chosen(among))
        if match is None:
            return Verdict(verdict="unsupported", score=0.0, reasons=[NOTHING])
        whole = judged(features, match, self._span(features, match.window))
        parts = self.parts(claim, among) if whole.verdict != "supported" else []
        return of_parts(whole, parts, self._agree(features, parts)) if parts else whole

    def match(self, claim: str, among: Collection[int] | None = None) -> Match | None:
        """Return the window of the passages that matches a claim best, None if no passage has a word of it."""
        return self._best(ClaimFeatures(without_answer(claim)), self._chosen(among))

    def _verbatim(self, features: ClaimFeatures, among: Collection[int] | None) -> Window | None:
        """Return the first sentence of the passages that equals the claim word by word, None if there is none."""
        longest = max(features.folded.split(), key=len, default="")
        if not longest:
            return None
        for passage in self._chosen(among):
            for block in self._read(passage):
                if longest in block.lower and (index := block.places.get(features.folded)) is not None:
                    return Window(block, index, index + 1, 0)
        return None

    def parts(self, claim: str, among: Collection[int] | None = None) -> list[Assertion]:
        """Return the assertions of a sentence, each judged by words alone; an empty list if it has only one."""
        texts = atoms(without_answer(claim))
        return [self._part(text, self._chosen(among)) for text in texts] if len(texts) > 1 else []

    def overstates(self, claim: str, among: Collection[int] | None = None) -> bool:
        """Whether a part of a claim is supported, but says more than the passages, or something else."""
        return any(part.verdict is not None and _overstates(part.verdict) for part in self.parts(claim, among))

    def _chosen(self, among: Collection[int] | None) -> Collection[int]:
        return range(len(self._passages)) if among is None else sorted(among)

    def best(self, claim: str, most: int = 3, among: Collection[int] | None = None) -> list[int]:
        """Return the passages, or those in `among`, with the largest share of a claim's words, the best first.

        Passages without any of its words are left out. If there are many passages, those that share only frequent words
        are left out too, unless no passage has another word of the claim.
        """
        words = Words(claim[:LONGEST_CLAIM])
        if among is None:
            holders = sorted((self._places[word] for word in words.unique if word in self._places), key=len)
            frequent = max(MANY, FREQUENT * len(self._passages))
            near = {block for group in holders if group is holders[0] or len(group) <= frequent for block in group}
        else:
            near = {block for passage in among for block in self._read(passage)}
        shares: dict[int, float] = {}
        for block in near:
            share = words.share(words.bits(block.words))
            shares[block.passage] = max(shares.get(block.passage, 0.0), share)
        sharing = [passage for passage, share in shares.items() if share > 0]
        return sorted(sharing, key=lambda passage: (-shares[passage], passage))[:most]

    @cached_property
    def _places(self) -> dict[str, list[PassageBlock]]:
        places: dict[str, list[PassageBlock]] = {}
        for passage in range(len(self._passages)):
            for block in self._read(passage):
                for word in block.words:
                    places.setdefault(word, []).append(block)
        return places

    def _read(self, passage: int) -> list[PassageBlock]:
        if passage not in self._blocks:
            item = self._passages[passage]
            read = (item,) if isinstance(item, str) else (item.text, item.heading, item.columns)
            self._blocks[passage] = list(blocks(passage, *read))
        return self._blocks[passage]

    def _best(self, features: ClaimFeatures, chosen: Collection[int]) -> Match | None:
        """Return the window that matches a claim best; of windows about as similar, one without mismatches."""
        read = [block for passage in chosen for block in self._read(passage)]
        words = features.words
        scored = [(words.bits(block.words), block) for block in read]
        sharing = sorted((pair for pair in scored if pair[0]), key=lambda pair: -words.share(pair[0]))
        unheard = features.unmatched(reduce(or_, (bits for bits, _ in sharing), 0))
        near = [window for _, block in sharing[:MOST_BLOCKS] for window in windows(words, block)]
        near.sort(key=lambda window: 0.03 * (window.last - window.first) - words.share(window.bits))
        matches = [
            Match(window, Alignment(words.share(window.bits), words.order(window.text)), unmatched=unheard)
            for window in near[:MOST_WINDOWS]
        ]
        matches.sort(key=lambda match: -match.alignment.likeness)
        return self._agreeing(features, matches, [block for _, block in sharing])

    def _agreeing(
        self, features: ClaimFeatures, matches: Sequence[Match], near: Sequence[PassageBlock]
    ) -> Match | None:
        """Return the first match without mismatches against it and within NO_LESS of the best, else the best."""
        best: Match | None = None
        for match in matches:
            if best is not None and match.alignment.likeness < best.alignment.likeness - NO_LESS:
                break
            compared = self._compared(features, match, near)
            if not compared.against and not (best is not None and _denies(best, compared.window)):
                return compared
            best = best or compared
        return best

    def _compared(self, features: ClaimFeatures, match: Match, near: Sequence[PassageBlock]) -> Match:
        """Return a match with the mismatches between its window and the claim.

        A name that the window lacks is no mismatch if one of the `near` blocks, which share words with the claim, has
        it, or if it is an acronym, which writers add for the reader. A date that only a title or a heading has makes a
        claim supported in part at most: it may be of something else. A denial is not missing where the window has the
        claim word by word.
        """
        window = match.window
        differing = mismatches(features.facts, self._known(window.text))
        if differing:
            differing = mismatches(features.facts, self._known(window.text), self._known(window.above))
        is_within = features.folded.rstrip(".") in folded(window.text)
        kept = (
            replace(item, limits=True) if self._is_dated(item, features, window) else item
            for item in differing
            if (item.kind != "name" or item.opposed or _is_foreign(near, item.what))
            and not (is_within and item.kind == "negation" and item.what and not item.found)
        )
        return replace(_with_converted(features, match, self._known(window.text)), mismatches=tuple(kept))

    def _is_dated(self, missing: FactMismatch, features: ClaimFeatures, window: Window) -> bool:
        """Whether a claim has exactly a date that the window lacks, but a title or heading above it has."""
        if missing.kind != "date" or missing.opposed:
            return False
        claimed = [one for one in features.facts.dates if one.text.casefold() == missing.what.casefold()]
        stated = {(one.begin, one.end) for one in self._known(window.block.heading).dates}
        return bool(claimed) and all((one.begin, one.end) in stated for one in claimed)

    def _known(self, text: str) -> Facts:
        if text not in self._facts:
            self._facts[text] = facts(text)
        return self._facts[text]

    def _part(self, text: str, chosen: Collection[int]) -> Assertion:
        features = ClaimFeatures(text)
        match = self._best(features, chosen)
        return Assertion(text, match, judged(features, match, self._span(features, match.window)) if match else None)

    def _agree(self, features: ClaimFeatures, parts: Sequence[Assertion]) -> bool:
        """Whether the parts have several windows, which taken together have no mismatch with a claim."""
        matched = [part.match.window for part in parts if part.match]
        texts = list(dict.fromkeys(window.text for window in matched))
        above = "\n".join(window.above for window in matched)
        return len(texts) > 1 and not mismatches(features.facts, facts("\n\n".join(texts)), facts(above))

    def _span(self, features: ClaimFeatures, window: Window) -> Span:
        block = window.block
        passage = self._passages[block.passage]
        offset = block.start + (0 if isinstance(passage, str) else passage.start)
        start, end = window.extent(features.words)
        return Span(passage=block.passage, start=offset + start, end=offset + end, text=block.text[start:end])


def may_be_supported(claim: str, verdict: Verdict, passages: Sequence[Passage], given: str = "") -> bool:
    """Whether a model may find that passages support a claim for which words found none or part of the support.

    They must have all its facts, in any place, and a claim that they support in part must not say more than they do:
    “all” for “most”. What is `given` beside them, the question and today's date, may have a fact instead. A number or a
    date may then also be worked out from others of the claim, or counted.
    """
    if verdict.verdict not in ("unsupported", "contradicted", "partial") or _overstates(verdict):
        return False
    claimed, known, asked = facts(without_answer(claim)), _pooled(passages), facts(given)
    missing = _missing(claimed, known)
    if missing and given:
        absent = {one.what for one in _missing(claimed, asked)}
        missing = [one for one in missing if one.what in absent]
    numbers = (*known.quantities, *asked.quantities)
    return not missing or (bool(given) and all(_is_worked_out(one, claimed, numbers, missing) for one in missing))


def missing_facts(claim: str, passages: Sequence[Passage]) -> list[str]:
    """Return the numbers, dates, names and quotations of a claim that neither passages nor their headings have."""
    return [one.what for one in _missing(facts(without_answer(claim)), _pooled(passages))]


def _overstates(verdict: Verdict) -> bool:
    """Whether a claim that is supported in part says more than its source, or something else."""
    return verdict.verdict == "partial" and any(reason.code in OVERSTATED for reason in verdict.reasons)


def _pooled(passages: Sequence[Passage]) -> Facts:
    """Return the facts of passages and their headings together."""
    return facts("\n\n".join(f"{passage.heading}\n{passage.text}" for passage in passages))


def _missing(claimed: Facts, known: Facts) -> list[FactMismatch]:
    return [one for one in mismatches(claimed, known) if one.kind in DECISIVE]


def _is_worked_out(
    missing: FactMismatch, claimed: Facts, known: Sequence[Quantity], lacking: Sequence[FactMismatch]
) -> bool:
    """Whether a claim may have worked out a fact from others that are `known`.

    A number is the sum or the difference of two others of its kind, another one times, by or in percent of a third, or
    small and in words: a count, if no source has another one in its place. A date has the year or the month of another
    one in the claim.
    """
    if missing.kind == "date":
        absent = {one.what for one in lacking}
        day = next((one for one in claimed.dates if one.text == missing.what), None)
        others = [one for one in claimed.dates if one.text not in absent]
        return day is not None and any(
            (day.year and day.year == one.year) or (day.month and day.month == one.month) for one in others
        )
    number = next((one for one in claimed.quantities if one.text == missing.what), None)
    if number is None:
        return False
    if not number.dimension and number.text.isalpha() and number.raw[0] <= MOST_COUNTED:
        return not missing.opposed
    known_ones = (one for one in claimed.quantities if any(agree(one, other) for other in known))
    return any(_makes(number, one, other) for one, other in permutations(islice(known_ones, MOST_OPERANDS), 2))


def _makes(number: Quantity, one: Quantity, other: Quantity) -> bool:
    """Whether a number follows from two others: £120 from £10 and £110, or from £10 and 12, whatever is counted."""
    if one.dimension != number.dimension:
        return False
    value, first = number.readings[0][1], one.readings[0][1]
    second, factor = other.readings[0][1], other.raw[0]
    if other.dimension == number.dimension and any(isclose(value, made) for made in (first + second, first - second)):
        return True
    if other.dimension == number.dimension != "":
        return False
    return any(
        isclose(value, made) for made in (first * factor, first * factor / 100, first / factor if factor else 0.0)
    )


def _denies(match: Match, window: Window) -> bool:
    """Whether a match is refuted by a negation that a narrower window within its own leaves out."""
    wide = match.window
    is_within = window.block is wide.block and wide.first <= window.first and window.last <= wide.last
    return is_within and match.refutes and any(item.kind == "negation" and item.opposed for item in match.mismatches)


def _with_converted(features: ClaimFeatures, match: Match, known: Facts) -> Match:
    """Return a match whose coverage includes numbers and dates that its window writes differently: `2 km`, `May 3`."""
    claim_facts = features.facts
    agreeing = [number for number in claim_facts.quantities if any(agree(number, other) for other in known.quantities)]
    bits = match.window.bits
    days = date.shared(claim_facts.dates, known.dates)
    for text in [*(number.text for number in agreeing), *(day.text for day in days)]:
        bits |= features.words.bits(known_words(text))
    written = {value for other in known.quantities for value in other.raw}
    for day in claim_facts.dates:
        if day.year is not None and float(day.year) in written:
            bits |= features.words.bits(known_words(str(day.year)))
    if bits == match.window.bits:
        return match
    return replace(match, alignment=match.alignment._replace(coverage=features.words.share(bits)))


def _is_foreign(blocks: Sequence[PassageBlock], name: str) -> bool:
    """Whether a name is not an acronym and at least half of its words are in none of the blocks."""
    words = roots(name)
    acronym = len(name) <= LONGEST_ACRONYM and sum(map(str.isupper, name)) > 1
    return not acronym and 2 * sum(any(word in block.words for block in blocks) for word in words) <= len(words)


@validated
def support(claim: str, passages: Sequence[str | Passage]) -> Verdict:
    """Return how far the passages support a claim; see `support_all`."""
    return support_all([(claim, passages)])[0]


@validated
def support_all(claims: Sequence[tuple[str, Sequence[str | Passage]]]) -> list[Verdict]:
    """Return a verdict for each claim, how far its passages support it, in the order of the claims.

    Compares words without a model; a claim that words cannot settle is `unsettled`. Deterministic. Raises ArgumentError
    for arguments of a wrong type, and nothing else, whatever the texts.
    """
    read: dict[int, Evidence] = {}
    judges = [read.setdefault(id(passages), Evidence(passages)) for _, passages in claims]
    return [judge.judge(visible(claim)) for judge, (claim, _) in zip(judges, claims, strict=True)]
