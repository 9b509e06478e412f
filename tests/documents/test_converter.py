"""A converter turns files on disk into documents, and outlives whatever they do to it."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from documents import files
from spyglass.documents import Converter, version
from spyglass.documents.worker import RECYCLE, Worker
from spyglass.kernel.errors import (
    ConversionError,
    DocumentError,
    NoTextError,
    SettingsError,
    TooLargeError,
    UnreadableError,
)
from spyglass.kernel.settings import Settings

LONG = files.docx(files.words(*(f"Paragraph {i} has some words in it to read." for i in range(60_000))))
"""Takes markitdown many seconds."""


def written(folder: Path, name: str, content: bytes | Callable[[], bytes]) -> Path:
    path = folder / name
    path.write_bytes(content() if callable(content) else content)
    return path


def four_bytes_a_character() -> bytes:
    """Return a text that takes four times its size once it is decoded."""
    return b"words and words " * 4_000_000 + "😀".encode()


def state_and_parent(pid: int) -> tuple[str, int] | None:
    """Return the state of a process and its parent; None when it is gone."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except (FileNotFoundError, ProcessLookupError):
        return None
    return state, int(parent)


def workers(parent: int | None = None) -> list[int]:
    """Return the ids of the living child processes of a process, of this one by default, that convert documents."""
    every = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    living = [(pid, found) for pid in every if (found := state_and_parent(pid)) and found[0] != "Z"]
    return [pid for pid, (_, of) in living if of == (parent or os.getpid()) and b"worker_process" in _arguments(pid)]


