"""The models of relevance as JAX computes them, with weights that learn and weights that stay.

Needs what the project does not: `pip install jax optax onnx`.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from jax.scipy.special import erf
from onnx import numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from spyglass.rag import cross_encoder, late_interaction, multilingual
from spyglass.rag.local_model import PackagedFile
from spyglass.rag.packed_weights import PackedWeights
from spyglass.rag.unigram import Unigram

FIRST, LAYERS, HEADS, WIDTH = 8, 12, 12, 384
BATCH = 8
KEPT = 2.0
"""What the distance of a text's mean vector from the former one counts for the multilingual model."""

MOST_TOKENS, ROUNDED = 160, 32
CALIBRATING = 512  # statements at most by which the rounding of weights is told what matters
DAMPING = 0.01

Array = Any
Weights = dict[str, Array]


@dataclass(frozen=True)
class Graded:
    """A question with the states of its statements below the layers that learn, and their grades.

    `before` has the states of the question itself if the model reads it alone, else nothing.
    """

    before: list[Array]
    states: list[Array]
    grades: Array


class Model:
    """A model's weights as 32-bit numbers: `lower` ones that stay, `upper` ones that learn.

    A matrix is named after the node that multiplies by it, everything else as in the file. `prefix` precedes the names
    of the transformer's weights, `file` is where those that were learnt are stored.
    """

    prefix: str
    file: str
    rate = 5e-5
    tokenizer: Any

    @property
    def path(self) -> Path:
        """Where the package has the weights that were learnt."""
        return Path(cross_encoder.__file__).with_name(self.file)

    def __init__(self, packaged: PackagedFile, tokenizer: PackagedFile) -> None:
        graph = onnx.load_from_string(packaged.content()).graph
        self.stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
        multiplied = [node for node in graph.node if node.op_type == "MatMulInteger"]
        self.file_names = {_name_of(node): node.input[1].removesuffix("_quantized") for node in multiplied}
        matrices = {name: self._matrix(file_name) for name, file_name in self.file_names.items()}
        embeddings = [name.removesuffix("_quantized") for name in self.stored if "embeddings" in name]
        every = matrices | {name: self._matrix(name) for name in embeddings if f"{name}_quantized" in self.stored}
        every |= {name: own for name, own in self.stored.items() if own.dtype == np.float32 and own.ndim}
        self._begin(every)
        self.tokenizer = Tokenizer.from_str(tokenizer.content().decode())
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MOST_TOKENS)

    def _begin(self, every: Weights) -> None:
        self.lower = {name: jnp.asarray(own) for name, own in every.items() if not self.learns(name)}
        self.upper = {name: jnp.asarray(own) for name, own in every.items() if self.learns(name)}
        layers = {name: own for name, own in self.lower.items() if "_embeddings." not in name}
        self._below = jax.jit(partial(self._lower_states, layers))
        self.scores = jax.jit(self._scores)

    def tokens(self, question: str, texts: Sequence[str]) -> list[tuple[list[int], list[int]]]:
        """Return the tokens that the model reads for a question and texts, and the kind of each, by text."""
        raise NotImplementedError

    def scored(self, weights: Weights, states: Array, mask: Array) -> Array:
        """Return the score of each text, given the states behind the last layer."""
        raise NotImplementedError

    def learns(self, name: str) -> bool:
        """Return whether weights are among those that learn."""
        _, is_layer, behind = name.partition("encoder.layer.")
        return bool(is_layer) and int(behind.partition(".")[0]) >= FIRST

    def packaged(self) -> Weights:
        """Return the weights of the package."""
        return {name: jnp.asarray(own) for name, own in self.read_from(load_file(self.path)).items()}

    def read(self, question: str, grades: Mapping[str, int]) -> Graded:
        """Return the states of a question's statements below the layers that learn, each tokens by dimensions."""
        read = self.tokens(question, list(grades))
        states: dict[int, Array] = {}
        for numbers in _batches([len(own) for own, _ in read]):
            longest = _rounded_up(len(read[numbers[-1]][0]))
            ids, kinds, mask = (np.zeros((BATCH, longest), dtype=np.int32) for _ in range(3))
            for row, number in enumerate(numbers):
                own, own_kinds = read[number]
                ids[row, : len(own)], kinds[row, : len(own)], mask[row, : len(own)] = own, own_kinds, 1
            below = np.asarray(self._below(self._embedded(ids, kinds), mask)).astype(np.float16)
            states |= {number: below[row, : len(read[number][0])] for row, number in enumerate(numbers)}
        every = [states[number] for number in range(len(read))]
        first = len(every) - len(grades)
        return Graded(every[:first], every[first:], np.array(list(grades.values()), float))

    def on_grid(self, weights: Weights, graded: Sequence[Graded]) -> dict[str, Array]:
        """Return weights as the file stores them, matrices in the steps of its own (GPTQ: Frantar et al., 2023).

        Rounded each by itself they would fall back to where they began: what is learnt is less than half a step.
        """
        states = [own for one in graded for own in [*one.before, *one.states]]
        calibrating = random.Random(1).sample(states, min(CALIBRATING, len(states)))
        squares: dict[str, Array] = {}
        for start in range(0, len(calibrating), BATCH):
            together, mask = side_by_side(calibrating[start : start + BATCH])
            for name, inputs in self.inputs(weights, together, mask)[0].items():
                squares[name] = squares.get(name, 0.0) + inputs.T @ inputs
        stored = {name: np.asarray(own) for name, own in weights.items() if name not in self.file_names}
        for name in weights.keys() & self.file_names.keys():
            key = f"{self.file_names[name]}_quantized"
            steps = np.asarray(weights[name], dtype=np.float64) / self.stored[key.replace("quantized", "scale")]
            stored[key] = _on_grid(steps, squares[name]).astype(np.int8)
        return stored

    def read_from(self, stored: Mapping[str, Array]) -> Weights:
        """Return weights that a file stores as numbers to calculate with."""
        self.stored |= stored
        named = self.file_names.items()
        return {name: own for name, own in stored.items() if not name.endswith("_quantized")} | {
            name: self._matrix(file_name) for name, file_name in named if self.learns(name)
        }

    def _matrix(self, file_name: str) -> Array:
        steps, zero, scale = (self.stored[f"{file_name}_{part}"] for part in ("quantized", "zero_point", "scale"))
        return (steps.astype(np.float32) - zero.astype(np.float32)) * scale

    def _embedded(self, ids: Array, kinds: Array) -> Array:
        words, sorts, places = (
            self.lower[f"{self.prefix}embeddings.{name}_embeddings.weight"]
            for name in ("word", "token_type", "position")
        )
        return words[ids] + sorts[kinds] + places[: ids.shape[1]]

    def _lower_states(self, weights: Weights, embedded: Array, mask: Array) -> Array:
        states = _normal(embedded, weights, f"{self.prefix}embeddings.LayerNorm")
        for number in range(FIRST):
            states, _ = _layer(weights, states, mask, f"{self.prefix}encoder.layer.{number}.")
        return states

    def last(self, weights: Weights, states: Array, mask: Array) -> Array:
        """Return the states behind the last layer."""
        for number in range(FIRST, LAYERS):
            states, _ = _layer(weights, states, mask, f"{self.prefix}encoder.layer.{number}.")
        return states

    def _scores(self, weights: Weights, states: Array, mask: Array) -> Array:
        return self.scored(weights, self.last(weights, states, mask), mask)

    def besides(self, _weights: Weights, _states: Array, _mask: Array) -> Array | float:
        """Return what is lost besides, given the states below the layers that learn."""
        return 0.0

    def inputs(self, weights: Weights, states: Array, mask: Array) -> tuple[dict[str, Array], Array]:
        """Return what each matrix is multiplied by, by its name: rows of what is no padding; and the last states."""
        every: dict[str, Array] = {}
        for number in range(FIRST, LAYERS):
            states, inputs = _layer(weights, states, mask, f"{self.prefix}encoder.layer.{number}.")
            every |= {name: np.asarray(own, dtype=np.float64)[mask > 0] for name, own in inputs.items()}
        return every, states


