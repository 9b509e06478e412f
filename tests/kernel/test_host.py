"""A lock is held by one, and by nobody who is dead; a worker gets its memory and its environment, and no more."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from spyglass.kernel import host

HOLDER = """
import sys, time
from pathlib import Path
from spyglass.kernel import host

with host.hold(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@contextmanager
def other_process(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Have another process hold the lock."""
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_a_lock_is_held_once_and_free_again_after(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    for _ in range(2):
        with host.hold(path), pytest.raises(BlockingIOError), host.hold(path):
            raise AssertionError("held twice")
    assert path.exists()


def test_a_lock_is_free_after_an_exception(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), host.hold(tmp_path / "lock"):
        raise ZeroDivisionError
    with host.hold(tmp_path / "lock"):
        pass


def test_one_of_many_threads_gets_the_lock(tmp_path: Path) -> None:
    winners, start, end = [], threading.Barrier(8), threading.Barrier(8)

    def try_once() -> None:
        start.wait()
        try:
            with host.hold(tmp_path / "lock"):
                winners.append(1)
                end.wait()
        except BlockingIOError:
            end.wait()

    threads = [threading.Thread(target=try_once) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert winners == [1]


def test_a_lock_of_another_process_holds_until_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with other_process(path) as process:
        with pytest.raises(BlockingIOError), host.hold(path):
            raise AssertionError("held twice")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with host.hold(path):
            pass


def test_a_lock_in_a_missing_folder_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), host.hold(tmp_path / "missing" / "lock"):
        raise AssertionError("held what is not there")


HUNGRY = """
from spyglass.kernel import host

host.limit_memory(300)
import numpy  # reserves far more address space than it uses
kept = bytearray(100_000_000)
try:
    bytearray(300_000_000)
except MemoryError:
    print("no more")
"""


def test_a_process_gets_the_memory_that_it_may_have_and_no_more() -> None:
    run = subprocess.run([sys.executable, "-c", HUNGRY], capture_output=True, text=True, check=True)
    assert run.stdout == ("no more\n" if sys.platform == "linux" else "")


REPORT = "import json, os, sys; print(json.dumps([dict(os.environ), sys.path, os.getpgrp() != int(sys.argv[1])]))"


def test_a_worker_finds_our_modules_and_none_of_our_secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.syspath_prepend(str(tmp_path))
    command = [sys.executable, "-P", "-c", REPORT, str(os.getpgrp())]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, **host.worker_options())
    environment, path, apart = json.loads(run.stdout)
    assert "secret" not in environment.values()
    assert path[0] == str(tmp_path)
    assert apart, "Ctrl-C in a terminal reaches the whole process group"


@pytest.mark.skipif(sys.platform == "win32", reason="there, a file is as private as its folder")
def test_what_is_made_is_for_this_user_alone_and_what_is_there_stays_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    host.private_folder(tmp_path / "data" / "runs")
    host.private_file(tmp_path / "data" / "journal")
    (tmp_path / "data" / "journal").write_text("kept")
    host.private_file(tmp_path / "data" / "journal")
    names = ("", "data", "data/runs", "data/journal")
    assert [mode_of(tmp_path / name) for name in names] == [0o755, 0o700, 0o700, 0o600]
    assert (tmp_path / "data" / "journal").read_text() == "kept"


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


BOUNDED = """
import sys
from spyglass.kernel import host

try:
    with host.within(200, 0.5):
        if sys.argv[1] == "memory":
            bytearray(400_000_000)
        while sys.argv[1] == "time":
            try:
                while True:
                    pass
            except host.OutOfTime:
                if sys.argv[2:]:
                    break
                raise
except (MemoryError, host.OutOfTime) as error:
    print(type(error).__name__)
bytearray(400_000_000)
"""


def test_what_takes_more_memory_or_time_than_it_may_is_ended_and_nothing_after_it() -> None:
    for typed, wanted in (
        (["memory"], "MemoryError"),
        (["time"], "OutOfTime"),
        (["time", "and hides it"], "OutOfTime"),
    ):
        ran = subprocess.run([sys.executable, "-c", BOUNDED, *typed], capture_output=True, text=True, check=True)
        assert ran.stdout.split() == [wanted], typed


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of time")
def test_a_process_knows_how_much_of_its_time_is_left() -> None:
    script = "from spyglass.kernel import host; print(host.time_left()); host.limit_time(60); print(host.time_left())"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    before, after = map(float, ran.stdout.split())
    assert before == float("inf")
    assert 0 < after < 61  # the kernel rounds up


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such timer")
def test_what_takes_too_much_of_the_processor_is_broken_off_and_what_waits_is_not() -> None:
    script = """
import time
from spyglass.kernel import host

with host.within_time(0.2):
    time.sleep(1)
print("waited")
with host.within_time(float("inf")):
    print("unbounded")
try:
    with host.within_time(0.2):
        while True:
            pass
except TimeoutError:
    print("broken off")
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n") == ["waited", "unbounded", "broken off", ""]
