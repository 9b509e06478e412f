"""The texts that the code itself puts into a report, in each of LANGUAGES."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ..kernel.notice import LANGUAGES, NoticeOrText, text_of, words_of
from ..kernel.source import Judged
from ..markup import Unit

if TYPE_CHECKING:
    from ..report import Coverage


@dataclass(frozen=True, slots=True)
class Labels:
    """The headings and phrases of a report in one language; braces are filled by `str.format`."""

    language: str
    summary: str
    findings: str
    further: str
    references: str
    searched: str
    missing: str
    nothing: str
    nothing_clear: str
    nothing_said: str
    no_passage: str
    advice: str
    advised: tuple[str, str, str]
    confidence: str
    levels: dict[str, str]
    sources: str
    extractive: str
    checked_text: str
    may_help: str
    just_before: str
    questions: str
    folders: str
    passages: str
    unmentioned: str
    uncited: str
    dropped: str
    partial: str
    failed: str
    stopped: str
    page: str
    line: str
    lines: str
    retrieved: str
    published: str
    local: str
    credibility: str
    caution: str
    web: str
    only_given: str
    no_web: str
    no_files: str
    partly: str
    unsupported: str
    contradicted: str
    unsettled: str
    read_so: str
    unsourced: str
    checked: str
    supported: str
    unchecked: str
    removed_count: str
    independent: str
    same_text: str
    removed: str
    removed_said: str
    nearest: str
    nearest_places: str
    also_near: str
    contradictions: str
    newer: str
    undated: str
    coverage: str
    sub_question: str
    result: str
    answered: str
    partly_answered: str
    not_sure: str
    not_found: str
    log: str
    query: str
    engine: str
    results: str
    contents: str
    source: str
    web_page: str
    open_there: str
    close: str
    row: str
    ocr: str
    note: str
    evidence: str
    elsewhere: str
    sentences: str
    merely_read: str
    issued: str
    quality: str
    pages_read: str
    cited_as: str
    local_file: str
    checked_claims: str
    none: str
    cites: str
    cites_nothing: str
    found_by_us: str
    changed: str
    new: str
    before: str
    now: str
    changes: str
    unchanged: str
    not_asked: str
    same_claims: str
    pair: str
    verdicts: dict[str, str]
    citation_states: dict[str, str]
    qualities: dict[str, str]
    components: dict[str, str]
    difference: dict[str, str]

    def text_of(self, message: NoticeOrText) -> str:
        """Return the text of a notice, a failure or a reason in this language; it is not escaped."""
        return text_of(message, self.language)

    def named(self, name: str, value: str) -> str:
        """Return a name and its value, separated by the colon of this language."""
        return self.pair.format(name=name, value=value)

    def tally(self, counts: Mapping[Judged, int], *, whole: bool = False) -> list[str]:
        """Return how many of the checked claims are supported, then how many have each other verdict.

        With `whole` the unchecked claims are counted, too.
        """
        skipped = ("supported",) if whole else ("supported", "unchecked")
        others = {verdict: n for verdict, n in counts.items() if n and verdict not in skipped}
        if not (checked := counts["supported"] + sum(others.values())):
            return []
        texts = [f"{n} {self.verdicts[verdict]}" for verdict, n in others.items()]
        return [self.supported.format(n=counts["supported"], m=checked), *texts]

    def component(self, name: str) -> str:
        """Return the name of a component of Spyglass; a custom agent keeps its own name."""
        return self.components.get(name, name)

    def result_of(self, item: "Coverage") -> str:
        """Return the text for the result of a sub-question; `not_sure` if the answer ranker cannot tell."""
        if item.ranked == "perhaps":
            return self.not_sure
        texts = {"answered": self.answered, "partly": self.partly_answered}
        return texts.get(item.verdict) or self.not_found.format(n=item.sources)


REFERENCE_HEADINGS = frozenset(
    {"references", "quellen", "références", "referencias", "riferimenti", "referências", "bronnen"}
    | {"reference list", "sources", "works cited", "citations", "bibliography", "literatur", "quellenverzeichnis"}
    | {"literaturverzeichnis", "sources citées", "bibliographie", "bibliografía", "fuentes", "fonti", "bibliografia"}
    | {"fontes", "referenties", "参考文献", "参考资料", "引用文献", "来源", "参考", "出典", "情報源"}
)
"""Headings, in lower case, above a model's own list of references."""

SUMMARY_HEADINGS = frozenset(
    {"summary", "zusammenfassung", "résumé", "resumen", "sintesi", "resumo", "samenvatting"}
    | {"executive summary", "abstract", "tl;dr", "overview", "摘要", "概要", "总结", "要約", "まとめ"}
)
"""Headings, in lower case, of the summary that every report has anyway."""


def mark_of(words: Labels, unit: Unit) -> str:
    """Return the label after a sentence, a row or code in a report, empty if it is supported.

    An unchecked one is labelled only if it cites a source that could not be read. An unsettled one is told apart if a
    model finds its sources to say so.
    """
    verdict = unit.verdict.verdict if unit.verdict else "unchecked"
    if verdict == "unsupported" and not unit.cites and not unit.pointers:
        return words.unsourced
    marks = {
        "unchecked": words.verdicts["unchecked"] if unit.asserts and unit.pointers else "",
        "partial": words.partly,
        "unsettled": words.read_so if unit.verdict and unit.verdict.method == "model" else words.unsettled,
        "unsupported": words.unsupported,
        "contradicted": words.contradicted,
    }
    return marks.get(verdict, "")


def labels_in(language: str) -> Labels:
    """Return the labels for a language code; English ones for a language that is not among LANGUAGES."""
    return _read(language if language in LANGUAGES else LANGUAGES[0])


@cache
def _read(language: str) -> Labels:
    words = {name: value for name, value in words_of(language).items() if name not in ("notices", "asking")}
    return Labels(**{**words, "language": language, "advised": tuple(words["advised"])})
