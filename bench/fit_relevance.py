"""Fits the upper layers of a model of relevance: `python bench/fit_relevance.py MODEL [--docs DIR] [--further]`.

MODEL is `cross-encoder`, `late-interaction` or `multilingual`. For the first two, readers graded statements by how well
each alone answers a question that people asked of the folders in DIR: 2 for an answer, 1 for a part of one, 0 for
neither (`bench/asked/packages*.tsv`, the sixth column). The last one learns from the folders in eight languages of
`bench/asked/folders.tar.xz`; of each text the mean of its vectors stays what it was. With `--further` the weights of
the package learn from the English folders of that archive, and once more from every fourth question of DIR, so that
they do not forget them. The layers from FIRST on learn to put a question's answers before the rest, and to tell
answers from the rest whatever was asked; the layers below, and what is held out, are left as they are. The figures
before and after are those of the questions held out. `--write` replaces the weights of the package, which are in 8 bits
on the model's own grid.

Needs what the project does not: `pip install jax optax onnx`. Takes an hour on two cores.
"""

import argparse
import asyncio
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import onnx
import optax
from jax.scipy.special import erf
from onnx import numpy_helper
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

from asked import AskedByPeople, asked_by_people, asked_of_folders
from fit_answers import ASKED
from ranking_examples import candidates_of
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.kernel.source import digest
from spyglass.rag import cross_encoder, ingest, late_interaction, multilingual
from spyglass.rag.local_model import PackagedFile
from spyglass.rag.packed_weights import PackedWeights
from spyglass.rag.unigram import Unigram
from spyglass.ranking import ranker
from spyglass.ranking.candidate import Candidate, Question
from table import Row, report

FIRST, LAYERS, HEADS, WIDTH = 8, 12, 12, 384
BESIDE = 6
"""Statements that nobody graded which are taken for no answers, of a question whose statements readers graded."""

AGAIN = 4
"""Of the questions that the package's weights have learnt from, every so-manieth is learnt again."""

BATCH = 8
AT_ONCE = 12  # statements of a question in a step, all that answer among them
QUESTIONS = 4  # whose gradients make a step
EPOCHS = 2
KEPT = 2.0
"""What the distance of a text's mean vector from the former one counts for the multilingual model."""

PART = 0.3
"""What a part of an answer counts beside an answer."""

ORDER, ODDS, LEVEL, TOLD = 0.55, 0.6, 1.0, 0.5
"""The order is learnt from scores times the first, as the ranker weighs them; if a statement answers, from scores times
the second less the third, which counts the fourth beside the order."""

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=sorted(MODELS))
    parser.add_argument("--docs", type=Path, help="the folder that the folders of bench/asked/packages*.tsv lie in")
    parser.add_argument("--further", action="store_true", help="begin with the weights of the package")
    parser.add_argument("--write", action="store_true", help="replace the weights of the package")
    given = parser.parse_args()
    model = MODELS[given.model]()
    epochs = 1 if given.further else EPOCHS
    with tempfile.TemporaryDirectory() as scratch:
        learnt, held_out = (
            asyncio.run(graded(asked_of(given, Path(scratch, str(is_held)), is_held=is_held), model, epochs * AT_ONCE))
            for is_held in (False, True)
        )
    before = model.packaged() if given.further else model.upper
    after = fitted(model, before, learnt, epochs)
    rows = [*judged(model, before, held_out, "before"), *judged(model, after, held_out, "after")]
    stored = model.on_grid(after, learnt)
    rows += judged(model, model.read_from(stored), held_out, "after, in 8 bits")
    report(f"The {given.model} model, on questions that it was not fitted on", rows)
    if given.write:
        save_file(stored, model.path)


def asked_of(given: argparse.Namespace, scratch: Path, *, is_held: bool) -> dict[Path, list[AskedByPeople]]:
    """Return the questions that a model learns from, or those held out, by their folder."""
    if given.model == "multilingual":
        return asked_of_folders("held_out" if is_held else "learnt", scratch)
    files = [path for path in sorted(ASKED.glob("packages*.tsv")) if ("held_out" in path.name) == is_held]
    of_packages = asked_by_people(files, given.docs)
    if not given.further:
        return of_packages
    if is_held:
        return of_packages | asked_of_folders("english", scratch)
    again = {folder: asked[::AGAIN] for folder, asked in of_packages.items()}
    learnt = asked_of_folders("learnt", scratch) | asked_of_folders("learnt_english", scratch)
    return again | {folder: asked for folder, asked in learnt.items() if asked[0].language == "en"}


async def graded(folders: Mapping[Path, Sequence[AskedByPeople]], model: "Model", most: int) -> list[Graded]:
    """Return the questions that have graded statements, or known answers if anything answers them, found by words."""
    found = []
    rng = random.Random(1)
    for folder, asked in folders.items():
        with tempfile.TemporaryDirectory() as data:
            settings = Settings(db=[folder], data_dir=Path(data), retrieval__dense=False)
            async with Run("bench", settings, journal=Journal()) as run:
                await ingest(run, folder, embed=False)
                for one in asked:
                    if candidates := await candidates_of(run, folder, one.question):
                        grades = grades_of(one, candidates, most, rng)
                        if len(grades) > 1:
                            found.append(model.read(one.question, grades))
    return found


