"""The RAG agent: finds what the user's own files say about a task."""

import asyncio
import os
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ..answer import DOCUMENTS, wanted
from ..kernel.argument import door
from ..kernel.errors import FolderError, SpyglassError
from ..kernel.events import PhaseChanged
from ..kernel.language import language_of, own_name
from ..kernel.message import Message
from ..kernel.notice import OTHER_LANGUAGE, UNREAD, Notice
from ..kernel.one_line import shortened_line
from ..kernel.run import Run
from ..kernel.source import Source
from ..kernel.term import terms
from ..kernel.thread import in_thread
from ..model import Model
from ..rag import Hit, IngestSummary, ingest, retrieve
from ..rag.brief import SNIPPET, best_sentence, joined, keywords
from ..rag.lexical import NAMED, shares
from ..rag.retrieve import COLLECTED, MOST_FILES, openings
from ..rag.walk import PICTURES, is_picture
from .agent import Agent, Received, Sent
from .summary import summary

SHARE_FOR_READING = 0.6
"""Share of the agent's deadline that reading files may take; what is not read by then is left to the next run."""

MOST_FITTING = 3  # skipped files that a report names on top, since their names fit the question


@door
class RAG_agent(Agent):
    """Answers a task with the files that hold its best passages, one record a file.

    An agent that is made by hand takes `top_k` passages a query; one with settings of its own, as in a report, collects
    as many as these say, for the reporter to choose from. The index of each configured folder is brought up to date
    once a run, by the first task. With a model, and the setting `summarise`, a record's summary is the model's;
    otherwise it is the passages themselves. `db` holds every record of the run.

    `filelist` is set to the files and folders, within those that are configured, to which an agent is limited: no other
    is read. Which they are is on record, so that the run is limited whoever goes on with it. Where it is left empty it
    holds the files that were found.
    """

    name = "local-retrieval"
    searches = "files"
    description = (
        "Searches the user's own files (documents, notes, tables, mail) and returns the passages that bear on the "
        "task, each with its file and place. Give it every sub-question that the user's files may answer."
    )

    def __init__(self, model: Model | None = None, top_k: int = 2) -> None:
        self.model = model
        self._top_k = top_k
        self.filelist: Sequence[str | Path] = []
        self._found: list[str] = []
        self._begin()

    def _begin(self) -> None:
        """Know nothing of what is found; what the user set stays."""
        if self.filelist == self._found:
            self.filelist = []
        self._found = []
        self.db: list[dict[str, Any]] = []
        self._reading = asyncio.Lock()
        self._folders: list[Path] | None = None
        self._above: dict[str, str] = {}

    def attach(self, run: Run) -> None:
        """Take a new run, and forget what was found in the one before."""
        super().attach(run)
        self._begin()

    def get_recv_format(self) -> type[BaseModel] | None:
        """Return the format of the house."""
        return Received

    def get_send_format(self) -> type[BaseModel] | None:
        """Return the format of the house."""
        return Sent

    async def prepare(self, question: str) -> None:  # noqa: ARG002 the folders are read whatever is asked
        """Read the folders while the plan is being made."""
        await self._read_folders()

    async def run(self, response: str, data: list[Any] | None = None) -> Message:
        """Search the folders for the task `response`; answer `data` with a record for each file that says something.

        Raises FolderError when no folder can be read at all.
        """
        folders = await self._read_folders()
        hits = await self._hits(folders, response)
        await self._tell_language(folders, response, hits)
        by_file = [list(group) for _, group in groupby(sorted(hits, key=_file), key=_file)]
        sources = await asyncio.gather(*(self._source(response, group) for group in by_file))
        ordered = sorted(sources, key=lambda source: (-source.score, source.path))
        records = [source.model_dump(mode="json") for source in ordered]
        self.db += records
        return {"agent": "planner", "task": response, "data": [*(data or []), *records]}

    async def _hits(self, folders: list[Path], task: str) -> list[Hit]:
        """Return the passages that serve a task: where it asks what the documents are, the beginning of each."""
        if wanted(task) == DOCUMENTS:
            found = await openings(self.context, folders, settings=self.settings)
            if len(found) == MOST_FILES < len(self._found):
                self.context.notice(Notice("first_files", shown=len(found), files=len(self._found)))
            return found
        top_k = self._top_k if self.own_settings is None else self.own_settings.retrieval.top_k
        hits = await retrieve(self.context, folders, self._queries(task), top_k, settings=self.settings)
        return hits if top_k < COLLECTED else hits[:top_k]

    def _queries(self, task: str) -> list[str]:
        """Return the queries that the plan has for this task, or else the task itself."""
        planned = (one for one in self.context.plan.tasks if one.task == task and one.agent == self.name)
        return [query for one in planned for query in one.queries] or [task]

    # Reading

    async def _read_folders(self) -> list[Path]:
        """Return the folders that can be searched, each ingested once a run, whichever task comes first."""
        async with self._reading:
            if self._folders is None:
                self.context.emit(PhaseChanged("LOCAL_RETRIEVAL", "started"))
                self._folders = await self._ingested(await self._places())
                self.filelist = self.filelist or self._found
                self.context.emit(PhaseChanged("LOCAL_RETRIEVAL", "completed", {"files": len(self._found)}))
        return self._folders

    async def _places(self) -> list[Path]:
        """Return the configured folders, or what of them the file list names. Raises FolderError when that is nothing.

        What it names that is not there is told.
        """
        folders = list(dict.fromkeys(self.settings.folders))
        self.filelist = self.context.fact(f"filelist of {self.name}", [str(entry) for entry in self.filelist])
        if not self.filelist:
            return folders
        entries, names = list(map(str, self.filelist)), list(map(str, folders))
        request = {"files": entries, "folders": names}
        found = await self.context.effect("filelist", request, lambda: in_thread(_listed, entries, folders))
        for entry in found["missing"]:
            self.context.fail(self.name, entry, Notice("file_not_listed"))
        self._above = found["above"]
        if not found["places"]:
            raise FolderError(
                "Nothing that the file list names is in a folder that is searched",
                where=", ".join(names),
                remedy="Name files by their paths, absolute or within a folder.",
            )
        return [Path(place) for place in found["places"]]

    async def _ingested(self, folders: list[Path]) -> list[Path]:
        """Ingest the folders side by side; raise what the first one failed with when all failed."""
        seconds = SHARE_FOR_READING * self.context.budget.within(self.settings.research.agent_deadline)
        ingests = (
            ingest(self.context, folder, embed=False, seconds=seconds, settings=self.settings) for folder in folders
        )
        outcomes = await asyncio.gather(*ingests, return_exceptions=True)
        usable, failed = [], []
        for folder, outcome in zip(folders, outcomes, strict=True):
            if isinstance(outcome, IngestSummary):
                usable.append(folder)
                self._tell(outcome)
            elif isinstance(outcome, SpyglassError):
                failed.append(outcome)
                self.context.fail(self.name, str(folder), outcome.told)
            else:
                raise outcome
        if failed and not usable:
            raise failed[0]
        return usable

    def _tell(self, summary: IngestSummary) -> None:
        """Keep the list of files, and say what reading them came to."""
        self._found += [str(Path(summary.base, path)) for path in summary.paths]
        folder = summary.folder
        if not summary.paths:
            self.context.notice(Notice("folder_empty", folder=folder))
            return
        read = Notice("folder_read", folder=folder, files=summary.files, passages=summary.chunks)
        missed = summary.missed
        if skipped := len(missed):
            read = Notice("folder_read_in_part", **read.values, skipped=skipped)
        self.context.notice(read, told=True)
        if summary.unread:
            self.context.notice(Notice("files_left", files=summary.unread, folder=folder))
        fitting = set(_fitting(self.context.question, summary))
        for path, reason in missed:
            if path in fitting:
                self.context.notice(Notice(UNREAD, what=path, why=reason))
        others = [one for one in missed if one[0] not in fitting]
        for path, reason in others[:1]:
            named = {"what": path, "why": reason}
            several = Notice("files_unread", files=len(others), folder=folder, **named)
            self.context.notice(several if len(others) > 1 else Notice("not_read", **named), told=True)

    async def _tell_language(self, folders: list[Path], task: str, hits: Sequence[Hit]) -> None:
        """Say where most of what was found, or of the files, is in another language than the task: words tell little.

        Where nothing was found, that may be why; where the best passage is in the language of the task, all is well.
        """
        asked = language_of(task)
        best = max(hits, key=lambda hit: hit.passage.score, default=None)
        is_read = best is not None and language_of(best.passage.text) == asked
        if asked is None or is_read or self.settings.embedder.provider is not None:
            return
        texts = hits or await openings(self.context, folders, settings=self.settings)
        found = Counter(filter(None, (language_of(hit.passage.text) for hit in texts)))
        most, number = next(iter(found.most_common(1)), (asked, 0))
        if most != asked and 2 * number > found.total():
            self.context.notice(Notice(OTHER_LANGUAGE, language=own_name(most)))

    # Records

    async def _source(self, task: str, hits: list[Hit]) -> Source:
        """Return one file's record."""
        first = max(hits, key=lambda hit: hit.passage.score)
        file = Path(first.base, first.path)
        text = await in_thread(self.context.journal.snapshot, first.snapshot)
        assert text is not None  # kept when it was found
        passages = joined([hit.passage for hit in hits], text)
        several = len(self.settings.folders) > 1
        above = self._above.get(first.base, Path(first.base).name if several else "")
        title = first.title.strip() or file.stem
        return Source(
            title=title,
            summary=await summary(
                self.context, self.model, self.settings, who=self.name, task=task, title=title, passages=passages
            ),
            brief_summary=best_sentence(first.passage.text, task),
            keywords=keywords(passages),
            url=file.as_uri(),
            kind="file",
            path=f"{above}/{first.path}".removeprefix("/"),
            snippet=shortened_line(first.passage.text, SNIPPET),
            score=first.passage.score,
            snapshot=first.snapshot,
            retrieved_at=self.context.started.isoformat(),
            extractor=first.extractor,
            location=", ".join(dict.fromkeys(passage.place for passage in passages if passage.place)),
            task=task,
            passages=passages,
        )


