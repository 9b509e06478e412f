"""Optimized ONNX models, kept in the user's cache folder: optimizing takes most of the time in which a model loads."""

import platform
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import platformdirs

from ..kernel.host import private_folder
from ..kernel.source import digest

EXACT = ("session.x64quantprecision", "1")
"""The option by which products of 8-bit numbers are exact on processors without VNNI, too. Without it their sums are
cut off at 16 bits there: scores differ by up to 0.6, and other statements come first than elsewhere."""

PART = 12  # characters of each part of a file's name


def session_of(kind: str, version: str, made: Callable[[], bytes]) -> Any:
    """Return an onnxruntime session of the model that is kept, else of the ONNX model `made`, which is then kept.

    For each `kind` of model the last `version` is kept, as optimized by this version of onnxruntime for this processor.
    A kept model that cannot be read is made anew; where none can be kept, each process optimizes its own. Blocks.
    """
    import onnxruntime

    level = onnxruntime.GraphOptimizationLevel
    path = _path(kind, f"{version} {onnxruntime.__version__}")
    if path.is_file():
        with suppress(Exception):  # of which onnxruntime has one for each way in which a file may be damaged
            return _session(str(path), level.ORT_DISABLE_ALL)
    model = made()
    with suppress(Exception):  # no folder, a full disk: whatever else is wrong, the next line tells
        return _keeping(path, lambda new: _session(model, level.ORT_ENABLE_EXTENDED, optimized_model_filepath=str(new)))
    return _session(model, level.ORT_ENABLE_EXTENDED)


def _keeping(path: Path, session: Callable[[Path], Any]) -> Any:
    """Return a session that writes its model, in place of all other versions of its kind for the same processor."""
    private_folder(path.parent)
    new = path.with_name(f"{path.name}.{secrets.token_hex(PART)}")
    try:
        made = session(new)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
    for former in path.parent.glob(f"{path.name[: 2 * PART + 2]}*"):
        if former != path:
            former.unlink(missing_ok=True)
    return made


def _path(kind: str, version: str) -> Path:
    """Return the file of a model; the folder may be that of several machines with different processors."""
    name = "-".join(digest(part, size=PART) for part in (kind, _processor(), version))
    return platformdirs.user_cache_path("spyglass") / "models" / f"{name}.onnx"


def _processor() -> str:
    """Return what distinguishes processors whose instructions differ, since optimized models may."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith(("flags", "Features")):
                return line
    return f"{platform.machine()} {platform.processor()}"


def _session(model: bytes | str, level: Any, **given: str) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = level
    options.add_session_config_entry(*EXACT)
    for name, value in given.items():
        setattr(options, name, value)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
