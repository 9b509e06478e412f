"""Headings of plain text are marked as those of Markdown are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.documents.plain_headings import marked

CONTRACT = """\
AGREEMENT ON GRASS CUTTING

1. PERIOD
From 1 March 2024 until 28 February 2027.

2. Areas and cuts
a) Playing field: sixteen cuts.
b) Churchyard: four cuts.

§ 3 Haftung
(1) Die Firma haftet.

4.1 Invoices
Invoices are due within thirty days.

WHO TO RING FOR WHAT
Tills          Ben
Network        Gareth
"""


def test_a_line_in_capitals_or_with_a_number_above_its_text_is_a_heading() -> None:
    text = marked(CONTRACT, "AGREEMENT ON GRASS CUTTING")
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        "# AGREEMENT ON GRASS CUTTING",
        "## 1. PERIOD",
        "## 2. Areas and cuts",
        "## § 3 Haftung",
        "### 4.1 Invoices",
        "## WHO TO RING FOR WHAT",
    ]


def test_one_in_a_paragraph_of_its_own_is_one() -> None:
    assert marked("IF SOMETHING GOES WRONG\n\nRing Stewart.\n") == "## IF SOMETHING GOES WRONG\n\nRing Stewart.\n"
    assert marked("5. Response time\n\nFaults are attended to.\n") == "## 5. Response time\n\nFaults are attended to.\n"


RULES = """\
THE LIBRARY, AND HOW IT WORKS

Who may borrow?
Students who are enrolled in the current term, and their teachers.

How many and how long
 - Up to three items at a time.

Clause 7 - Bringing it back

Put it on the lower trolley or through the front letter box, please.

Taking something out
Fill in the card in the back of the item and put it into the wooden box.

Ring Joe
if it rains.

Date: 3 May
Start: ten o'clock in the morning, in the hall behind the church.

Yours sincerely
J. Tilley
"""


def test_several_short_lines_above_lists_or_much_longer_lines_are_headings() -> None:
    headings = [
        "## Who may borrow?",
        "## How many and how long",
        "## Clause 7 - Bringing it back",
        "## Taking something out",
    ]
    text = marked(RULES, "The library")
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        "## THE LIBRARY, AND HOW IT WORKS",
        *headings,
    ]
    two = RULES.replace("Taking something out\n", "").replace("Clause 7 - Bringing it back\n", "")
    assert marked(two).count("#") == 2, "a text has several"


def test_capitals_may_have_a_question_mark_and_a_number_space() -> None:
    for line in ("IS IT SAFE?", "§ 3  Entgelte"):
        assert marked(f"{line}\nAt nine.\n") == f"## {line}\nAt nine.\n"


def test_it_is_one_in_any_script() -> None:
    assert marked("ОПЛАТА\nОплата в мае.\n\n1. Срок\nДо мая.\n") == "## ОПЛАТА\nОплата в мае.\n\n## 1. Срок\nДо мая.\n"
    assert marked("2. 概要\n本文です。\n") == "## 2. 概要\n本文です。\n"


@pytest.mark.parametrize(
    "text",
    [
        "1. Milk\n2. Eggs\n3. Bread\nfrom the shop\n",
        "1. Milk\n\n2. Eggs\n\n3. Bread\n\nAll from the shop.\n",
        "1. Fill up the shavings.\nThe sacks are in the loft.\n",
        "2. Bring the papers with your\npassport.\n",
        "3. Ring the\nHarbour Office\n",
        "Ben Whitlock\nHe takes over on Monday.\n",
        "R. Whitlock\n6 Canal Terrace\n",
        "THIS SOFTWARE IS PROVIDED BY THE AUTHORS\nAND CONTRIBUTORS AS IT IS\n",
        "Ask Joe.\nJOE TAKES THIS WEEK\nand the next.\n",
        "WEEK     PRIMARY     SECONDARY\n3 July   Yusuf       Ben\n",
        "REST\n----\n\nAn interface.\n",
        "| PRICE |\n| 12 |\n",
        "    INDENTED CODE\n    GOES ON\n",
        "PARIS\n",
        "GB29 NWBK 6016\nThe account of the club.\n",
    ],
    ids=lambda text: text.partition("\n")[0],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert marked(text) == text


@given(st.text(st.sampled_from("AB ab1.)§\n-#"), max_size=60))
def test_lines_stay_lines_and_only_marks_are_added(text: str) -> None:
    found = marked(text).split("\n")
    assert [line.lstrip("# ").strip() for line in found] == [line.lstrip("# ").strip() for line in text.split("\n")]
