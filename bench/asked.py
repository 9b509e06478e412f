"""Questions that people wrote about folders of documents, with a pattern of the statements that answer each.

A line of such a file has five columns: folder, language, question, file, pattern. The last two are a dash where the
folder does not answer the question. In `packages*.tsv` a folder is what a package of Debian installs; what is held out
is for judging alone. There a sixth column has the grades that readers gave to statements of the folder, each behind the
digest of the statement below its headings: 2 for an answer, 1 for a part of one, 0 for neither; a dash without any.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class AskedByPeople:
    """A question about a folder, and the pattern that matches what answers it; empty where nothing there does.

    `grades` are those of statements, by their digests.
    """

    question: str
    language: str
    pattern: str
    grades: dict[str, int] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether the folder answers it."""
        return bool(self.pattern)

    def answered_by(self, text: str) -> bool:
        """Say whether a statement answers."""
        return self.known and re.search(self.pattern, " ".join(text.split()), re.IGNORECASE) is not None


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
