"""What may answer a question: a statement with what stands around it."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from ..evidence import Relevance, ordered_roots
from ..kernel.language import differs_in_language, language_of
from ..kernel.term import is_wide, misspelt
from ..rag.explained import names_of, options_in
from .wanted import NUMBERING, asking_words, asks_default, defined, tells_default, topic, wanted, wants_overview
from .words import alike

CAPITALISED = ("de",)
"""Languages in which every noun has a capital."""

ENTITLED = 0.6
"""How much of a heading a question has where what stands below is about nothing else."""

HEADED = 0.5
"""How much of what is asked about a heading that says nothing else has at least, with those above it."""

MOST_WEIGHT = 2.0
"""The weight of a word that no text has."""

BEGINNING = 5
"""Words that a statement begins with."""

USUAL, FEW_HEADINGS = 1 / 3, 3
"""The share of headings that have a word which is no name, as "Directive" in a manual of these, and of how many."""

LIKE = 0.7
"""From this likeness on a word is taken for a form of one that a text has."""

_IN_BRACKETS = re.compile(r"\s*\([^()]*\)\W*$")
"""What a name has behind it that is no part of it: "autovacuum (boolean)"."""

_MARKS = "\"'“”„«»()[]¿¡.,;:?!"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement: its text, the text just before and after it, and the words above it (file, title, headings).

    `title` is that of its document.
    `heading` is the one that it stands below, and it `opens` what stands there when nothing is between them; `term` is
    what it explains, where it begins the explanation of a term. `passage` is the whole passage that it is of, and
    `rank` the place of that passage among those found, from 0. It `points` when it only says where something is said,
    and `leads` into a list or a table that stands right below. One that is `torn` lacks its beginning, which stands
    before a block of code, for instance.
    `path` are the headings that it stands below, without the title.
    """

    text: str
    before: str = ""
    after: str = ""
    around: str = ""
    title: str = ""
    heading: str = ""
    opens: bool = False
    passage: str = ""
    term: str = ""
    rank: int = 0
    row: bool = False
    leans: bool = False
    points: bool = False
    leads: bool = False
    torn: bool = False
    path: tuple[str, ...] = ()

    @property
    def below_headings(self) -> str:
        """Its text below the title of its document and the headings that it stands under."""
        above = " > ".join(filter(None, (self.title, *self.path)))
        return f"{above}: {self.text}" if above else self.text


class Question:
    """A question as the features see it: its words with their weights, its names, its numbers, what it wants."""

    def __init__(self, text: str, candidates: Sequence[Candidate]) -> None:
        self.text = text
        self.wanted = wanted(text)
        self.default = asks_default(text)
        self.defines = not self.default and bool(defined(text))
        self._met: dict[str, dict[str, float]] = {}
        self._foreign: dict[str, bool] = {}
        texts = {one.passage for one in candidates}
        known = frozenset[str]().union(*(words(text) for text in texts | {one.around for one in candidates}))
        self._joint = _joint(about(text))
        self.roots = list(dict.fromkeys(self._as_known(root, known) for root in about(text)))
        self._known = known
        relevance = Relevance(frozenset(words(text)) for text in texts)
        self.weights = {root: relevance.weight(root) for root in self.roots}
        self._usual = _usual({one.path[-1] for one in candidates if one.path})

    @cached_property
    def whole(self) -> float:
        """The weight of all of its words."""
        return sum(self.weights.values()) or 1.0

    @cached_property
    def numbers(self) -> set[str]:
        """Its words that begin with a digit."""
        return {root for root in self.roots if root[0].isdigit()}

    @cached_property
    def names(self) -> set[str]:
        """The roots of its words that are written with a capital, but for the first."""
        found = [word.strip(_MARKS) for word in self.text.split()[1:]]
        return {root for word in found if word[:1].isupper() for root in ordered_roots(word)}

    @cached_property
    def strange(self) -> float:
        """The share of its names that no text has."""
        roots = {root for word in self._written_as_names if word.isalpha() for root in ordered_roots(word)}
        missing = [root for root in roots if not any(alike(_spelled(root, self._known), one) for one in self._known)]
        return len(missing) / len(roots) if roots else 0.0

    @cached_property
    def _written_as_names(self) -> list[str]:
        """Its words with a capital, but for the first; of German ones, and of a title, those whose no rule gives."""
        words = [word.strip(_MARKS) for word in self.text.split()[1:]]
        if language_of(self.text) in CAPITALISED or 2 * sum(word[:1].isupper() for word in words) > len(words):
            return [word for word in words if any(map(str.isupper, word[1:]))]
        return [word for word in words if word[:1].isupper()]

    def is_foreign(self, candidate: Candidate) -> bool:
        """Say whether the passage of a statement is surely in another language; remembered, for it is shared."""
        if candidate.passage not in self._foreign:
            self._foreign[candidate.passage] = differs_in_language(candidate.passage, self.text)
        return self._foreign[candidate.passage]

    @cached_property
    def known(self) -> list[str]:
        """Those of its words that any text has, in whatever form."""
        return [root for root in self.roots if self.weights[root] < MOST_WEIGHT or self._is_like_one(root)]

    def _is_like_one(self, root: str) -> bool:
        return any(alike(root, one) >= LIKE for one in self._known)

    def met(self, text: str) -> dict[str, float]:
        """Return how much each of its words is met by the best one of a text's; remembered, for texts are shared."""
        if text not in self._met:
            own = words(text)
            said = {*own, *_joint(own)}
            said |= {root for joint, pair in self._joint.items() if joint in said for root in pair}
            best = {
                root: max((alike(root, one) for one in said), default=0.0) for root in self.roots if root not in said
            }
            self._met[text] = {root: best.get(root, 1.0) for root in self.roots}
        return self._met[text]

    def _as_known(self, root: str, known: frozenset[str]) -> str:
        """Return a word as the texts have it, by itself or as a part of a compound."""
        joint = any(root in pair and one in known for one, pair in self._joint.items())
        return root if joint else _spelled(root, known)

    def share(self, met: dict[str, float]) -> float:
        """Return the share of its weight that is met, from 0 to 1."""
        return sum(self.weights[root] * value for root, value in met.items()) / self.whole

    def introduced(self, candidate: Candidate) -> float:
        """Return how far a statement explains just the term that is to be explained, by what both have in common.

        0 where no term is. What it explains is the term that it is said to explain, else what stands before its first
        "is", dash or colon, or the heading above it that it begins with ("The Umask directive sets …"); of a term with
        another one in brackets, such as its abbreviation, either.
        """
        if not self.defines:
            return 0.0
        if self._options:
            return self._explains_option(candidate)
        term = candidate.term or topic(candidate.text)
        names = [*names_of(term), _IN_BRACKETS.sub("", term)]
        heading = words(candidate.heading)
        if heading and set(heading) <= set(words(" ".join(candidate.text.split()[:BEGINNING]))):
            names.append(candidate.heading)
        return max(map(self._named, names), default=0.0)

    def _explains_option(self, candidate: Candidate) -> float:
        """Return how much of it the command has of which a statement explains just the option that is asked for."""
        if not any(name in self._options for name in names_of(candidate.term)):
            return 0.0
        return self.share(self.met(f"{candidate.around} {candidate.title} {candidate.term}"))

    @cached_property
    def _options(self) -> list[str]:
        """The options that it names."""
        return options_in(self.text)

    def entered(self, candidate: Candidate) -> float:
        """Return how much of it the name has that heads a statement, from 0 to 1.

        So stands what a manual tells of a setting or an option below the name that it is asked for by. That it asks
        what holds by default is no part of a name, nor is what most names there have: "KeepAliveTimeout Directive". Any
        other word that a name has halves that share, such as what stands for a value: "hold time number".
        """
        names = self._meant(names_of(_IN_BRACKETS.sub("", candidate.path[-1]))) if candidate.path else []
        return max((self._covered(set(words(name))) for name in names), default=0.0)

    def _meant(self, names: Sequence[str]) -> list[str]:
        """Return those names that it may mean: where it names options, of options only these, for -P is not -p."""
        return [name for name in names if not (self._options and name.startswith("-")) or name in self._options]

    def _covered(self, name: set[str]) -> float:
        asked = {root for root in self.roots if not (self.default and tells_default(root))}
        share = sum(self.weights[root] for root in name & asked) / (sum(self.weights[root] for root in asked) or 1.0)
        return share * 0.5 ** len(name - asked - self._usual)

    def _named(self, name: str) -> float:
        roots = words(name)
        if not roots:
            return 0.0
        own = sum(max((alike(root, one) for one in self.roots), default=0.0) for root in roots)
        return self.share(self.met(name)) * own / len(roots)