class CrossEncoder(Model):
    """Reads a question and a text together; the score comes from the state of the first token."""

    prefix = "bert."
    file = cross_encoder.WEIGHTS

    def __init__(self) -> None:
        super().__init__(cross_encoder.MODEL, cross_encoder.TOKENIZER)

    def tokens(self, question: str, texts: Sequence[str]) -> list[tuple[list[int], list[int]]]:
        encodings = self.tokenizer.encode_batch([(question, text) for text in texts])
        return [(one.ids, one.type_ids) for one in encodings]

    def scored(self, weights: Weights, states: Array, _mask: Array) -> Array:
        return (_pooled(weights, states) @ weights[_CLASSIFIER] + weights["classifier.bias"])[:, 0]

    def learns(self, name: str) -> bool:
        return super().learns(name) if "encoder.layer." in name else not name.startswith("bert.embeddings")

    def inputs(self, weights: Weights, states: Array, mask: Array) -> tuple[dict[str, Array], Array]:
        every, states = super().inputs(weights, states, mask)
        first, pooled = states[:, 0], _pooled(weights, states)
        last = {_POOLER: np.asarray(first, dtype=np.float64), _CLASSIFIER: np.asarray(pooled, dtype=np.float64)}
        return every | last, states


class LateInteraction(Model):
    """Reads a question and texts each alone; the score is the weighted mean of the largest cosines of tokens."""

    prefix = ""
    file = late_interaction.WEIGHTS

    def __init__(self) -> None:
        super().__init__(late_interaction.MODEL, late_interaction.TOKENIZER)
        self.upper |= {name: jnp.asarray(own) / self.units[name] for name, own in self.beginning.items()}

    units: ClassVar = {"gate": 20.0, "scale": 400.0, "shift": 400.0}
    """These learn faster than the layers, by so much: they are learnt divided by it."""

    beginning: ClassVar = {"gate": np.zeros(WIDTH, np.float32), "scale": np.array([40.0]), "shift": np.array([0.0])}

    def tokens(self, question: str, texts: Sequence[str]) -> list[tuple[list[int], list[int]]]:
        marked = []
        for number, encoding in enumerate(self.tokenizer.encode_batch([question, *texts])):
            first, *ids = encoding.ids
            marked.append([first, late_interaction.TEXT if number else late_interaction.QUERY, *ids])
        return [(ids, [0] * len(ids)) for ids in marked]

    def scored(self, weights: Weights, states: Array, mask: Array) -> Array:
        gate, scale, shift = (weights[name] * unit for name, unit in self.units.items())
        question, texts = states[0], states[1:] / jnp.linalg.norm(states[1:], axis=-1, keepdims=True)
        shares = jax.nn.softmax(jnp.where(mask[0] > 0, question @ gate, -1e9))
        question /= jnp.linalg.norm(question, axis=-1, keepdims=True)
        likeness = jnp.einsum("qd,ntd->nqt", question, texts) - 2 * (1 - mask[1:, None, :])
        return scale[0] * ((likeness.max(-1) * shares).sum(-1) - late_interaction.MIDDLE) + shift[0]

    def on_grid(self, weights: Weights, graded: Sequence[Graded]) -> dict[str, Array]:
        stored = super().on_grid(weights, graded)
        return stored | {name: (stored[name] * unit).astype(np.float32) for name, unit in self.units.items()}

    def read_from(self, stored: Mapping[str, Array]) -> Weights:
        return super().read_from(stored) | {name: stored[name] / unit for name, unit in self.units.items()}


