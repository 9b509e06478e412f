"""Sentences are exact spans of a text, whatever the text is."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.sentence import sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def test_a_full_stop_ends_a_sentence_only_where_it_is_one() -> None:
    cases = [
        ["Dr. Smith met Mrs. Jones.", "They spoke."],
        ["He joined the U.S. Army in May.", "He left the U.S.", "Then he wrote."],
        ["See Fig. 3 and No. 5, e.g. the table on pp. 12 and 13.", "It is clear."],
        ["I said no.", "Then we left."],
        ["The maker is Acme Inc. of Ohio.", "It was sold to Acme Inc.", "The price is unknown."],
        ["J. R. R. Tolkien and J. S. Bach never met.", "Take vitamin C.", "The end."],
        ["It costs 3.14 dollars in v1.2.3 of main.py.", "Read https://example.org/a.b?c=d.", "Then go on."],
        ["It began at 5 p.m. on Monday.", "It ended at 9 p.m.", "The hall was empty."],
        ["Smith et al. found it.", "Others did not."],
        ["Am 3. Oktober, im 19. Jahrhundert, z. B. auch in Berlin.", "Ende gut."],
        ["Geschlossen bis 7.6.", "Danach offen, am 14.6. – einem Samstag – bis drei."],
        [
            "Die Toilette im 1. Stockwerk, der 2. Versuch und Steinbruch 3, 2. OG rechts.",
            "Das war 1990.",
            "Dann ging er.",
        ],
        ["Wait... it moves.", "Really?!", "Yes!"],
        ["It was written in 2010.", "35 people came."],
        ["This tool installs packages.", "npm is another."],
        ["The wing was tested .", "in flight it held ."],
    ]
    assert [sentences(" ".join(expected)) for expected in cases] == cases


def test_a_heading_right_above_a_paragraph_is_no_part_of_its_first_sentence() -> None:
    cases = [
        [
            "It is supported.",
            "2.5 Memory Requirements",
            "You must have at least 780 MB of memory and enough of space on a\ndisk.",
        ],
        ["El comienzo", "Debian was officially founded by Ian Murdock on the 16th of August, 1993."],
        ["It is not so that\nDebian was officially founded by Ian Murdock on the 16th of August, 1993."],
        ["A paragraph is wrapped where its line is full, also where\nDebian begins the next one, which is longer."],
        ["The names are\nAda Lund and Anna Berg."],
    ]
    assert [sentences("\n".join(expected)) for expected in cases] == cases


def test_closing_quotes_and_brackets_belong_to_the_sentence_that_they_close() -> None:
    text = 'He said "Stop." She (his aunt!) did. (It rained.) **So it was.** »Ja.« Next.'
    assert sentences(text) == [
        'He said "Stop."',
        "She (his aunt!) did.",
        "(It rained.)",
        "**So it was.**",
        "»Ja.«",
        "Next.",
    ]


def test_a_question_in_quotes_goes_on_in_lower_case() -> None:
    assert sentences('"Why?" he asked. Nobody knew.') == ['"Why?" he asked.', "Nobody knew."]


def test_citation_markers_behind_the_stop_belong_to_the_sentence_before() -> None:
    text = "It rained [1]. It snowed. [S2] It froze.[3][4] It thawed.¹ Spring came.【5】 Summer."
    assert sentences(text) == [
        "It rained [1].",
        "It snowed. [S2]",
        "It froze.[3][4]",
        "It thawed.¹",
        "Spring came.【5】",
        "Summer.",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("今日は晴れ。「すごい。」と言った。本当？はい", ["今日は晴れ。", "「すごい。」と言った。", "本当？", "はい"]),
        ("他说。“你好。”我走了！", ["他说。", "“你好。”", "我走了！"]),
        ("यह एक है। वह दो है॥ तीन", ["यह एक है।", "वह दो है॥", "तीन"]),
        ("ما هذا؟ هذا كتاب. نعم۔ لا", ["ما هذا؟", "هذا كتاب.", "نعم۔", "لا"]),
    ],
)
def test_other_scripts_have_their_own_full_stops(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_full_stop_that_is_spoken_of_ends_no_sentence() -> None:
    named = ["A file name must not include any period (. or +).", "Use _ instead of . and of +.", "That is all ."]
    assert sentences(" ".join(named)) == named


def test_markdown_blocks_end_with_their_line_and_keep_their_marks_outside() -> None:
    text = """# The title. In two
First line
wrapped here. Second
- item one. With more
- [x] item two
  goes on
1. numbered
2. numbered too

> quoted and
> wrapped. Again

