"""An ingest reads what is new, keeps what is unchanged, forgets what is gone, and says what it could not read."""

import asyncio
import os
import shutil
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from documents import files as documents
from rag.shelf import BEES, DOCUMENTS, configured, fill, found, ingested, running
from spyglass.kernel import host
from spyglass.kernel.errors import FolderError, IndexBusyError
from spyglass.kernel.events import Event, FileSkipped, Ingested, IngestProgress
from spyglass.kernel.journal import Journal
from spyglass.kernel.notice import Notice, text_of
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.rag.ingest import GROUP_FILES, ingest
from spyglass.rag.retrieve import retrieve


@pytest.fixture
def alone(settings: Settings) -> Settings:
    """Settings with the index on this machine, for what only that has."""
    return configured(settings)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return fill(tmp_path / "files")


def lock_of(settings: Settings) -> Path:
    (lock,) = settings.data_dir.rglob("lock")
    return lock


async def test_a_folder_is_read_once(words_only: Settings, files: Path) -> None:
    first = await ingested(words_only, files)
    assert (first.files, first.chunks, first.unchanged, first.skipped) == (3, 3, 0, [])
    assert first.paths == sorted(DOCUMENTS)
    assert first.base == str(files)
    again = await ingested(words_only, files)
    assert (again.files, again.chunks, again.unchanged) == (3, 3, 3)


async def test_events_tell_how_far_it_is_and_what_came_of_it(words_only: Settings, files: Path) -> None:
    (files / "empty.txt").touch()
    events: list[Event] = []
    await ingested(words_only, files, events=events)
    told = [event for event in events if isinstance(event, FileSkipped | Ingested | IngestProgress)]
    assert told == [
        IngestProgress("convert", 4, 4, 0.0),
        FileSkipped("empty.txt", "It is empty."),
        Ingested(str(files), 3, 3, 1, 0),
    ]


async def test_a_changed_file_is_read_again_and_its_old_words_are_gone(words_only: Settings, files: Path) -> None:
    await ingested(words_only, files)
    (files / "tides.md").write_text("# Harbours\n\nBoats wait for the flood.\n")
    summary = await ingested(words_only, files)
    assert (summary.files, summary.unchanged) == (3, 2)
    assert await found(words_only, files, "moon sea") == []
    assert [hit.title for hit in await found(words_only, files, "boats flood")] == ["Harbours"]


