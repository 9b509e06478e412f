"""A report is checked from nothing but itself, and whoever changed a part of it is found out."""

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from report.shelf import HIVES, record
from spyglass.agent.reporter import Reporter
from spyglass.kernel.errors import ReportFileError
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.kernel.source import digest
from spyglass.model.model import Prompt
from spyglass.model.scripted import Scripted
from spyglass.report import Report
from spyglass.verify.file import read_report
from spyglass.verify.verification import Verification
from spyglass.verify.verify import verify
from verify.reports import LIFE, quoted, written

Record = dict[str, Any]


@pytest.fixture
async def report(settings: Settings) -> Report:
    return await written(settings)


def changed(report: Report, change: Callable[[Record], object]) -> Verification:
    """Check a report of which somebody changed a part, and made the checksum anew."""
    record = json.loads(report.model_dump_json())
    change(record)
    return verify(Report.model_validate(record))


@pytest.mark.parametrize("policy", ["mark", "strict", "off"])
async def test_a_report_holds_as_it_was_written(settings: Settings, policy: str) -> None:
    report = await written(settings, report__policy=policy)
    verification = await asyncio.to_thread(verify, report, report.checksum)
    assert verification.mismatches == []
    assert verification.checked["citations"] == len(report.citations) >= 5
    assert verification.checked["claims"] == len(report.claims) >= 5
    assert ("verdicts" in verification.checked) == (policy != "off")


async def test_a_report_of_quotes_holds(settings: Settings) -> None:
    report = await quoted(settings)
    assert (await asyncio.to_thread(verify, report, report.checksum)).holds
    assert {(claim.method, claim.quoted) for claim in report.claims} == {("verbatim", True)}


MINUTES = (
    "Minutes of 12 March 2024. Present: Anna Berg.\n\nThe roof leaks. Paint was bought. The gate is new. "
    "Tea was served.\n\nThe limit was set to eighteen people in the dome.\n"
)
COMPOST = (
    "# Compost\n\n## What does not go in\n\n- Droppings of pets.\n- Tomatoes with blight, as the fungus survives.\n"
)


@pytest.mark.parametrize(
    ("text", "said", "quote", "verdict", "wrong"),
    [
        (
            MINUTES,
            "On 12 March 2024 the limit in the dome was set to eighteen people",
            "The limit was set to eighteen people in the dome.",
            "supported",
            ("eighteen", "nineteen"),
        ),
        (
            COMPOST,
            "Tomatoes with blight are never put into the compost, as the fungus survives",
            "Tomatoes with blight, as the fungus survives.",
            "unsettled",
            ("Tomatoes", "Forty tomatoes"),
        ),
    ],
    ids=["in several places", "contradicted by the wording"],
)
async def test_a_claim_holds_about_which_a_model_knows_better_than_words(
    settings: Settings, text: str, said: str, quote: str, verdict: str, wrong: tuple[str, str]
) -> None:
    def script(prompt: Prompt) -> str:
        if "You check whether" in prompt.system:
            return json.dumps({"verdicts": [{"id": "c1", "verdict": "supported", "quote": quote}]})
        return f"{said} [S1.1]." if "You write one section" in prompt.system else "{}"

    async with Run("What was limited, and what about tomatoes?", settings, journal=Journal()) as run:
        reporter = Reporter(Scripted(script))
        reporter.attach(run)
        await reporter.run(run.question, [record(run.journal, "file.md", text)])
        assert run.report is not None
    (claim,) = run.report.claims
    assert (claim.verdict, claim.method) == (verdict, "model")
    assert (await asyncio.to_thread(verify, run.report, run.report.checksum)).mismatches == []
    other = changed(run.report, _unit(said[3:20], parts=[said.replace(*wrong), *_cited(run.report)]))
    assert not other.holds


def _cited(report: Report) -> list[Record]:
    """Return the citations of the report's first sentence."""
    return [part for part in _units(json.loads(report.model_dump_json()))[0]["parts"] if isinstance(part, dict)]


EVENTS = (
    "# Events\n\n| LWLock Wait Event | Description |\n| --- | --- |\n| AddinShmemInit | Waiting for shared memory. |\n"
    "| AutovacuumSchedule | Waiting to ensure that a table selected for autovacuum still needs vacuuming. |\n"
)


