"""What a run will take is told from its plan, and better from runs like it."""

from pathlib import Path

import pytest

from spyglass import research
from spyglass.kernel.errors import PlanWaitsError
from spyglass.kernel.events import AWAITED, LEFT, TAKEN_UP
from spyglass.kernel.journal import Journal
from spyglass.kernel.plan import Plan, Task
from spyglass.kernel.settings import Settings
from spyglass.runs import RunStore
from spyglass.runs.forecast import forecast

PLAN = Plan(tasks=tuple(Task(task=word, agent="local-retrieval") for word in ("depth", "width")))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "harbour.md").write_text("# Harbour\n\nThe harbour basin is seven metres deep.\n")
    return tmp_path / "files"


def test_without_a_model_a_run_costs_nothing(settings: Settings, files: Path) -> None:
    takes = forecast(PLAN, settings.updated(db=[files]))
    assert (takes.calls, takes.tokens, takes.money, takes.runs) == ((0, 0), (0, 0), (0, 0), 0)
    assert 0 < takes.seconds[0] < takes.seconds[1]


def test_with_a_model_the_range_grows_with_the_plan_and_ends_at_the_cap(settings: Settings, files: Path) -> None:
    model = settings.updated(db=[files], provider="openai", model="gpt-4o-mini")
    one, two = forecast(Plan(tasks=PLAN.tasks[:1]), model), forecast(PLAN, model)
    assert one.calls[1] < two.calls[1]
    assert one.money is not None
    assert 0 < one.money[0] < one.money[1]
    capped = forecast(PLAN, model.updated(budget__max_calls=3, budget__max_cost=0.0001, budget__max_time=5))
    assert (capped.calls[1], capped.seconds[1]) == (3, 5)
    assert capped.money is not None
    assert capped.money[1] == 0.0001
    assert forecast(PLAN, model.updated(model="nobody-knows")).money is None


async def test_runs_like_it_tell_more_and_others_nothing(settings: Settings, files: Path) -> None:
    own = settings.updated(db=[files], web=False, effort="normal")
    seconds = []
    for number in range(2):
        await research(f"How deep is the harbour basin {number}?", settings=own)
        journal = Journal(RunStore(own.data_dir).all()[0].path, readonly=True)
        seconds.append(journal.get("ended")["seconds"])
        journal.close()
    takes = forecast(Plan(tasks=PLAN.tasks[:1]), own)
    assert takes.runs == 2
    assert takes.seconds[0] < max(seconds)
    assert min(seconds) < takes.seconds[1]
    assert forecast(PLAN, own).seconds[1] > takes.seconds[1]
    assert forecast(PLAN, own.updated(effort="deep")).runs == 0


async def test_the_start_of_a_process_counts_and_what_a_run_lay_alone_for_does_not(
    settings: Settings, files: Path
) -> None:
    own = settings.updated(db=[files], web=False, effort="normal")
    await research("How deep is the harbour basin?", settings=own)
    journal = Journal(RunStore(own.data_dir).all()[0].path)
    journal.take()
    later = journal.marks()[-1][3] + 5000
    for mark, at in ((AWAITED, 0), (TAKEN_UP, 100), (LEFT, 150), (TAKEN_UP, 4000), (("WRITING", "started"), 4020)):
        journal.mark(*mark, later + at)
    journal.mark(*TAKEN_UP, later + 6000)
    journal.mark(*LEFT, later + 6030)
    journal.release()
    journal.close()
    assert forecast(Plan(tasks=PLAN.tasks[:1]), own).seconds == pytest.approx((100, 400)), "half and double of 200"


async def test_a_plan_that_waits_is_followed_when_it_is_approved(settings: Settings, files: Path) -> None:
    own = settings.updated(db=[files], web=False, research__ask=True)
    with pytest.raises(PlanWaitsError) as raised:
        await research("How deep is the harbour basin?", settings=own)
    [waiting] = RunStore(own.data_dir).all()
    assert (waiting.outcome, waiting.id) == ("planned", raised.value.where)
    plan = Plan(tasks=(Task(task="How deep is the basin of the harbour?", agent="local-retrieval"),))
    report = await research(settings=own, resume=waiting.id, plan=plan)
    assert [one.question for one in report.coverage] == [plan.tasks[0].task]
    assert "seven metres" in report.markdown
    [ended] = RunStore(own.data_dir).all()
    assert ended.outcome == "complete"
