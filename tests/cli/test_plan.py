"""`--ask` shows the plan and what it takes, and spends nothing until it is approved."""

import json
from pathlib import Path

from cli.command import QUESTION, spyglass


def test_without_a_terminal_the_plan_is_printed_and_approved_by_a_file(tmp_path: Path, files: Path) -> None:
    asked = spyglass(tmp_path, "report", QUESTION, "--files", files, "--no-model", "--ask", "--quiet")
    assert asked.returncode == 0, asked.stderr
    plan = json.loads(asked.stdout)
    assert plan["forecast"]["money"] == [0.0, 0.0]
    assert "--plan FILE" in asked.stderr
    assert "planned" in spyglass(tmp_path, "runs").stdout
    (tmp_path / "plan.json").write_text(json.dumps({"tasks": [{"task": "How is a lens cleaned?"}]}))
    made = spyglass(tmp_path, "resume", "last", "--plan", "plan.json", "--quiet")
    assert made.returncode in (0, 4), made.stderr
    assert "How is a lens cleaned?" in made.stdout
    again = spyglass(tmp_path, "resume", "last", "--plan", "plan.json", "--quiet")
    assert again.stdout == made.stdout


def test_a_plan_is_given_from_the_start(tmp_path: Path, files: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps([{"task": "How is a lens cleaned?"}, {"task": "What is a lens?"}]))
    made = spyglass(tmp_path, "report", QUESTION, "--files", files, "--no-model", "--plan", plan, "--quiet")
    assert "What is a lens?" in made.stdout, made.stderr
    plan.write_text(json.dumps([{"task": "How?", "agent": "nobody"}]))
    refused = spyglass(tmp_path, "report", QUESTION, "--files", files, "--no-model", "--plan", plan, "--quiet")
    assert (refused.returncode, 'There is no research agent called "nobody"' in refused.stderr) == (2, True)