async def test_a_quoted_row_holds_whose_columns_are_named_above_its_passage(settings: Settings) -> None:
    question, row = "What is AutovacuumSchedule?", EVENTS[EVENTS.index("| Auto") :]
    async with Run(question, settings, journal=Journal()) as run:
        reporter = Reporter(None)
        reporter.attach(run)
        await reporter.run(question, [record(run.journal, "events.md", EVENTS, row)])
        report = run.report
    assert report is not None
    assert any("LWLock Wait Event: AutovacuumSchedule" in claim.text for claim in report.claims)
    assert verify(report).mismatches == []


@pytest.mark.parametrize(
    "text",
    [
        "Foragers `dance [1]` a waggle dance [{bees}].\n\n```python\nqueens[1] = 2\n```\n\nBees have a queen [{bees}].",
        "> A wasp colony dies in autumn [{wasps}].\n\n1. Wasps chew **wood** into paper [{wasps}].\n2. Queens survive.",
        "The queen lays up to 2,000 eggs a day [{bees}], and workers [{bees}] live for six weeks when they forage.",
        "Workers forage [{bees}][{wasps}]. [Link](http://x.example) and <b>tags</b> \\[7\\] of bees are harmless.",
    ],
    ids=["code", "lists", "citations within", "markup"],
)
async def test_a_report_holds_whatever_markup_it_has(settings: Settings, text: str) -> None:
    verification = await asyncio.to_thread(verify, await written(settings, text))
    assert verification.mismatches == []


def _first(name: str, **values: Any) -> Callable[[Record], None]:
    def change(record: Record) -> None:
        record[name][0].update(values)

    return change


def _nodes(value: Any) -> Iterator[Record]:
    """Yield what is judged as one, in reading order."""
    if isinstance(value, dict) and "asserts" in value:
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _nodes(inner)


def _units(record: Record) -> list[Record]:
    return list(_nodes(record["sections"]))


def _about(word: str, **values: Any) -> Callable[[Record], None]:
    """Change the verdict of the first claim that has a word."""

    def change(record: Record) -> None:
        next(unit for unit in _units(record) if unit["asserts"] and word in str(unit))["verdict"].update(values)

    return change


def _unit(word: str, **values: Any) -> Callable[[Record], None]:
    def change(record: Record) -> None:
        next(unit for unit in _units(record) if word in str(unit)).update(values)

    return change


def _in_section(old: str, new: str) -> Callable[[Record], None]:
    """Change words of the first sentence, or block of code, that has them."""

    def change(record: Record) -> None:
        unit = next(unit for unit in _units(record) if old in str(unit))
        if "code" in unit:
            unit["code"] = unit["code"].replace(old, new, 1)
        else:
            unit["parts"] = [part.replace(old, new, 1) if isinstance(part, str) else part for part in unit["parts"]]

    return change


def _cite(**values: Any) -> Callable[[Record], None]:
    def change(record: Record) -> None:
        next(part for part in _units(record)[0]["parts"] if isinstance(part, dict)).update(values)

    return change


def _near(**values: Any) -> Callable[[Record], None]:
    def change(record: Record) -> None:
        place = {"source_id": record["sources"][0]["id"], "passage": 0, "start": 0, "end": 1, **values}
        record["near"].append(place)

    return change


def _uncited(record: Record) -> None:
    record["sections"][0]["blocks"][0]["sentences"][0]["parts"].pop(1)


def _add(**block: Any) -> Callable[[Record], None]:
    return lambda record: record["sections"][0]["blocks"].append(block)


def _snapshot_and_hash(record: Record) -> None:
    """Forge the text of a source, and everything that names its hash."""
    old = record["snapshots"][0]
    text = old["text"].replace("50,000", "90,000")
    dumped = json.dumps(record).replace(old["hash"], digest(text, size=64))
    record.update(json.loads(dumped))
    record["snapshots"][0]["text"] = text


