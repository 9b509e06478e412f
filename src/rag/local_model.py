"""Local models: ONNX models in installed packages, run on the CPU."""

import asyncio
import hashlib
import importlib.util
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from ..kernel.errors import EmbedderError
from ..kernel.notice import Notice
from ..kernel.thread import in_thread
from .onnx_weights import with_weights

MOST_THREADS = 4

EXACT = ("session.x64quantprecision", "1")
"""The option by which products of 8-bit numbers are exact on processors without VNNI, too. Without it their sums are
cut off at 16 bits there: scores differ by up to 0.6, and other statements come first than elsewhere."""

_IMPORTING = threading.Lock()  # packages that several threads import for the first time at once may fail

Text = TypeVar("Text")
Value = TypeVar("Value")

_Loaded = tuple[Any, Any]  # an onnxruntime session and a tokenizer; neither package has types of its own


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """A file of an installed package, with the SHA-256 of the required version; the package is not imported."""

    package: str
    path: str
    sha256: str

    def content(self) -> bytes:
        """Return the file's bytes. Blocks. Raises EmbedderError if the file is missing or has another hash."""
        remedy = Notice("install_named_version", packages=self.package.replace("_", "-"))
        spec = importlib.util.find_spec(self.package)
        if spec is None or spec.origin is None:
            raise EmbedderError(Notice("local_model_missing", package=self.package), remedy=remedy)
        file = Path(spec.origin).parent / self.path
        try:
            content = file.read_bytes()
        except OSError as error:
            notice = Notice("local_model_unreadable", error=str(error.strerror))
            raise EmbedderError(notice, where=str(file), remedy=remedy) from error
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise EmbedderError(Notice("local_model_other"), where=str(file), remedy=remedy)
        return content


class LocalModel:
    """A small transformer: its ONNX session and its tokenizer, loaded at first use and kept.

    If it were loaded for each run, the C library would retain 80 MB each time. Texts are processed individually, on at
    most four threads: padding them to a common length would cost more than a batch saves (79 ms against 45 ms per
    chunk, measured on two cores with batches of 8). `weights` names a safetensors file in this folder, whose tensors
    replace the model's of the same names; those named in `beside` are kept in `own`, for what follows the model.
    """

    most_tokens: ClassVar[int]
    beside: ClassVar[tuple[str, ...]] = ()

    def __init__(self, model: PackagedFile, tokenizer: PackagedFile, weights: str | None = None) -> None:
        self._files = (model, tokenizer)
        self._weights_file = weights
        self._weights = list[Any]()  # kept alive here: the session reads the arrays in place
        self.own = dict[str, Any]()
        self._loading = threading.Lock()
        self._loaded: _Loaded | None = None

    async def load(self) -> None:
        """Load the model, once; if cancelled, the loading goes on for the next caller. Raises EmbedderError."""
        await asyncio.to_thread(self._load)  # no daemon thread: the process aborts if it ends while onnxruntime loads

    async def each(self, call: Callable[[Text], Value], texts: Sequence[Text]) -> list[Value]:
        """Return the result of `call` for each text, in parallel.

        When cancelled, it finishes the calls that have begun. Raises EmbedderError.
        """
        await self.load()
        at_once = asyncio.Semaphore(min(MOST_THREADS, os.cpu_count() or 1))

        async def bounded(text: Text) -> Value:
            async with at_once:
                return await in_thread(call, text)

        return list(await asyncio.gather(*map(bounded, texts)))

    def output(self, text: str, second: str | None = None, *, marker: int | None = None) -> Any:
        """Return the model's output, an array, for a text or a pair of texts, `marker` after the first token.

        Blocks. Raises EmbedderError.
        """
        import numpy as np

        session, tokenizer = self._load()
        encoding = tokenizer.encode(text, second)
        ids, kinds = (np.array([numbers], dtype=np.int64) for numbers in (encoding.ids, encoding.type_ids))
        if marker is not None:
            ids, kinds = np.insert(ids, 1, marker, axis=1), np.insert(kinds, 1, 0, axis=1)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": kinds}
        try:
            output, *_ = session.run(None, feed)
        except Exception as error:
            raise EmbedderError(Notice("local_model_failed", error=str(error))) from error
        return np.asarray(output)[0]

    def _load(self) -> _Loaded:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._read_in()
            return self._loaded

    def _read_in(self) -> _Loaded:
        model, beside = (file.content() for file in self._files)
        try:
            with _IMPORTING:
                import google.protobuf.message_factory
                import google.protobuf.text_format  # noqa: F401
                import onnxruntime
                import safetensors.numpy  # noqa: F401
                import tokenizers  # noqa: F401

            tokenizer, weights = self._parts(beside)
        except ImportError as error:
            notice = Notice("local_model_unreadable", error=str(error))
            remedy = Notice("install_again", packages="onnxruntime, protobuf, safetensors, tokenizers")
            raise EmbedderError(notice, remedy=remedy) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.add_session_config_entry(*EXACT)
        self.own = {name: weights.pop(name) for name in self.beside}
        fitted, others = with_weights(model, weights) if weights else (model, {})
        for name, own in others.items():
            self._weights.append(onnxruntime.OrtValue.ortvalue_from_numpy(own))
            options.add_initializer(name, self._weights[-1])
        return onnxruntime.InferenceSession(fitted, options, providers=["CPUExecutionProvider"]), tokenizer

    def _parts(self, content: bytes) -> tuple[Any, dict[str, Any]]:
        """Return the tokenizer, from the content of its file, and the tensors that replace the model's."""
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(content.decode())
        tokenizer.no_padding()
        tokenizer.enable_truncation(self.most_tokens)
        return tokenizer, self._fitted()

    def _fitted(self) -> dict[str, Any]:
        """Return the tensors of the file of weights; none if there is none."""
        from safetensors.numpy import load

        file = self._weights_file
        return load(files(__package__).joinpath(file).read_bytes()) if file else {}
