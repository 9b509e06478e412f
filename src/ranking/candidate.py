"""Candidates for an answer, statements with their context, and the question that they are compared with."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from ..evidence import Relevance, ordered_roots
from ..kernel.language import FUNCTION_WORDS_OF, differs_in_language, language_of
from ..kernel.term import is_wide, misspelt
from ..rag.explained import names_of, options_in
from .days import days, is_open
from .wanted import NUMBERING, asking_words, asks_default, defined, tells_default, topic, wanted, wants_overview
from .words import alike

CAPITALISED = ("de",)
"""Languages that capitalize every noun."""

ENTITLED = 0.6
"""Share of a heading's words that the question must have for the text below to be about its subject alone."""

HEADED = 0.5
"""Least share of the question's words in such a heading and those above it."""

MOST_WEIGHT = 2.0
"""Weight of a word that is in no text."""

BEGINNING = 5
"""Number of words that count as the beginning of a statement."""

USUAL, FEW_HEADINGS = 1 / 3, 3
"""Share of the headings, and least number, with a word that is therefore not a name, as "Directive" in a manual."""

LIKE = 0.7
"""Likeness from which a word counts as a form of one in a text."""

_IN_BRACKETS = re.compile(r"\s*\([^()]*\)\W*$")
"""A suffix that is not part of a name: "autovacuum (boolean)"."""

_TYPESET = re.compile(r"[\s\"'`“”„‘’«»]+")
_MARKS = "\"'“”„«»()[]¿¡.,;:?!"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement: its text, the text right before and after it, and the words `around` it (file, title, headings).

    `title` is that of its document, `path` the headings above it without the title, `heading` the nearest of them;
    `opens` says that it is the first statement below that. `term` is the term whose explanation it begins. `passage` is
    the text of its passage, `rank` the passage's rank in the search results, from 0. `row` marks a table row or line of
    data, `leans` a statement that depends on the one before, `points` one that only refers to another place, `leads`
    one that introduces a list or table, and `torn` one without its beginning, cut off by a block of code, for example.
    `published` is the date of its document, an ISO date, month or year, or empty.
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
    published: str = ""

    @property
    def below_headings(self) -> str:
        """Its text, preceded by the title of its document and the headings above it."""
        return self.under_headings(self.text)

    def under_headings(self, text: str) -> str:
        """Return a text, such as its passage's, preceded by the title of its document and the headings above it."""
        above = " > ".join(filter(None, (self.title, *self.path)))
        return f"{above}: {text}" if above else text

    @property
    def said(self) -> tuple[str, str]:
        """A key that is equal in all formats of a document: its text, and its term and heading without number.

        Both are in lower case, without white space, quotation marks and a final full stop.
        """
        above = f"{self.term} {NUMBERING.sub('', self.heading)}"
        return _any_form(self.text), _any_form(above)


