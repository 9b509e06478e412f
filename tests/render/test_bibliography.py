"""Cited sources as BibTeX and CSL-JSON: whole, unique, and nothing that a title says gets out of its field."""

import json
import re
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.sample import sample
from spyglass.kernel.source import Source
from spyglass.render.bibliography import bibtex, csl
from spyglass.report import Report

NAME = {
    "type": "object",
    "properties": {"literal": {"type": "string"}},
    "required": ["literal"],
    "additionalProperties": False,
}
DATE = {
    "type": "object",
    "properties": {
        "date-parts": {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "integer"}},
        }
    },
    "required": ["date-parts"],
    "additionalProperties": False,
}
TEXT = {"type": "string", "minLength": 1}
CSL = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "id": TEXT,
            "type": {"enum": ["webpage", "document"]},
            "title": TEXT,
            "author": {"type": "array", "items": NAME},
            "container-title": TEXT,
            "issued": DATE,
            "accessed": DATE,
            "URL": {"type": "string", "pattern": "^https?://"},
            "archive_location": TEXT,
            "note": TEXT,
        },
        "required": ["id", "type", "title"],
        "additionalProperties": False,
    },
}
"""The part of the CSL project's schema for input data that we use."""

HOSTILE = [
    "} @misc{evil, title = {",
    "\\input{/etc/passwd}",
    "100 % of $5 & a_b #1 ~ ^",
    'a "quoted" title, with = and }',
    "@comment{ @string{",
    "two\nlines \x00 \x1b[31m \u202e turned",
]


def parsed(text: str) -> dict[str, dict[str, str]]:
    """Read BibTeX as BibTeX does: braces are counted, whatever stands before them."""
    entries: dict[str, dict[str, str]] = {}
    position = 0
    while head := re.compile(r"\s*@(\w+)\{([^\s,{}]+),\n").match(text, position):
        fields = {"": head[1]}
        position = head.end()
        while field := re.compile(r"\s*(\w+) = \{").match(text, position):
            depth, end = 1, field.end()
            while depth:
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            fields[field[1]] = text[field.end() : end - 1]
            assert text[end] == ","
            position = end + 1
        closed = re.compile(r"\s*\}").match(text, position)
        assert closed, text[position : position + 80]
        position = closed.end()
        assert head[2] not in entries
        entries[head[2]] = fields
    assert not text[position:].strip()
    return entries


def about(*sources: dict[str, Any]) -> Report:
    """Return a report that cites such sources."""
    whole = sample()
    common = {"summary": "", "brief_summary": "", "keywords": [], "title": "A page", "url": "https://a.example/x"}
    records = [Source.model_validate({**common, "id": f"s{n}", **one}) for n, one in enumerate(sources)]
    references = [
        whole.references[0].model_copy(update={"number": number, "source_id": record.id})
        for number, record in enumerate(records, start=1)
    ]
    return whole.model_copy(update={"sources": records, "references": references, "citations": []})


def test_every_cited_source_is_one_entry() -> None:
    whole = sample()
    cited = {reference.source_id for reference in whole.references}
    found = parsed(bibtex(whole))
    assert len(found) == len(cited)
    assert found["institute2024"] == {
        "": "online",
        "title": "{Heat pumps in older houses: results of the Harrow trial}",
        "organization": "{institute.example}",
        "date": "2024-11-05",
        "year": "2024",
        "url": "https://institute.example/papers/harrow-trial?lang=en",
        "urldate": "2026-03-01",
        "note": found["institute2024"]["note"],
    }
    assert found["survey"]["howpublished"] == "Local file house/survey.pdf"
    assert found["visits"]["note"].startswith("Cited as [7], [8];")


def test_csl_items_keep_the_rules_of_its_schema() -> None:
    items = json.loads(csl(sample()))
    jsonschema.validate(items, CSL)
    assert [item["id"] for item in items] == list(parsed(bibtex(sample())))
    assert items[1]["issued"] == {"date-parts": [[2024, 11, 5]]}
    assert {item["type"] for item in items} == {"webpage", "document"}


@pytest.mark.parametrize("title", HOSTILE)
def test_a_hostile_title_stays_in_its_field(title: str) -> None:
    report = about({"title": title, "author": title, "site": title, "url": f"https://a.example/}}{title}"}, {})
    found = parsed(bibtex(report))
    assert len(found) == 2
    first = next(iter(found.values()))
    assert set(first) == {"", "author", "title", "organization", "url", "urldate", "note"} - {"urldate"}
    assert not re.search(r"(?<!\\)[%$&#_~^]|\\(?!textbrace|textbackslash|textascii|[%$&#_])", first["title"])
    jsonschema.validate(json.loads(csl(report)), CSL)


@given(st.text(min_size=1, max_size=60), st.text(max_size=60), st.text(max_size=30))
def test_any_words_make_entries_that_parse(title: str, author: str, published: str) -> None:
    report = about({"title": title, "author": author, "published": published, "path": author, "domain": title})
    assert len(parsed(bibtex(report))) == 1
    jsonschema.validate(json.loads(csl(report)), CSL)
    bibtex(report).encode()


def test_keys_are_unique_and_tell_who_and_when() -> None:
    report = about(
        {"author": "Gregor Mendel", "published": "1866-02-08"},
        {"author": "Gregor Mendel", "published": "1866"},
        {"author": "Björn Åkesson, Zoë Ruiz", "published": "2001"},
        {"domain": "www.bee-lab.example.org", "published": "2020-05"},
        {"title": "The Bees of Kent", "kind": "file", "path": "bees.pdf"},
        {"title": "蜂", "kind": "file", "path": "蜂.md", "id": "0a1b"},
    )
    assert list(parsed(bibtex(report))) == [
        "mendel1866",
        "mendel1866-2",
        "akesson2001",
        "example2020",
        "bees",
        "md",
    ]


def test_authors_are_parted_where_each_is_a_whole_name() -> None:
    report = about({"author": "Ada Lovelace, Charles Babbage"}, {"author": "Lovelace, Ada"})
    assert [entry["author"] for entry in parsed(bibtex(report)).values()] == [
        "{Ada Lovelace} and {Charles Babbage}",
        "{Lovelace, Ada}",
    ]
    assert [item["author"] for item in json.loads(csl(report))] == [
        [{"literal": "Ada Lovelace"}, {"literal": "Charles Babbage"}],
        [{"literal": "Lovelace, Ada"}],
    ]


def test_an_address_that_is_none_of_the_web_is_left_out() -> None:
    assert "javascript" not in bibtex(about({"url": "javascript:alert(1)"})) + csl(
        about({"url": "javascript:alert(1)"})
    )


def test_a_report_without_citations_has_an_empty_list() -> None:
    empty = sample(references=[], citations=[], claims=[], sections=[])
    assert bibtex(empty) == ""
    assert json.loads(csl(empty)) == []
