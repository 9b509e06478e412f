"""A report or a run that somebody made to harm ends in an error with a name, within little memory and time."""

import hashlib
import json
import resource
import sqlite3
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from cli.command import within
from report.sample import sample
from runs.stranger import handed_on
from spyglass.kernel.settings import Settings

MEMORY = 655_000_000
SECONDS = 120
"""Of processor time: far more than any of these takes, and far less than what they took."""

BOMB = b"[" + b"0," * 2_000_000 + b"0]"


def ended(tmp_path: Path, *typed: str | Path) -> tuple[int, str]:
    """Run a command within bounds; return its exit code and the last line that it said."""
    ran = within({resource.RLIMIT_DATA: MEMORY, resource.RLIMIT_CPU: SECONDS}, tmp_path, *typed)
    return ran.returncode, (ran.stderr.strip().splitlines() or [""])[-1]


def wrong(tmp_path: Path, cases: list[tuple[tuple[str | Path, ...], str, str]]) -> list[str]:
    """Return what did not end in an error of ours that says what it should."""
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda case: ended(tmp_path, *case[0]), cases))
    return [
        f"{typed[0]} {name}: exit code {code}: {said}"
        for (typed, name, wanted), (code, said) in zip(cases, outcomes, strict=True)
        if code not in (1, 2) or not said.startswith("spyglass: ") or wanted not in said
    ]


