"""The RAG agent: finds the passages of the user's files that are relevant to a task."""

import asyncio
import os
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from ..evidence.dating import dated
from ..kernel.argument import validated
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
from ..rag.brief import SNIPPET, best_sentence, keywords
from ..rag.joining import joined
from ..rag.lexical import NAMED, shares
from ..rag.retrieve import COLLECTED, MOST_FILES, openings
from ..rag.walk import PICTURES, is_picture
from ..ranking import DOCUMENTS, wanted
from .research_agent import ResearchAgent

SHARE_FOR_READING = 0.6
"""Share of the agent's deadline for reading files; the next run reads the files that remain."""

MOST_FITTING = 3  # skipped files that a report names at the top, because their names match the question


@validated
class RAG_agent(ResearchAgent):
    """Answers a task with the files that contain its best passages, one record per file.

    An agent without settings of its own takes `top_k` passages per query; one with settings, as in a report, collects
    as many as these say, for the reporter to choose from. The index of each configured folder is updated once per run,
    by the first task.

    Set `filelist` to restrict the agent to these files and folders, which must lie within the configured folders. The
    list is recorded in the journal, so a resumed run has the same restriction. If left empty, it is filled with the
    files that were found.
    """

    name = "local-retrieval"
    searches = "files"
    description = (
        "Searches the user's own files (documents, notes, tables, mail) and returns the passages that bear on the "
        "task, each with its file and place. Give it every sub-question that the user's files may answer."
    )

    def __init__(self, model: Model | None = None, top_k: int = 2) -> None:
        super().__init__(model)
        self._top_k = top_k
        self.filelist: Sequence[str | Path] = []
        self._files: list[str] = []
        self._reset()

    def _reset(self) -> None:
        """Clear the state of the last run, except a `filelist` that the user set."""
        if self.filelist == self._files:
            self.filelist = []
        self._files = []
        self._reading = asyncio.Lock()
        self._folders: list[Path] | None = None
        self._display_folders: dict[str, str] = {}

    def attach(self, run: Run) -> None:
        """Attach a new run and clear the state of the previous one."""
        super().attach(run)
        self._reset()

    async def prepare(self, question: str) -> None:  # noqa: ARG002 the folders are read for any question
        """Read the folders while the plan is being made."""
        await self._read_folders()

    async def run(self, response: str, data: list[Any] | None = None) -> Message:
        """Search the folders for the task `response`; return `data` plus a record for each file with relevant passages.

        Raises FolderError if no folder can be read.
        """
        folders = await self._read_folders()
        hits = await self._hits(folders, response)
        await self._check_language(folders, response, hits)
        by_file = [list(group) for _, group in groupby(sorted(hits, key=_file), key=_file)]
        sources = await asyncio.gather(*(self._source(response, group) for group in by_file))
        ordered = sorted(sources, key=lambda source: (-source.score, source.path))
        return self.answer(response, data, ordered)

    async def _hits(self, folders: list[Path], task: str) -> list[Hit]:
        """Return the passages relevant to a task, or each document's opening if it asks which documents there are."""
        if wanted(task) == DOCUMENTS:
            hits = await openings(self.context, folders, settings=self.settings)
            if len(hits) == MOST_FILES < len(self._files):
                self.context.notice(Notice("first_files", shown=len(hits), files=len(self._files)))
            return hits
        top_k = self._top_k if self.own_settings is None else self.own_settings.retrieval.top_k
        hits = await retrieve(self.context, folders, self.planned(task) or [task], top_k, settings=self.settings)
        return hits if top_k < COLLECTED else hits[:top_k]

    # Reading

    async def _read_folders(self) -> list[Path]:
        """Return the folders that can be searched; the first call of a run ingests them."""
        async with self._reading:
            if self._folders is None:
                self.context.emit(PhaseChanged("LOCAL_RETRIEVAL", "started"))
                self._folders = await self._ingested(await self._search_paths())
                self.filelist = self.filelist or self._files
                self.context.emit(PhaseChanged("LOCAL_RETRIEVAL", "completed", {"files": len(self._files)}))
        return self._folders

    async def _search_paths(self) -> list[Path]:
        """Return the configured folders, or the paths within them that `filelist` names; report missing entries.

        Raises FolderError if no entry of `filelist` is found.
        """
        folders = list(dict.fromkeys(self.settings.folders))
        self.filelist = self.context.fact(f"filelist of {self.name}", [str(entry) for entry in self.filelist])
        if not self.filelist:
            return folders
        entries, names = list(map(str, self.filelist)), list(map(str, folders))
        request = {"files": entries, "folders": names}
        resolved = await self.context.effect("filelist", request, lambda: in_thread(_resolve_entries, entries, folders))
        for entry in resolved["missing"]:
            self.context.fail(self.name, entry, Notice("file_not_listed"))
        self._display_folders = resolved["above"]
        if not resolved["places"]:
            raise FolderError(
                "No entry of the file list is in a searched folder",
                where=", ".join(names),
                remedy="Use absolute paths, or paths relative to such a folder.",
            )
        return [Path(path) for path in resolved["places"]]

    async def _ingested(self, folders: list[Path]) -> list[Path]:
        """Ingest the folders concurrently; return those that could be read. Raises the first error if all fail."""
        seconds = SHARE_FOR_READING * self.context.budget.within(self.settings.research.agent_deadline)
        ingests = (
            ingest(self.context, folder, embed=False, seconds=seconds, settings=self.settings) for folder in folders
        )
        outcomes = await asyncio.gather(*ingests, return_exceptions=True)
        usable, failed = [], []
        for folder, outcome in zip(folders, outcomes, strict=True):
            if isinstance(outcome, IngestSummary):
                usable.append(folder)
                self._report_ingest(outcome)
            elif isinstance(outcome, SpyglassError):
                failed.append(outcome)
                self.context.fail(self.name, str(folder), outcome.message)
            else:
                raise outcome
        if failed and not usable:
            raise failed[0]
        return usable

    def _report_ingest(self, summary: IngestSummary) -> None:
        """Remember the files of an ingested folder, and issue notices about the outcome and skipped files."""
        self._files += [str(Path(summary.base, path)) for path in summary.paths]
        folder = summary.folder
        if not summary.paths:
            self.context.notice(Notice("folder_empty", folder=folder))
            return
        read = Notice("folder_read", folder=folder, files=summary.files, passages=summary.chunks)
        missed = summary.missed
        if skipped := len(missed):
            read = Notice("folder_read_in_part", **read.values, skipped=skipped)
        self.context.notice(read, emitted=True)
        if summary.unread:
            self.context.notice(Notice("files_left", files=summary.unread, folder=folder))
        fitting = set(_fitting(self.context.question, summary))
        for path, reason in missed:
            if path in fitting:
                self.context.notice(Notice(UNREAD, what=path, why=reason))
        others = [(path, reason) for path, reason in missed if path not in fitting]
        for path, reason in others[:1]:
            example = {"what": path, "why": reason}
            several = Notice("files_unread", files=len(others), folder=folder, **example)
            self.context.notice(several if len(others) > 1 else Notice("not_read", **example), emitted=True)

    async def _check_language(self, folders: list[Path], task: str, hits: Sequence[Hit]) -> None:
        """Issue a notice if most hits are in another language than the task, because word matching then finds little.

        Without hits, the openings of the files are checked instead. If the best hit is in the task's language, none is
        issued.
        """
        task_language = language_of(task)
        best = max(hits, key=lambda hit: hit.passage.score, default=None)
        same_language = best is not None and language_of(best.passage.text) == task_language
        if task_language is None or same_language or self.settings.embedder.provider is not None:
            return
        samples = hits or await openings(self.context, folders, settings=self.settings)
        languages = Counter(filter(None, (language_of(hit.passage.text) for hit in samples)))
        commonest, count = next(iter(languages.most_common(1)), (task_language, 0))
        if commonest != task_language and 2 * count > languages.total():
            self.context.notice(Notice(OTHER_LANGUAGE, language=own_name(commonest)))

    # Records

    async def _source(self, task: str, hits: list[Hit]) -> Source:
        """Return the record of the file that contains these hits."""
        best = max(hits, key=lambda hit: hit.passage.score)
        file = Path(best.base, best.path)
        text = await in_thread(self.context.journal.snapshot, best.snapshot)
        assert text is not None  # stored together with the hit
        passages = joined([hit.passage for hit in hits], text)
        several_folders = len(self.settings.folders) > 1
        display_folder = self._display_folders.get(best.base, Path(best.base).name if several_folders else "")
        title = best.title.strip() or file.stem
        return Source(
            title=title,
            summary=await self.summary_of(task, title, passages),
            brief_summary=best_sentence(best.passage.text, task),
            keywords=keywords(passages),
            url=file.as_uri(),
            kind="file",
            path=f"{display_folder}/{best.path}".removeprefix("/"),
            snippet=shortened_line(best.passage.text, SNIPPET),
            score=best.passage.score,
            published=dated(file.stem, text, self.context.started.year),
            snapshot=best.snapshot,
            retrieved_at=self.context.started.isoformat(),
            extractor=best.extractor,
            location=", ".join(dict.fromkeys(passage.place for passage in passages if passage.place)),
            task=task,
            passages=passages,
        )