def test_whoever_changes_a_part_is_found_out(report: Report) -> None:
    changes: list[tuple[Callable[[Record], object], str, str]] = [
        (_first("snapshots", text="Bees are birds."), "snapshots", "is not the one that was read"),
        (lambda r: r["snapshots"].pop(), "citations", "is missing"),
        (_snapshot_and_hash, "sources", "is not at"),
        (
            _first("citations", quote="Bees are birds."),
            "citations",
            "citations[0].quote is “Bees are birds.”; derived again it is",
        ),
        (_first("citations", start=-5), "citations", "citations[0].start is “-5”; derived again it is"),
        (_first("citations", end=10**12), "citations", "citations[0].end is"),
        (_first("citations", number=2), "citations", "citations[0].number is “2”; derived again it is “1”"),
        (_cite(passage="S9.9"), "citations", "text that is not in a passage: S9.9"),
        (_cite(end=10**12), "citations", "text that is not in a passage"),
        (_cite(start=3), "citations", "citations[0].start is"),
        (_first("citations", passage=7), "citations", "citations[0].passage is “7”"),
        (_first("references", source_id="0"), "references", "references[0].source_id is “0”; derived again"),
        (_first("references", title="Nature"), "references", "references[0].title is “Nature”; derived again"),
        (_first("references", url="https://nature.com/"), "references", "references[0].url is"),
        (_first("references", line=99), "references", "references[0].line is “99”; derived again"),
        (_near(passage=99), "sources", "An excerpt recorded as near to the question is not within a passage"),
        (_near(end=10**12), "sources", "An excerpt recorded as near to the question is not within a passage"),
        (lambda r: r["sources"].clear(), "citations", "text that is not in a passage"),
        (_unit("50,000", asserts=False), "claims", "is not among the claims"),
        (_unit("50,000", verdict=None), "claims", "was not checked"),
        (_about("50,000", verdict="partial"), "verdicts", "judged again it is supported"),
        (_about("50,000", score=0.5), "verdicts", "Its score is 0.5"),
        (_about("50,000", method="words"), "verdicts", "judged again, by verbatim"),
        (_about("Zebras", verdict="supported"), "verdicts", "cites nothing"),
        (_about("Zebras", verdict="supported"), "verdicts", "section 1, sentence"),
        (_in_section("50,000", "90,000"), "verdicts", "It is recorded as supported; judged again it is"),
        (_in_section("dance?", "dance? Bees are birds that live in the sea."), "verdicts", "judged again it is"),
        (_in_section("dance?", "dance? Who murdered the queen?"), "verdicts", "judged again it is"),
        (_add(kind="heading", parts=["The fraud of Tesla"]), "claims", "not among the claims"),
        (
            _add(kind="paragraph", sentences=[{"parts": ["Bees are birds of the sea."]}]),
            "claims",
            "not among the claims",
        ),
        (_add(kind="code", code="queens = 2"), "claims", "not among the claims"),
        (_add(kind="heading", parts=[{"text": "Nests", "href": "https://evil.example"}]), "claims", "contains a link"),
        (_uncited, "citations", "citations is a list of 8; derived again it is a list of 7"),
        (lambda r: r.update(policy="strict"), "claims", "the policy “strict” removes such sentences"),
        (lambda r: r.update(given="Bees are birds."), "claims", "a separate text instead"),
        (lambda r: r.update(confidence="LOW"), "figures", "confidence is “LOW”; derived again"),
        (lambda r: r.update(independent=1), "figures", "independent is “1”; derived again it is “3”"),
        (lambda r: r.update(outcome="partial"), "figures", "outcome is “partial”; derived again it is “complete”"),
        (lambda r: r["spending"].update(prompt_tokens=7), "figures", "spending.prompt_tokens is “7”"),
        (lambda r: r.update(title="Bees are birds"), "figures", "title is “Bees are birds”"),
        (_first("snapshots", extractor="nobody"), "snapshots", "snapshots[0].extractor is “nobody”"),
        (lambda r: r.update(format=1), "figures", "Its format is 1"),
        (lambda r: r["coverage"][0].update(claims=[99]), "coverage", "coverage[0].claims"),
    ]
    for change, subject, words in changes:
        found = changed(report, change).mismatches
        assert any(one.subject == subject and words in f"{one.where}: {one.what}" for one in found), (words, found)


async def test_what_is_left_of_a_removed_sentence_must_stand_in_its_source(settings: Settings) -> None:
    report = await written(
        settings, LIFE + "The queen lays up to 7,000 stones a day [{bees}].", report__policy="strict"
    )
    forged = changed(
        report, lambda r: r["removed"][-1].update(evidence="Bees are birds.", source_id=r["sources"][0]["id"])
    )
    assert [one.subject for one in forged.mismatches] == ["removed"]


async def test_a_mismatch_says_where_it_is(report: Report) -> None:
    (found,) = changed(report, _about("2,000 eggs", score=0.1)).mismatches
    assert (found.section, found.sentence, found.where) == (1, 4, "section 1, sentence 4")


async def test_a_text_without_claims_is_told_to_be_unchecked(report: Report) -> None:
    text = report.model_copy(update={"given": "Bees.", "sections": [], "citations": [], "references": []})
    bare = text.model_copy(
        update={"sources": [], "snapshots": [], "coverage": [], "confidence": None, "independent": 0}
    )
    verification = await asyncio.to_thread(verify, bare)
    assert verification.holds
    assert "no claims and no citations" in verification.unchecked[0]


