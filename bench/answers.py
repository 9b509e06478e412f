"""How well reports answer: `python bench/answers.py --data DIR [--model PROVIDER/NAME] [--part judge] [--every N]`.

DIR holds `qa/`: `xquad-LANGUAGE-dev.json` (encyclopaedia articles with questions and answers) and `reports/` with
`reports-questions.jsonl` (filings of companies, with the page that answers). Each article is a file. The articles of a
part are asked about in a folder that was never read before; a third of them is left out of the folder, and asked about
all the same. `--part fit` is what the ranker of answers was fitted on, `--part judge` (the default) the rest.

`--sets people --docs DIR` asks what people wrote about folders in DIR (`bench/asked/held_out.tsv`; the ranker knows the
other files there): a report is called an answer when it states a confidence.
"""

import argparse
import asyncio
import json
import shutil
import statistics
import tempfile
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asked import asked_by_people
from spyglass import research
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.sentence import sentence_spans
from spyglass.kernel.settings import Settings
from spyglass.rag.ingest import ingest
from spyglass.rag.retrieve import retrieve
from spyglass.report import Report
from table import Row, report

HELD_OUT = Path(__file__).parent / "asked" / "held_out.tsv"
LONGEST_FIRST = 300
LIMITS = {"en": (0.85, 0.95, 0.88), "de": (0.72, 0.90, 0.80), "es": (0.72, 0.90, 0.80)}
LEAST_NOTHING = 0.92


@dataclass(frozen=True)
class Case:
    """A question, the answers that count, and the paragraph that holds them; `about` is the article."""

    question: str
    answers: tuple[str, ...]
    paragraph: str
    about: str

    def answered_by(self, text: str) -> bool:
        """Say whether a statement of its paragraph holds an answer."""
        said = plain(text)
        return said in plain(self.paragraph) and any(plain(answer) in said for answer in self.answers)


@dataclass
class Tally:
    """What reports came to, one entry a question."""

    first: list[bool] = field(default_factory=list)
    summary: list[bool] = field(default_factory=list)
    gold: list[float] = field(default_factory=list)
    nothing: list[bool] = field(default_factory=list)
    unsure: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds qa/")
    parser.add_argument("--model", help="PROVIDER/NAME; without one the rules answer")
    parser.add_argument("--part", choices=("fit", "judge"), default="judge")
    parser.add_argument("--every", type=int, default=1, help="ask every N-th question only")
    parser.add_argument("--sets", default="en,de,es,reports")
    parser.add_argument("--docs", type=Path, help="the folder that the folders of --asked lie in, for the set `people`")
    parser.add_argument("--asked", type=Path, default=HELD_OUT, help="the questions of the set `people`")
    parser.add_argument("--show", action="store_true", help="print what each question got")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    given = parser.parse_args()
    rows: list[Row] = []
    for name in given.sets.split(","):
        with tempfile.TemporaryDirectory() as scratch:
            own = {"reports": filings, "people": people}.get(name)
            measured = own(given, Path(scratch)) if own else articles(given, name, Path(scratch))
            rows += asyncio.run(measured)
    report(f"Answers, part {given.part}, every {given.every}. question", rows)


