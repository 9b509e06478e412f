"""What a page says of itself is found where pages put it, and is never more than a line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.documents.html.metadata import LONGEST, iso_date
from spyglass.documents.html.reader import Extract, read_html


def read(head: str, url: str = "https://example.com/", body: str = "<p>Text.</p>") -> Extract:
    return read_html(f"<head>{head}</head><body>{body}</body>".encode(), url, "text/html")


def structured(data: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


def test_dates_are_read_as_they_are_written() -> None:
    cases = {
        "2023-05-17": "2023-05-17",
        "2023-05-17T23:59:00+02:00": "2023-05-17",
        "2023/5/7": "2023-05-07",
        "20230517": "2023-05-17",
        "20230517T101500Z": "2023-05-17",
        "May 17, 2023": "2023-05-17",
        "Wed, 17 May 2023 10:00:00 GMT": "2023-05-17",
        "17. Mai 2023": "2023-05-17",
        "1er février 2023": "",
        "3 février 2023": "2023-02-03",
        "17 de mayo de 2023": "2023-05-17",
        "2023年5月17日": "2023-05-17",
        "2023-02-30": "",
        "yesterday": "",
        "": "",
        "1234567890123": "",
    }
    assert {text: iso_date(text) for text in cases} == cases


def test_structured_data_tell_author_date_and_publisher() -> None:
    found = read(
        structured({"@type": "Organization", "author": "Wrong", "datePublished": "1999-01-01"})
        + structured(
            {
                "@graph": [
                    {
                        "@type": ["NewsArticle"],
                        "headline": "Stars &  planets",
                        "author": [{"@type": "Person", "name": "Ada"}, {"name": "Bob"}, "Ada"],
                        "datePublished": "2023-05-17T10:00:00Z",
                        "publisher": {"name": "The Sky"},
                        "inLanguage": "en-GB",
                    }
                ]
            }
        )
    )
    assert (found.title, found.author, found.site) == ("Stars & planets", "Ada, Bob", "The Sky")
    assert (found.published, found.language) == ("2023-05-17", "en")


def test_a_date_is_taken_from_the_address_or_from_the_first_time_that_is_told() -> None:
    assert read("", "https://example.com/2023/05/17/stars.html").published == "2023-05-17"
    assert read("", body="<time datetime=2023-05-17>May</time><time datetime=2020-01-01>").published == "2023-05-17"
    assert read("", "https://example.com/2023/99/17/stars").published == ""


def test_the_title_is_the_first_heading_where_nothing_else_is() -> None:
    assert read("", body="<p>Text.</p><h2>All <i>about</i> stars</h2>").title == "All about stars"
    assert read("<title>\n One &amp; two </title>").title == "One & two"
    assert read("", body="<svg><title>icon</title></svg><h1>Stars</h1>").title == "Stars"
    assert read("<title><strong>socat</strong><br/> &lt;b&gt; and <video></title>").title == "socat <b> and <video>"


def test_an_address_is_no_author() -> None:
    assert read("<meta property=article:author content=https://facebook.com/x>").author == ""


def test_metadata_are_one_short_visible_line() -> None:
    found = read(f"<title>a\u202eb\n{'long ' * 200}</title><meta name=author content='x&#8203;y&#10;z'>")
    assert found.title.startswith("ab long")
    assert len(found.title) <= LONGEST
    assert found.author == "xy z"


@pytest.mark.parametrize("script", ["{", "[" * 100_000, "null", '{"@type": 5, "author": {"name": {}}}', '"\\ud800"'])
def test_broken_structured_data_are_left_out(script: str) -> None:
    assert read(f'<script type="application/ld+json">{script}</script>').author == ""


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["@type", "author", "name"]), inner),
    max_leaves=9,
)


@given(values)
def test_any_structured_data_are_read(data: object) -> None:
    assert "\n" not in read(structured(data)).author


@given(st.text(max_size=60))
def test_any_text_is_a_date_or_none(text: str) -> None:
    assert len(iso_date(text)) in (0, 10)
