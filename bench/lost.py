"""Where answers are lost without a model: `python bench/lost.py --docs DIR [--asked FILE]`.

Asks what people asked of the folders in DIR, as a report does, and counts of how many questions the answer is still
there after each step: in the passages found, in the statements that the cross-encoder reads, in the best five of these,
in the best one; how many are called answered, and how many of those rightly. DIR holds a folder for each package of
Debian that FILE names, with what the package installs (`dpkg-deb --extract`). Only the statements that the patterns
match count; another one may answer as well.
"""

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from asked import AskedByPeople, asked_by_people
from ranking_examples import candidates_of
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.rag import ingest
from spyglass.ranking import ranker
from spyglass.ranking.candidate import Question
from table import Row, report

ASKED = Path(__file__).with_name("asked") / "packages_held_out.tsv"
FIRST = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docs", type=Path, required=True, help="the folder that the folders of --asked lie in")
    parser.add_argument("--asked", type=Path, default=ASKED, help="the questions")
    given = parser.parse_args()
    counts = asyncio.run(counted(asked_by_people([given.asked], given.docs)))
    rows = [Row(name, float(number)) for name, number in counts.items()]
    report(f"Where answers are lost, {given.asked.name}", rows)


async def counted(asked: dict[Path, list[AskedByPeople]]) -> Counter[str]:
    """Return the number of questions that come so far, by step, in the order of the steps."""
    counts = Counter[str]()
    for folder, questions in asked.items():
        with tempfile.TemporaryDirectory() as data:
            settings = Settings(db=[folder], data_dir=Path(data))
            async with Run("bench", settings, journal=Journal()) as run:
                await ingest(run, folder, embed=True)
                for one in questions:
                    counts.update(await steps(run, folder, one))
    return counts


async def steps(run: Run, folder: Path, one: AskedByPeople) -> Sequence[str]:
    """Return the steps after which the answer to a question is still there."""
    candidates = await candidates_of(run, folder, one.question)
    answering = {number for number, candidate in enumerate(candidates) if one.answered_by(candidate.text)}
    read, *_ = await ranker.choose_and_score(run, run.settings, Question(one.question, candidates), candidates)
    ranking = await ranker.ranked(run, run.settings, one.question, candidates)
    best = [candidate.number for candidate in ranking.ranked]
    is_called = ranking.verdict == "answered"
    if not one.known:
        return ["without an answer", *(["without an answer, called answered"] if is_called else [])]
    reached = {
        "with an answer": True,
        "found": bool(answering),
        "read": bool(answering.intersection(read)),
        f"among the best {FIRST}": bool(answering.intersection(best[:FIRST])),
        "the best": bool(answering.intersection(best[:1])),
        "called answered": is_called,
        "called answered, and the best": is_called and bool(answering.intersection(best[:1])),
    }
    return [name for name, is_so in reached.items() if is_so]


if __name__ == "__main__":
    main()