async def test_code_that_was_changed_or_is_judged_otherwise_is_found_out(settings: Settings) -> None:
    text = "First:\n\n```sh\nWasps chew wood into paper\n```\n\nNext:\n\n```\nqueens = 2\n```"
    report = await written(settings, text)
    assert [(claim.text, claim.verdict, claim.code) for claim in report.claims] == [
        ("Wasps chew wood into paper", "supported", True),
        ("queens = 2", "unsupported", True),
    ]
    assert verify(report).mismatches == []

    changes: list[tuple[Callable[[Record], object], str]] = [
        (_in_section("into paper", "into money"), "not recorded as supported by one source that contains all of it"),
        (_in_section("wood into", "wood. .to"), "not recorded as supported by one source that contains all of it"),
        (_about("queens", verdict="supported", score=1.0, method="verbatim"), "cites nothing"),
        (_about("chew", verdict="unsupported"), "not recorded as supported by one source that contains all of it"),
        (_unit("chew", language="math"), "a block of code that a viewer may not show as code"),
        (_unit("queens", asserts=False), "is not among the claims"),
    ]
    missed = [words for change, words in changes if words not in str(changed(report, change).mismatches)]
    assert missed == []


# Fuzzing: one character, or one step of a number, anywhere

PLACES = 5
"""Changes of each kind of field."""

FIELDS = {
    "snapshots": ("text", "hash"),
    "citations": ("quote", "start", "end", "number", "source_id", "snapshot"),
    "references": ("number", "quote", "title", "path", "line", "last_line", "source_id"),
}


def _other(value: Any, chance: random.Random) -> Any:
    """Return a value that differs in one character or by one step."""
    if isinstance(value, int):
        return value + chance.choice((-1, 1))
    if not value:
        return "x"
    place = chance.randrange(len(value))
    with_it = chance.choice(("", "7", "ä", value[place] + value[place], value[place].swapcase()))
    return value[:place] + with_it + value[place + 1 :]


def _tampered(record: Record, chance: random.Random) -> Iterator[tuple[str, Record]]:
    """Yield copies in which one field of what can be checked without the checksum is another one."""
    for name, fields in FIELDS.items():
        for field in fields:
            for _ in range(PLACES):
                copy = json.loads(json.dumps(record))
                item = chance.choice(copy[name])
                before = item[field]
                item[field] = _other(before, chance)
                if str(item[field]).split() != str(before).split():  # how wide a blank is shows nowhere
                    yield f"{name}.{field}: {before!r} → {item[field]!r}", copy


def test_one_changed_character_is_found_out_even_with_a_new_checksum(report: Report) -> None:
    chance = random.Random(0)
    record = json.loads(report.model_dump_json())
    missed = []
    for what, tampered in _tampered(record, chance):
        try:
            forged = Report.model_validate_json(json.dumps(tampered), strict=True)
        except ValueError:
            continue
        if verify(forged).holds:
            missed.append(what)
    assert not missed


async def test_one_changed_character_of_a_quote_in_the_text_is_found_out(settings: Settings) -> None:
    report = await quoted(settings)
    chance = random.Random(7)
    record = json.loads(report.model_dump_json())
    missed = []
    for unit in _units(record):
        whole = unit["parts"][0]
        letters = [place for place, char in enumerate(whole) if char.isalnum()]
        for place in chance.sample(letters, min(8, len(letters))):
            for with_it in ("", "x", "9"):
                unit["parts"][0] = whole[:place] + with_it + whole[place + 1 :]
                if unit["parts"][0] != whole and verify(Report.model_validate(record)).holds:
                    missed.append(unit["parts"][0])
        unit["parts"][0] = whole
    assert not missed


def test_one_changed_byte_of_the_file_is_found_out_or_changes_nothing(report: Report, tmp_path: Path) -> None:
    chance = random.Random(11)
    path = tmp_path / "report.json"
    data = report.model_dump_json(indent=2).encode()
    missed = []
    for _ in range(80):
        place = chance.randrange(len(data))
        path.write_bytes(data[:place] + bytes([chance.randrange(32, 127)]) + data[place + 1 :])
        try:
            file = read_report(path)
        except ReportFileError:
            continue
        if verify(file.report, file.checksum).holds and file.report != report:
            missed.append(data[max(0, place - 30) : place + 30])
    assert not missed


