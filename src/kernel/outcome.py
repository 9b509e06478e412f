"""How a run ends: one word, the same on the run, the report, the stream, the exit code and the list of runs."""

from typing import Literal

Outcome = Literal["complete", "partial", "nothing_found", "failed", "cancelled", "planned"]
"""`planned` is a run whose plan waits for the user."""


def outcome_of(*, found: bool, failed: bool, stopped: bool = False) -> Outcome:
    """Return the outcome of what has something to show or not, of which something failed or nothing, or was stopped.

    Nothing to show is never `partial`: it is `failed` where something failed, for who knows what was there.
    """
    if stopped:
        return "cancelled"
    if found:
        return "partial" if failed else "complete"
    return "failed" if failed else "nothing_found"
