"""Fits the ranker of answers: `python bench/fit_answers.py --data DIR --manuals DIR DIR --faq DIR --docs DIR`.

DIR holds `qa/xquad-LANGUAGE-dev.json`; a manual is a folder of HTML pages, the first one belongs to the first half of
the articles, the others to the second. Both halves of the articles take turns: what is fitted on one is judged on the
other, these figures are printed, and the bounds of the verdicts are chosen by those of the articles: of a manual other
statements answer, too, than those that are known. `--write all` replaces the weights
of the package by those that are fitted on both, `--write half` by those of the first half alone, so that
`bench/answers.py --part judge` measures what nobody fitted on.

What is asked of an FAQ teaches the order beside the articles, and so do the questions that people wrote about folders
in DIR of `--docs`, and those about the made-up folders that no model has learnt from (`bench/asked/`); these teach,
too, when an answer is one, for they seldom say it in its words. Their folders take turns as the articles do. A question
about another article with this one's title in place of its names teaches what is no answer: the texts speak of the
thing, and not of what is asked of it.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from asked import asked_by_people, asked_of_folders
from faqs import asked_of as asked_of_faq
from fitting import Array, descended, logistic, matrix, rounded
from manuals import asked_of
from ranking_examples import Compared, Example, examples_of, examples_of_pages, examples_of_people
from spyglass.kernel.settings import Role, Settings
from spyglass.ranking import ranker
from table import Row, report

ASKED = Path(__file__).with_name("asked")
"""The files of questions that people wrote, but for the one that is held out."""

LANGUAGES = {
    "words": ("en", "de", "es"),
    "relevance": ("en",),
    "vectors": ("en", "de", "es"),
    "multilingual": ("de", "es"),
}
"""The languages of the articles that weights of each kind are fitted on."""

_SIMILAR = (
    *("meaning", "joint_meaning", "own_words", "near_words", "passage_words", "names_missing"),
    *("has_wanted", "lacks_number", "first_passage", "length", "row"),
)

OF = {
    "relevance": {
        "rank": (
            *("relevance", "default", "behind", "near_words", "before_words"),
            *("has_wanted", "weightiest_missing", "title_words"),
        ),
        "explain": ("relevance", "default", "behind", "introduces"),
        "there": ("topic",),
        "serves": ("relevance",),
        "right": ("relevance", "lead"),
    },
    "multilingual": {
        "rank": (
            "meaning",
            "joint_meaning",
            "own_words",
            "near_words",
            "passage_words",
            "lacks_number",
            "first_passage",
        ),
        "explain": (*_SIMILAR, "title_words", "heading_words", "opens_heading", "introduces"),
        "there": ("topic",),
        "serves": ("relevance", "topic"),
        "right": ("lead", "relevance", "own_words"),
    },
}
"""What is fitted of kinds that do not use all features. If a cross-encoder has read a statement, few others tell more:
of 416 questions that people asked about 26 folders, 242 have the answer in the best statement by those that are set
now, 234 without words. With all of them 44 % of the questions that people asked of four German and Spanish folders were
taken for missing, since their words are not those of the texts; by the `topic` of the multilingual model alone 3 %."""

GIVEN = ("apart", "besides", "surely_right")
"""Numbers of the weights that are not fitted here."""

FOREIGN_TOLD = 0.94
"""The share of questions about what is not there that `least_there` tells."""

LOST = 0.01
"""The share of questions with an answer that may be taken for surely absent, and of answers for beside the point."""

SURE = 0.9
"""How often one of the best holds the answer, of the questions that are called answered."""

UNANSWERED = 0.25
"""For each question with an answer, so many are counted of which the texts speak without answering it, as the statement
that does is taken out, and as many that ask of a thing what is asked of another: people ask such questions, too."""

LIGHTER = 0.2
"""What a question of an FAQ counts beside one of an article: articles lose nothing by it (of the best statements .73,
.83 answer, without an FAQ too), and of another FAQ's questions .57 and .60 are answered instead of .53 and .38."""

MANUAL_STEP = 5
"""Of a manual's questions every so-manieth is asked."""

SUMMARY, LEAD = 3, 1
"""Statements that open a report, and those of them that a question which is called answered has its answer in."""

