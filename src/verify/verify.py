"""Verifies a report from its own content alone: its texts and sentences, then all fields derived from them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import get_args

from ..evidence import Evidence, roots
from ..evidence.reason import BESIDE
from ..evidence.rows import columns_above
from ..kernel.errors import SettingsError
from ..kernel.one_line import shortened_line
from ..kernel.source import HOLDS, Source, Verdict, digest
from ..markup import CodeBlock, Styled, Unit
from ..render import labels_in
from ..render.escape import kind_of
from ..report import Removed, Report, SourceIndex, derive
from ..report.asserting import asserts
from ..report.copies import copied
from ..report.derive import DERIVED
from ..report.report import FORMAT
from ..report.source_index import titled
from .signature import Signature, holds, require_key
from .verdicts import Verdicts
from .verification import MOST, SHOWN, Findings, Subject, Verification, differences


def verify(
    report: Report, checksum: str | None = None, signature: Signature | None = None, signer: str = ""
) -> Verification:
    """Check that the parts of a report are consistent: hashes, spans, numbers, sentences, verdicts.

    `checksum` and `signature` are those of its file, None if the report is not from a file or not signed; `signer` is
    the public key that must have signed it.

    Needs neither the run nor a network. A forger can compute a new checksum, but the quotes must be in the report's
    texts, every assertion must be a claim, and judging the claims again must give the recorded verdicts.
    Raises SettingsError if `signer` is not a key, or without the extra `sign`.
    """
    findings = Findings()
    if checksum is not None:
        findings.count("checksum")
        findings.expect(checksum == report.checksum, "checksum", "The file was changed after it was written")
    if signature is not None or signer:
        _check_signature(report, signature, signer, findings)
    if report.format != FORMAT:
        findings.wrong("figures", f"Its format is {report.format}; this version reads format {FORMAT}")
    if report.given is not None:
        if report.sections:
            findings.wrong("claims", "It shows a separate text instead of its sections")
        findings.unchecked("Its text comes from a reporter that provides no claims and no citations.")
    if report.policy == "off":
        findings.unchecked("Its claims were not checked: it was made with the policy “off”.")
    texts = {snapshot.hash: snapshot.text for snapshot in report.snapshots}
    index = SourceIndex.carried(report.sources, texts)
    check_sources(report, texts, findings)
    places = check_sentences(report, index, texts, findings)
    if findings.agree:
        again = derive(report, index, texts.get)
        Verdicts(again, texts, findings, places).check()
        check_derived(report, again, texts, findings)
    else:
        findings.unchecked(
            "Fields derived from text and sources were not checked, because text and sources do not agree."
        )
    return findings.verification


def _check_signature(report: Report, signature: Signature | None, signer: str, findings: Findings) -> None:
    """Check who signed a report, and that it has not been changed since."""
    findings.count("signature")
    if signer:
        require_key(signer)
    if signature is None:
        findings.wrong("signature", f"It is not signed, but should be by {signer}")
        return
    try:
        is_whole = holds(report, signature)
    except SettingsError as error:
        findings.unchecked(f"Its signature was not checked. {error}")
        return
    if not is_whole:
        findings.wrong("signature", "The report or its signature was changed after signing")
    elif signer and signature.key != signer:
        findings.wrong("signature", f"It is signed by {signature.key}, but should be by {signer}")
    else:
        findings.signer = signature.key


Place = tuple[int, int]
"""The number of a section and of a sentence in it, both from 1."""


def check_sources(report: Report, texts: Mapping[str, str], findings: Findings) -> None:
    """Check the texts in a report by their hashes, and that its passages are in them."""
    for snapshot in report.snapshots:
        findings.count("snapshots")
        what = f"The text of {snapshot.path or snapshot.url or snapshot.title} is not the one that was read"
        holds = digest(snapshot.text, size=64) == snapshot.hash
        findings.expect(holds, "snapshots", f"{what}: its SHA-256 is not {snapshot.hash[:12]}…")
    findings.expect(len(texts) == len(report.snapshots), "snapshots", "Two snapshots have the same id")
    for source in report.sources:
        for passage in source.passages if source.snapshot in texts else ():
            findings.count("sources")
            holds = texts[source.snapshot][passage.start : passage.end] == passage.text
            what = f"A passage of {source.title} is not at {passage.start}-{passage.end} of its snapshot"
            findings.expect(holds, "sources", what)
            named = tuple(columns_above(texts[source.snapshot], passage.start)) == passage.columns
            findings.expect(named, "sources", f"The names of columns are not above a passage of {source.title}")
    for near in report.near:
        findings.count("sources")
        found = report.passage_of(near)
        holds = found is not None and found[1].start <= near.start < near.end <= found[1].end
        findings.expect(holds, "sources", "An excerpt recorded as near to the question is not within a passage")
    ids = {source.id for source in report.sources}
    findings.expect(len(ids) == len(report.sources), "sources", "Two sources have the same id")


def check_sentences(report: Report, index: SourceIndex, texts: Mapping[str, str], findings: Findings) -> list[Place]:
    """Check citations, claims, and that every sentence that asserts something is a claim.

    Returns the place of each claim.
    """
    questions = [report.question, *(item.question for item in report.coverage)]
    known = roots("\n".join([*questions, labels_in(report.language).no_passage])) if report.coverage else None
    looked_up = {citation.number for citation in report.looked_up}
    places: list[Place] = []
    for number, section in enumerate(report.sections, 1):
        for place, unit in enumerate(section.units, 1):
            lost = [pointer.number for pointer in unit.pointers if pointer.number not in looked_up]
            unlisted = (f"No reference has the number {citation}" for citation in lost)
            for what in (*_wrong_citations(unit, index, texts), *unlisted):
                findings.wrong("citations", what, section=number, sentence=place)
            for what in _wrong_claims(unit, report.policy, known):
                findings.wrong("claims", what, section=number, sentence=place)
            findings.count("citations", len(unit.cites))
            if unit.asserts:
                findings.count("claims")
                places.append((number, place))
    return places


def _wrong_citations(unit: Unit, index: SourceIndex, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the errors of a sentence's citations: outside of any passage, or in a text missing from the report."""
    for cite in unit.cites:
        passage, location = index.by_label.get(cite.passage), f"{cite.passage}, {cite.start}-{cite.end}"
        if passage is None or not passage.passage.start <= cite.start < cite.end <= passage.passage.end:
            yield f"It cites text that is not in a passage: {location}"
        elif passage.source.snapshot not in texts:
            yield f"The text that it cites is missing: {location}"


