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
from collections.abc import Mapping, Sequence
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from safetensors.numpy import save_file

from asked import AskedByPeople, asked_by_people, asked_of_folders
from fit_answers import ASKED
from ranking_examples import candidates_of
from relevance_models import MODELS, Array, Graded, Model, Weights, scores_of, side_by_side
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.kernel.source import digest
from spyglass.rag import ingest
from spyglass.ranking import ranker
from spyglass.ranking.candidate import Candidate, Question
from table import Row, report

BESIDE = 6
"""Statements that nobody graded which are taken for no answers, of a question whose statements readers graded."""

AGAIN = 4
"""Of the questions that the package's weights have learnt from, every so-manieth is learnt again."""

AT_ONCE = 12  # statements of a question in a step, all that answer among them
QUESTIONS = 4  # whose gradients make a step
EPOCHS = 2
PART = 0.3
"""What a part of an answer counts beside an answer."""

ORDER, ODDS, LEVEL, TOLD = 0.55, 0.6, 1.0, 0.5
"""The order is learnt from scores times the first, as the ranker weighs them; if a statement answers, from scores times
the second less the third, which counts the fourth beside the order."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=sorted(MODELS))
    parser.add_argument("--docs", type=Path, help="the folder that the folders of bench/asked/packages*.tsv lie in")
    parser.add_argument("--further", action="store_true", help="begin with the weights of the package")
    parser.add_argument("--write", action="store_true", help="replace the weights of the package")
    given = parser.parse_args()
    if given.model != "multilingual" and given.docs is None:
        parser.error("--docs is missing: the models for English learn from the folders of packages")
    if given.model == "multilingual" and given.further:
        parser.error("--further is for the models for English")
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


async def graded(folders: Mapping[Path, Sequence[AskedByPeople]], model: Model, most: int) -> list[Graded]:
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
    states, mask = side_by_side(
        [*one.before, *(one.states[number] for number in numbers), *[one.states[0]] * (AT_ONCE - len(numbers))]
    )
    return states, mask, np.pad(one.grades[numbers], (0, AT_ONCE - len(numbers)), constant_values=-1.0)


def judged(model: Model, weights: Weights, graded: Sequence[Graded], when: str) -> list[Row]:
    """Return how often the best statement answers, and how well its score tells if it does."""
    best = []
    for one in graded:
        scores = scores_of(model, weights, one)
        best.append((float(scores.max()), bool(one.grades[int(scores.argmax())] == 2)))
    right, wrong = ([score for score, is_right in best if is_right is wanted] for wanted in (True, False))
    above = np.mean([high > low for high in right for low in wrong]) if right and wrong else 0.0
    return [
        Row(f"{when}: questions whose best statement answers, of {len(best)}", float(len(right))),
        Row(f"{when}: an answer's score is above a wrong one's", round(float(above), 3)),
    ]


if __name__ == "__main__":
    main()
