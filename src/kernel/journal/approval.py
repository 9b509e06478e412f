"""The plan of a run in its journal: the proposal, the user's approval, and the effect that replays read."""

import time
from typing import Final

from ..errors import UsageError
from ..events import AWAITED
from ..plan import Plan, Proposal
from .effect import Answer, Recorded, effect_key
from .journal import Journal

KIND: Final = "plan"
PROPOSAL: Final = "proposal"


def propose(journal: Journal, proposal: Proposal) -> None:
    """Store a plan as first made, whether or not it needs approval."""
    journal.put(PROPOSAL, proposal.model_dump(mode="json"))


def proposed(journal: Journal) -> Proposal | None:
    """Return the plan as first made; None if the caller gave the plan, or planning has not ended."""
    record = journal.get(PROPOSAL)
    return None if record is None else Proposal.model_validate(record)


def approve(journal: Journal, plan: Plan) -> None:
    """Make a run follow this plan. Raises UsageError if it already follows another plan."""
    before = approved(journal)
    if before not in (None, plan):
        raise UsageError("Another plan was already approved for this run", remedy="Start a new run.")
    if before is None:
        journal.mark(*AWAITED, time.time())
    journal.record(effect_key(KIND, None), KIND, None, Answer(value=plan.model_dump(mode="json")))


def approved(journal: Recorded) -> Plan | None:
    """Return the plan that the run follows; None if the user has not approved one."""
    answer = journal.find(effect_key(KIND, None))
    return None if answer is None else Plan.model_validate(answer.value)