def _arguments(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def first_worker(parent: int | None = None) -> int:
    """Wait for a worker, at most two minutes, and return its id."""
    for _ in range(6_000):
        if found := workers(parent):
            return found[0]
        time.sleep(0.02)
    raise AssertionError("there is no worker")


def ended(pid: int) -> bool:
    """Wait for the end of a process, at most two minutes, and say whether it came."""
    for _ in range(6_000):
        if not alive(pid):
            return True
        time.sleep(0.02)
    return False


def alive(pid: int) -> bool:
    found = state_and_parent(pid)
    return found is not None and found[0] != "Z"


async def test_files_of_many_kinds_side_by_side(tmp_path: Path, settings: Settings) -> None:
    paths = [
        written(tmp_path, "a.txt", "Größe\r\n".encode("latin-1") * 20),
        written(tmp_path, "b.pdf", files.pdf(files.paragraphs("Words of a PDF"))),
        written(tmp_path, "c.docx", files.docx(files.words("Words of a letter"))),
        written(tmp_path, "d.xlsx", files.xlsx({"S": {"A1": "Words of a sheet"}})),
        written(tmp_path, "e.txt", b"Words. " * 200_000),
    ]
    async with Converter(settings) as converter:
        found = await asyncio.gather(*(converter.convert(path) for path in paths))
        assert 1 <= len(await asyncio.to_thread(workers)) <= (os.cpu_count() or 1)
    assert [document.kind for document in found] == ["text", "pdf", "docx", "xlsx", "text"]
    assert found[0].text == "Größe\n" * 20
    assert all("Words" in document.text for document in found[1:])
    assert [document.title for document in found] == ["a", "b", "c", "d", "e"]
    assert not await asyncio.to_thread(workers)


@pytest.mark.parametrize("cores", [1, 3])
async def test_as_many_files_are_converted_at_once_as_there_are_cores(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    paths = [written(tmp_path, f"{i}.pdf", files.pdf(files.paragraphs(f"Words {i}"))) for i in range(5)]
    async with Converter(settings) as converter:
        found = await asyncio.gather(*(converter.convert(path) for path in paths))
        assert len(await asyncio.to_thread(workers)) == cores
    assert [document.text for document in found] == [f"Words {i}" for i in range(5)]
    assert not await asyncio.to_thread(workers)


async def test_a_file_is_not_given_up_while_others_have_the_processor(tmp_path: Path, settings: Settings) -> None:
    path = written(tmp_path, "long.docx", files.docx(files.words(*["Some words."] * 3_000)))
    async with Converter(settings.updated(documents__deadline=3)) as converter:
        await converter.convert(written(tmp_path, "a.docx", files.docx(files.words("Words."))))
        worker = await asyncio.to_thread(first_worker)
        os.kill(worker, signal.SIGSTOP)
        converting = asyncio.create_task(converter.convert(path))
        await asyncio.sleep(0.5)
        os.kill(worker, signal.SIGCONT)
        await asyncio.sleep(0.1)
        os.kill(worker, signal.SIGSTOP)
        await asyncio.sleep(4)
        os.kill(worker, signal.SIGCONT)
        assert (await converting).text.count("Some words.") == 3_000


async def test_the_pages_of_a_document_are_told_while_it_is_read(tmp_path: Path, settings: Settings) -> None:
    path = written(tmp_path, "three.pdf", files.pdf(*[files.paragraphs("Some words")] * 3))
    told: list[tuple[int, int]] = []
    async with Converter(settings) as converter:
        await converter.convert(path, tell=lambda done, total: told.append((done, total)))
        assert told == [(1, 3), (2, 3), (3, 3)]
        assert await converter.pages(path) == 3
        assert await converter.pages(written(tmp_path, "note.txt", b"A note.")) == 0


async def test_plain_text_needs_no_process(tmp_path: Path, settings: Settings) -> None:
    async with Converter(settings) as converter:
        await converter.convert(written(tmp_path, "a.txt", b"Words."))
        assert not await asyncio.to_thread(workers)


async def test_a_failure_names_file_reason_and_remedy(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))  # no OCR
    scan = written(tmp_path, "scan.pdf", files.pdf([]))
    async with Converter(settings) as converter:
        with pytest.raises(NoTextError, match=rf"it is a scan \({scan}\)\. To read it by OCR"):
            await converter.convert(scan)
        assert len(await asyncio.to_thread(workers)) == 1, "a file without text is no fault of the worker"


async def test_an_empty_file_says_so(tmp_path: Path, settings: Settings) -> None:
    async with Converter(settings) as converter:
        for content in (b"", b" \n\t\n"):
            with pytest.raises(NoTextError, match="It is empty"):
                await converter.convert(written(tmp_path, "a.docx", content))


async def test_a_file_over_the_cap_of_its_kind_says_cap_size_and_setting(tmp_path: Path, settings: Settings) -> None:
    big = tmp_path / "big.log"
    big.write_bytes(b"a line of a log\n" * 256)
    with big.open("r+b") as file:
        file.truncate(100_000_000)
    async with Converter(settings) as converter:
        with pytest.raises(
            TooLargeError,
            match=r"100\.0 MB; the limit for text is 20 MB .* raise documents\.max_megabytes = \{ text = 100 \}",
        ):
            await converter.convert(big)


async def test_a_cap_can_be_set_for_a_kind(tmp_path: Path, settings: Settings) -> None:
    path = written(tmp_path, "a.txt", b"Words. " * 1000)
    async with Converter(settings.updated(documents__max_megabytes={"text": 0.005})) as converter:
        with pytest.raises(TooLargeError, match=r"the limit for text is 0\.005 MB"):
            await converter.convert(path)


async def test_a_cap_for_an_unknown_kind_is_refused(settings: Settings) -> None:
    with pytest.raises(
        SettingsError, match=r'Unknown kind of file "txt" \(documents\.max_megabytes\)\. Supported kinds: text, html'
    ):
        Converter(settings.updated(documents__max_megabytes={"txt": 5}))


async def test_what_is_no_regular_file_is_never_opened(tmp_path: Path, settings: Settings) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder.txt").mkdir()
    (tmp_path / "device.txt").symlink_to("/dev/zero")
    (tmp_path / "dangling.txt").symlink_to(tmp_path / "nowhere")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        async with asyncio.timeout(60), Converter(settings) as converter:
            for name in ("fifo", "folder.txt", "device.txt", "socket"):
                with pytest.raises(UnreadableError, match=f"It is not a regular file .*{name}"):
                    await converter.convert(tmp_path / name)
            for name in ("dangling.txt", "vanished.txt"):
                with pytest.raises(UnreadableError, match="No such file or directory"):
                    await converter.convert(tmp_path / name)


async def test_a_file_that_may_not_be_read_says_so(tmp_path: Path, settings: Settings) -> None:
    path = written(tmp_path, "a.txt", b"Words.")
    path.chmod(0)
    async with Converter(settings) as converter:
        if os.access(path, os.R_OK):  # the administrator may read everything
            assert (await converter.convert(path)).text == "Words."
        else:
            with pytest.raises(UnreadableError, match="Permission denied"):
                await converter.convert(path)


@pytest.mark.slow
async def test_after_a_conversion_that_hangs_the_next_file_goes_on(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    slow, quick = written(tmp_path, "slow.docx", LONG), written(tmp_path, "a.pdf", files.pdf(files.paragraphs("Words")))
    async with Converter(settings.updated(documents__deadline=5)) as converter:
        hanging = asyncio.create_task(converter.convert(slow))
        following = asyncio.create_task(converter.convert(quick))
        with pytest.raises(ConversionError, match=r"took longer than 5 s .*slow\.docx.* raise documents\.deadline"):
            await hanging
        assert (await following).text == "Words"
    assert not await asyncio.to_thread(workers)


async def test_a_process_that_does_not_get_ready_is_not_called_a_conversion_that_takes_long() -> None:
    worker = Worker(1500, 60, ready_within=0.001)
    with pytest.raises(
        ConversionError, match=r"was not ready within 0\.001 s\. Other programs are using the processor"
    ):
        await worker.convert("pdf", "a.pdf", files.pdf(files.paragraphs("Words")))
    assert not await asyncio.to_thread(workers)


async def test_after_one_that_needs_too_much_memory_the_next_file_goes_on(tmp_path: Path, settings: Settings) -> None:
    heavy = await asyncio.to_thread(written, tmp_path, "heavy.txt", four_bytes_a_character)
    limits = {"documents.memory_megabytes": 256, "documents.max_megabytes": {"text": 100}}
    async with Converter(settings.updated(**limits)) as converter:
        with pytest.raises(ConversionError, match=r"more than 256 MB of memory .* raise documents\.memory_megabytes"):
            await converter.convert(heavy)
        assert (
            await converter.convert(written(tmp_path, "a.pdf", files.pdf(files.paragraphs("Words"))))
        ).text == "Words"


async def test_after_a_crash_the_next_file_goes_on(tmp_path: Path, settings: Settings) -> None:
    path = written(tmp_path, "slow.docx", LONG)
    async with Converter(settings) as converter:
        crashing = asyncio.create_task(converter.convert(path))
        os.kill(await asyncio.to_thread(first_worker), signal.SIGSEGV)
        with pytest.raises(ConversionError, match=r"crashed \(signal 11\) .*slow\.docx.*Try again"):
            await crashing
        assert (
            await converter.convert(written(tmp_path, "a.pdf", files.pdf(files.paragraphs("Words"))))
        ).text == "Words"


async def test_a_cancelled_conversion_leaves_no_process_and_the_next_file_goes_on(
    tmp_path: Path, settings: Settings
) -> None:
    path = written(tmp_path, "slow.docx", LONG)
    async with Converter(settings) as converter:
        cancelled = asyncio.create_task(converter.convert(path))
        worker = await asyncio.to_thread(first_worker)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        assert await asyncio.to_thread(ended, worker)
        assert (
            await converter.convert(written(tmp_path, "a.pdf", files.pdf(files.paragraphs("Words"))))
        ).text == "Words"


async def test_an_exception_in_the_block_ends_the_process(tmp_path: Path, settings: Settings) -> None:
    async def broken() -> None:
        async with Converter(settings) as converter:
            await converter.convert(written(tmp_path, "a.pdf", files.pdf(files.paragraphs("Words"))))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await broken()
    assert not await asyncio.to_thread(workers)


ORPHAN = """
import asyncio, sys
from pathlib import Path
from spyglass.documents import Converter
from spyglass.kernel.settings import Settings

async def main():
    async with Converter(Settings()) as converter:
        await converter.convert(Path(sys.argv[1]))

asyncio.run(main())
"""


@pytest.mark.kill
def test_the_worker_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    path = written(tmp_path, "slow.docx", LONG)
    with subprocess.Popen([sys.executable, "-c", ORPHAN, str(path)]) as parent:
        worker = first_worker(parent.pid)
        parent.kill()
    assert ended(worker)


async def test_a_worker_is_replaced_after_many_files(tmp_path: Path, settings: Settings) -> None:
    path = written(tmp_path, "a.pdf", files.pdf(files.paragraphs("Words")))
    async with Converter(settings) as converter:
        await converter.convert(path)
        first = await asyncio.to_thread(first_worker)
        for _ in range(RECYCLE):
            await converter.convert(path)
        assert await asyncio.to_thread(first_worker) != first


def test_the_version_names_rules_and_libraries() -> None:
    assert version().startswith("rules-")
    assert all(name in version() for name in ("markitdown-", "pypdfium2-", "openpyxl-"))


CONFINED = """
import os, socket, subprocess, sys
from spyglass.documents.worker_process import confine
confine()
open(sys.argv[1]).read()
for attempt in (
    lambda: socket.create_connection(("127.0.0.1", 9)),
    lambda: subprocess.run(["true"]),
    lambda: os.system("true"),
    lambda: open(sys.argv[1], "w"),
    lambda: os.remove(sys.argv[1]),
):
    try:
        attempt()
    except PermissionError as error:
        print(error)
"""


def test_a_worker_reaches_neither_network_nor_processes_nor_the_disk(tmp_path: Path) -> None:
    path = written(tmp_path, "a.txt", b"Words.")
    run = subprocess.run([sys.executable, "-c", CONFINED, str(path)], capture_output=True, text=True, check=True)
    assert run.stdout.count("a document attempted a forbidden operation") == 5
    assert path.read_bytes() == b"Words."


async def test_a_file_in_memory_is_converted_as_one_on_disk(tmp_path: Path, settings: Settings) -> None:
    content = {"letter.docx": files.docx(files.words("The harbour was built in 1871.")), "a.txt": b"Some words."}
    async with Converter(settings) as converter:
        for name, data in content.items():
            assert await converter.convert_bytes(name, data) == await converter.convert(written(tmp_path, name, data))


@pytest.mark.parametrize(("name", "data"), [("a.txt", b" \n"), ("picture", files.png()), ("a.docx", b"\0\1\2" * 99)])
async def test_a_file_in_memory_is_refused_for_the_same_reasons(
    tmp_path: Path, settings: Settings, name: str, data: bytes
) -> None:
    async with Converter(settings) as converter:
        with pytest.raises(DocumentError) as on_disk:
            await converter.convert(written(tmp_path, name, data))
        with pytest.raises(type(on_disk.value), match=re.escape(on_disk.value.what)):
            await converter.convert_bytes(name, data)


async def test_a_file_in_memory_over_the_cap_of_its_kind_is_refused(settings: Settings) -> None:
    async with Converter(settings.updated(documents__max_megabytes={"text": 0.0001})) as converter:
        with pytest.raises(TooLargeError, match=r"the limit for text is 0\.0001 MB"):
            await converter.convert_bytes("a.txt", b"word " * 50)


@pytest.mark.ocr
async def test_a_confined_worker_reads_a_scan_page_by_page(tmp_path: Path, settings: Settings) -> None:
    pages = ["The harbour was built in 1871."], ["It has three piers."]
    async with Converter(settings) as converter:
        found = await converter.convert(written(tmp_path, "scan.pdf", files.scan(*pages)))
    assert found.text == "The harbour was built in 1871.\n\nIt has three piers."
    assert found.pages == (0, 32)
    assert [(part.start, part.end) for part in found.ocr] == [(0, 30), (32, 51)]


@pytest.mark.ocr
async def test_a_picture_that_would_fill_the_memory_is_refused_and_the_next_file_goes_on(
    tmp_path: Path, settings: Settings
) -> None:
    heavy = await asyncio.to_thread(files.saved, files.drawn("One", size=(8_900, 8_900)).convert("RGB"))
    async with Converter(settings.updated(documents__memory_megabytes=256)) as converter:
        with pytest.raises(ConversionError, match=r"more than 256 MB of memory .* raise documents\.memory_megabytes"):
            await converter.convert(written(tmp_path, "heavy.png", heavy))
        light = files.saved(files.drawn("The harbour was built in 1871."))
        assert (await converter.convert(written(tmp_path, "a.png", light))).text == "The harbour was built in 1871."
