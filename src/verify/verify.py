"""Checks a report again from nothing but itself."""

from ..kernel.errors import SettingsError
from ..report.derive import derive
from ..report.report import FORMAT, Report
from ..report.source_index import SourceIndex
from .derived import check_derived
from .sentences import check_sentences, check_sources
from .signature import Signature, holds, require_key
from .verdicts import Verdicts
from .verification import Findings, Verification


def verify(
    report: Report, checksum: str | None = None, signature: Signature | None = None, signer: str = ""
) -> Verification:
    """Return what of a report agrees with itself and what does not: hashes, spans, numbers, sentences, verdicts.

    `checksum` and `signature` are what its file says of it, None for a report that was in no file, or is not signed;
    `signer` is the public key by which it must be signed.

    Needs neither the run nor a network. A checksum can be made anew by whoever changes a report; the quotes must still
    be those of the carried texts, whatever asserts something a claim, and the verdicts what judging them gives.
    Raises SettingsError for a `signer` that is no key, or without the extra `sign`.
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
            findings.wrong("claims", "It shows a text of its own in place of its sections")
        findings.unchecked("It is the text of a reporter that hands over no claims and no citations.")
    if report.policy == "off":
        findings.unchecked("Its claims were never judged: it was made with the policy “off”.")
    texts = {snapshot.hash: snapshot.text for snapshot in report.snapshots}
    index = SourceIndex.carried(report.sources, texts)
    check_sources(report, texts, findings)
    places = check_sentences(report, index, texts, findings)
    if findings.agree:
        again = derive(report, index, texts.get)
        Verdicts(again, texts, findings, places).check()
        check_derived(report, again, texts, findings)
    else:
        findings.unchecked("What follows from text and sources was not derived again, since these do not agree.")
    return findings.verification


def _check_signature(report: Report, signature: Signature | None, signer: str, findings: Findings) -> None:
    """Check who signed a report, and that nobody changed it since."""
    findings.count("signature")
    if signer:
        require_key(signer)
    if signature is None:
        findings.wrong("signature", f"It is not signed, and should be by {signer}")
        return
    try:
        is_whole = holds(report, signature)
    except SettingsError as error:
        findings.unchecked(f"Its signature was not checked. {error}")
        return
    if not is_whole:
        findings.wrong("signature", "It was changed after it was signed, or its signature was")
    elif signer and signature.key != signer:
        findings.wrong("signature", f"It is signed by {signature.key}, and should be by {signer}")
    else:
        findings.signer = signature.key
