"""Markers are found once for all: by whoever renders a report, and by whoever checks it."""

from hypothesis import given
from hypothesis import strategies as st

from report.sample import sample
from spyglass.render.citation import cited, fenced, markers, unmarked
from spyglass.report.report import Section


def test_a_number_is_a_marker_unless_it_stands_in_code_or_behind_a_backslash() -> None:
    cases = {
        "One [1]. Two [2][10].": [1, 2, 10],
        "Bold **one [1]** and | a cell [2] |": [1, 2],
        r"Escaped \[1] and \\[2].": [2],
        "Code `a[1]` and ``b[2]`` and [3].": [3],
        r"A lone tick \` [1] and another \` [2].": [1, 2],
        "```\na[1]\n```\n[2]": [2],
        "~~~ text\na[1]\n```\nb[2]\n~~~\n[3]": [3],
        "```\nnever closed [1]": [],
        "No [word], no [1234567].": [],
    }
    assert {text: [marker.number for marker in markers(text)] for text in cases} == cases


def test_a_text_without_markers_has_not_their_blanks_either() -> None:
    assert unmarked("One [1]. `a [1]` two[2] [3]!") == "One. `a [1]` two!"


@given(st.text("`~\\[]12 \na", max_size=60))
def test_every_marker_is_where_it_says_and_outside_of_fences(text: str) -> None:
    found = markers(text)
    assert [text[one.start : one.end] for one in found] == [f"[{one.number}]" for one in found] or "[0" in text
    assert not any(start <= one.start < end for one in found for start, end in fenced(text))


def test_markers_are_counted_over_all_sections_and_strangers_left_out() -> None:
    report = sample()
    numbers = [citation.number for citation in report.citations]
    texts = ["".join(f"A [{number}]. [99] " for number in numbers[:2]), "".join(f"B [{n}]. " for n in numbers[2:])]
    changed = report.model_copy(update={"sections": [Section(title="T", text=text) for text in texts]})
    found = cited(changed)
    assert [index for own in found for _, index in own] == list(range(len(numbers)))
    assert [marker.number for own in found for marker, _ in own] == numbers