async def test_a_file_of_equal_size_and_time_is_noticed_by_its_change_time(words_only: Settings, files: Path) -> None:
    path = files / "tides.md"
    await ingested(words_only, files)
    before = path.stat()
    path.write_text(path.read_text().replace("moon", "wind"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    await ingested(words_only, files)
    assert [hit.path for hit in await found(words_only, files, "wind sea")] == ["tides.md"]


async def test_a_touched_file_is_not_read_again(words_only: Settings, files: Path) -> None:
    await ingested(words_only, files)
    os.utime(files / "tides.md", (1, 1))
    assert (await ingested(words_only, files)).unchanged == 3


async def test_a_file_that_is_gone_is_forgotten(words_only: Settings, files: Path) -> None:
    await ingested(words_only, files)
    (files / "tides.md").unlink()
    summary = await ingested(words_only, files)
    assert (summary.files, summary.chunks) == (2, 2)
    assert await found(words_only, files, "moon sea") == []


async def test_a_skipped_file_keeps_its_reason_and_is_read_when_it_changes(words_only: Settings, files: Path) -> None:
    path = files / "data.bin"
    path.write_bytes(bytes(range(256)) * 4)
    for unchanged in (0, 4):
        summary = await ingested(words_only, files)
        assert summary.skipped == [("data.bin", Notice("file_of_unknown_kind"))]
        assert (summary.files, summary.unchanged) == (3, unchanged)
    path.write_text("Now it is a text about glaciers.")
    assert (await ingested(words_only, files)).skipped == []
    assert [hit.path for hit in await found(words_only, files, "glaciers")] == ["data.bin"]


async def test_a_file_over_its_cap_is_read_when_the_cap_is_raised(words_only: Settings, files: Path) -> None:
    (files / "long.txt").write_text("glacier " * 20_000)
    small = configured(words_only, documents__max_megabytes={"text": 0.1})
    ((path, reason),) = (await ingested(small, files)).skipped
    assert path == "long.txt"
    assert "max_megabytes" in text_of(reason)
    assert (await ingested(words_only, files)).skipped == []


async def test_other_chunk_sizes_cut_again(words_only: Settings, files: Path) -> None:
    (files / "long.txt").write_text("A sentence about rivers and their banks. " * 100)
    first = await ingested(words_only, files)
    smaller = await ingested(configured(words_only, retrieval__chunk_target=300, retrieval__chunk_max=400), files)
    assert smaller.unchanged == 0
    assert smaller.chunks > first.chunks


async def test_an_archive_tells_what_it_holds_that_gave_no_text(words_only: Settings, files: Path) -> None:
    inner = fill(files.parent / "inner", {"a.txt": "A note about lighthouses."})
    (inner / "b.bin").write_bytes(bytes(range(256)) * 4)
    shutil.make_archive(str(files / "box"), "zip", inner)
    for _ in range(2):
        ((path, note),) = (await ingested(words_only, files)).skipped
        assert (path, text_of(note).split(":")[0]) == ("box.zip", "b.bin")
        assert text_of(note, "de").startswith("b.bin: Sie ist weder Text noch ein Dokument")
    assert [hit.path for hit in await found(words_only, files, "lighthouses")] == ["box.zip"]


async def test_a_single_file_is_ingested_alone(words_only: Settings, files: Path) -> None:
    summary = await ingested(words_only, files / "tides.md")
    assert (summary.base, summary.paths) == (str(files), ["tides.md"])
    (hit,) = await found(words_only, files / "tides.md", "moon sea")
    assert (hit.base, hit.path) == (str(files), "tides.md")


async def test_an_empty_folder_is_no_error(words_only: Settings, tmp_path: Path) -> None:
    summary = await ingested(words_only, fill(tmp_path / "files", {}))
    assert (summary.files, summary.paths) == (0, [])


async def test_a_folder_whose_links_lead_in_a_circle_is_one(words_only: Settings, tmp_path: Path) -> None:
    (tmp_path / "self").symlink_to("self")
    with pytest.raises(FolderError, match="cannot be read: its links form a loop"):
        await ingested(words_only, tmp_path / "self")


async def test_a_missing_folder_is(words_only: Settings, tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="cannot be read"):
        await ingested(words_only, tmp_path / "nothing")


async def test_reading_ends_in_time_and_goes_on_the_next_time(words_only: Settings, files: Path) -> None:
    fill(files, {f"note{number:03}.txt": f"Note {number} about glaciers." for number in range(300)})
    async with running(words_only) as run:
        cut_short = await ingest(run, files, embed=False, seconds=0.02)
    assert cut_short.unread > 0
    assert cut_short.files == 303 - cut_short.unread
    summary = await ingested(words_only, files)
    assert (summary.unchanged, summary.files, summary.unread) == (cut_short.files, 303, 0)


async def test_tasks_of_one_run_share_one_ingest(words_only: Settings, files: Path) -> None:
    events: list[Event] = []
    async with running(words_only, events) as run:
        one, other = await asyncio.gather(ingest(run, files, embed=False), ingest(run, files, embed=False))
        assert one == other
        assert sum(kind == "ingest" for kind, _, _ in run.journal.effects()) == 1
    assert sum(isinstance(event, IngestProgress) for event in events) == 1


async def test_a_replay_needs_neither_the_folder_nor_the_index(
    words_only: Settings, files: Path, tmp_path: Path
) -> None:
    path = tmp_path / "journal.sqlite"
    async with running(words_only, journal=Journal(path)) as run:
        summary = await ingest(run, files, embed=False)
        hits = await retrieve(run, [files], ["queen of the bees"], 2)
    shutil.rmtree(files)
    shutil.rmtree(words_only.data_dir)
    async with running(words_only, journal=Journal(path)) as replay:
        assert await ingest(replay, files, embed=False) == summary
        assert await retrieve(replay, [files], ["queen of the bees"], 2) == hits
        assert replay.journal.snapshot(hits[0].snapshot) == BEES
    assert not words_only.data_dir.exists()


async def test_an_index_that_is_damaged_or_of_another_version_is_made_anew_which_is_said(
    alone: Settings, files: Path
) -> None:
    await ingested(alone, files)
    (manifest,) = alone.data_dir.rglob("manifest.sqlite")
    for content in (b"no database at all " * 100, b""):
        manifest.write_bytes(content)
        summary = await ingested(alone, files)
        assert (summary.files, summary.made_anew) == (3, content != b"")
        assert len(await found(alone, files, "moon sea")) == 1
    with closing(sqlite3.connect(manifest)) as older:
        older.execute("PRAGMA user_version = 1")
    async with Run("What is known?", alone, journal=Journal()) as run:
        await ingest(run, files, embed=False)
    text_of = f"The index of {files} was damaged or made by another version; it was rebuilt."
    assert list(map(str, run.notices)) == [text_of]


# Two at once


async def test_whoever_comes_second_reads_the_text_as_it_is(alone: Settings, files: Path) -> None:
    await ingested(alone, files)
    fill(files, {"new.md": "# New\n\nA note about glaciers."})
    with host.hold(lock_of(alone)):
        async with running(alone) as second:
            summary = await ingest(second, files, embed=False)
            assert (summary.busy, summary.files, summary.unchanged) == (True, 3, 0)
            [moon], glaciers = [await retrieve(second, [files], [query], 2) for query in ("moon sea", "glaciers")]
            assert (moon.path, glaciers) == ("tides.md", [])
    assert (await ingested(alone, files)).files == 4


async def test_whoever_comes_while_a_folder_is_first_read_waits_until_it_is(alone: Settings, files: Path) -> None:
    await ingested(alone, files)
    lock = lock_of(alone)
    (lock.parent / "manifest.sqlite").unlink()
    held = ExitStack()
    held.enter_context(host.hold(lock))
    asyncio.get_running_loop().call_later(0.5, held.close)
    summary = await ingested(alone, files)
    assert (summary.busy, summary.files) == (False, 3)
    with host.hold(lock):
        assert (await ingested(alone, files)).busy, "all is read, so nothing is waited for"


async def test_two_runs_of_one_process_share_by_the_same_rule(alone: Settings, files: Path) -> None:
    await ingested(alone, files)
    async with running(alone) as first, running(alone) as second:
        one = await ingest(first, files, embed=False)
        other = await ingest(second, files, embed=False)
        assert (one.busy, other.busy) == (False, True)
        assert len(await retrieve(second, [files], ["moon sea"], 2)) == 1


async def test_an_index_that_is_just_being_made_is_busy(alone: Settings, files: Path) -> None:
    await ingested(alone, files)
    lock = lock_of(alone)
    (lock.parent / "manifest.sqlite").unlink()
    with host.hold(lock), pytest.raises(IndexBusyError, match="Ask again when it has finished"):
        await ingested(alone, files)


async def test_nothing_is_read_that_takes_a_files_place_after_the_walk(
    words_only: Settings, files: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    fill(outside, {"secret.md": "A secret about plovers.", "new.md": "A novelty about plovers."})
    fill(files, {f"a/{number}.md": f"Number {number}." for number in range(GROUP_FILES)})
    fill(files, {"z/secret.md": "Harmless.", "z1.md": "Harmless.", "z2.md": "Harmless."})
    swapped: list[Event] = []

    def swap(event: Event) -> None:
        if isinstance(event, IngestProgress) and not swapped:
            swapped.append(event)
            (files / "z").rename(tmp_path / "moved")
            (files / "z").symlink_to(outside)
            (files / "z1.md").unlink()
            (files / "z1.md").symlink_to(outside / "secret.md")
            (outside / "new.md").rename(files / "z2.md")

    async with Run("q", words_only, on_event=swap, journal=Journal()) as run:
        summary = await ingest(run, files, embed=False)
        assert await retrieve(run, [files], ["plovers"], 3) == []
    assert swapped
    assert [path for path, _ in summary.skipped] == ["z/secret.md", "z1.md", "z2.md"]
    assert {text_of(reason) for _, reason in summary.skipped} == {
        "It was replaced by another file after the folder was listed. Try again."
    }
    leads_out = Notice("link_leads_out")
    assert (await ingested(words_only, files)).skipped == [("z", leads_out), ("z1.md", leads_out)]


async def test_a_link_within_the_folder_is_read(words_only: Settings, files: Path) -> None:
    (files / ".hidden.md").write_text("Plovers breed here.")
    (files / "link.md").symlink_to(".hidden.md")
    assert (await ingested(words_only, files)).skipped == []
    assert [hit.path for hit in await found(words_only, files, "plovers")] == ["link.md"]


LINE = "The harbour was built in 1871, and in 1904 a storm broke its western pier."


@pytest.mark.ocr
@pytest.mark.slow
async def test_pages_that_ocr_had_no_time_for_are_told_and_read_when_it_has_more(
    settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "scans"
    folder.mkdir()
    data = await asyncio.to_thread(documents.scan, *[[LINE] * 26] * 16)
    (folder / "long.pdf").write_bytes(data)
    ((path, note),) = (await ingested(configured(settings, documents__deadline=10), folder)).skipped
    assert (path, text_of(note).split(" ", 1)[1].split(" from ")[0]) == ("long.pdf", "scanned pages")
    assert text_of(note).endswith("their OCR takes too long; raise documents.deadline")
    assert 0 < int(text_of(note).split()[0]) < 16
    assert (await ingested(configured(settings, documents__deadline=300), folder)).skipped == []


@pytest.mark.ocr
async def test_a_passage_of_a_scan_keeps_its_page_and_how_sure_ocr_was(words_only: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "scans"
    folder.mkdir()
    data = await asyncio.to_thread(documents.scan, ["Notes"], ["The harbour was built in 1871."])
    (folder / "harbour.pdf").write_bytes(data)
    (folder / "note.txt").write_text("The harbour has three piers.")
    await ingested(words_only, folder)
    hits = {hit.path: hit for hit in await found(words_only, folder, "harbour")}
    assert hits["harbour.pdf"].passage.page == 2
    assert 80 <= (hits["harbour.pdf"].passage.ocr_confidence or 0) <= 100
    assert "tesserocr" in hits["harbour.pdf"].extractor
    assert hits["note.txt"].passage.ocr_confidence is None
