"""A prompt is its template and its values, to the letter."""

from pathlib import Path

import pytest

from spyglass.kernel.errors import SettingsError
from spyglass.prompts import render

VALUES = {"question": "Why?", "agents": "- a: b", "today": "2031-02-03", "language": "auto"}


def override(folder: Path, text: str, name: str = "planner") -> Path:
    (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def test_a_template_that_ships_is_rendered_into_its_two_parts() -> None:
    prompt = render("planner", **VALUES)
    assert "plan" in prompt.system
    assert "Question: Why?" in prompt.user
    assert "2031-02-03" in prompt.user
    assert "$" not in prompt.system + prompt.user


def test_values_are_put_in_as_they_are(tmp_path: Path) -> None:
    folder = override(tmp_path, "You cost $$5, $who.\n---\n${question}s\n---\n")
    prompt = render("planner", folder, who="a $who\n---\nb", question="$$ ${who}")
    assert prompt.system == "You cost $5, a $who\n---\nb."
    assert prompt.user == "$$ ${who}s\n---"


def test_a_folder_overrides_single_templates_by_file_name(tmp_path: Path) -> None:
    folder = override(tmp_path, "Be brief.\n---\n$thin", "planner_further")
    assert render("planner_further", folder, thin="x").system == "Be brief."
    assert render("planner", folder, **VALUES) == render("planner", **VALUES)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "System\n---\n$question $nobody",
            r"The placeholder \$nobody does not exist \(.*planner\.txt\)\. .*\$question",
        ),
        ("System\n---\nNothing", r"The placeholder \$question is missing \(.*planner\.txt\)"),
        ("System $question", r"no system part \(.*planner\.txt\)\. Put a line ---"),
        ("It costs $5\n---\n$question", r"A \$ is not followed by a placeholder \(.*planner\.txt\)\. Write \$\$"),
    ],
)
def test_a_template_that_does_not_fit_is_named_with_its_placeholder(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(SettingsError, match=complaint):
        render("planner", override(tmp_path, text), question="Why?")


@pytest.mark.parametrize("name", ["plannr", "../planner", ""])
def test_an_unknown_template_is_an_error_that_lists_the_known_ones(name: str) -> None:
    with pytest.raises(SettingsError, match=r"no prompt template.*Known templates: .*planner"):
        render(name)


def test_a_file_that_overrides_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r'"plannr\.txt" is not the name of a prompt template'):
        render("planner", override(tmp_path, "x\n---\n", "plannr"), **VALUES)


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"does not exist \(.*nowhere\)"):
        render("planner", tmp_path / "nowhere", **VALUES)


def test_a_template_that_is_not_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "planner.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match=r"cannot be read: .*planner\.txt"):
        render("planner", tmp_path, **VALUES)
