"""`spyglass doctor`: calls each configured part once, and prints a remedy for each failure."""

import asyncio
import io
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, SecretStr
from rich.text import Text

from ..kernel.errors import AgentError, NoSearchError, SpyglassError, UnreachableError
from ..kernel.host import private_folder
from ..kernel.journal import Journal
from ..kernel.one_line import sanitized
from ..kernel.run import Run
from ..kernel.settings import Role, Settings
from ..model import Model, Prompt
from ..model.address import without_secrets
from .console import LastingConsole
from .loop import run_until_done

if TYPE_CHECKING:
    from ..search import SearchEngine

MOST_COUNTED = 100  # PDFs of a folder whose pages are counted
PAGE = 0.012  # CPU seconds for a page of a PDF: the pages of ten annual reports took 5 to 24 ms each
Check = Callable[[Run], Awaitable[str]]

ADDRESSES = ("base_url", "ollama_host", "searxng_url", "rerank.url")
"""The ends of the names of settings that hold an address, which may contain a password."""


Checks = Callable[[Settings], Iterator[tuple[str, Check]]]  # yields checks, each with the name of its part


def examine(settings: Settings, checks: Checks) -> bool:
    """Print the effective settings and the outcome of every check; return whether all parts work."""
    console = LastingConsole()
    console.print("[bold]Settings[/bold] (secrets are masked)")
    for name, value in _shown(settings):
        console.print(Text(f"  {name} = {value}"))
    console.print("[bold]Parts[/bold]")
    return run_until_done(lambda _: _examine(settings, checks, console), settings)


async def _examine(settings: Settings, checks: Checks, console: LastingConsole) -> bool:
    all_work = True
    async with Run("doctor", settings, journal=Journal()) as run:
        for name, check in checks(settings):
            try:
                message, verdict = await check(run), ("works", "green")
            except (SpyglassError, OSError) as error:
                message, verdict, all_work = str(error), ("fails", "red"), False
            console.print(Text.assemble(f"  {sanitized(name)}: ", verdict, sanitized(f": {message}")))
        run.outcome = "complete" if all_work else "failed"
    return all_work


def _shown(settings: BaseModel, prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in settings:
        if isinstance(value, BaseModel):
            yield from _shown(value, f"{prefix}{name}.")
        elif value is not None or not isinstance(settings, Role):
            yield f"{prefix}{name}", _masked(f"{prefix}{name}", value)


def _masked(name: str, value: Any) -> str:
    if isinstance(value, SecretStr):
        return "********"
    if isinstance(value, str) and name.endswith(ADDRESSES):
        return _without_password(value)
    if isinstance(value, dict):
        entries = (
            f"{key} = {_without_password(item) if name.endswith('urls') else item}" for key, item in value.items()
        )
        return ", ".join(entries) or "none"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value) or "none"
    return "not set" if value is None else str(value)


def _without_password(address: str) -> str:
    try:
        return without_secrets(address)
    except ValueError:
        return "not an address"


def parts(settings: Settings) -> Iterator[tuple[str, Check]]:
    """Yield a check for each part that runs on this machine use."""
    yield "data folder", _data_folder
    for folder in settings.db if settings.searches_web else settings.folders:
        yield f"folder {folder}", partial(_folder, folder)
    yield "documents", _documents
    yield "ocr", _ocr
    yield "embedder", _embedder
    yield "relevance", _relevance
    yield "browser", _browser
    yield "agents", _agents
    yield "prompts", _prompts
    yield from _web_checks(settings)
    yield from _model_checks(settings)


async def _data_folder(run: Run) -> str:
    from ..kernel.errors import FolderError

    folder = run.settings.data_dir
    try:
        private_folder(folder)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise FolderError(
            f"Cannot write to the folder: {error.strerror}", where=str(folder), remedy="Set data_dir to another folder."
        ) from error
    if sys.platform != "win32" and folder.stat().st_mode & 0o077:
        return f"{folder}; other users of this machine can read it: `chmod 700` prevents that"
    return str(folder)


async def _folder(folder: Path, run: Run) -> str:
    from ..rag import walk

    listing = await asyncio.to_thread(walk, folder)
    count = f"{len(listing.files):,} files"
    pdfs = [listing.base / file.path for file in listing.files if file.path.lower().endswith(".pdf")]
    return f"{count}; {await _pages(run, pdfs)}" if pdfs else count