def _wrong_claims(unit: Unit, policy: str, known: frozenset[str] | None) -> Iterator[str]:
    """Yield the errors of a sentence: of a claim under the report's policy, or of an assertion that is not a claim."""
    verdict = unit.verdict
    if any(isinstance(part, Styled) and part.href for part in unit.pieces):
        yield "It contains a link"
    if isinstance(unit, CodeBlock) and kind_of(unit.language) != unit.language:
        yield "It contains a block of code that a viewer may not show as code"
    if verdict and verdict.span is not None:
        yield "Its verdict is not final"
    if not unit.asserts:
        if verdict or asserts(unit, known):
            yield f"“{shortened_line(unit.text, SHOWN)}” is not among the claims"
    elif verdict is None:
        if policy != "off" and unit.cites:
            yield "It has citations, but was not checked"
    elif policy == "off":
        yield f"Its verdict is “{verdict.verdict}” under the policy “{policy}”"
    elif policy == "strict" and verdict.verdict in ("unsupported", "contradicted"):
        yield f"It is {verdict.verdict}, but the policy “strict” removes such sentences"


def check_derived(report: Report, again: Report, texts: Mapping[str, str], findings: Findings) -> None:
    """Check the derived fields of a report, its copies, and its removed sentences.

    `again` is the report with these fields derived again; `texts` are the texts in the report, by hash.
    """
    sources = {source.id: source for source in report.sources}
    _check_copies(report, sources, texts, findings)
    for removed in report.removed:
        _check_removed(removed, report.policy, list(_judged(removed, sources, texts)), findings)
    for name in DERIVED:
        subject: Subject = next((subject for subject in get_args(Subject) if subject == name), "figures")
        recorded, derived = (version.model_dump(mode="json", include={name})[name] for version in (report, again))
        if subject not in ("snapshots", "citations"):  # these are counted where their spans are checked
            findings.count(subject, len(derived) if isinstance(derived, list) else 1)
        for path, left, right in islice(differences(recorded, derived, name), MOST):
            findings.wrong(subject, f"{path} is {left}; derived again it is {right}")
    _check_recorded(report, findings)