def _fitting(question: str, summary: IngestSummary) -> list[str]:
    """Return the skipped files whose names say as much of the question as the best ones do, a few of them.

    What the folder's own name says is no mark of a file in it. A picture among pictures is none: it belongs to a page,
    as a logo does.
    """
    pictures = Counter(Path(path).parent for path in summary.paths if is_picture(path))
    unread = dict.fromkeys(path for path, _ in summary.missed)
    skipped = [path for path in unread if not is_picture(path) or pictures[Path(path).parent] < PICTURES]
    above = set(terms(Path(summary.base).name))
    asked = [term for term in terms(question) if term not in above]
    said = shares(asked, {path: Path(path).stem for path in [*summary.paths, *skipped]})
    return [path for path in skipped if said[path] >= NAMED][:MOST_FITTING]


def _listed(entries: Sequence[str], folders: Sequence[Path]) -> dict[str, Any]:
    """Return where each entry is within the folders, and what of its path there a report shows above it. Blocks."""
    roots = [Path(os.path.realpath(folder.expanduser())) for folder in folders]
    places, above, missing = list[str](), dict[str, str](), list[str]()
    for entry in entries:
        path = Path(entry).expanduser()
        tried = (Path(os.path.realpath(base / path)) for base in (Path.cwd(), *roots))
        there = next(
            ((one, root) for one in tried for root in roots if one.is_relative_to(root) and one.exists()), None
        )
        if there is None:
            missing.append(entry)
            continue
        place, root = there
        base = place if place.is_dir() else place.parent
        beneath = base.relative_to(root) if root.is_dir() else Path()
        places.append(str(place))
        above[str(base)] = Path(root.name if len(roots) > 1 else "", beneath).as_posix().removeprefix(".")
    return {"places": list(dict.fromkeys(places)), "above": above, "missing": missing}


def _file(hit: Hit) -> tuple[str, str]:
    return hit.base, hit.path
