"""The differences between Linux, macOS and Windows.

                     Linux               macOS                   Windows
exclusive lock       flock               flock                   one locked byte (msvcrt)
private files        modes 0700, 0600    modes 0700, 0600        permissions of their folder
memory of a worker   RLIMIT_DATA         no effective limit      not limited
time of a worker     ITIMER_PROF         ITIMER_PROF             wall-clock limit only
network namespace    unless forbidden       none                    none
Ctrl-C               reaches only the main process: a worker has its own session or process group
event loop           any                 any                     the default (Proactor): others cannot start workers

Where there is no memory limit, a worker is still bounded by its deadline and by the checks before a conversion.
"""

import math
import os
import platform
import secrets
import signal
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_PASSED_ON = (
    *("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONHOME", "SYSTEMROOT", "TEMP", "TMP"),
    "TESSDATA_PREFIX",
)
"""The environment variables that an interpreter, or OCR, may need to start; all others may be secrets."""


@contextmanager
def hold(path: Path) -> Iterator[None]:
    """Hold the lock file `path` exclusively, creating it if it is missing; the file remains, unlocked.

    Raises BlockingIOError if another process holds it. The system frees the lock of a dead process.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(descriptor)
        yield
    finally:
        os.close(descriptor)  # which also unlocks


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(*error.args) from error
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def private_folder(folder: Path) -> None:
    """Create a folder and its missing parents for this user only; existing folders are not changed."""
    for path in reversed([folder, *folder.parents]):
        if not path.is_dir():
            path.mkdir(mode=0o700, exist_ok=True)


def private_file(file: Path) -> None:
    """Create an empty file that only this user may read, unless it exists.

    SQLite gives the files beside a database the mode of the database.
    """
    if not file.exists():  # opening and closing an existing file would drop this process's locks
        file.touch(mode=0o600)


def write_private(file: Path, data: bytes) -> None:
    """Write a file that only this user may read; a concurrent reader gets the whole old or the whole new file."""
    private_folder(file.parent)
    new_file = file.with_name(f"{file.name}.new")
    new_file.unlink(missing_ok=True)
    private_file(new_file)
    new_file.write_bytes(data)
    new_file.replace(file)


def write_private_once(file: Path, data: bytes) -> None:
    """Write a file as `write_private` does, unless it exists; of several concurrent writers the first one counts."""
    new_file = file.with_name(f"{file.name}-{secrets.token_hex(8)}")
    write_private(new_file, data)
    try:
        os.link(new_file, file)
    except FileExistsError:
        pass
    finally:
        new_file.unlink()


def make_private(root: Path) -> None:
    """Remove the permissions of other users from a folder and all its contents."""
    for path in [root, *root.rglob("*")] if sys.platform != "win32" else []:
        if not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) & 0o700)


def limit_memory(megabytes: int) -> None:
    """Limit the memory of this process, in megabytes (10^6 bytes); beyond it Python raises MemoryError.

    Linux only. Private writable memory counts, not reserved address space, of which numpy takes far more.
    """
    if sys.platform == "linux":
        import resource

        most = megabytes * 1_000_000
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def limit_time(seconds: float) -> None:
    """End this process after so many seconds of its own processor time; 0 means no limit. Does nothing on Windows."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


class OutOfTime(BaseException):
    """The processor time of `within` is used up; not an Exception, so that no error handler catches it."""


@contextmanager
def within(megabytes: int, seconds: float) -> Iterator[None]:
    """Raise MemoryError beyond `megabytes`, and OutOfTime after `seconds` of processor time in the block.

    Memory is limited on Linux only, time not on Windows, both on the main thread only; elsewhere nothing is limited.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    import resource

    signals: list[int] = []

    def end(number: int, _frame: object) -> None:
        signals.append(number)
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, end)
    most, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if sys.platform == "linux":
        bound = megabytes * 1_000_000
        resource.setrlimit(resource.RLIMIT_DATA, (bound if most == -1 else min(bound, most), hard))
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)  # again each second, in case a handler has caught it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    if signals:
        raise OutOfTime


def time_left() -> float:
    """Return the seconds of processor time until `limit_time` ends this process, or infinity."""
    return (sys.platform != "win32" and signal.getitimer(signal.ITIMER_PROF)[0]) or math.inf


@contextmanager
def within_time(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the block after `seconds` of processor time; on the main thread only, not on Windows."""
    if sys.platform == "win32" or math.isinf(seconds):
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _out_of_time(_number: int, _frame: object) -> None:
    raise TimeoutError("the limit of processor time is reached")


def is_out_of_time(code: int) -> bool:
    """Return whether this exit code is that of a process ended by `limit_time`."""
    return sys.platform != "win32" and code == -signal.SIGPROF


def has_namespaces() -> bool:
    """Return whether the system has network namespaces; it may still refuse to create one."""
    return sys.platform == "linux"


def is_root() -> bool:
    """Return whether this process runs as root."""
    return sys.platform != "win32" and os.geteuid() == 0


def environment() -> dict[str, str]:
    """Return the environment variables that are passed to other programs: none that may be secret."""
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ}


def worker_options() -> dict[str, Any]:
    """Return the keyword arguments that start a worker process that gets neither Ctrl-C nor our secrets.

    The worker imports the same modules as this process, whatever its working folder is.
    """
    variables = environment()
    variables["PYTHONPATH"] = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)
    variables["OPENBLAS_NUM_THREADS"] = "1"  # it starts a thread for each core, and each reserves memory
    if sys.platform == "win32":
        import subprocess

        return {"env": variables, "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"env": variables, "start_new_session": True}


def machine() -> str:
    """Return a name of this machine that is unique to its boot and its process namespace."""
    name = platform.node()
    if sys.platform == "linux":
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        name = f"{name} {boot} {Path('/proc/self/ns/pid').stat().st_ino}"
    return name


def is_gone(pid: int, birth: str) -> bool:
    """Return whether a process of this machine that began at `birth` has certainly ended; a zombie has."""
    current = birth_of(pid)
    return current is None or bool(birth and current and current != birth)


def birth_of(pid: int) -> str | None:
    """Return the start time of a process, which distinguishes reused ids; "" if unknown, None if it has ended."""
    birth: str | None = ""
    if sys.platform == "linux":
        try:
            state, *fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            return None
        birth = None if state in "ZX" else fields[18]  # proc(5): starttime, in ticks since the boot
    elif sys.platform != "win32":  # on Windows, os.kill would end the process
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            birth = None
        except PermissionError:
            pass
    return birth