def _fitting(question: str, summary: IngestSummary) -> list[str]:
    """Return up to MOST_FITTING skipped files whose names match the question at least NAMED times as well as the best.

    Words of the folder's own name do not count. Pictures among other pictures are left out, because they belong to a
    page, as a logo does.
    """
    pictures = Counter(Path(path).parent for path in summary.paths if is_picture(path))
    unread = dict.fromkeys(path for path, _ in summary.missed)
    skipped = [path for path in unread if not is_picture(path) or pictures[Path(path).parent] < PICTURES]
    folder_terms = set(terms(Path(summary.base).name))
    question_terms = [term for term in terms(question) if term not in folder_terms]
    matched = shares(question_terms, {path: Path(path).stem for path in [*summary.paths, *skipped]})
    return [path for path in skipped if matched[path] >= NAMED][:MOST_FITTING]


def _resolve_entries(entries: Sequence[str], folders: Sequence[Path]) -> dict[str, Any]:
    """Return each entry's path within the folders and the folder that a report shows for it, and the missing entries.

    Blocks.
    """
    roots = [Path(os.path.realpath(folder.expanduser())) for folder in folders]
    paths, display_folders, missing = list[str](), dict[str, str](), list[str]()
    for entry in entries:
        candidates = (Path(os.path.realpath(base / Path(entry).expanduser())) for base in (Path.cwd(), *roots))
        match = next(
            ((path, root) for path in candidates for root in roots if path.is_relative_to(root) and path.exists()), None
        )
        if match is None:
            missing.append(entry)
            continue
        path, root = match
        base = path if path.is_dir() else path.parent
        subfolder = base.relative_to(root) if root.is_dir() else Path()
        paths.append(str(path))
        display_folders[str(base)] = Path(root.name if len(roots) > 1 else "", subfolder).as_posix().removeprefix(".")
    return {"places": list(dict.fromkeys(paths)), "above": display_folders, "missing": missing}


def _file(hit: Hit) -> tuple[str, str]:
    return hit.base, hit.path
