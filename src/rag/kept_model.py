"""Optimized ONNX models, kept in the user's cache folder: optimizing takes most of the time in which a model loads."""

import os
import platform
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import platformdirs

from ..kernel.host import private_file, private_folder
from ..kernel.source import digest

EXACT = ("session.x64quantprecision", "1")
"""The option by which products of 8-bit numbers are exact on processors without VNNI, too. Without it their sums are
cut off at 16 bits there: scores differ by up to 0.6, and other statements come first than elsewhere."""

FORMAT = 1
"""Raised whenever another model is made of the same files, or optimized otherwise."""

UNUSED = 30 * 24 * 3600
"""Seconds after which a kept model that no process has loaded is removed, when the next one is kept."""


def session_of(version: str, made: Callable[[], bytes]) -> Any:
    """Return an onnxruntime session of the model that is kept, else of the ONNX model `made`, which is then kept.

    `version` identifies the model; it is kept as this version of onnxruntime optimizes it for this processor. One that
    cannot be read is made anew. If none can be kept, each process optimizes its own, twice if the disk is full. Blocks.
    """
    with suppress(Exception):  # none is kept, or it is damaged, for which onnxruntime has many exceptions
        return _loaded(_path(version))
    model = made()
    with suppress(Exception):  # it cannot be kept; whatever else is wrong, the last line tells
        return _keeping(_path(version), model)
    return _session(model)


def _path(version: str) -> Path:
    """Return the file of a model; several machines with different processors may have the folder in common."""
    import onnxruntime

    name = digest(str(FORMAT), version, onnxruntime.__version__, _processor())
    return platformdirs.user_cache_path("spyglass") / "models" / f"{name}.onnx"


def _processor() -> str:
    """Return what distinguishes processors whose instructions differ, since optimized models may; else the machine."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(("flags", "Features")):
                return line
    return f"{platform.machine()} {platform.processor()} {platform.node()}"


def _loaded(path: Path) -> Any:
    """Return a session of a kept model, and mark this as used."""
    session = _session(str(path))
    with suppress(OSError):
        os.utime(path)
    return session


def _keeping(path: Path, model: bytes) -> Any:
    """Return a session of a model, which is kept, and remove those that have not been used for long."""
    private_folder(path.parent)
    new = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    private_file(new)
    try:
        session = _session(model, str(new))
        with suppress(OSError):  # as if another process has the former file open, or has removed an unused one
            with new.open("rb+") as written:
                os.fsync(written.fileno())
            new.replace(path)
            for file in path.parent.iterdir():
                if file.stat().st_mtime < time.time() - UNUSED:
                    file.unlink()
    finally:
        new.unlink(missing_ok=True)
    return session


def _session(model: bytes | str, written: str = "") -> Any:
    """Return a session of a model that is optimized now, and then `written` to a file, or of the one in a kept file."""
    import onnxruntime

    level = onnxruntime.GraphOptimizationLevel
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = level.ORT_DISABLE_ALL if isinstance(model, str) else level.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = written
    options.add_session_config_entry(*EXACT)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
