"""What an engine words in its own way becomes clean text, a web address and a score."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.search.hit import LONGEST_TEXT, hit, plain, web_address

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def test_text_is_plain() -> None:
    cases = [
        ("The <strong>red</strong> kite &amp; its nest", "The red kite & its nest"),
        ("one<br>two<br/>three", "one two three"),
        ("<p>First.</p><p>Second.</p>", "First. Second."),
        ("  many\n\tspaces   here ", "many spaces here"),
        ("std::vector<int> and x < 5 > y", "std::vector<int> and x < 5 > y"),
        ("a &lt;b&gt; tag", "a <b> tag"),
        ("<script>alert(1)</script>after", "after"),
        ("<img src=x onerror=alert(1)>after", "after"),
        ("H<sub>2</sub>O", "H2O"),
        ("<jats:p>An abstract</jats:p>", "An abstract"),
        ("bell\x07 and\x00 null", "bell and null"),
        ("half a pair \ud800 here", "half a pair ? here"),
        (None, ""),
        (["no text"], ""),
    ]
    assert [plain(worded) for worded, _ in cases] == [clean for _, clean in cases]


def test_text_is_bounded() -> None:
    assert len(plain("word " * 10_000)) <= LONGEST_TEXT
    assert plain("x" * LONGEST_TEXT) == "x" * LONGEST_TEXT
    assert plain("x" * (LONGEST_TEXT + 1)).endswith("x…")


def test_what_is_no_web_address_is_no_hit(subtests: pytest.Subtests) -> None:
    cases = [
        "ftp://a.example", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//a.example", "a.example",
        "", "https://", "http:///path", "https://[half", "https://a.example/\ud800", "https://a.example/a b",
        None, 7, ["x"],
        "https://a.example/" + "x" * 5000,
    ]  # fmt: skip
    for address in cases:
        with subtests.test(address=address):
            assert web_address(address) == ""
            assert hit("kite", 1, address, "A title") is None


def test_the_engines_own_score_counts_as_far_as_it_lies_from_zero_to_one() -> None:
    scores = [0.7, 3, -1, math.nan, math.inf, "0.5", True, None]
    made = [hit("kite", 2, "https://a.example", "t", score=score) for score in scores]
    assert [one.score for one in made if one] == [0.7, 1.0, 0.95, 0.95, 1.0, 0.95, 0.95, 0.95]


def test_a_date_is_kept_when_it_begins_with_one() -> None:
    dates = ["2026-01-31T10:00:00Z", "2026-01-31", "Jan 31, 2026", "31 days ago", None, 5]
    made = [hit("kite", 1, "https://a.example", "t", published=date) for date in dates]
    assert [one.published for one in made if one] == ["2026-01-31", "2026-01-31", "", "", "", ""]


@given(ANYTHING, ANYTHING, ANYTHING, ANYTHING, ANYTHING, st.integers(1, 100))
def test_nothing_that_an_engine_says_breaks_it(
    url: object, title: object, snippet: object, score: object, published: object, rank: int
) -> None:
    assert hit("kite", rank, url, title, snippet, score=score, published=published) is None
    made = hit("kite", rank, "https://a.example/x", title, snippet, score=score, published=published)
    assert made is not None
    assert 0 <= made.score <= 1
    assert made.title
    (made.title + made.snippet).encode()
