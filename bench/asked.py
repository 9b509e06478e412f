"""Questions that people wrote about folders of documents, with a pattern of the statements that answer each.

A line of such a file has five columns: folder, language, question, file, pattern. The last two are a dash where the
folder does not answer the question. In `packages*.tsv` a folder is what a package of Debian installs; what is held out
is for judging alone. There a sixth column has the grades that readers gave to statements of the folder, each behind the
digest of the statement below its headings: 2 for an answer, 1 for a part of one, 0 for neither; a dash without any.

`folders.tar.xz` holds folders of made-up documents as people have them, each with `docs/` and `questions.tsv`: in eight
languages `learnt/` and, for judging, `held_out/`; `learnt_english/`; and `english/`, of which no model has learnt. A
line of `questions.tsv` is a question, a file and the text in it that answers, several texts with `||` between them;
`NONE` twice where nothing does. Languages begin the folders' names.
"""

import re
import tarfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ARCHIVE = Path(__file__).with_name("asked") / "folders.tar.xz"

MOST_OF = 0.4
"""The share of a text that answers from which a statement within it does."""


@dataclass(frozen=True)
class AskedByPeople:
    """A question about a folder, and the pattern that matches what answers it; empty where nothing there does.

    `grades` are those of statements, by their digests. `answers` are texts that answer, instead of a pattern.
    """

    question: str
    language: str
    pattern: str
    grades: dict[str, int] = field(default_factory=dict)
    answers: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether the folder answers it."""
        return bool(self.pattern or self.answers)

    def answered_by(self, text: str) -> bool:
        """Say whether a statement answers."""
        if self.pattern:
            return re.search(self.pattern, " ".join(text.split()), re.IGNORECASE) is not None
        return any(_answers(_plain(text), one) for one in self.answers)


def asked_by_people(files: Sequence[Path], docs: Path) -> dict[Path, list[AskedByPeople]]:
    """Return the questions of files by their folder, which lies in `docs`; of folders that are not there, none."""
    found: dict[Path, list[AskedByPeople]] = defaultdict(list)
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            folder, language, question, _, pattern, *graded = line.split("\t")
            if (docs / folder).is_dir():
                found[docs / folder].append(
                    AskedByPeople(question, language, "" if pattern == "-" else pattern, _grades(graded))
                )
    return found


def _grades(columns: Sequence[str]) -> dict[str, int]:
    pairs = (graded.split(":") for column in columns if column != "-" for graded in column.split())
    return {key: int(grade) for key, grade in pairs}


def asked_of_folders(part: str, into: Path) -> dict[Path, list[AskedByPeople]]:
    """Return the questions of a part of the ARCHIVE by their folder, which is unpacked there."""
    with tarfile.open(ARCHIVE) as archive:
        own = [member for member in archive if member.name.startswith(f"{part}/")]
        archive.extractall(into, own, filter="data")
    found = {}
    for folder in sorted((into / part).iterdir()):
        language = folder.name.rstrip("0123456789")
        lines = (folder / "questions.tsv").read_text(encoding="utf-8").splitlines()
        rows = (line.split("\t") for line in lines)
        found[folder / "docs"] = [
            AskedByPeople(question, language, "", answers=() if file == "NONE" else tuple(text.split(" || ")))
            for question, file, text in rows
        ]
    return found


def _answers(own: str, answer: str) -> bool:
    """Say whether a plain text has an answer, or is most of it; of a row it has each cell, with names between them."""
    if answer.startswith("|"):
        return all(_plain(cell) in own for cell in answer.split("|"))
    whole = _plain(answer)
    return whole in own or (own in whole and len(own) >= MOST_OF * len(whole))


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip().casefold()