async def _pages(run: Run, pdfs: list[Path]) -> str:
    """Return the number of pages of PDFs and the time to read them, estimated from a sample if there are many."""
    from ..documents import Converter

    sample = pdfs[:: -(-len(pdfs) // MOST_COUNTED)]
    async with Converter(run.settings) as converter:
        counted = sum(await asyncio.gather(*map(converter.pages, sample)))
    pages = counted * len(pdfs) // len(sample)
    about = "" if sample == pdfs else "about "
    seconds = max(1, round(pages * PAGE / (os.cpu_count() or 1)))
    return f"{len(pdfs):,} PDFs, {about}{pages:,} pages, about {seconds:,} s to read the first time, longer with OCR"


async def _documents(run: Run) -> str:
    from ..documents import Converter

    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text("<html><body><h1>Ready</h1><p>A page with some words.</p></body></html>", encoding="utf-8")
        async with Converter(run.settings) as converter:
            document = await converter.convert(page)
    return f"converted a page to {len(document.text)} characters"


async def _ocr(run: Run) -> str:
    from ..documents import Converter, ocr

    if missing := ocr.missing():
        return f"none, so scans and pictures are not read. {missing}"
    async with Converter(run.settings) as converter:
        document = await converter.convert_bytes(
            "page.png", await asyncio.to_thread(_picture, "A page with some words")
        )
    sure = min(part.confidence for part in document.ocr)
    return f"{ocr.extractor()} for {', '.join(ocr.languages())}; read {document.text!r}, {sure} % confidence"


def _picture(text: str) -> bytes:
    from PIL import Image, ImageDraw, ImageFont

    picture, target = Image.new("L", (900, 200), 255), io.BytesIO()
    ImageDraw.Draw(picture).text((60, 60), text, fill=0, font=ImageFont.load_default(48))
    picture.save(target, "PNG")
    return target.getvalue()


async def _relevance(_run: Run) -> str:
    from ..rag.relevance import load_models

    return f"{' and '.join(await load_models())}, for English only"


async def _embedder(run: Run) -> str:
    from ..rag import comparer, passage_embedder

    if not run.settings.retrieval.dense:
        return "switched off (retrieval.dense = false)"
    embedder = passage_embedder(run.settings)
    sizes = {embedder.id: len((await embedder.embed(run, ["ready"]))[0])}
    for query in ("Is it ready?", "Ist es bereit?"):
        model = comparer(run.settings, query)
        if model.id not in sizes:
            sizes[model.id] = (await model.encode(run, [query], []))[0][0].shape[-1]
    named = [f"{name} ({size} dimensions)" for name, size in sizes.items()]
    if not embedder.english:
        return f"{' and '.join(named)}, for the languages of that model"
    *english, multilingual = named
    return f"{' and '.join(english)}, for English; {multilingual}, for other languages"


async def _browser(run: Run) -> str:
    from ..fetch.browser import available, browser_of
    from ..fetch.crawl4ai import is_installed

    if run.settings.browser.mode == "never":
        return "switched off (browser.mode = never)"
    if missing := available(run.settings):
        return f"none, so text that pages show only with JavaScript is not read. {missing}"
    browser = await browser_of(run, run.settings)
    version = f"Chromium {await browser.version()}{' and crawl4ai' if is_installed() else ''}"
    if browser.exposed:
        return f"{version}, isolated from the network only by its own flags: {browser.exposed}"
    return f"{version}, in a network namespace with no access except through the guard"


async def _agents(run: Run) -> str:
    from ..factory import Factory
    from ..generate_report import default_agents

    names = run.settings.agents or default_agents(run.settings)
    for name in names:
        try:
            Factory.get_agent(name, None)
        except SpyglassError:
            raise
        except Exception as error:  # a third-party class, whose constructor may raise anything
            raise AgentError(f'The agent "{name}" cannot be created: {error}', where="agents") from error
    return ", ".join(names)


async def _prompts(run: Run) -> str:
    folder = run.settings.models.prompts
    return "the built-in ones" if folder is None else await asyncio.to_thread(_replaced_prompts, folder)


def _replaced_prompts(folder: Path) -> str:
    """Return a text that lists the templates which the folder replaces. Raises SettingsError if one does not render."""
    from .. import prompts

    shipped = sorted(Path(prompts.__file__).parent.glob("*.txt"))
    for path in shipped:
        placeholders = Template(path.read_text(encoding="utf-8")).get_identifiers()
        prompts.render(path.stem, folder, **dict.fromkeys(placeholders, ""))
    replaced = [path.stem for path in shipped if (folder / path.name).is_file()]
    return f"{folder} replaces {', '.join(replaced) or 'none'}"


def _web_checks(settings: Settings) -> Iterator[tuple[str, Check]]:
    """Yield a check of the network, and one for each search engine in use; none if the web is not used."""
    from ..search.engines import chain_of

    single_attempt = settings.updated(search__attempts=1)
    try:
        engines = chain_of(single_attempt)
    except SpyglassError as error:
        yield "search", partial(_failing, error)
        return
    if not settings.searches_web and settings.search.engines is None and all(engine.keyless for engine in engines):
        return
    if not engines:
        problem = NoSearchError("None of the configured search engines has its key or address", where="search.engines")
        yield "search", partial(_failing, problem)
    checks: list[tuple[str, Check]] = [
        (f"search engine {engine.name}", partial(_engine, engine)) for engine in engines if not engine.keyless
    ]
    if keyless := [engine for engine in engines if engine.keyless]:
        checks.append(("search without a key", partial(_keyless, keyless)))
    if checks:
        yield "network", partial(_network, [check for _, check in checks])
        yield from ((name, partial(_unless_network_down, check)) for name, check in checks)


async def _failing(error: SpyglassError, _run: Run) -> str:
    raise error


async def _engine(engine: "SearchEngine", run: Run) -> str:
    from ..search import SearchQuery
    from ..search.chain import ask

    results = await ask(run, engine, SearchQuery(text="weather", max_results=3, depth="basic"))
    return f"{len(results)} results from {engine.place}"


async def _network(checks: list[Check], run: Run) -> str:
    """Run the checks of the engines. Raises UnreachableError if all fail for the same reason."""
    from ..net import outage_of

    await _answers(run, checks)
    if (outage := outage_of(run.journal.effects("search"))) is None:
        return "no failure that all search engines have in common"
    ignored = [name for name in ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy") if os.environ.get(name)]
    hint = f" {ignored[0]} is set, but not used: set network.proxy to its address." if ignored else ""
    raise UnreachableError(f"{outage}{'' if run.settings.network.proxy else hint}")


async def _unless_network_down(check: Check, run: Run) -> str:
    """Run a check unless the whole network is down, which is reported once."""
    from ..net import outage_of

    if outage_of(run.journal.effects("search")):
        raise NoSearchError("Not checked, because the network is unreachable")
    return await check(run)


async def _keyless(engines: "list[SearchEngine]", run: Run) -> str:
    """Check engines that are fallbacks for each other; the check fails only if none of them answers."""
    results = await _answers(run, [partial(_engine, engine) for engine in engines])
    failed = "; ".join(error.what for error in results if isinstance(error, SpyglassError))
    working = [engine.name for engine, result in zip(engines, results, strict=True) if isinstance(result, str)]
    if not working:
        raise NoSearchError(f"None of the engines answers: {failed}", remedy="Set the key of a search engine.")
    return f"{', '.join(working)} answered" + (f"; {failed}" if failed else "")


async def _answers(run: Run, checks: Sequence[Check]) -> list[str | SpyglassError]:
    """Run checks in parallel and return their messages or errors."""

    async def answer(check: Check) -> str | SpyglassError:
        try:
            return await check(run)
        except SpyglassError as error:
            return error

    return await asyncio.gather(*map(answer, checks))


def _model_checks(settings: Settings) -> Iterator[tuple[str, Check]]:
    planner, writer = _model_or_error(settings, "planner"), _model_or_error(settings, "writer")
    roles = {"planner": planner, "writer": writer, "checker": _model_or_error(settings, "checker")}
    if _identity(planner) == _identity(writer):
        roles = {"planner and writer": planner}
    if planner is None and writer is None:
        yield "model", _no_model
    for role, model in roles.items():
        if model is not None:
            name = f"{role} {model.provider}/{model.name}" if isinstance(model, Model) else role
            yield name, partial(_model, role, model)


def _model_or_error(settings: Settings, role: Literal["planner", "writer", "checker"]) -> Model | SpyglassError | None:
    """Return the model of a role, or the error, so that an error of one role is reported only on its own line."""
    from ..model.providers import model_for

    try:
        return model_for(settings, role)
    except SpyglassError as error:
        return error


def _identity(model: Model | SpyglassError | None) -> object:
    return (type(model), model.name, model.config) if isinstance(model, Model) else str(model)


async def _no_model(_run: Run) -> str:
    return "none is configured: plans follow rules, and reports quote their sources verbatim"


async def _model(role: str, model: Model | SpyglassError, run: Run) -> str:
    if not isinstance(model, Model):
        raise model
    prompt = Prompt("You are being tested.", f"Answer with the one word: ready ({role})")
    return f"answered {(await model.complete(run, prompt, role=role)).strip()[:60]!r}"