class Question:
    """A question, analysed with the candidates' words: its roots with weights, its names, and what it asks for."""

    def __init__(self, text: str, candidates: Sequence[Candidate]) -> None:
        self.text = text
        self.wanted = wanted(text)
        self.default = asks_default(text)
        self.defines = not self.default and bool(defined(text))
        self._matches: dict[str, dict[str, float]] = {}
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
        """The sum of its words' weights."""
        return sum(self.weights.values()) or 1.0

    @cached_property
    def numbers(self) -> set[str]:
        """Its words that begin with a digit."""
        return {root for root in self.roots if root[0].isdigit()}

    def dated(self, candidate: Candidate) -> int:
        """Return 1 if a statement, or what is above it, names a day of the question's, and -1 if it names only others.

        0 if it names none, or a time before, after or between some, or the question names none. What is above does not
        count for a row that names a day of it: that of Monday under the heading of its week.
        """
        if not (asked := days(self.text)):
            return 0
        own, above = days(candidate.text), days(candidate.around)
        if asked & (own if candidate.row and own & above else own | above):
            return 1
        return -1 if own and not is_open(candidate.text) else 0

    @cached_property
    def names(self) -> set[str]:
        """The roots of its capitalized words, except the first."""
        words_written = (word.strip(_MARKS) for word in self.text.split()[1:])
        return {root for word in words_written if word[:1].isupper() for root in ordered_roots(word)}

    @cached_property
    def strange(self) -> float:
        """The share of its names that are in no text."""
        written = {root for word in self._written_as_names if word.isalpha() for root in ordered_roots(word)}
        roots = written.intersection(about(self.text))
        missing = [root for root in roots if not any(alike(_spelled(root, self._known), one) for one in self._known)]
        return len(missing) / len(roots) if roots else 0.0

    @cached_property
    def _written_as_names(self) -> list[str]:
        """Its capitalized words, except the first; in German and in title case, only words with an inner capital."""
        words = [word.strip(_MARKS) for word in self.text.split()[1:]]
        if language_of(self.text) in CAPITALISED or 2 * sum(word[:1].isupper() for word in words) > len(words):
            return [word for word in words if any(map(str.isupper, word[1:]))]
        return [word for word in words if word[:1].isupper()]

    def is_foreign(self, candidate: Candidate) -> bool:
        """Whether the passage of a statement is surely in another language; cached, since statements share passages."""
        if candidate.passage not in self._foreign:
            self._foreign[candidate.passage] = differs_in_language(candidate.passage, self.text)
        return self._foreign[candidate.passage]

    @cached_property
    def known_roots(self) -> list[str]:
        """Its words that are in any text, in any form."""
        return [root for root in self.roots if self.weights[root] < MOST_WEIGHT or self._is_like_one(root)]

    def _is_like_one(self, root: str) -> bool:
        return any(alike(root, one) >= LIKE for one in self._known)

    def match(self, text: str) -> dict[str, float]:
        """Return for each of its words the likeness, 0 to 1, of the best match in a text; cached for shared texts."""
        if text not in self._matches:
            text_words = words(text)
            forms = {*text_words, *_joint(text_words)}
            forms |= {root for joint, pair in self._joint.items() if joint in forms for root in pair}
            best = {
                root: max((alike(root, form) for form in forms), default=0.0)
                for root in self.roots
                if root not in forms
            }
            self._matches[text] = {root: best.get(root, 1.0) for root in self.roots}
        return self._matches[text]

    def _as_known(self, root: str, known: frozenset[str]) -> str:
        """Return a word as the texts spell it, alone or as part of a compound."""
        joint = any(root in pair and one in known for one, pair in self._joint.items())
        return root if joint else _spelled(root, known)

    def share(self, match: dict[str, float]) -> float:
        """Return the share of its weight that is matched, from 0 to 1; `match` is a result of the method `match`."""
        return sum(self.weights[root] * value for root, value in match.items()) / self.whole

    def introduced(self, candidate: Candidate) -> float:
        """Return how well the term that a statement explains matches the one asked for, 0 to 1; 0 if none is asked for.

        A statement explains its `term`, else the text before its first "is", dash or colon, or a heading that it begins
        with ("The Umask directive sets …"). Of a term with another in brackets, such as an abbreviation, either counts.
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
        """Return the share of its words matched by the option and its command; 0 if another option is explained."""
        if not any(name in self._options for name in names_of(candidate.term)):
            return 0.0
        return self.share(self.match(f"{candidate.around} {candidate.title} {candidate.term}"))

    @cached_property
    def _options(self) -> list[str]:
        """The command-line options that it names."""
        return options_in(self.text)

    def entered(self, candidate: Candidate) -> float:
        """Return the share of its words in the heading above a statement, as in a manual's entry on a setting.

        Words for a default do not count, nor words in many headings ("KeepAliveTimeout Directive"). Each other word in
        the heading, such as a placeholder for a value ("hold time number"), halves the share.
        """
        names = self._meant(names_of(_IN_BRACKETS.sub("", candidate.path[-1]))) if candidate.path else []
        return max((self._covered(set(words(name))) for name in names), default=0.0)

    def _meant(self, names: Sequence[str]) -> list[str]:
        """Return the names that it may mean: if it names options, no other options, since -P is not -p."""
        return [name for name in names if not (self._options and name.startswith("-")) or name in self._options]

    def _covered(self, name: set[str]) -> float:
        subject = {root for root in self.roots if not (self.default and tells_default(root))}
        share = sum(self.weights[root] for root in name & subject) / (
            sum(self.weights[root] for root in subject) or 1.0
        )
        return share * 0.5 ** len(name - subject - self._usual)

    def _named(self, name: str) -> float:
        roots = words(name)
        if not roots:
            return 0.0
        in_question = sum(max((alike(root, one) for one in self.roots), default=0.0) for root in roots)
        return self.share(self.match(name)) * in_question / len(roots)


def _any_form(text: str) -> str:
    return _TYPESET.sub("", text.casefold()).rstrip(".")


@lru_cache(maxsize=1_000)
def about(question: str) -> list[str]:
    """Return the roots of a question without asking words, each once; all its roots if none is left.

    Function words of its language that are content words in another one (`die`, `war`) are left out, too.
    """
    every = list(dict.fromkeys(ordered_roots(question)))
    own = FUNCTION_WORDS_OF.get(language_of(question) or "en", frozenset())
    asking = asking_words() | (own - FUNCTION_WORDS_OF["en"])
    left_out = {root for word in asking for root in ordered_roots(word)}
    return [root for root in every if root not in left_out] or every


def title_match(title: str, question: str) -> float:
    """Return the share of a title's words that are in the question, if it has all words of the question; else 0.

    "A short history of the telescope" has all of "history of the telescope", and little else.
    """
    subject, words_of_title = set(about(question)), _heading_words(title)
    return len(subject) / len(words_of_title) if subject and subject <= words_of_title else 0.0


def headed(path: Sequence[str], question: str, relevance: Relevance) -> float:
    """Return how well the last heading of a path, which begins with the title, names the subject of a question, 0 to 1.

    If the heading has all words of the question and few others (a title may have more if an overview is asked for),
    this is their share of its words. If it has only words of the question, it is the share of the question's weight in
    the headings of the path: "Priorities" in a manual on packages, for the priorities of a package.
    """
    share = title_match(path[-1], question)
    if share >= ENTITLED or (share and len(path) == 1 and wants_overview(question)):
        return share
    subject, heading = set(about(question)), _heading_words(path[-1])
    if not heading or not heading <= subject:
        return 0.0
    above = heading.union(*map(_heading_words, path[:-1]))
    share = sum(map(relevance.weight, subject & above)) / sum(map(relevance.weight, subject))
    return share if share >= HEADED else 0.0


def _usual(headings: set[str]) -> set[str]:
    """Return the words that are in many headings."""
    counts = Counter(root for heading in headings for root in set(words(heading)))
    return {root for root, count in counts.items() if count >= max(FEW_HEADINGS, USUAL * len(headings))}


def _joint(text: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the compounds of adjacent words, each with its two words: "thread-safe" is "threadsafe"."""
    pairs = [pair for pair in pairwise(text) if all(map(str.isalpha, pair)) and not any(map(is_wide, pair))]
    return {joint: pair for pair in pairs for joint in ordered_roots("".join(pair))}


def _heading_words(heading: str) -> set[str]:
    """Return the words of a heading without its section number, but with others: "RAID-4" is not only about RAID."""
    return set(words(NUMBERING.sub("", heading)))


def _spelled(root: str, known: frozenset[str]) -> str:
    """Return a word if the texts have it, else the word of theirs that it may misspell, else itself."""
    if root in known or any(alike(root, one) for one in known):
        return root
    return min(misspelt(root, known), default=root)


@lru_cache(maxsize=4_000)
def words(text: str) -> list[str]:
    """Return the roots of the content words of a text. Cached, since candidates share their passages."""
    return ordered_roots(text)
