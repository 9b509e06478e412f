"""The passages that claims are judged by, read once and compared by words; also for whoever has nothing else of us."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from operator import or_

from ..kernel.argument import door
from ..kernel.source import Passage, Span, Verdict
from . import date
from .agreement import agree
from .alignment import Alignment, Words, known_words
from .block import PassageBlock, Window, blocks, windows
from .claim import atoms
from .facts import Facts, facts, mismatches
from .judgement import Assertion, ClaimFeatures, Match, judged, of_parts
from .reason import NOTHING, TOO_LONG
from .relevance import roots
from .statement import visible

MOST_BLOCKS = 12
"""Blocks that are compared sentence by sentence; the others are set aside by their words alone."""

MOST_WINDOWS = 4
"""Windows whose alignment is measured in full."""

LONGEST_CLAIM = 5_000
"""Characters of a claim; what is longer is no sentence."""

FREQUENT, MANY = 0.2, 500
"""Share of the passages that has a frequent word, where they are many."""

LONGEST_ACRONYM = 5

NO_LESS = 0.15
"""Likeness by which a window that agrees in all facts may be behind the best one and still be chosen."""


class Evidence:
    """Passages that claims are judged by. Each is read when a claim is first compared with it, and once."""

    def __init__(self, passages: Sequence[str | Passage]) -> None:
        self._passages = passages
        self._blocks: dict[int, list[PassageBlock]] = {}
        self._facts: dict[str, Facts] = {}

    def judge(self, claim: str, among: Collection[int] | None = None) -> Verdict:
        """Return how far the passages, or those `among` them, support a claim.

        A claim is plain text: a reader sees what looks like markup in it. Judges by words. Deterministic; never
        raises, whatever the text.
        """
        if len(claim) > LONGEST_CLAIM:
            return Verdict(verdict="unsupported", score=0.0, reasons=[TOO_LONG])
        asked = ClaimFeatures(claim)
        if whole_sentence := self._whole(asked, among):
            return Verdict(verdict="supported", score=1.0, span=self._span(asked, whole_sentence), method="verbatim")
        match = self._best(asked, self._chosen(among))
        if match is None:
            return Verdict(verdict="unsupported", score=0.0, reasons=[NOTHING])
        whole = judged(asked, match, self._span(asked, match.window))
        parts = self.parts(claim, among) if whole.verdict != "supported" else []
        return of_parts(whole, parts, self._agree(asked, parts)) if parts else whole

    def match(self, claim: str, among: Collection[int] | None = None) -> Match | None:
        """Return the window of the passages that fits a claim best, None when none has a word of it."""
        return self._best(ClaimFeatures(claim), self._chosen(among))

    def _whole(self, asked: ClaimFeatures, among: Collection[int] | None) -> Window | None:
        """Return the first sentence of the passages that is the claim word by word: there is nothing to weigh."""
        longest = max(asked.folded.split(), key=len, default="")
        if not longest:
            return None
        for passage in self._chosen(among):
            for block in self._read(passage):
                if longest in block.lower and (place := block.places.get(asked.folded)) is not None:
                    return Window(block, place, place + 1, 0)
        return None

    def parts(self, claim: str, among: Collection[int] | None = None) -> list[Assertion]:
        """Return the assertions of a sentence, each judged by words alone; nothing where it is but one."""
        texts = atoms(claim)
        return [self._part(text, self._chosen(among)) for text in texts] if len(texts) > 1 else []

    def _chosen(self, among: Collection[int] | None) -> Collection[int]:
        return range(len(self._passages)) if among is None else sorted(among)

    def best(self, claim: str, most: int = 3, among: Collection[int] | None = None) -> list[int]:
        """Return the passages, or those `among` them, that have most of a claim's words, the best first.

        None is returned that has no word of it. Of many passages a word that most have brings none to mind, unless no
        other word of the claim is in any.
        """
        words = Words(claim[:LONGEST_CLAIM])
        if among is None:
            holders = sorted((self._places[word] for word in words.unique if word in self._places), key=len)
            frequent = max(MANY, FREQUENT * len(self._passages))
            near = {block for those in holders if those is holders[0] or len(those) <= frequent for block in those}
        else:
            near = {block for passage in among for block in self._read(passage)}
        shares: dict[int, float] = {}
        for block in near:
            share = words.share(words.bits(block.words))
            shares[block.passage] = max(shares.get(block.passage, 0.0), share)
        found = [passage for passage, share in shares.items() if share > 0]
        return sorted(found, key=lambda passage: (-shares[passage], passage))[:most]

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
            given = self._passages[passage]
            text, heading = (given, "") if isinstance(given, str) else (given.text, given.heading)
            self._blocks[passage] = list(blocks(passage, text, heading))
        return self._blocks[passage]

    def _best(self, asked: ClaimFeatures, chosen: Collection[int]) -> Match | None:
        """Return the window that fits a claim best; one that agrees in all facts before one that is as likely."""
        read = [block for passage in chosen for block in self._read(passage)]
        held = [(asked.words.bits(block.words), block) for block in read]
        found = sorted((one for one in held if one[0]), key=lambda one: -asked.words.share(one[0]))
        seen = reduce(or_, (bits for bits, _ in found), 0)
        unheard = asked.unheard(seen)
        near = [window for _, block in found[:MOST_BLOCKS] for window in windows(asked.words, block)]
        near.sort(key=lambda window: 0.03 * (window.last - window.first) - asked.words.share(window.bits))
        matches = [
            Match(one, Alignment(asked.words.share(one.bits), asked.words.order(one.text)), unheard=unheard)
            for one in near[:MOST_WINDOWS]
        ]
        matches.sort(key=lambda match: -match.alignment.likeness)
        return self._agreeing(asked, matches, [block for _, block in found])

    def _agreeing(self, asked: ClaimFeatures, matches: Sequence[Match], around: Sequence[PassageBlock]) -> Match | None:
        """Return the first of some matches that nothing speaks against and that is nearly as likely as the first."""
        best: Match | None = None
        for match in matches:
            if best is not None and match.alignment.likeness < best.alignment.likeness - NO_LESS:
                break
            held = self._held(asked, match, around)
            if not held.against and not (best is not None and _denies(best, held.window)):
                return held
            best = best or held
        return best

    def _held(self, asked: ClaimFeatures, match: Match, around: Sequence[PassageBlock]) -> Match:
        """Return a match with what the facts of its window say against it.

        A name that the window merely lacks may stand anywhere in the passages, whose blocks are `around`. One that does
        not speaks against support, but for an acronym, which a writer adds for the reader.
        """
        window = match.window
        found = mismatches(asked.facts, self._known(window.text))
        if found:
            found = mismatches(asked.facts, self._known(window.text), self._known(window.above))
        kept = (one for one in found if one.kind != "name" or one.opposed or _foreign(around, one.what))
        return replace(_counted(asked, match, self._known(window.text)), mismatches=tuple(kept))

    def _known(self, text: str) -> Facts:
        if text not in self._facts:
            self._facts[text] = facts(text)
        return self._facts[text]

    def _part(self, text: str, chosen: Collection[int]) -> Assertion:
        asked = ClaimFeatures(text)
        match = self._best(asked, chosen)
        return Assertion(text, match, judged(asked, match, self._span(asked, match.window)) if match else None)

    def _agree(self, asked: ClaimFeatures, parts: Sequence[Assertion]) -> bool:
        """Say whether the windows of the parts, if they are several, together have nothing against a claim."""
        found = [part.match.window for part in parts if part.match]
        texts = list(dict.fromkeys(window.text for window in found))
        above = "\n".join(window.above for window in found)
        return len(texts) > 1 and not mismatches(asked.facts, facts("\n\n".join(texts)), facts(above))

    def _span(self, asked: ClaimFeatures, window: Window) -> Span:
        block = window.block
        given = self._passages[block.passage]
        offset = block.start + (0 if isinstance(given, str) else given.start)
        start, end = window.told(asked.words)
        return Span(passage=block.passage, start=offset + start, end=offset + end, text=block.text[start:end])


def _denies(match: Match, window: Window) -> bool:
    """Say whether a match is refuted by a denial, which a window within its own may merely leave out."""
    whole = match.window
    within = window.block is whole.block and whole.first <= window.first and window.last <= whole.last
    return within and match.refutes and any(one.kind == "negation" and one.opposed for one in match.mismatches)


def _counted(asked: ClaimFeatures, match: Match, known: Facts) -> Match:
    """Return a match with the numbers and dates of the claim that its window has in another form: `2 km`, `May 3`."""
    held = [one for one in asked.facts.quantities if any(agree(one, other) for other in known.quantities)]
    bits = match.window.bits
    for text in [one.text for one in held] + [one.text for one in date.said(asked.facts.dates, known.dates)]:
        bits |= asked.words.bits(known_words(text))
    written = {value for other in known.quantities for value in other.raw}
    for day in asked.facts.dates:
        if day.year is not None and float(day.year) in written:
            bits |= asked.words.bits(known_words(str(day.year)))
    if bits == match.window.bits:
        return match
    return replace(match, alignment=match.alignment._replace(coverage=asked.words.share(bits)))


def _foreign(found: Sequence[PassageBlock], name: str) -> bool:
    """Say whether at least half of the words of a name that is no acronym are in none of the blocks."""
    words = roots(name)
    acronym = len(name) <= LONGEST_ACRONYM and sum(map(str.isupper, name)) > 1
    return not acronym and 2 * sum(any(word in block.words for block in found) for word in words) <= len(words)


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
