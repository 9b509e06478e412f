"""A report is checked from nothing but itself, and whoever changed a part of it is found out."""

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from report.shelf import record
from spyglass.agent.reporter import Reporter
from spyglass.kernel.errors import ReportFileError
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.kernel.source import digest
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


def _about(word: str, **values: Any) -> Callable[[Record], None]:
    def change(record: Record) -> None:
        next(claim for claim in record["claims"] if word in claim["text"]).update(values)

    return change


def _in_section(old: str, new: str) -> Callable[[Record], None]:
    def change(record: Record) -> None:
        assert old in record["sections"][0]["text"]
        record["sections"][0]["text"] = record["sections"][0]["text"].replace(old, new, 1)

    return change


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
        (_snapshot_and_hash, "citations", "it stands nowhere in the source"),
        (_first("citations", quote="Bees are birds."), "citations", "is not what stands there"),
        (_first("citations", start=-5), "citations", "is not within the text"),
        (_first("citations", end=10**12), "citations", "is not within the text"),
        (_first("citations", number=2), "markers", "cites [1] where the list has [2]"),
        (_first("citations", number=9), "markers", "cites [1] where the list has [9]"),
        (_first("citations", passage=7), "citations", "does not lie in the passage"),
        (_first("references", source_id="0"), "references", "references[0].source_id is “0”; derived again"),
        (_first("references", title="Nature"), "references", "references[0].title is “Nature”; derived again"),
        (_first("references", url="https://nature.com/"), "references", "references[0].url is"),
        (_first("references", line=99), "references", "references[0].line is “99”; derived again"),
        (lambda r: r["sources"].clear(), "citations", "Its source is missing"),
        (lambda r: r["claims"].pop(1), "claims", "is not among the claims"),
        (lambda r: r["claims"].reverse(), "claims", "before the one ahead"),
        (_first("claims", section=7), "claims", "not there"),
        (_first("claims", text="Bees are birds."), "claims", "judged was “Bees are birds.”"),
        (_first("claims", citations=[3]), "claims", "list of citations"),
        (_first("claims", verdict="unchecked"), "claims", "was not checked"),
        (_about("50,000", verdict="partial"), "verdicts", "judged again it is supported"),
        (_first("claims", score=0.5), "verdicts", "Its score is 0.5"),
        (_about("50,000", method="words"), "verdicts", "judged again, by verbatim"),
        (_about("Zebras", verdict="supported"), "verdicts", "cites nothing"),
        (_about("Zebras", verdict="supported"), "verdicts", "section 1, sentence"),
        (_in_section("50,000", "90,000"), "claims", "The report says “A honey bee colony holds about 90,000"),
        (_in_section("dance?", "dance? Bees are birds that live in the sea."), "claims", "not among the claims"),
        (_in_section("\n\n| Hive", "\n\n### The fraud of Tesla\n\n| Hive"), "claims", "not among the claims"),
        (_in_section("dance?", "dance? Who murdered the queen?"), "claims", "not among the claims"),
        (_in_section(" *(no source)*", ""), "claims", "does not carry the mark “no source”"),
        (_in_section("[2]", "[1]"), "markers", "cites [1] where the list has [2]"),
        (_in_section("[2]", ""), "markers", "The text has 7 citations, the list 8"),
        (lambda r: r.update(policy="strict"), "claims", "the policy “strict” leaves no such sentence"),
        (lambda r: r.update(given="Bees are birds."), "claims", "a text of its own"),
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
    text = report.model_copy(update={"given": "Bees.", "sections": [], "claims": [], "citations": [], "references": []})
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

    def forged(old: str, new: str) -> Callable[[Record], None]:
        """Write other code of as many characters into the section, and into the claim."""

        def change(record: Record) -> None:
            _in_section(old, new)(record)
            for claim in record["claims"]:
                claim["text"] = claim["text"].replace(old, new)

        return change

    changes: list[tuple[Callable[[Record], object], str]] = [
        (forged("into paper", "into money"), "is not supported as what stands whole in one source"),
        (forged("wood into", "wood. .to"), "is not supported as what stands whole in one source"),
        (_about("queens", verdict="supported", score=1.0, method="verbatim"), "cites nothing"),
        (_about("chew", verdict="unsupported"), "is not supported as what stands whole in one source"),
        (_about("chew", code=False), "called code, or not"),
        (_in_section("```bash", "```math"), "of a kind that a viewer makes something else of"),
        (_in_section("queens = 2", "queens = 3"), "judged was “queens = 2”"),
        (lambda r: r["claims"].pop(), "a block of code that is not judged"),
        (_in_section("```\n*(no source)*", "```\n"), "does not carry the mark"),
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
    "claims": ("text", "start", "end", "section", "verdict"),
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


def test_one_changed_character_of_a_claim_in_the_text_is_found_out(report: Report) -> None:
    chance = random.Random(7)
    record = json.loads(report.model_dump_json())
    text = report.sections[0].text
    places = [place for claim in report.claims for place in range(claim.start, claim.end) if not text[place].isspace()]
    missed = []
    for place in chance.sample(places, 30):
        for with_it in ("", "x", "9"):
            forged = text[:place] + with_it + text[place + 1 :]
            record["sections"][0]["text"] = forged
            if forged != text and verify(Report.model_validate(record)).holds:
                missed.append(forged[max(0, place - 20) : place + 20])
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


def _behind_the_first_claim(record: Record) -> None:
    """Put words into the first sentence, and let its claim end before them."""
    section, claim = record["sections"][0], record["claims"][0]
    end, words = claim["end"] - 1, f" and {FALSE}"
    section["text"] = section["text"][:end] + words + section["text"][end:]
    claim["end"] = end
    for other in record["claims"][1:]:
        other.update(start=other["start"] + len(words), end=other["end"] + len(words))


def test_words_put_into_a_sentence_behind_its_claim_are_found(report: Report) -> None:
    found = changed(report, _behind_the_first_claim)
    assert any("is not among the claims" in one.what for one in found.mismatches)


@pytest.mark.parametrize("hidden", [f"<b title='{FALSE}'>", f"<!-- {FALSE}. -->", f"[x]({FALSE}.)", f"![{FALSE}.](x)"])
def test_what_looks_like_markup_hides_nothing(report: Report, hidden: str) -> None:
    def hide(record: Record) -> None:
        record["sections"][0]["text"] += f"\n\n{hidden}"

    assert any("a link, a picture or HTML" in one.what for one in changed(report, hide).mismatches)


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
