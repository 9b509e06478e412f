"""Local models: ONNX models in installed packages, run on the CPU."""

import asyncio
import hashlib
import importlib.util
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from ..kernel.errors import EmbedderError
from ..kernel.notice import Notice
from ..kernel.thread import in_thread
from .kept_model import session_of
from .onnx_weights import with_weights

MOST_THREADS = 4

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
    replace the model's of the same names; those named in `beside` are kept in `own`, for what follows the model. The
    model that results is kept for other processes (`kept_model`).
    """

    most_tokens: ClassVar[int]
    beside: ClassVar[tuple[str, ...]] = ()

    def __init__(self, model: PackagedFile, tokenizer: PackagedFile, weights: str | None = None) -> None:
        self._files = (model, tokenizer)
        self._weights_file = weights
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
        beside = self._files[1].content()
        try:
            with _IMPORTING:
                import google.protobuf.message_factory
                import google.protobuf.text_format  # noqa: F401
                import onnxruntime  # noqa: F401
                import safetensors.numpy
                import tokenizers  # noqa: F401
        except ImportError as error:
            notice = Notice("local_model_unreadable", error=str(error))
            remedy = Notice("install_again", packages="onnxruntime, protobuf, safetensors, tokenizers")
            raise EmbedderError(notice, remedy=remedy) from error
        file = self._weights_file
        fitted = files(__package__).joinpath(file).read_bytes() if file else b""
        weights = safetensors.numpy.load(fitted) if fitted else {}
        self.own = {name: weights.pop(name) for name in self.beside}

        def made() -> bytes:
            replaced = {**self._replaced(beside), **weights}
            model = self._files[0].content()
            return with_weights(model, replaced) if replaced else model

        version = " ".join([*(one.sha256 for one in self._files), hashlib.sha256(fitted).hexdigest()])
        return session_of(version, made), self._tokenizer(beside)

    def _tokenizer(self, content: bytes) -> Any:
        """Return the tokenizer, from the content of its file."""
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(content.decode())
        tokenizer.no_padding()
        tokenizer.enable_truncation(self.most_tokens)
        return tokenizer

    def _replaced(self, _content: bytes) -> Mapping[str, Any]:
        """Return tensors that replace the model's, from the content of the tokenizer's file; here none."""
        return {}
