"""How a run ends: one word, the same on the run, the report, the stream, the exit code and the list of runs."""

from typing import Literal

Outcome = Literal["complete", "partial", "nothing_found", "failed", "cancelled", "planned"]
"""`planned` is a run whose plan waits for the user."""


def outcome_of(*, has_result: bool, failed: bool, stopped: bool = False) -> Outcome:
    """Return the outcome by whether there is something to show, something failed, and the run was stopped."""
    if stopped:
        return "cancelled"
    if has_result:
        return "partial" if failed else "complete"
    return "failed" if failed else "nothing_found"
