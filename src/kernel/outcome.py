"""The outcome of a run: one word that the run, report, event stream, exit code and list of runs share."""

from typing import Literal

Outcome = Literal["complete", "partial", "nothing_found", "failed", "cancelled", "planned"]
"""`planned` means that the plan waits for the user's approval."""


def outcome_of(*, has_result: bool, failed: bool, stopped: bool = False) -> Outcome:
    """Return the outcome for whether there is a result, whether something failed, and whether the run was stopped."""
    if stopped:
        return "cancelled"
    if has_result:
        return "partial" if failed else "complete"
    return "failed" if failed else "nothing_found"
