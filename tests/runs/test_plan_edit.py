"""A plan is read as a user writes it, and changes what he changes of it."""

import json
from pathlib import Path

import pytest

from spyglass.kernel.errors import UsageError
from spyglass.kernel.plan import Plan, Proposal, Task
from spyglass.runs.plan_edit import PlanEdit, plan_edit

PROPOSAL = Proposal(
    plan=Plan(tasks=(Task(task="a", agent="files", queries=("a one", "a two")), Task(task="b", agent="web"))),
    by="rules",
    agents=["files", "web"],
)


def test_a_task_that_stays_keeps_its_queries_and_a_new_one_goes_to_every_agent() -> None:
    edit = PlanEdit.model_validate({"tasks": [{"task": "a", "agent": "files"}, {"task": "c"}], "sections": ["One"]})
    assert edit.applied(PROPOSAL) == Plan(
        tasks=(
            Task(task="a", agent="files", queries=("a one", "a two")),
            Task(task="c", agent="files", queries=("c",)),
            Task(task="c", agent="web", queries=("c",)),
        ),
        sections=("One",),
    )


def test_a_plan_is_an_object_a_list_or_the_one_that_was_proposed(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    for written in ({"tasks": [{"task": "a"}]}, [{"task": "a"}]):
        file.write_text(json.dumps(written))
        assert [one.task for one in plan_edit(file).tasks] == ["a"]
    assert plan_edit(Path("-")).applied(PROPOSAL) == PROPOSAL.plan


@pytest.mark.parametrize("text", ["", "{", "7", "[7]", '{"tasks": [{"agent": "web"}]}', '{"tasks": [{"task": ""}]}'])
def test_what_is_no_plan_says_what_one_looks_like(tmp_path: Path, text: str) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text)
    with pytest.raises(UsageError, match="What to find out"):
        plan_edit(file)
    with pytest.raises(UsageError, match="The plan cannot be read"):
        plan_edit(tmp_path / "missing.json")