UNLEARNT = ("held_out", "english")
"""The made-up folders that no model has learnt from."""

OTHER = {"fit": "judge", "judge": "fit"}
SETS = ("articles", "manuals", "faq", "people")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds qa/")
    parser.add_argument("--manuals", type=Path, nargs="+", required=True, help="folders of HTML pages of manuals")
    parser.add_argument("--faq", type=Path, required=True, help="a folder of HTML pages with questions for headings")
    parser.add_argument("--docs", type=Path, required=True, help="the folder that the folders of bench/asked/ lie in")
    parser.add_argument("--every", type=int, default=1, help="use every N-th question only")
    parser.add_argument(
        "--embedder", nargs=2, metavar=("URL", "MODEL"), help="a server with OpenAI's format; for `vectors`"
    )
    parser.add_argument(
        "--kinds", nargs="+", choices=LANGUAGES, default=[*LANGUAGES.keys() - {"vectors"}], help="the weights to fit"
    )
    parser.add_argument(
        "--write",
        choices=("half", "all"),
        help="replace the weights of the package: fitted on the first half or on all",
    )
    given = parser.parse_args()
    rows: list[Row] = []
    file = Path(ranker.__file__).with_name("weights.json")
    weights = json.loads(file.read_text(encoding="utf-8"))
    for kind in given.kinds:
        sets = asyncio.run(asked_for(given, kind))
        given_numbers = {name: weights.get(kind, weights["vectors"])[name] for name in GIVEN}
        fit = Fit(given_numbers, OF.get(kind, {}))
        halves = {part: fit.of(*(sets[part, name] for name in SETS)) for part in OTHER}
        bounds = calibrated(
            [(halves[OTHER[part]], sets[part, name]) for part in OTHER for name in ("articles", "people")]
        )
        for part, other in OTHER.items():
            for name in (*LANGUAGES[kind], "manuals", "faq", "people"):
                rows += judged(f"{name}, {kind}, {part} → {other}", halves[part] | bounds, sets[other, name])
        both = [[*sets["fit", name], *sets["judge", name]] for name in SETS]
        weights[kind] = (halves["fit"] if given.write == "half" else fit.of(*both)) | bounds
    report("The ranker of answers, judged on articles that it was not fitted on", rows)
    if given.write:
        file.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")


async def asked_for(given: argparse.Namespace, kind: str) -> dict[tuple[str, str], list[Example]]:
    """Return the examples of each half by what they were asked of: a language, all `articles`, `manuals`, `faq`."""
    settings = Settings(retrieval__dense=kind != "words")
    if kind == "vectors":
        url, model = given.embedder
        settings = settings.updated(embedder=Role(provider="openai", base_url=url, model=model, key="none"))
    compared = Compared(kind, settings)
    found: dict[tuple[str, str], list[Example]] = {(part, "people"): [] for part in OTHER}
    files = sorted(path for path in ASKED.glob("*.tsv") if "held_out" not in path.name)
    with tempfile.TemporaryDirectory() as scratch:
        folders = asked_by_people(files, given.docs)
        for part in UNLEARNT:
            folders |= asked_of_folders(part, Path(scratch))
        for number, (folder, own) in enumerate(sorted(folders.items())):
            asked = [one for one in own if compared.is_for(one.language)]
            found["judge" if number % 2 else "fit", "people"] += await examples_of_people(
                folder, asked[:: given.every], compared
            )
    for part, manual_folders in (("fit", given.manuals[:1]), ("judge", given.manuals[1:])):
        manuals = [
            await examples_of_pages(folder, asked_of(folder)[::MANUAL_STEP], compared) for folder in manual_folders
        ]
        found[part, "manuals"] = [one for own in manuals for one in own]
        faq = await examples_of_pages(given.faq, asked_of_faq(given.faq, part), compared)
        found[part, "faq"] = [replace(one, weight=LIGHTER) for one in faq]
        for language in LANGUAGES[kind]:
            found[part, language] = await examples_of(given, language, part, compared)
        found[part, "articles"] = [one for language in LANGUAGES[kind] for one in found[part, language]]
    return found


