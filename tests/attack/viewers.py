"""What the outputs of a report ask for when they are opened in what one usually opens them in."""

import html
import io
import json
import re
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from pydantic import ValidationError

from documents import files
from spyglass.report import Report

_ADDRESS: Final = re.compile(r"https?://[^\s\"'<>)\\]+")
_PLAIN: Final = frozenset({"", "text", "txt", "plain", "plaintext"})
_ACTIONS: Final = re.compile(
    rb"/(?:JavaScript|JS|OpenAction|AA|Launch|SubmitForm|ImportData|GoToR|GoToE|RichMedia|EmbeddedFile|FFilter)\b"
)
"""What makes a PDF do more than show itself and follow a link that is clicked."""

_STREAM: Final = re.compile(rb"stream\r?\n.*?endstream", re.DOTALL)
_HYPERLINK: Final = re.compile(r"/hyperlink$")
_RELATIONSHIP: Final = re.compile(r"<Relationship\b[^>]*>")
_LOADING: Final = re.compile(r"INCLUDEPICTURE|INCLUDETEXT|DDEAUTO|<w:altChunk|<w:attachedTemplate")


def in_markdown(text: str) -> str:
    """Return a Markdown text as the page of a viewer that draws HTML, and every diagram that a fence may hold.

    Of a fence that is not plain text the viewer is taken to load every address.
    """
    markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

    def fence(_: RendererHTML, tokens: Sequence[Any], index: int, *_rest: object) -> str:
        name, content = tokens[index].info.strip().lower(), tokens[index].content
        drawn = [] if name in _PLAIN else _ADDRESS.findall(content)
        return f"<pre>{html.escape(content)}</pre>{''.join(f'<img src={html.escape(url)}>' for url in drawn)}"

    markdown.add_render_rule("fence", fence)
    return f"<!doctype html><meta charset=utf-8>{markdown.render(text)}"


def in_word(content: bytes) -> list[str]:
    """Return what Word loads by itself when it opens a document: parts outside it that are no links, and fields."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name).decode(errors="replace") for name in archive.namelist()}
    relationships = [
        one for name, text in parts.items() if name.endswith(".rels") for one in _RELATIONSHIP.findall(text)
    ]
    outside = [one for one in relationships if 'TargetMode="External"' in one and '/hyperlink"' not in one]
    return outside + [
        found for name, text in parts.items() if name.endswith(".xml") for found in _LOADING.findall(text)
    ]


def in_pdf(content: bytes) -> list[str]:
    """Return the actions in a PDF that a viewer takes by itself."""
    return [found.decode() for found in _ACTIONS.findall(_STREAM.sub(b"", content))]


async def in_browser(paths: Sequence[Path]) -> list[str]:
    """Return the addresses, beside their own, that pages ask for in a browser that nothing holds back."""
    from playwright.async_api import async_playwright

    asked: list[str] = []
    async with async_playwright() as playwright:
        window = await playwright.chromium.launch_persistent_context(
            "", executable_path=shutil.which("chromium"), chromium_sandbox=False
        )
        window.on("request", lambda request: asked.append(request.url))
        page = await window.new_page()
        for path in paths:
            await page.goto(path.as_uri(), wait_until="networkidle")
        await window.close()
    own = {path.as_uri() for path in paths}
    return [url for url in asked if url not in own and not url.startswith("data:")]


async def asked_for(paths: Sequence[Path]) -> list[str]:
    """Return what the outputs ask for, each in its viewer."""
    asked, pages = list[str](), list[Path]()
    for path in paths:
        match path.suffix:
            case ".md":
                shown = path.with_suffix(".md.html")
                shown.write_text(in_markdown(path.read_text(encoding="utf-8")), encoding="utf-8")
                pages.append(shown)
            case ".html":
                pages.append(path)
            case ".docx":
                asked += in_word(path.read_bytes())
            case ".pdf":
                asked += in_pdf(path.read_bytes())
    return [*asked, *await in_browser(pages)]


def baits(folder: Path, url: str) -> list[Path]:
    """Write one output of each kind that does ask for something, to see that it is noticed."""
    opening = f"/Type /Catalog /OpenAction << /S /URI /URI ({url}/pdf) >>".encode()
    made: dict[str, bytes] = {
        "picture.md": f"![x]({url}/picture)".encode(),
        "diagram.md": f'```mermaid\nA["<img src={url}/diagram>"]\n```'.encode(),
        "page.html": f"<p><img src={url}/page>".encode(),
        "word.docx": files.docx(files.words("x"), linked=f"{url}/word"),
        "printed.pdf": files.pdf(files.paragraphs("x")).replace(b"/Type /Catalog", opening),
    }
    folder.mkdir()
    for name, content in made.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in made]


def hostile(report: Report, said: str) -> Report:
    """Return a report in which every text that can be another one is followed by what a stranger said.

    The text of a section is Markdown by then, which the writer has made harmless; it stays.
    """
    data = json.loads(report.model_dump_json(exclude={"checksum"}))
    for holder, key in list(_texts(data)):
        before = holder[key]
        holder[key] = f"{before} {said}"
        try:
            Report.model_validate_json(json.dumps(data), strict=True)
        except ValidationError:
            holder[key] = before
    return Report.model_validate_json(json.dumps(data), strict=True)


def _texts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container within a JSON value with each of its keys behind which there is a text."""
    for key in value if isinstance(value, dict) else range(len(value)):
        if isinstance(value[key], str) and not (key == "text" and "title" in value):
            yield value, key
        elif isinstance(value[key], dict | list):
            yield from _texts(value[key])