def part_of(found: Sequence[Any], part: str) -> Sequence[Any]:
    """Return one of the two halves that share nothing."""
    return found[: len(found) // 2] if part == "fit" else found[len(found) // 2 :]


async def articles(given: argparse.Namespace, language: str, scratch: Path) -> list[Row]:
    """Measure reports over the articles of a language."""
    data = json.loads((given.data / "qa" / f"xquad-{language}-dev.json").read_text(encoding="utf-8"))["data"]
    found = part_of(data, given.part)
    known = found[: len(found) * 2 // 3]
    folder = written_to(scratch / "articles", known)
    settings = settings_of(given, folder, scratch / "read")
    async with Run("bench", settings, journal=Journal()) as run:
        await ingest(run, folder, embed=False, settings=settings.updated(retrieval__dense=False))
    tally = Tally()
    asked = [one for article in found for one in questions(article)]
    for number, one in enumerate(asked[:: given.every]):
        fresh = scratch / f"data{number}"
        shutil.copytree(scratch / "read", fresh)
        began = time.monotonic()
        made = await research(one.question, settings=settings_of(given, folder, fresh))
        tally.seconds.append(time.monotonic() - began)
        count(tally, one, made, known=any(one.about == article["title"] for article in known), show=given.show)
        shutil.rmtree(fresh)
    first, summary, gold = LIMITS[language]
    return [
        Row(f"{language}: answer in the first sentence ({len(tally.first)})", mean(tally.first), "", first, "least"),
        Row(f"{language}: answer in the summary", mean(tally.summary), "", summary, "least"),
        Row(f"{language}: cited sentences from the gold paragraph", mean(tally.gold), "", gold, "least"),
        Row(
            f"{language}: foreign, nothing found ({len(tally.nothing)})",
            mean(tally.nothing),
            "",
            LEAST_NOTHING,
            "least",
        ),
        Row(f"{language}: foreign, not sure", mean(tally.unsure)),
        Row(f"{language}: seconds a question, median", statistics.median(tally.seconds), "s"),
    ]


def written_to(folder: Path, articles: Sequence[dict[str, Any]]) -> Path:
    """Write each article to a file of a new folder."""
    folder.mkdir()
    for article in articles:
        text = "\n\n".join(paragraph["context"] for paragraph in article["paragraphs"])
        (folder / f"{article['title']}.md").write_text(f"# {article['title'].replace('_', ' ')}\n\n{text}\n", "utf-8")
    return folder


def settings_of(given: argparse.Namespace, folder: Path, data: Path) -> Settings:
    provider, _, model = (given.model or "").partition("/")
    return Settings(db=[folder], data_dir=data, provider=provider or None, model=model or None)


def questions(article: dict[str, Any]) -> list[Case]:
    return [
        Case(
            one["question"],
            tuple(answer["text"] for answer in one["answers"]),
            paragraph["context"],
            article["title"],
        )
        for paragraph in article["paragraphs"]
        for one in paragraph["qas"]
    ]


def count(tally: Tally, one: Case, made: Report, *, known: bool, show: bool) -> None:
    """Add what a report came to."""
    if not known:
        tally.nothing.append(made.outcome == "nothing_found")
        tally.unsure.append(made.outcome != "nothing_found" and made.confidence is None)
        if show and made.outcome != "nothing_found":
            print(f"FOREIGN {'unsure ' if tally.unsure[-1] else ''}{one.question}\n    {opening(made)[:200]}")
        return
    text = plain(opening(made)) if made.sections else ""
    held = list(map(plain, one.answers))
    tally.first.append(any(answer in plain(first_sentence(made)) for answer in held))
    tally.summary.append(any(answer in text for answer in held))
    paragraph = plain(one.paragraph)
    cited = [plain(citation.quote) in paragraph for citation in made.citations]
    if cited:
        tally.gold.append(statistics.fmean(cited))
    if show and not tally.first[-1]:
        print(
            "later " if tally.summary[-1] else "MISSED",
            f"{one.question} → {one.answers[0]}\n    {opening(made)[:300]}",
        )


def opening(made: Report) -> str:
    return made.sections[0].text if made.sections else f"({made.outcome})"


def first_sentence(made: Report) -> str:
    """Return the first sentence of a report, cut where it is long."""
    text = opening(made)
    spans = sentence_spans(text)
    return text[slice(*spans[0])][:LONGEST_FIRST] if spans else ""


def plain(text: str) -> str:
    """Return a text without what Markdown adds."""
    return " ".join(unicodedata.normalize("NFKC", text).replace("\\", "").replace("*", "").casefold().split())


async def filings(given: argparse.Namespace, scratch: Path) -> list[Row]:
    """Measure which passages are found for questions on the filings of companies."""
    folder = given.data / "qa" / "reports"
    lines = (given.data / "qa" / "reports-questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = part_of([json.loads(line) for line in lines], given.part)[:: given.every]
    plain_settings = Settings(db=[folder], data_dir=scratch / "read", retrieval__dense=False)
    began = time.monotonic()
    async with Run("bench", plain_settings, journal=Journal()) as run:
        await ingest(run, folder, embed=False)
    rows = [Row("filings: seconds to read 10 of them", time.monotonic() - began, "s")]
    depths: dict[int, list[bool]] = {2: [], 10: [], 50: []}
    for number, one in enumerate(asked):
        shutil.copytree(scratch / "read", scratch / f"data{number}")
        settings = Settings(db=[folder], data_dir=scratch / f"data{number}")
        async with Run(one["question"], settings, journal=Journal()) as run:
            hits = await retrieve(run, [folder], [one["question"]], max(depths))
        gold = {(f"{one['doc']}.pdf", page) for page in one["pages"]}
        places = [(hit.path, hit.passage.page) in gold for hit in hits]
        for depth, found in depths.items():
            found.append(any(places[:depth]))
        if given.show:
            rank = places.index(True) + 1 if any(places) else None
            print(
                f"{rank} {one['doc']} {one['pages']} {one['question'][:90]}",
                [(hit.path, hit.passage.page) for hit in hits[:3]],
            )
        shutil.rmtree(scratch / f"data{number}")
    limits = {10: 0.5}
    return rows + [
        Row(f"filings: gold page among the first {depth} passages", mean(found), "", limits.get(depth), "least")
        for depth, found in depths.items()
    ]


async def people(given: argparse.Namespace, scratch: Path) -> list[Row]:
    """Measure reports on what people asked of folders."""
    first, lead, seconds = list[bool](), list[bool](), list[float]()
    called, kept_back, unanswered = list[bool](), list[bool](), list[str]()
    anywhere, lengths = list[bool](), list[int]()
    for number, (folder, asked) in enumerate(asked_by_people([given.asked], given.docs).items()):
        for one in asked[:: given.every]:
            began = time.monotonic()
            made = await research(one.question, settings=settings_of(given, folder, scratch / f"data{number}"))
            seconds.append(time.monotonic() - began)
            is_called = made.confidence is not None
            if not one.known:
                unanswered.append("called" if is_called else made.outcome)
            else:
                first.append(one.answered_by(first_sentence(made)))
                lead.append(any(map(one.answered_by, statements(opening(made)))))
                every = [told for section in made.sections for told in statements(section.text)]
                anywhere.append(any(map(one.answered_by, every)))
                lengths.append(sum(len(section.text.split()) for section in made.sections))
                (called if is_called else kept_back).append(lead[-1])
            if given.show:
                marks = f"{'called' if is_called else made.outcome} {lead[-1] if one.known else 'unanswered'}"
                print(f"{marks}: {one.question}\n    {' '.join(opening(made).split())[:300]}")
    wrong = unanswered.count("called")
    return [
        Row(f"people: answer in the first sentence ({len(first)})", mean(first)),
        Row("people: answer in the summary", mean(lead)),
        Row("people: answer anywhere in the report", mean(anywhere)),
        Row("people: words of a report, mean", mean(lengths)),
        Row("people: called answered", mean([True] * len(called) + [False] * len(kept_back))),
        Row("people: called answered, and is", sum(called) / max(1, len(called) + wrong), "", 0.9, "least"),
        Row("people: may help, and answers", mean(kept_back)),
        Row(
            f"people: without an answer, nothing found ({len(unanswered)})",
            mean([outcome == "nothing_found" for outcome in unanswered]),
        ),
        Row("people: without an answer, called answered", wrong / max(1, len(unanswered))),
        Row("people: seconds a question, median", statistics.median(seconds), "s"),
    ]


def statements(text: str) -> list[str]:
    """Return the lines of a text and their sentences."""
    lines = text.splitlines()
    return [*lines, *(line[start:end] for line in lines for start, end in sentence_spans(line))]


def mean(found: Sequence[float | bool]) -> float:
    return statistics.fmean(found) if found else 0.0


if __name__ == "__main__":
    main()