def calibrated(halves: Sequence[tuple[dict[str, Any], Sequence[Example]]]) -> dict[str, float]:
    """Return the bounds of the verdicts, from what each model says of the examples that it was not fitted on."""
    every = [(model, one) for model, own in halves for one in own if one.rows]
    told = [
        (said(model, one, "there"), said(model, one, "right"), one, model) for model, one in every if not one.crossed
    ]
    foreign = [there for there, _, one, _ in told if not one.known and one.told == 1.0]
    known = [
        (right, float(one.known and top(one, model, LEAD)[1]), one.told)
        for _, right, one, model in told
        if one.known or one.told != 1.0
    ]
    known += [(said(model, one, "right"), 0.0, UNANSWERED) for model, one in without_answers(every)]
    known.sort(reverse=True)
    share = np.cumsum([holds * weight for _, holds, weight in known]) / np.cumsum([weight for *_, weight in known])
    enough = np.flatnonzero(share >= SURE)
    there = [found for found, _, one, _ in told if one.known]
    answers = [
        ranker.probability(ranker.linear(model["serves"], row))
        for model, own in halves
        for row, serves, _ in serving(own, model)
        if serves
    ]
    return {
        "least_serving": round(float(np.quantile(answers, LOST)), 4),
        "surely_absent": round(float(np.quantile(there, LOST)), 4),
        "least_there": round(float(np.quantile(foreign, FOREIGN_TOLD)), 4),
        "least_right": round(known[int(enough[-1]) if len(enough) else 0][0], 4),
    }


Examples = Sequence[Example]


@dataclass(frozen=True)
class Fit:
    """Fits weights: `given` are those that are not fitted, `names` the features of a model; all, where it has none."""

    given: dict[str, float]
    names: Mapping[str, Sequence[str]]

    def of(
        self,
        articles: Sequence[Example],
        manuals: Sequence[Example],
        faqs: Sequence[Example],
        people: Sequence[Example],
    ) -> dict[str, Any]:
        """Return the weights: which candidate is best, and, by articles and people, if it answers and any serves."""
        model: dict[str, Any] = {
            **self.given,
            "rank": self.best_first("rank", [one for one in (*articles, *faqs, *people) if not one.defines]),
            "explain": self.best_first("explain", [one for one in (*articles, *manuals) if one.defines]),
        }
        asked = [one for one in (*articles, *people) if one.rows]
        told = [(one, *top(one, model, LEAD)) for one in asked if not one.crossed]
        model["there"] = self.logistic("there", [(seen, one.known, one.told) for one, seen, _ in told])
        model["serves"] = self.logistic("serves", serving([*articles, *people], model))
        missing = without_answers([(model, one) for one in asked])
        model["right"] = self.logistic(
            "right",
            [
                *((seen, answers, one.told) for one, seen, answers in told if one.known or one.told != 1.0),
                *((top(one, model)[0], False, one.told) for _, one in missing),
            ],
        )
        return model

    def best_first(self, model: str, examples: Sequence[Example]) -> dict[str, float]:
        examples = [one for one in examples if one.known and one.right.any()]
        return best_first(examples, self._varying(model, [row for one in examples for row in one.rows]))

    def logistic(self, model: str, told: Sequence[tuple[dict[str, float], bool, float]]) -> dict[str, float]:
        return logistic(told, self._varying(model, [row for row, _, _ in told]))

    def _varying(self, model: str, rows: Sequence[dict[str, float]]) -> list[str]:
        return [name for name in self.names.get(model, rows[0]) if np.ptp(matrix(rows, [name])) > 0]


def without_answers(examples: Sequence[tuple[dict[str, Any], Example]]) -> list[tuple[dict[str, Any], Example]]:
    """Return questions of which the texts speak without answering them: crossed ones, and those with answers gone."""
    left = [(model, one if one.crossed else without_answer(one)) for model, one in examples]
    return [(model, one) for model, one in left if one.rows]