class Multilingual(Model):
    """Reads a question and texts each alone; the score is the cosine of their mean vectors."""

    prefix = ""
    file = multilingual.FITTED
    rate = 1e-4
    middle = 0.78

    unit: ClassVar = 400.0
    """What scale and shift, which are not stored, are learnt divided by."""

    beginning: ClassVar = {"scale": np.array([70.0]), "shift": np.array([0.0])}

    def __init__(self) -> None:
        packed = PackedWeights.read(multilingual.WEIGHTS.content())
        self.stored: Weights = {}
        self.file_names: dict[str, str] = {}
        self._begin(dict(self._unpacked(packed)))
        self.tokenizer = Unigram(packed.pieces, MOST_TOKENS)
        self.begun = dict(self.upper)
        self.upper |= {name: jnp.asarray(own) / self.unit for name, own in self.beginning.items()}

    def scored(self, weights: Weights, states: Array, mask: Array) -> Array:
        scale, shift = (weights[name] * self.unit for name in self.beginning)
        question, *texts = _mean_vectors(states, mask)
        return scale[0] * (jnp.stack(texts) @ question - self.middle) + shift[0]

    def _unpacked(self, packed: PackedWeights) -> Iterator[tuple[str, Array]]:
        for layer in range(LAYERS):
            base = f"encoder.layer.{layer}."
            for name, (written, _, columns) in multilingual.LINEAR.items():
                self.file_names[f"{base}{written}.MatMul"] = multilingual.matrix_name(layer, name)
                yield f"{base}{written}.MatMul", packed.matrix(f"l{layer}.{name}.w", columns).T
                yield f"{base}{written}.bias", packed.numbers(f"l{layer}.{name}.b")
            for name, written in multilingual.NORMS.items():
                yield f"{base}{written}.weight", packed.numbers(f"l{layer}.{name}.w")
                yield f"{base}{written}.bias", packed.numbers(f"l{layer}.{name}.b")
        yield "embeddings.LayerNorm.weight", packed.numbers("emb.ln.w")
        yield "embeddings.LayerNorm.bias", packed.numbers("emb.ln.b")
        yield "embeddings.word_embeddings.weight", packed.matrix("emb.word", WIDTH)
        for name, written in (("pos", "position"), ("type", "token_type")):
            yield f"embeddings.{written}_embeddings.weight", packed.numbers(f"emb.{name}").reshape(-1, WIDTH)

    def tokens(self, question: str, texts: Sequence[str]) -> list[tuple[list[int], list[int]]]:
        marked = [f"query: {question}", *(f"passage: {text}" for text in texts)]
        return [(one.ids, one.type_ids) for one in map(self.tokenizer.encode, marked)]

    def besides(self, weights: Weights, states: Array, mask: Array) -> Array:
        """Return how far the mean vectors of the texts are from those that the model began with."""
        now, begun = (_mean_vectors(self.last(own, states, mask), mask) for own in (weights, self.lower | self.begun))
        return KEPT * (1 - (now * jax.lax.stop_gradient(begun)).sum(-1)).mean()

    def on_grid(self, weights: Weights, graded: Sequence[Graded]) -> dict[str, Array]:
        matrices = {self.file_names[name]: np.asarray(own) for name, own in weights.items() if name in self.file_names}
        scales = {f"{name}_scale": (abs(own).max(axis=0) / 127).astype(np.float32) for name, own in matrices.items()}
        self.stored |= scales | {f"{name}_zero_point": np.zeros(1, np.int8) for name in matrices}
        stored = super().on_grid(weights, graded) | scales
        return {name: own for name, own in stored.items() if name not in self.beginning}

    def read_from(self, stored: Mapping[str, Array]) -> Weights:
        own = super().read_from(stored)
        return own | {name: own / self.unit for name, own in self.beginning.items()}


