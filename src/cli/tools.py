"""`spyglass search`, `research` and `crawl`: call a tool and print its answer."""

import json
import re
from pathlib import Path
from typing import Any, Final

from ..kernel.errors import UsageError
from ..kernel.events import Event
from ..kernel.one_line import sanitized
from ..kernel.outcome import Outcome
from ..kernel.settings import Settings
from ..tools import crawl_site, web_search
from ..tools.answers import WebSearch
from ..tools.crawl_site import CrawledPage, SiteCrawl
from ..tools.recorded_tool import Answer
from ..tools.tool_event import Teller, ToolEvent
from .console import show_markdown, tell, write, write_json
from .loop import RunContext
from .options import Output
from .progress import TerminalProgress

LONGEST_NAME: Final = 60  # characters of a page's title in the name of its file

_CITATION = re.compile(r'<web_citation url="[^"]*" title="[^"]*">(\[\d+\])</web_citation>')
_MARK = re.compile(r"<source_(\d+)>")
_PARTIAL_MARK = re.compile(r"<[^<>]{0,40}\Z")


def call_tool(
    tool: Any,
    arguments: dict[str, Any],
    settings: Settings,
    output: Output,
    *,
    folder: Path | None = None,
    resume: Path | None = None,
) -> Outcome:
    """Print the answer of a tool, or of the run to `resume`, and return the outcome.

    After Ctrl-C the results so far are printed. The pages of a crawl are also written to the `folder`.
    """
    with RunContext() as context:
        with TerminalProgress(quiet=output.quiet) as progress:
            answer = context.call(tool, arguments, settings, progress, resume)
        if folder is not None:
            _write_pages(answer, folder)
        show_answer(answer, as_json=output.as_json)
        return context.run.outcome


def crawl_to(question: str, settings: Settings, folder: Path | None, output: Output) -> Outcome:
    """Crawl the site of the settings, as `call_tool` does. Raises UsageError for a folder that is not empty."""
    if folder is not None and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} already exists", where="--out", remedy="Choose a folder that is new or empty.")
    arguments = {"url": settings.sites[0], "question": question}
    return call_tool(crawl_site, arguments, settings, output, folder=folder)


def answer_query(
    query: str, settings: Settings, output: Output, *, stream: bool = False, resume: Path | None = None
) -> Outcome:
    """Print the answer to a query, or of the run to `resume`, and return the outcome; `stream` prints it as it arrives.

    In JSON a stream has one event per line, the last one `tool_end` with the result, or `error`. Steps, notices and
    failures go to standard error, delayed until the answer's end while it is being written.
    """
    printer = _Printer(query, as_json=output.as_json) if stream else None
    held_back: list[Event] = []

    def show(event: Event) -> None:
        if printer is not None:
            printer(event)
        if printer is not None and printer.is_writing:
            held_back.append(event)
        else:
            progress(event)

    with RunContext() as context:
        with TerminalProgress(quiet=output.quiet, steps=stream) as progress:
            answer: WebSearch = context.call(web_search, {"query": query}, settings, show, resume)
        if printer is not None:
            printer.end(answer)
        else:
            show_answer(answer, as_json=output.as_json)
        for event in held_back:
            progress(event)
        if not output.quiet:
            for failure in context.run.failures:
                tell(f"Note: {failure.who}: {failure.what}: {failure.why}")
        return context.run.outcome


def show_answer(answer: Answer, *, as_json: bool) -> None:
    """Print a tool's answer; as JSON, a crawl includes the texts and links of its pages."""
    if as_json:
        write_json(answer.to_record(texts=True) if isinstance(answer, SiteCrawl) else answer.to_record())
    elif isinstance(answer, WebSearch):
        write(f"{_shown(answer)}\n{_sources(answer)}")
    else:
        show_markdown(answer.markdown)


class _Printer:
    """Prints a search while it runs."""

    def __init__(self, query: str, *, as_json: bool) -> None:
        self._teller = Teller(query)
        self._as_json = as_json
        self._held = ""

    @property
    def is_writing(self) -> bool:
        """Whether an answer is being written, with which other output would mix."""
        return bool(self._teller.response) and not self._as_json

    def __call__(self, event: Event) -> None:
        """Print the output of an event."""
        tool_event = self._teller.update(event)
        if tool_event is not None and self._as_json:
            _write_line(tool_event)
        elif tool_event is not None and tool_event.name == "tool_partial_update":
            self._text(tool_event.data["content"])

    def _text(self, piece: str) -> None:
        """Print a piece of the answer; an incomplete citation mark is buffered until it is complete."""
        text = _MARK.sub(r"[\1]", self._held + piece)
        partial_mark = _PARTIAL_MARK.search(text)
        self._held = partial_mark[0] if partial_mark else ""
        write(text.removesuffix(self._held))

    def end(self, answer: WebSearch) -> None:
        """Print the rest of the answer and its sources."""
        if self._as_json:
            _write_line(ToolEvent("tool_end", answer.to_record()))
        else:
            text = self._held if self._teller.response else _shown(answer)
            write(f"{sanitized(text)}\n\n{_sources(answer)}")


def _write_line(event: ToolEvent) -> None:
    write(json.dumps({"event": event.name, "data": event.data}) + "\n")


def _shown(answer: WebSearch) -> str:
    return sanitized(_CITATION.sub(r"\1", answer.response)) + "\n"


def _sources(answer: WebSearch) -> str:
    used = [source for source in answer.sources if source.used_in_response]
    return "".join(
        f"[{source.rank}] {sanitized(' '.join(source.title.split()))} {sanitized(source.url)}\n" for source in used
    )


def _write_pages(crawl: SiteCrawl, folder: Path) -> None:
    """Write each page to its own file; the file names sort in the order in which the pages were read."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, page in enumerate(crawl.pages, 1):
        path = folder / f"{number:04d}-{_name(page)}.md"
        path.write_text(f"<!-- {page.url.replace('--', '%2D%2D')} -->\n\n{page.text}\n", encoding="utf-8")


def _name(page: CrawledPage) -> str:
    return re.sub(r"\W+", "-", page.title.lower()).strip("-")[:LONGEST_NAME] or "page"
