"""What a notebook shows, in a kernel of its own: the cells of the guide, as a person runs them."""

import asyncio
import re
import subprocess
import sys
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from spyglass.kernel.errors import UsageError
from spyglass.notebook import Progress
from test_docs import PYTHON, ROOT

CLEAN = "soft brush"


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The outputs of each cell of the guide."""
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "local_files").symlink_to(ROOT / "local_files")
    guide = (ROOT / "docs/notebooks.md").read_text(encoding="utf-8")
    make: Any = nbformat.v4
    notebook = make.new_notebook(cells=[make.new_code_cell(code) for code in PYTHON.findall(guide)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        patch.setenv("SPYGLASS_DATA_DIR", str(folder / "data"))
        # A kernel on a busy machine may need minutes to begin; nbclient gives it one.
        place = {"metadata": {"path": str(folder)}}
        client = NotebookClient(notebook, timeout=240, startup_timeout=240, resources=place)
        asyncio.run(client.async_execute())
    assert (folder / "lens.html").is_file()
    return [cell["outputs"] for cell in notebook["cells"]]


def test_a_cell_shows_how_the_run_went_and_then_the_page_of_the_report(cells: list[Any]) -> None:
    progress, report = cells[0]
    shown = progress["data"]["text/html"]
    assert shown.startswith('<div role="status"')
    assert "<summary>Complete in" in shown, "the one output was written anew up to the end"
    assert "Read local_files: " in shown
    assert report["data"]["text/html"].startswith('<iframe sandbox="allow-popups ')
    assert CLEAN in report["data"]["text/html"]
    assert len(report["data"]["text/plain"]) < 300, "the whole of it is for no log"


def test_plain_values_follow(cells: list[Any]) -> None:
    said = "".join(output.get("text", "") for output in cells[1])
    assert re.match(r"(\d+) of \1 sentences are supported", said)
    assert "supported – " in said


def test_a_door_without_await_shows_its_progress_in_the_cell_too(cells: list[Any]) -> None:
    kinds = [output["output_type"] for output in cells[2]]
    assert sorted(kinds) == ["display_data", "stream"]
    [progress] = [output for output in cells[2] if output["output_type"] == "display_data"]
    assert "<summary>Complete in" in progress["data"]["text/html"]


def test_outside_of_a_notebook_it_says_so() -> None:
    with pytest.raises(UsageError, match="only be shown in a notebook"):
        Progress()


def test_importing_it_imports_no_notebook() -> None:
    code = "import sys, spyglass.notebook; sys.exit('IPython' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