def _check_copies(report: Report, sources: Mapping[str, Source], texts: Mapping[str, str], findings: Findings) -> None:
    """Check the groups of copies among the sources whose texts are in the report."""

    def named(group: Sequence[str]) -> str:
        members = (sources[source_id] for source_id in group)
        return ", ".join(f"“{shortened_line(source.title, SHOWN)}” ({source.path or source.url})" for source in members)

    carried = [source for source in report.sources if source.snapshot in texts]
    ids = {source.id for source in carried}
    recorded = [group for group in report.copies if ids.issuperset(group)]
    copies = copied(carried, [texts[source.snapshot] for source in carried])
    findings.count("copies", len(recorded))
    for group in [group for group in copies if group not in recorded]:
        findings.wrong("copies", f"{named(group)} have the same text, but are not listed as copies")
    for group in [group for group in recorded if group not in copies]:
        findings.wrong("copies", f"{named(group)} are listed as copies of the first, but are not")
    listed = [source for group in report.copies for source in group]
    is_sound = len(set(listed)) == len(listed) and sources.keys() >= set(listed)
    findings.expect(is_sound, "copies", "A source is in two groups of copies, or is missing")


def _check_removed(removed: Removed, policy: str, judged: Sequence[Verdict], findings: Findings) -> None:
    """Check that a removed sentence fails as recorded; `judged` are the verdicts by its nearest evidence."""
    findings.count("removed")
    what = f"“{shortened_line(removed.text, SHOWN)}”"
    if BESIDE in removed.reasons:
        findings.expect(policy != "off", "removed", f"{what} was removed, but the policy removes nothing")
    else:
        findings.expect(policy == "strict", "removed", f"{what} was removed, but the policy keeps it")
        findings.expect(
            removed.verdict in ("unsupported", "contradicted"),
            "removed",
            f"{what} was removed, but is {removed.verdict}",
        )
    findings.expect(
        bool(removed.evidence) == bool(removed.source_id), "removed", f"The evidence nearest to {what} is incomplete"
    )
    if removed.evidence and not judged:
        findings.wrong("removed", f"The evidence nearest to {what} is not in its source")
    elif removed.evidence and not any(_agrees(removed, verdict) for verdict in judged):
        findings.wrong("removed", f"{what} is recorded as {removed.verdict}, but its nearest evidence says otherwise")


def _judged(removed: Removed, sources: Mapping[str, Source], texts: Mapping[str, str]) -> Iterator[Verdict]:
    """Yield the verdict on a removed sentence by each passage that has its nearest evidence."""
    source = sources.get(removed.source_id) if removed.evidence else None
    if source is not None and removed.evidence in texts.get(source.snapshot, removed.evidence):
        passages = [passage for passage in source.passages if removed.evidence in passage.text]
        evidence = Evidence([titled(source, passage) for passage in passages])
        yield from (evidence.judge(removed.text, [number]) for number in range(len(passages)))


def _check_recorded(report: Report, findings: Findings) -> None:
    quoted = all(section.quoted for section in report.sections)
    wrote = bool(report.writer) or report.given is not None
    if report.queries:
        findings.expect(bool(report.coverage), "coverage", "The coverage of the question is missing")
        findings.expect(quoted or wrote, "figures", "It contains text that is not quoted, but names no writer")
        what = f"It names {report.writer} as its writer, but all of it is quoted"
        findings.expect(not (quoted and report.writer), "figures", what)
    elif report.searches:
        findings.wrong("figures", "It lists searches, but no queries")


def _agrees(removed: Removed, again: Verdict) -> bool:
    if BESIDE in removed.reasons and removed.verdict in HOLDS:
        return again.verdict in HOLDS
    return again.verdict in ("unsettled", removed.verdict)