def about(question: str) -> list[str]:
    """Return the roots of what a question is about, each once; all of them where nothing else is left."""
    every = list(dict.fromkeys(ordered_roots(question)))
    asking = {root for word in asking_words() for root in ordered_roots(word)}
    return [root for root in every if root not in asking] or every


def entitled(title: str, question: str) -> float:
    """Return the share of a title's words that a question has which names all that it asks about; else 0.

    "A short history of the telescope" is about what "history of the telescope" asks for, and so much of it is.
    """
    asked, said = set(about(question)), _named_in(title)
    return len(asked & said) / len(said) if asked and asked <= said else 0.0


def headed(path: Sequence[str], question: str, relevance: Relevance) -> float:
    """Return how well the last heading of a path heads just what is asked about, from 0 to 1.

    A path begins with a document's title. The heading has all that is asked about and hardly anything else, but for a
    title where an overview is wanted; that share counts. Or it has nothing else, and then how much of what is asked
    about it has, or those above it: "Priorities" in a manual on packages heads what priorities a package can have.
    """
    share = entitled(path[-1], question)
    if share >= ENTITLED or (share and len(path) == 1 and wants_overview(question)):
        return share
    asked, said = set(about(question)), _named_in(path[-1])
    if not said or not said <= asked:
        return 0.0
    above = said.union(*map(_named_in, path[:-1]))
    share = sum(map(relevance.weight, asked & above)) / sum(map(relevance.weight, asked))
    return share if share >= HEADED else 0.0


def _usual(headings: set[str]) -> set[str]:
    """Return the words that many headings have."""
    counts = Counter(root for heading in headings for root in set(words(heading)))
    return {root for root, count in counts.items() if count >= max(FEW_HEADINGS, USUAL * len(headings))}


def _joint(told: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the compounds that neighbouring words make, each with its two words: "thread-safe" is "threadsafe"."""
    pairs = [pair for pair in pairwise(told) if all(map(str.isalpha, pair)) and not any(map(is_wide, pair))]
    return {joint: pair for pair in pairs for joint in ordered_roots("".join(pair))}


def _named_in(heading: str) -> set[str]:
    """Return the words of a heading without the number that it begins with: "RAID-4" is not just about RAID."""
    return set(words(NUMBERING.sub("", heading)))


def _spelled(root: str, known: frozenset[str]) -> str:
    """Return a word that the texts have, or one of theirs that it may be misspelt for."""
    if root in known or any(alike(root, one) for one in known):
        return root
    return min(misspelt(root, known), default=root)


@lru_cache(maxsize=4_000)
def words(text: str) -> list[str]:
    """Return the content words of a text, cut to their roots; remembered, since candidates share their passages."""
    return ordered_roots(text)