def best_first(examples: Sequence[Example], names: Sequence[str]) -> dict[str, float]:
    """Return the weights by which the candidates that answer come first: a softmax over those of each question."""
    total = sum(one.weight for one in examples)
    whole = np.vstack([matrix(one.rows, names) for one in examples])
    mean, spread = whole.mean(axis=0), whole.std(axis=0) + 1e-6
    parts = [((matrix(one.rows, names) - mean) / spread, one.right > 0, one.weight / total) for one in examples]

    def slope(weights: Array) -> Array:
        gradient = 0.05 * weights
        for features, right, share in parts:
            odds = features @ weights
            shares = np.exp(odds - odds.max())
            shares /= shares.sum()
            wanted = shares * right
            gradient = gradient + share * (shares - wanted / max(wanted.sum(), 1e-9)) @ features
        return gradient

    return rounded(dict(zip(names, descended(slope, len(names)) / spread, strict=True)))


def serving(examples: Sequence[Example], model: dict[str, Any]) -> list[tuple[dict[str, float], bool, float]]:
    """Return statements, whether each serves its question, and what it counts: answers do, none does where nothing is.

    Of the latter those that are ranked highest are taken, for these are the ones that are hard to tell.
    """
    found = []
    for one in (one for one in examples if one.rows and not one.crossed):
        order = np.argsort(-np.array(ranker.scored(model, one.rows, defines=one.defines)), kind="stable")
        chosen = [n for n in range(len(one.rows)) if one.right[n]] if one.known else list(order[:SUMMARY])
        found += [(one.rows[number], one.known, one.told) for number in chosen]
    return found


def without_answer(one: Example) -> Example:
    """Return a question of which the texts speak without the statements that answer it; empty where none does."""
    left: list[int] = list(np.flatnonzero(one.right == 0)) if one.right.any() else []
    return replace(one, rows=[one.rows[number] for number in left], right=np.zeros(len(left)))


def top(one: Example, model: dict[str, Any], most: int = SUMMARY) -> tuple[dict[str, float], bool]:
    """Return what tells whether the best candidates answer, and whether one of the first `most` does."""
    scores = ranker.scored(model, one.rows, defines=one.defines)
    best = np.argsort(-np.array(scores), kind="stable")[:most]
    return ranker.gate(model, one.rows, scores), bool(one.right[best].any())


def judged(name: str, model: dict[str, Any], examples: Sequence[Example]) -> list[Row]:
    asked = [one for one in examples if not one.crossed]
    known = [one for one in asked if one.known]
    if not known:
        return []  # a set may have no questions, as an FAQ without any
    best = [bool(one.rows) and top(one, model, 1)[1] for one in known]
    among = [bool(one.rows) and top(one, model)[1] for one in known]
    there = {
        is_known: [
            bool(one.rows) and said(model, one, "there") >= model["least_there"]
            for one in asked
            if one.known is is_known
        ]
        for is_known in (True, False)
    }
    called = [top(one, model, LEAD)[1] for one in known if sure(model, one)]
    missing = [without for one in known if (without := without_answer(one)).rows]
    crossed_called = [sure(model, one) for one in examples if one.crossed]
    beside = [
        ranker.probability(ranker.linear(model["serves"], row)) < model["least_serving"]
        for row, serves, _ in serving(examples, model)
        if not serves
    ]
    return [
        Row(f"{name}: beside the point, and found so", float(np.mean(beside)) if beside else 0.0),
        Row(f"{name}: the best one answers", float(np.mean(best))),
        Row(f"{name}: one of the best {SUMMARY} answers", float(np.mean(among))),
        Row(f"{name}: taken for there, and is", float(np.mean(there[True]))),
        Row(f"{name}: taken for there, and is not", float(np.mean(there[False] or [False]))),
        Row(f"{name}: called an answer", float(len(called) / len(known))),
        Row(f"{name}: called an answer, and is one of the first {LEAD}", float(np.mean(called)) if called else 0.0),
        Row(f"{name}: called an answer, which was taken out", float(np.mean([sure(model, one) for one in missing]))),
        Row(f"{name}: called an answer, asked of another thing", float(np.mean(crossed_called or [False]))),
    ]


def sure(model: dict[str, Any], one: Example) -> bool:
    return bool(one.rows) and said(model, one, "right") >= model["least_right"]


def said(model: dict[str, Any], one: Example, name: str) -> float:
    return ranker.probability(ranker.linear(model[name], top(one, model)[0]))


if __name__ == "__main__":
    main()