def reports() -> dict[str, tuple[bytes, str]]:
    """Files that should be reports, and what is said of them."""
    good = json.loads(sample().model_dump_json())
    [section, *_] = good["sections"]

    def changed(**fields: Any) -> bytes:
        return json.dumps(good | fields).encode()

    whole = changed().decode()
    return {
        "deep": (b"[" * 5_000_000, "values"),
        "deep and closed": (b'{"format": 9, "sections": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", "It is not JSON"),
        "a huge number": (whole.replace('"independent": ', f'"independent": {"9" * 1_000_000}', 1).encode(), "number"),
        "endless claims": (b'{"format": 9, "sections": [' + b"{}," * 2_000_000 + b"{}]}", "values"),
        "endless lists": (b'{"format": 9, "sections": [' + b"[]," * 2_000_000 + b"[]]}", "values"),
        "endless fields": (b"{" + b",".join(b'"%d":0' % n for n in range(400_000)) + b"}", "values"),
        "as many claims as there may be": (b'{"format": 9, "sections": [' + b"{}," * 140_000 + b"{}]}", "not a report"),
        "endless citations": (changed(sections=[section | {"blocks": [0] * 1_000_000}]), "values"),
        "an endless string": (b'{"format": 9, "x": "' + b'\\"' * 5_000_000, "It is not JSON"),
    }


def test_a_hostile_report_is_refused_by_verify_and_diff(tmp_path: Path) -> None:
    good = tmp_path / "good.json"
    good.write_text(sample().model_dump_json(), encoding="utf-8")
    cases: list[tuple[tuple[str | Path, ...], str, str]] = []
    for number, (name, (data, said)) in enumerate(reports().items()):
        file = tmp_path / f"{number}.json"
        file.write_bytes(data)
        cases += [(typed, name, said) for typed in (("verify", file), ("diff", good, file))]
    assert wrong(tmp_path, cases) == []


def test_a_report_that_a_pattern_could_stumble_over_is_checked_to_its_end(tmp_path: Path) -> None:
    good = json.loads(sample().model_dump_json())
    ticks = "`" * 400_000
    sentences = [{"kind": "sentence", "parts": [ticks], "asserts": True}]
    blocks = [{"kind": "paragraph", "sentences": sentences}]
    (tmp_path / "ticks.json").write_text(json.dumps(good | {"sections": [{"title": ticks, "blocks": blocks}]}))
    assert ended(tmp_path, "verify", tmp_path / "ticks.json")[0] == 1


def journals() -> dict[str, tuple[list[str], str]]:
    """What is done to a run's file, in SQL, and what is said of it then."""
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT 'id', x FROM n"
    bomb = zlib.compress(BOMB, 9).hex()
    long = zlib.compress(bytes(1_000_000_000), 9).hex()
    deep = json.dumps("[" * 100_000)[1:-1]
    message = f"INSERT INTO message (sender, body) VALUES ('x', x'{zlib.compress(bytes(90_000_000), 9).hex()}')"
    return {
        "a view": (["CREATE VIEW spy AS SELECT 1"], "it contains the view spy"),
        "a view in place of a table": (["DROP TABLE run", f"CREATE VIEW run AS {endless}"], "it contains the view run"),
        "a trigger": (
            ["CREATE TRIGGER spy AFTER DELETE ON lease BEGIN DELETE FROM effect; END"],
            "it contains the trigger spy",
        ),
        "another table": (["CREATE TABLE spy (x)"], "it contains the table spy"),
        "a virtual table": (["CREATE VIRTUAL TABLE spy USING fts5(x)"], "it contains the table spy"),
        "another column": (["ALTER TABLE run ADD COLUMN spy"], "it contains the table run"),
        "a computed column": (
            ["DROP TABLE message", "CREATE TABLE message (seq INTEGER PRIMARY KEY, sender, body AS (hex(seq)))"],
            "it contains the table message",
        ),
        "an index": (["CREATE INDEX spy ON effect (kind)"], "it contains the index spy"),
        "a fact that expands to values": ([f"UPDATE run SET value = x'{bomb}' WHERE name = 'settings'"], "values"),
        "a fact that expands": ([f"UPDATE run SET value = x'{long}' WHERE name = 'question'"], "expands"),
        "a fact that is cut off": ([f"UPDATE run SET value = x'{bomb[:200]}' WHERE name = 'question'"], "truncated"),
        "a deep fact": ([f"UPDATE run SET value = '{deep}' WHERE name = 'makes'"], "nested"),
        "another kind of fact": (["UPDATE run SET value = '[]' WHERE name = 'makes'"], ""),
        "a wrong kind": (
            ["UPDATE run SET value = '{\"kind\": \"shell\"}' WHERE name = 'makes'"],
            "data that this version does not record",
        ),
        "settings that are none": (
            ["UPDATE run SET value = '[1]' WHERE name = 'settings'"],
            "data that this version does not record",
        ),
        "messages that expand": ([message] * 20, "expands"),
        "a wrong time": (["UPDATE effect SET answer = '\"yesterday\"'"], ""),
        "no answer": (["UPDATE effect SET answer = NULL"], ""),
        "a wrong answer": (["UPDATE effect SET answer = '{'"], ""),
        "endless rows": (
            [
                "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 200000) "
                "INSERT INTO effect (key, kind, request) SELECT x, 'fetch', '{}' FROM n"
            ],
            "rows",
        ),
    }


def test_a_hostile_run_is_refused_by_show_replay_and_resume(tmp_path: Path) -> None:
    good = handed_on(tmp_path / "good.sqlite", Settings(web=False, retrieval__dense=False))
    cases: list[tuple[tuple[str | Path, ...], str, str]] = []
    for number, (name, (statements, said)) in enumerate(journals().items()):
        file = tmp_path / f"{number}.sqlite"
        file.write_bytes(good.read_bytes())
        db = sqlite3.connect(file)
        for statement in statements:
            db.execute(statement)
        db.commit()
        db.close()
        command = "show" if "messages" in name else "replay"  # which alone reads them
        cases += [((command, file), name, said), (("resume", file), name, "")]
    for number, (name, data) in enumerate(torn(good.read_bytes())):
        file = tmp_path / f"torn {number}.sqlite"
        file.write_bytes(data)
        cases += [((command, file), name, "") for command in ("show", "replay")]
    assert wrong(tmp_path, cases) == []


def torn(good: bytes) -> list[tuple[str, bytes]]:
    """Files whose pages are not what they should be."""
    page = 4096
    noise = hashlib.shake_256(b"noise").digest(len(good))
    return [
        ("all after the head is noise", good[:100] + noise[100:]),
        ("every page after the first is noise", good[:page] + noise[page:]),
        ("every page is the first", good[:page] * (len(good) // page)),
        ("it is cut off", good[: page + 10]),
        ("nothing but the head", good[:16]),
    ]
