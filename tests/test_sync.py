"""Who has no event loop of their own, or one that runs already, gets the same answers."""

from pathlib import Path

from spyglass import sync
from spyglass.kernel.settings import Settings


def settings(folder: Path) -> Settings:
    files = folder / "files"
    files.mkdir()
    (files / "lens.md").write_text("# Care\n\nA lens should be cleaned with a soft brush and a drop of alcohol.\n")
    return Settings(data_dir=folder / "data", db=[files], retrieval__dense=False)


def test_plain_code_gets_a_report_and_saves_it(tmp_path: Path) -> None:
    given = settings(tmp_path)
    report = sync.research("How should a lens be cleaned?", settings=given)
    assert "soft brush" in report.markdown
    assert sync.replay("last", settings=given).checksum == report.checksum
    for suffix in (".md", ".html", ".json"):
        saved = report.save(tmp_path / f"report{suffix}")
        assert "soft brush" in saved.read_text(encoding="utf-8")


async def test_so_does_code_within_a_running_loop(tmp_path: Path) -> None:
    markdown = sync.generate_report("How should a lens be cleaned?", settings=settings(tmp_path))
    assert "soft brush" in markdown