def _leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container of a JSON value with each of its keys."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _leaves(value[key])


def test_any_report_that_can_be_read_is_checked_without_an_error(report: Report) -> None:
    chance = random.Random(13)
    data = report.model_dump_json()
    checked = 0
    for _ in range(100):
        record = json.loads(data)
        for holder, key in chance.sample(list(_leaves(record)), 3):
            if isinstance(holder, list) and key < len(holder) and chance.random() < 0.5:
                del holder[key]
            elif isinstance(holder, dict) or key < len(holder):
                wild = {str: "[9] | \\ `", int: 10**20, float: -1.0, list: [], type(None): 7}
                holder[key] = wild.get(type(holder[key]), holder[key])
        try:
            forged = Report.model_validate_json(json.dumps(record), strict=True)
        except ValueError:
            continue
        checked += 1
        assert forged == report or not verify(forged, report.checksum).holds
    assert checked > 20


FALSE = "Tesla lost 5 billion dollars in 2021"


def test_words_put_into_a_sentence_are_judged_with_it(report: Report) -> None:
    found = changed(report, _in_section("in summer", f"in summer and {FALSE}"))
    assert any("judged again" in one.what for one in found.mismatches)


@pytest.mark.parametrize("hidden", [f"<b title='{FALSE}'>", f"<!-- {FALSE}. -->", f"[x]({FALSE}.)", f"![{FALSE}.](x)"])
def test_what_looks_like_markup_hides_nothing(report: Report, hidden: str) -> None:
    found = changed(report, _add(kind="paragraph", sentences=[{"parts": [hidden]}]))
    assert any("is not among the claims" in one.what for one in found.mismatches)


@pytest.mark.parametrize("policy", ["mark", "strict", "off"])
@pytest.mark.parametrize(
    "text",
    [
        "The queen lays up to 2,000 eggs a day [{bees}]. <!-- Zebras play chess on Mars. -->",
        "The queen lays up to 2,000 eggs a day[^1].\n\n[^1]: {bees}",
        "The queen lays up to 2,000 eggs a day.[1](http://x.y/) And so on: [2]: http://evil/",
        "The `a[1]` array is a queen.\n\n    The queen lays up to 2,000 eggs a day [{bees}].",
        "So:\n\n```sh\nWasps chew wood\n  into paper\n```\nand so on.\n\n~~~\nqueens = 2\n~~~\n\n- ~~~mermaid\n  a-->b",
        "It costs $5 or $x$ [{bees}].\n\n```mermaid\nA strong colony\n```\n```math\n\\href{{x}}{{y}}\n```",
        "女王バチは一日に二千個の卵を産む[{bees}]。\r\n\r\n> The queen lays up to 2,000 eggs a day [{bees}].",
    ],
)
async def test_an_odd_report_holds_as_it_was_written(settings: Settings, text: str, policy: str) -> None:
    report = await written(settings, text, report__policy=policy)
    assert (await asyncio.to_thread(verify, report, report.checksum)).mismatches == []


WORKED_OUT = {
    "Seven strong colonies give 140 kilograms of honey in a year, at 20 kilograms each": "unsettled",
    "Seven strong colonies give 150 kilograms of honey in a year, at 20 kilograms each": "",
}
JUDGED = "A strong colony gives 20 kilograms of honey in a year."


@pytest.mark.parametrize(("said", "verdict"), WORKED_OUT.items())
async def test_a_report_that_works_out_a_number_from_its_question_holds(
    settings: Settings, said: str, verdict: str
) -> None:
    def answer(prompt: Prompt) -> str:
        if "You check whether" in prompt.system:
            return json.dumps({"verdicts": [{"id": "c1", "verdict": "supported", "quote": JUDGED}]})
        if "You write one section" in prompt.system:
            return f"Beekeepers keep a colony in a wooden hive with movable frames [S1]. {said} [S1]."
        return "{}"

    own = settings.updated(retrieval__dense=False)
    async with Run("What do seven strong colonies give in a year?", own, journal=Journal()) as run:
        reporter = Reporter(Scripted(answer))
        reporter.attach(run)
        await reporter.run(run.question, [record(run.journal, "hives.md", HIVES)])
        report = run.report
    assert report is not None
    assert [claim.verdict for claim in report.claims if claim.text.startswith(said[:20])] == [verdict] * bool(verdict)
    assert verify(report).mismatches == []
    other = report.model_copy(update={"question": "What is a hive?"})
    assert any(found.subject == "verdicts" for found in verify(other).mismatches) is bool(verdict)
