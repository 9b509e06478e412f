"""The README and the guides say what is true: their Python runs, their commands and settings exist."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import html

import spyglass

ROOT = Path(__file__).parent.parent
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples(name: str) -> str:
    """Return all Python of a document; its later examples build on the earlier ones."""
    found = PYTHON.findall((ROOT / name).read_text(encoding="utf-8"))
    assert found, f"{name} has no examples"
    return "\n".join(found)


@pytest.mark.parametrize("name", ["README.md", "docs/checking.md", "docs/crawling.md", "docs/tools.md"])
def test_the_examples_run(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(examples(name), name, "exec"), {"__name__": "__main__"})
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.browser
@pytest.mark.slow
def test_the_example_of_rendering_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(examples("docs/rendering.md"), "docs/rendering.md", "exec"), {"__name__": "__main__"})
    told = capsys.readouterr().out
    assert "{'name': 'Reflector', 'price': '240'}" in told
    assert ".png" in told


def in_a_process(tmp_path: Path, name: str) -> subprocess.CompletedProcess[str]:
    """Run the examples of a document in a process of their own, beside the files that the project brings."""
    (tmp_path / "local_files").symlink_to(ROOT / "local_files")
    done = subprocess.run(
        [sys.executable, "-c", examples(name)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    assert done.returncode == 0, done.stderr
    return done


def test_the_examples_of_watching_run_in_a_process_that_has_one_tracer_provider(tmp_path: Path) -> None:
    done = in_a_process(tmp_path, "docs/observing.md")
    assert '"event": "RunEnded"' in done.stdout
    assert "answer a customer" in done.stdout
    assert "invoke_agent reporter {'gen_ai.operation.name': 'invoke_agent'" in done.stdout


def test_the_examples_of_extending_run_in_a_process_whose_registries_they_extend(tmp_path: Path) -> None:
    assert "Traceback" not in in_a_process(tmp_path, "docs/extending.md").stderr


def test_the_example_of_an_assistant_runs(tmp_path: Path) -> None:
    assert "How should a lens be cleaned?" in in_a_process(tmp_path, "docs/assistants.md").stdout


def test_the_example_of_the_first_ten_minutes_runs(tmp_path: Path) -> None:
    assert "11 of 11 sentences are supported" in in_a_process(tmp_path, "docs/start.md").stdout
    assert (tmp_path / "lens.html").is_file()


def test_the_readmes_report_is_the_one_that_is_made(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(examples("README.md"), "README.md", "exec"), {"__name__": "__main__"})
    made = capsys.readouterr().out
    shown = re.search(
        r"^```markdown\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert shown is not None
    day = re.compile(r"\d{4}-\d\d-\d\d")
    lines = [day.sub("DAY", line) for line in shown[1].splitlines() if "The search used words only" not in line]
    assert [line for line in lines if line not in day.sub("DAY", made)] == []


@pytest.mark.slow
def test_the_site_has_every_guide_command_and_public_name_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "docs/make_site.py"), str(tmp_path / "site")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert (done.returncode, done.stderr) == (0, ""), "no link leads nowhere"
    pages = {page.stem: page.read_text(encoding="utf-8") for page in (tmp_path / "site").glob("*.html")}
    guides = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert guides | {"index", "SECURITY", "CONTRIBUTING", "CHANGELOG", "commands", "reference"} <= {*pages}
    listed = html.fromstring(pages["index"]).xpath("//*[@class='sidebar-tree']//a/@href")
    assert {f"{guide}.html" for guide in guides} <= {*listed}
    loaded = "//script/@src | //link[@rel!='canonical']/@href | //img/@src | //iframe/@src"
    assert not [url for page in pages.values() for url in html.fromstring(page).xpath(loaded) if "//" in url]
    assert "<h2>spyglass watch add" in pages["commands"]
    assert "--max-cost DOLLARS" in html.fromstring(pages["commands"]).text_content()
    assert all(f'id="spyglass.{name}"' in pages["reference"] for name in (*spyglass.__all__, "tools.tool"))


def test_the_map_of_how_it_works_has_every_part_of_the_package() -> None:
    text = (ROOT / "docs/how-it-works.md").read_text(encoding="utf-8")
    lines = text.partition("## The map")[2].split("```")[1].strip().splitlines()
    width = lines[0].index("the command line")
    named = [name for line in lines for name in line[:width].split()]
    there = [path.stem for path in (ROOT / "src").iterdir() if path.is_dir() or path.suffix == ".py"]
    assert sorted(named) == sorted(name for name in there if not name.startswith("__"))


def test_the_first_example_stands_before_line_40() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert lines.index("```python") < 40
    assert any("generate_report(" in line for line in lines[:40])


def test_every_make_command_in_the_readme_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"report", "test"} <= set(named)
    assert all(re.search(rf"^{name}:", makefile, re.MULTILINE) for name in named)
