"""Checks of finished reports.

`verify` checks a report offline, `refetch` against today's pages and files, `diff` compares two reports, and `check`
checks a report of any origin.
"""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .check import Check, CheckedSentence, check, check_text
    from .claim_judge import Quote
    from .difference import Change, CitedSource, ComparedClaim, Difference, diff
    from .file import ReportFile, read_report
    from .refetch import Today, refetch, texts_today
    from .signature import public_key, signed
    from .verification import Verification, compared, with_shown
    from .verify import verify

__all__ = [
    "Change",
    "Check",
    "CheckedSentence",
    "CitedSource",
    "ComparedClaim",
    "Difference",
    "Quote",
    "ReportFile",
    "Today",
    "Verification",
    "check",
    "check_text",
    "compared",
    "diff",
    "public_key",
    "read_report",
    "refetch",
    "signed",
    "texts_today",
    "verify",
    "with_shown",
]

__getattr__ = lazy_exports(
    __name__,
    check="Check CheckedSentence check check_text",
    claim_judge="Quote",
    difference="Change CitedSource ComparedClaim Difference diff",
    file="ReportFile read_report",
    refetch="Today refetch texts_today",
    signature="public_key signed",
    verification="Verification compared with_shown",
    verify="verify",
)