def grades_of(one: AskedByPeople, candidates: Sequence[Candidate], most: int, rng: random.Random) -> dict[str, int]:
    """Return the grades of some `most` statements: those that readers gave or that answer, and 0 for others.

    Two thirds of the others are the nearest by words.
    """
    chosen = ranker.preselected(Question(one.question, candidates), candidates, ranker.COMPARED)
    if one.grades:
        texts = {candidate.below_headings for candidate in candidates}
        grades = {text: one.grades[key] for text in sorted(texts) if (key := digest(text, size=8)) in one.grades}
    else:
        grades = {candidate.below_headings: 2 for candidate in candidates if one.answered_by(candidate.text)}
        if bool(grades) is not one.known:
            return {}
    looked_at = [candidates[number] for number in chosen]
    others = [
        own.below_headings for own in looked_at if own.below_headings not in grades and not one.answered_by(own.text)
    ]
    room = BESIDE if one.grades else max(0, most - len(grades))
    near = room * 2 // 3
    others = others[:near] + rng.sample(others[near:], min(room - near, len(others[near:])))
    return grades | dict.fromkeys(others, 0)


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
        for start in range(0, len(calibrating), AT_ONCE):
            together, mask = _side_by_side(calibrating[start : start + AT_ONCE])
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


def _side_by_side(states: Sequence[Array]) -> tuple[Array, Array]:
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


def fitted(model: Model, weights: Weights, graded: Sequence[Graded], epochs: int = EPOCHS) -> Weights:
    """Return the weights that have learnt from graded statements (Adam: Kingma and Ba, 2015)."""

    def loss(weights: Weights, states: Array, mask: Array, grades: Array) -> Array:
        scores, is_there = model.scores(model.lower | weights, states, mask), grades >= 0
        worth = jnp.where(grades == 2, 1.0, jnp.where(grades == 1, PART, 0.0))
        shares = jax.nn.log_softmax(jnp.where(is_there, ORDER * scores, -1e9))
        order = -(worth * shares).sum() / jnp.maximum(worth.sum(), 1e-9)
        odds = ODDS * scores - LEVEL
        told = jnp.where(is_there, jax.nn.softplus(odds) - worth * odds, 0.0).sum() / is_there.sum()
        return order + TOLD * told + model.besides(model.lower | weights, states, mask)

    rng, asked = random.Random(1), list(graded)
    steps = epochs * len(asked) // QUESTIONS
    rate = optax.warmup_cosine_decay_schedule(0.0, model.rate, max(1, steps // 10), steps, model.rate / 20)
    rule = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(rate))
    slope, state = jax.jit(jax.grad(loss)), rule.init(weights)
    for _ in range(epochs):
        rng.shuffle(asked)
        for start in range(0, len(asked) - QUESTIONS + 1, QUESTIONS):
            slopes = [slope(weights, *_step(one, rng)) for one in asked[start : start + QUESTIONS]]
            mean = jax.tree.map(lambda *own: sum(own) / QUESTIONS, *slopes)
            change, state = rule.update(mean, state)
            weights = optax.apply_updates(weights, change)
    return weights


def _step(one: Graded, rng: random.Random) -> tuple[Array, Array, Array]:
    """Return the states of some statements of a question, all that answer first, their mask and their grades."""
    numbers = sorted(range(len(one.states)), key=lambda number: (one.grades[number] <= 0, rng.random()))[:AT_ONCE]
    states, mask = _side_by_side(
        [*one.before, *(one.states[number] for number in numbers), *[one.states[0]] * (AT_ONCE - len(numbers))]
    )
    return states, mask, np.pad(one.grades[numbers], (0, AT_ONCE - len(numbers)), constant_values=-1.0)


def _scores_of(model: Model, weights: Weights, one: Graded) -> Array:
    scores = np.zeros(len(one.states))
    for numbers in _batches([len(own) for own in one.states]):
        padded = numbers + numbers[-1:] * (BATCH - len(numbers))
        together = _side_by_side([*one.before, *(one.states[number] for number in padded)])
        scores[numbers] = np.asarray(model.scores(model.lower | weights, *together))[: len(numbers)]
    return scores


def judged(model: Model, weights: Weights, graded: Sequence[Graded], when: str) -> list[Row]:
    """Return how often the best statement answers, and how well its score tells if it does."""
    best = []
    for one in graded:
        scores = _scores_of(model, weights, one)
        best.append((float(scores.max()), bool(one.grades[int(scores.argmax())] == 2)))
    right, wrong = ([score for score, is_right in best if is_right is wanted] for wanted in (True, False))
    above = np.mean([high > low for high in right for low in wrong]) if right and wrong else 0.0
    return [
        Row(f"{when}: questions whose best statement answers, of {len(best)}", float(len(right))),
        Row(f"{when}: an answer's score is above a wrong one's", round(float(above), 3)),
    ]


if __name__ == "__main__":
    main()