MODELS: dict[str, type[CrossEncoder] | type[LateInteraction] | type[Multilingual]] = {
    "cross-encoder": CrossEncoder,
    "late-interaction": LateInteraction,
    "multilingual": Multilingual,
}

_POOLER, _CLASSIFIER = "bert.pooler.dense.Gemm_MatMul", "classifier.Gemm_MatMul"


def _name_of(node: Any) -> str:
    return str(node.name.replace("_quant", "").strip("/").replace("/", "."))


def _rounded_up(number: int) -> int:
    return -(-number // ROUNDED) * ROUNDED


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Return the numbers of texts in batches of one size, so that few shapes are compiled; the longest one is last."""
    order = sorted(range(len(lengths)), key=lambda number: lengths[number])
    return [order[start : start + BATCH] for start in range(0, len(order), BATCH)]


def _normal(states: Array, weights: Weights, name: str) -> Array:
    centred = states - states.mean(-1, keepdims=True)
    spread = jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    return centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def _layer(weights: Weights, states: Array, mask: Array, base: str) -> tuple[Array, dict[str, Array]]:
    """Return the states behind a layer of BERT, whose names begin with `base`, and what its matrices multiplied."""
    inputs: dict[str, Array] = {}

    def dense(given: Array, name: str) -> Array:
        inputs[f"{base}{name}.MatMul"] = given
        return given @ weights[f"{base}{name}.MatMul"] + weights[f"{base}{name}.bias"]

    def heads(given: Array) -> Array:
        return given.reshape(*given.shape[:2], HEADS, -1).transpose(0, 2, 1, 3)

    query, key, value = (heads(dense(states, f"attention.self.{name}")) for name in ("query", "key", "value"))
    likeness = query @ key.transpose(0, 1, 3, 2) / np.sqrt(WIDTH // HEADS) + (1 - mask)[:, None, None, :] * -1e9
    seen = (jax.nn.softmax(likeness, -1) @ value).transpose(0, 2, 1, 3).reshape(states.shape)
    states = _normal(dense(seen, "attention.output.dense") + states, weights, f"{base}attention.output.LayerNorm")
    between = dense(states, "intermediate.dense")
    between = between * 0.5 * (1 + erf(between / np.sqrt(2)))
    return _normal(dense(between, "output.dense") + states, weights, f"{base}output.LayerNorm"), inputs


def _pooled(weights: Weights, states: Array) -> Array:
    return jnp.tanh(states[:, 0] @ weights[_POOLER] + weights["bert.pooler.dense.bias"])


def _mean_vectors(states: Array, mask: Array) -> Array:
    sums = (states * mask[..., None]).sum(1)
    return sums / (jnp.linalg.norm(sums, axis=-1, keepdims=True) + 1e-9)


def side_by_side(states: Sequence[Array]) -> tuple[Array, Array]:
    """Return states of several texts, filled up to one length, and which of them are none."""
    longest = _rounded_up(max(len(own) for own in states))
    together, mask = np.zeros((len(states), longest, WIDTH), dtype=np.float32), np.zeros((len(states), longest))
    for row, own in enumerate(states):
        together[row, : len(own)], mask[row, : len(own)] = own, 1
    return together, mask.astype(np.float32)


def _on_grid(steps: Array, squares: Array) -> Array:
    """Return whole steps; what rounding a row of the matrix costs is made good in the rows below."""
    squares = squares + np.eye(len(squares)) * (np.trace(squares) / len(squares) * DAMPING)
    share = np.linalg.cholesky(np.linalg.inv(squares)).T
    rounded = np.zeros_like(steps)
    steps = steps.copy()
    for row in range(len(steps)):
        rounded[row] = np.clip(np.round(steps[row]), -128, 127)
        steps[row + 1 :] -= np.outer(share[row, row + 1 :], (steps[row] - rounded[row]) / share[row, row])
    return rounded


def scores_of(model: Model, weights: Weights, one: Graded) -> Array:
    """Return the score of each statement of a question."""
    scores = np.zeros(len(one.states))
    for numbers in _batches([len(own) for own in one.states]):
        padded = numbers + numbers[-1:] * (BATCH - len(numbers))
        together = side_by_side([*one.before, *(one.states[number] for number in padded)])
        scores[numbers] = np.asarray(model.scores(model.lower | weights, *together))[: len(numbers)]
    return scores