| a. B | c |
|------|---|
| d    | e |
```python
x = 1. Y = 2

z
```
[^1]: A note.
After
=====
Last"""
    assert sentences(text) == [
        "The title. In two",
        "First line\nwrapped here.",
        "Second",
        "item one.",
        "With more",
        "item two\n  goes on",
        "numbered",
        "numbered too",
        "quoted and\n> wrapped.",
        "Again",
        "| a. B | c |",
        "| d    | e |",
        "x = 1. Y = 2",
        "z",
        "A note.",
        "After",
        "Last",
    ]


def test_a_number_that_a_paragraph_wrapped_to_the_line_start_is_no_list_item() -> None:
    assert sentences("It happened in\n1990. That was\n12. or so") == ["It happened in\n1990.", "That was\n12. or so"]


def test_a_date_that_is_wrapped_in_an_item_begins_no_other_item() -> None:
    assert sentences("- Der Nachweis muss bis zum\n  31. März 2026 da sein.\n- Danke.") == [
        "Der Nachweis muss bis zum\n  31. März 2026 da sein.",
        "Danke.",
    ]
    assert sentences("1. Zahlung bis zum\n31. Dezember an uns\n2. Danke") == [
        "Zahlung bis zum\n31. Dezember an uns",
        "Danke",
    ]
    assert sentences("- It is due on the\n  31. of each month.") == ["It is due on the\n  31. of each month."]
    assert sentences("- Steps:\n  2. two\n  3. three") == ["Steps:", "two", "three"]


def test_lettered_items_are_items_as_numbered_ones_are() -> None:
    assert sentences("a) Playing field: sixteen cuts\nb) Churchyard: four cuts. None in May.\nc) Green") == [
        "Playing field: sixteen cuts",
        "Churchyard: four cuts.",
        "None in May.",
        "Green",
    ]
    assert sentences("It is set by the option\na) or by none.") == ["It is set by the option\na) or by none."]


def test_lines_with_labels_are_apart() -> None:
    lines = [
        "**Date:** Saturday 14 June 2025",
        "**Exam fee:** A2 £110, paid by bank transfer. Students get £15 off.",
        "Start: ten o'clock",
        "Duration: about three hours, with one break of twenty minutes for all of them",
        "Present: Ruth Calder,\nTom Finch",
        "Apologies: Pete Lomax",
    ]
    fee = [lines[1][: lines[1].index(" Students")], "Students get £15 off."]
    assert sentences("\n".join(lines)) == [lines[0], *fee, *lines[2:]]
    assert sentences("Summer fair\nDate: 3 May\nPlace: town hall") == ["Summer fair", "Date: 3 May", "Place: town hall"]
    assert sentences("It costs this much on\nMondays: nothing.\nSundays: ten.") == [
        "It costs this much on\nMondays: nothing.",
        "Sundays: ten.",
    ]


def test_a_line_whose_dots_lead_to_a_number_is_one_of_its_own() -> None:
    prices = "Full member ....... £32\n   Concession (over 65) ... £20\nA family, any size.......£58\n"
    assert sentences(prices) == [line.strip() for line in prices.strip().splitlines()]
    assert sentences("He said ... and then left\nin 1990. Why?") == ["He said ... and then left\nin 1990.", "Why?"]
    assert sentences("They waited....\nThen 5 came.") == ["They waited....", "Then 5 came."]


def test_the_entries_of_a_reference_list_are_apart() -> None:
    assert sentences("[1] Smith, title\n[2] Jones, book") == ["[1] Smith, title", "[2] Jones, book"]


def test_an_unclosed_fence_runs_to_the_end() -> None:
    assert sentences("Text.\n~~~\na. B\n```\nc. D") == ["Text.", "a. B", "```", "c. D"]


LINES = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(
            ["- a. B", "1. x", "[2] y", "# h", "| t. T |", "> q. Q", "```", "~~~", "", "---", "Dr. No. 5. A", "。』x"]
        ),
    )
)
MARKUP = re.compile(r"[-=_*~#>|:+`\s•‣◦▪]|\d+[.)]|\[[ xX]\]|\[\^[^\]\s]*\]:")


@given(LINES.map("\n".join))
def test_spans_are_ordered_apart_and_trimmed(text: str) -> None:
    last = 0
    for start, end in sentence_spans(text):
        assert last <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        last = end


@given(st.text(alphabet=st.sampled_from("aB .!?\n。」\"(['1¹,\r\x0c\u2028é中")))
def test_nothing_but_white_space_lies_outside_the_spans_of_plain_text(text: str) -> None:
    text = re.sub(r"(?m)^\s*1[.)]\s", "", text)
    outside, last = "", 0
    for start, end in sentence_spans(text):
        outside, last = outside + text[last:start], end
    assert not (outside + text[last:]).strip()


def test_a_date_with_full_stops_begins_an_item_and_ends_none() -> None:
    assert sentences("- 7.6. – Nele\n- 14.6. Paul\n- Sa 21.6. – Gudrun\n") == [
        "7.6. – Nele",
        "14.6. Paul",
        "Sa 21.6. – Gudrun",
    ]
