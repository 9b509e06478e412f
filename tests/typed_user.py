"""A user's script, which is here to be type-checked: strict mypy sees the types of every door, and what is wrong.

Each `type: ignore` hides an error; one that hid nothing would be an error of its own.
"""

from spyglass import (
    Factory,
    Pool,
    Report,
    Run,
    Settings,
    crawl_site,
    generate_report,
    replay,
    research,
    support,
    sync,
    web_research,
    web_search,
)
from spyglass.agent import Agent, Crawl, DuckSearch, Planner, Reporter
from spyglass.model import Model, OpenAI
from spyglass.notebook import Progress
from spyglass.search import SearchEngine, SearchPipeline
from spyglass.tools import tavily_search, tool


@tool
async def tide(harbour: str, hours: int = 12) -> str:
    """Return when the tide is high."""
    return f"{harbour} {hours}"


async def ask(settings: Settings, engines: list[type[SearchEngine]]) -> Report:
    """Go through the doors that are awaited."""
    text: str = await generate_report("Why?", settings=settings)
    found = await web_search(text, settings=settings)
    read = await web_research(found.response, depth=1, settings=settings)
    said: str = await tide(read.markdown)
    pages: int = len((await crawl_site("https://example.org/", settings=settings)).pages)
    async with Run(said * pages, settings) as run, Pool() as pool:
        [hit, *_] = (await SearchPipeline(run).search("harbour"))["search_results"]
        await Crawl(run).get_url_llm(hit.url, "When?")
        models: list[Model | None] = [Factory.get_model("openai", "m"), None]
        agents: list[Agent] = [Factory.get_agent("reporter", models[0]), Reporter(None)]
        return await research("Why?", Planner(None), agents, settings=settings, pool=pool)


async def wrong(report: Report) -> None:
    """Do what a type checker has to see."""
    await research(5)  # type: ignore[arg-type]
    await replay("last", settings={})  # type: ignore[arg-type]
    await web_search(query=5)  # type: ignore[arg-type]
    await tide(harbour=5)  # type: ignore[arg-type]
    report.save(5)  # type: ignore[arg-type]
    print(report.nothing)  # type: ignore[attr-defined]  # noqa: T201
    sync.generate_report()  # type: ignore[call-arg]


report: Report = sync.research("Why?", on_event=Progress())
supported: int = report.counts["supported"]
verdicts: list[str] = [*(claim.verdict for claim in report.claims), support("a", ["b"]).verdict]
schemas: list[str] = [one.schema["name"] for one in (tavily_search, tide)]
kinds: tuple[type[Model], type[DuckSearch]] = (OpenAI, DuckSearch)
saved: str = str(report.save("report.html"))
