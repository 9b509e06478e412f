"""A question for one fact is answered quickly; whatever needs explaining, comparing or weighing is researched."""

from pathlib import Path

from loopback import WebServer
from spyglass import research
from spyglass.agent import Planner, Quick_searcher, Reporter
from spyglass.agent.effort import asks_for_a_fact, fitted
from spyglass.kernel.settings import Settings
from spyglass.model.scripted import Scripted
from web.engine import put_engine, queries

FACTS = [
    "Who wrote The Master and Margarita?",
    "When was the harbour built?",
    "What is the capital of Australia?",
    "How many moons does Jupiter have?",
    "How tall is the Eiffel Tower?",
    "In which year did the Berlin Wall fall?",
    "What is the boiling point of ethanol?",
    "what does WAL stand for",
    "Where is the headquarters of the OECD?",
    "Who is the current president of Iceland?",
    "How old is the universe?",
    "What was the population of Norway in 1900?",
    "What is the default port of PostgreSQL?",
    "Tell me, who invented the stapler?",
    "Which country has the longest coastline?",
    "How deep is the Mariana Trench",
    "When did Ada Lovelace die?",
    "When did Karl von Frisch describe the dance of bees?",
    "Whose portrait is on the ten pound note?",
    "Wie hoch ist die Zugspitze?",
    "Wann wurde die Bundesrepublik gegründet?",
    "Wer schrieb Effi Briest?",
    "Combien de pays y a-t-il en Afrique ?",
    "¿Cuándo nació Cervantes?",
    "Chi ha dipinto la Gioconda?",
    "Quem foi o primeiro presidente do Brasil?",
    "Wanneer werd Amsterdam gesticht?",
]

RESEARCH = [
    "How does PostgreSQL autovacuum decide when to vacuum a table, and which settings control it?",
    "How does SQLite write-ahead logging (WAL) mode work and what are its limitations?",
    "How do transaction isolation levels and locking differ between PostgreSQL and SQLite?",
    "When was the harbour built, and how deep is it?",
    "When should I use a materialised view?",
    "Who are the main critics of nuclear power?",
    "What is the role of mitochondria?",
    "What is photosynthesis?",
    "How do bees dance?",
    "Why did the Roman Empire fall?",
    "Compare Kafka and RabbitMQ",
    "What are the effects of caffeine on sleep?",
    "How much does it cost to run a lighthouse, and who pays?",
    "When did Rome fall? Who was its last emperor?",
    "How many people died in the Second World War by country, and how have the estimates changed over time?",
    "Who benefits from rent control?",
    "What is known about the harbour?",
    "Is Python faster than Ruby?",
    "How fast are electric cars compared with petrol cars?",
    "When is a bloom filter worth it?",
    "The history of the lighthouse",
    "Was sind die Vorteile von Wärmepumpen?",
    "Warum ist der Himmel blau?",
    "Pourquoi le ciel est-il bleu ?",
    "How often is the best model on a benchmark the best in practice?",
    "",
]


def test_a_question_for_one_fact_is_quick() -> None:
    assert [question for question in FACTS if not asks_for_a_fact(question)] == []
    assert {fitted(Settings(), question).effort for question in FACTS} == {"quick"}


def test_a_question_that_needs_more_is_not() -> None:
    assert [question for question in RESEARCH if asks_for_a_fact(question)] == []
    assert {fitted(Settings(), question).effort for question in RESEARCH} == {"normal"}


def test_a_quick_run_searches_reads_and_writes_little() -> None:
    quick = fitted(Settings(), FACTS[0])
    assert (quick.search.max_queries, quick.research.max_pages, quick.report.length) == (2, 4, "short")
    usual = fitted(Settings(), RESEARCH[0])
    assert (usual.search.max_queries, usual.research.max_pages, usual.report.length) == (3, 10, "normal")


def test_what_the_user_said_stays() -> None:
    quick = fitted(Settings(research__max_pages=9, report__length="normal"), FACTS[0])
    assert (quick.effort, quick.search.max_queries, quick.research.max_pages, quick.report.length) == (
        "quick",
        2,
        9,
        "normal",
    )
    assert fitted(Settings(effort="deep"), FACTS[0]).effort == "deep"
    assert fitted(Settings(effort="quick"), RESEARCH[0]).research.max_pages == 4
    assert fitted(Settings(report__sections=["Life", "Work"]), FACTS[0]).effort == "normal"
    assert fitted(Settings(report__length="long"), FACTS[0]).effort == "normal"


def test_fitting_twice_changes_nothing_more() -> None:
    once = fitted(Settings(), FACTS[0])
    assert fitted(once, FACTS[0]) == once


async def test_a_quick_run_asks_no_model_for_a_plan_and_its_report_says_what_it_did(
    tmp_path: Path, web_server: WebServer
) -> None:
    found = [web_server.put_article(f"/{n}", f"Page {n}", f"The tower {n} was built in 1871. " * 9) for n in range(9)]
    put_engine(web_server, lambda query: found)
    settings = Settings(
        data_dir=tmp_path, searxng_url=web_server.url(), network__allow_private=["127.0.0.0/8"], cache__page_hours=0
    )
    model = Scripted({"writer": lambda prompt: "The tower was built in 1871 [S1.1]."})
    report = await research(
        "When was the tower built?", Planner(model), [Quick_searcher(model), Reporter(model)], settings=settings
    )
    assert report.outcome == "complete"
    assert len(queries(web_server)) <= 2
    assert len(model.prompts) <= 3
    assert "Effort: quick (at most 2 queries per question, about 4 pages)." in report.markdown
