"""What can be quoted from a passage, and the names of the columns of a row that is quoted alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.evidence.rows import columns, columns_above
from spyglass.evidence.statement import shown, statements
from spyglass.evidence.visible_text import visible
from spyglass.kernel.source import Passage


def of(text: str, start: int = 0, before: str = "", after: str = "") -> list[str]:
    passage = Passage(text=text, start=start, end=start + len(text))
    return [statement.text for statement in statements(passage, before, after)]


def part_of(text: str, first: str, last: str) -> list[str]:
    """Return the statements of the passage of a text between two words, as a report reads them."""
    start, end = text.index(first), text.index(last) + len(last)
    passage = Passage(text=text[start:end], start=start, end=end, columns=columns_above(text, start))
    return [statement.text for statement in statements(passage, text[max(0, start - 40) : start], text[end : end + 40])]


def test_sentences_are_statements_and_headings_are_not() -> None:
    text = "# The honey bee dances\n\nForagers dance on the comb. They do it in the dark.\n\nA title underlined\n---\n"
    assert of(text) == ["Foragers dance on the comb.", "They do it in the dark."]


def test_a_heading_right_above_its_text_is_no_statement() -> None:
    text = "2.5 Memory and Disk Space Requirements\nYou must have at least 780 MB of memory to perform an installation."
    assert of(text) == ["You must have at least 780 MB of memory to perform an installation."]


def test_a_short_answer_is_one_statement_with_the_sentence_behind_it() -> None:
    assert of("# Can it?\n\nNo. It has to start them itself, in any case.\n") == [
        "No. It has to start them itself, in any case."
    ]
    assert of("No. 5 is alive and well today.\n\nNot quite. \n\nIt has to start them itself.") == [
        "No. 5 is alive and well today.",
        "It has to start them itself.",
    ]
    assert of("It does not start them, ever. Never. It has to be told so.") == [
        "It does not start them, ever.",
        "It has to be told so.",
    ]


def test_a_sentence_of_few_words_is_a_statement_where_it_is_a_paragraph() -> None:
    assert of(
        "--dmesg\n\nShow only kernel messages. This implies --boot, too.\n\n--stamp\n\nTurn on time-stamping.\n"
    ) == [
        "Show only kernel messages. This implies --boot, too.",
        "Turn on time-stamping.",
    ]
    assert of("The lamp is far away. Mind the gap. It shines in the night.") == [
        "The lamp is far away.",
        "It shines in the night.",
    ]
    assert of("All rights reserved.") == []


def test_a_sentence_that_the_passage_cuts_is_left_out() -> None:
    snapshot = (
        "The queen lays her eggs in spring. The workers feed the larvae for six days. Then they seal the cells up."
    )
    start, end = 10, len(snapshot) - 10
    found = of(snapshot[start:end], start, snapshot[:start], snapshot[end:])
    assert found == ["The workers feed the larvae for six days."]


def test_a_table_row_reads_as_its_cells() -> None:
    text = "| Hive | Frames |\n| --- | --- |\n| Langstroth | 10 |\n| NaN | Unnamed: 2 |\n"
    assert of(text) == ["Hive: Langstroth · Frames: 10"]


def test_a_table_row_without_a_head_reads_as_its_bare_cells() -> None:
    assert of("| GRAND TOTAL | | | 5,738 |\n") == ["GRAND TOTAL · 5,738"]


def test_code_pictures_links_and_boilerplate_are_not_quoted() -> None:
    text = (
        "```\nprint('This line of code is not a sentence.')\n```\n\n"
        "![A picture of a bee that sits on a flower.](bee.png)\n\n"
        "- [A link to another page of this site](/other)\n\n"
        "Click here to accept all the cookies of this site.\n\n"
        "All rights reserved by the publisher of this page.\n\n"
        "What do you want to know about bees today?\n\n"
        'The same as passing a hive to the command.", "properties": {"mode": "till it is full of bees."\n\n'
        "The smoke calms the bees in their hive.\n"
    )
    assert of(text) == ["The smoke calms the bees in their hive."]


def test_a_sentence_with_braces_in_it_is_no_data() -> None:
    text = "The hive is told by {'frames': 10, 'queen': 'yes'}, which is then kept."
    assert of(f"{text}\n") == [text]


def test_a_line_that_names_the_code_below_it_is_not_quoted() -> None:
    example = "Undo a commit and redo it\n\n```\ngit reset --soft HEAD^\n```\n\n"
    text = f"{example}This command undoes the last commit.\n\n```\ngit revert\n```\n"
    assert of(text) == ["This command undoes the last commit."]


def test_markup_is_not_shown() -> None:
    text = (
        r"The **honey** [bee](/wiki/bee_(insect) 'x')[\[12\]](#cite) lives in _large_ colonies&nbsp;of `Apis`<br>1\.5."
    )
    assert visible(text) == "The honey bee lives in large colonies of Apis 1.5."
    assert visible("Pass `a` or ``b``, `c`s, and `` `d` `` (`e`).") == "Pass a or b, cs, and d (e)."
    assert visible("Pass {any}`--no-bees` to {py:func}`swarm`, not {this}.") == "Pass --no-bees to swarm, not {this}."


def test_signs_that_are_no_markup_stay() -> None:
    for text in (
        "Bar puts its files into <base>/out, and git pulls from <upstream> to <file name>.",
        'It stands inside a <Directory "/srv"> section.',
        "The sign ‘*’ matches all, and ‘*’ may be escaped.",
        "The parameters ‘@’ or ‘*’ differ from ‘_’ and ‘_’.",
        "The status changes from `maintained' to `unmaintained' (see `dead' (`gone')), as in ``this'' and ``that''.",
    ):
        assert visible(text) == text
    assert visible(r"A \<file> and \* and \_x_ of *all* <b class='x'>bold</b> files<br/>") == (
        "A <file> and * and _x_ of all bold files"
    )


def test_names_with_underscores_and_products_with_stars_stay() -> None:
    assert visible("snake_case_name and 2 * 3 * 4") == "snake_case_name and 2 * 3 * 4"
    assert visible("**Beschluss 6a: Es wird erneuert.") == "Beschluss 6a: Es wird erneuert.", "the bold type goes on"
    assert visible("Es wird erneuert.**") == "Es wird erneuert."
    assert (
        visible("See [approved][], [the `npm` guide][guide] and [#12][].") == "See approved, the npm guide and [#12][]."
    )
    for text in ("It matches [A-Z][a-z] and [:alpha:][:digit:].", "It is in matrix[row][column]."):
        assert visible(text) == text, "no link"
    assert visible("**kwargs holds the rest") == "**kwargs holds the rest"


def test_short_labels_are_not_statements_but_lines_with_figures_are() -> None:
    assert of("Totals\n\nInvoice number 4711\n") == ["Invoice number 4711"]


def test_a_label_and_what_stands_in_the_next_column_are_a_statement() -> None:
    rows = "Shop:\n\n- Thu         Marek, Lucia\n- Sat\tRuth\n- Ask Ben first\n"
    assert of(rows) == ["Thu Marek, Lucia", "Sat Ruth"]


def test_a_row_of_a_form_that_only_names_what_is_to_be_filled_in_is_no_statement() -> None:
    assert of("|  |\n| --- |\n| Your name: |\n| Key bits: 2048 |\n") == ["Key bits: 2048"]


def test_a_row_of_separated_data_is_one_statement_though_a_cell_has_sentences() -> None:
    data = "Boat,Fee,Note\nSkiff,12,Let to guests. Ask Ada Lund first.\nYawl,30,Never let.\n"
    assert of(data) == [
        "Boat: Skiff · Fee: 12 · Note: Let to guests. Ask Ada Lund first.",
        "Boat: Yawl · Fee: 30 · Note: Never let.",
    ]


def test_a_setting_of_two_words_is_a_statement() -> None:
    assert of("Shell of the users\n\nSHELL=/bin/bash\n\n=====\n") == ["SHELL=/bin/bash"]


def test_sentences_without_spaces_between_words_are_quoted_too() -> None:
    assert of("蜜蜂的舞蹈告诉同伴花在哪里。蜂王每天产卵两千个。") == [
        "蜜蜂的舞蹈告诉同伴花在哪里。",
        "蜂王每天产卵两千个。",
    ]


@given(st.text(max_size=20), st.text(alphabet="ab .!?\n|#-*[]()`<>1", max_size=120), st.text(max_size=20))
def test_a_statement_is_what_its_span_of_the_snapshot_shows(before: str, text: str, after: str) -> None:
    snapshot = before + text + after
    passage = Passage(text=text, start=len(before), end=len(before) + len(text))
    for statement in statements(passage, before, after):
        assert passage.start <= statement.start < statement.end <= passage.end
        raw = snapshot[statement.start : statement.end]
        assert shown(raw) == statement.text or raw.startswith("|")
        assert "\n" not in statement.text


TABLE = "# Visits\n\n| Installer | Fan |\n|---|---|\n| Northern | three metres |\n| Deepwell | not needed |\n\nText.\n"
DATA = 'Offer,Pump,Price\nNorthern,air,23400\nDeepwell,"ground, deep",41900\n'


YEARS = "| Station | 2021 | 2022 |\n|---|---|---|\n| Brora | 803 | 790 |\n"
PAIRS = (
    "| Region | 2023 | | 2024 | |\n|---|---|---|---|---|\n| | Units | Sum | Units | Sum |\n| North | 1 | 2 | 3 | 4 |\n"
)
GOES_ON = "| Dunbar | 577 | 560 |\n|---|---|---|\n| Elgin | 690 | 655 |\n"


def told(text: str, quote: str) -> str:
    start = text.index(quote)
    return shown(quote, columns(text, start, start + len(quote)))


def test_a_name_with_what_is_said_of_it_in_brackets_is_a_statement() -> None:
    text = "smtp_pix (default: yes)\n\nIt delays the mail of broken servers.\n\nNo name (old)\n\n"
    assert of(text) == ["smtp_pix (default: yes)", "It delays the mail of broken servers."]


def test_a_row_is_shown_with_the_names_of_its_columns() -> None:
    cases = [
        (TABLE, "| Deepwell | not needed |", "Installer: Deepwell · Fan: not needed"),
        (TABLE, "| Installer | Fan |", "Installer · Fan"),
        (TABLE, "Text.", "Text."),
        (DATA, 'Deepwell,"ground, deep",41900', "Offer: Deepwell · Pump: ground, deep · Price: 41900"),
        (DATA.replace(",", ";"), "Northern;air;23400", "Offer: Northern · Pump: air · Price: 23400"),
        (DATA, "Offer,Pump,Price", "Offer,Pump,Price"),
        (YEARS, "| Brora | 803 | 790 |", "Station: Brora · 2021: 803 · 2022: 790"),
        ("Station,2021\nBrora,803\nAmble,611\n", "Brora,803", "Station: Brora · 2021: 803"),
        (
            PAIRS,
            "| North | 1 | 2 | 3 | 4 |",
            "Region: North · 2023 Units: 1 · 2023 Sum: 2 · 2024 Units: 3 · 2024 Sum: 4",
        ),
        (GOES_ON, "| Dunbar | 577 | 560 |", "Dunbar · 577 · 560"),
        (GOES_ON, "| Elgin | 690 | 655 |", "Elgin · 690 · 655"),
        ("Anna,K-17,Roof\nTom,K-22,Cellar\n", "Tom,K-22,Cellar", "Tom,K-22,Cellar"),
        ("Dear all, hello\nWe met, again\nand, again.\n", "We met, again", "We met, again"),
        ("We met, and ate. Twice.\nWe left, late.\nWe slept, well.\n", "We left, late.", "We left, late."),
    ]
    assert [case for case in cases if told(case[0], case[1]) != case[2]] == []


def test_the_rows_that_name_the_columns_are_no_statements_and_all_others_are() -> None:
    cases = {
        YEARS: ["Station: Brora · 2021: 803 · 2022: 790"],
        PAIRS: ["Region: North · 2023 Units: 1 · 2023 Sum: 2 · 2024 Units: 3 · 2024 Sum: 4"],
        GOES_ON: ["Dunbar · 577 · 560", "Elgin · 690 · 655"],
        "Station,2021\nBrora,803\nAmble,611\n": ["Station: Brora · 2021: 803", "Station: Amble · 2021: 611"],
        "Day,Time,Who\nMon,8-9,Ada\nTue,9-10,Ben\nWed,8-9,Ada\n": [
            "Day: Mon · Time: 8-9 · Who: Ada",
            "Day: Tue · Time: 9-10 · Who: Ben",
            "Day: Wed · Time: 8-9 · Who: Ada",
        ],
        "Present: Ada, Ben, Eva\nOn 3 May, 10 am, pier\nOn 4 May, 11 am, pier\nOn 5 May, 9 am, pier\n": [
            "On 3 May, 10 am, pier",
            "On 4 May, 11 am, pier",
            "On 5 May, 9 am, pier",
        ],
        'What,Price,Remark\nLogs,6.50,"dry; no own wood"\nTent,18,\n': [
            "What: Logs · Price: 6.50 · Remark: dry; no own wood",
            "What: Tent · Price: 18",
        ],
        "Bolt M8,1450,Shelf A3\nNut M8,980,Shelf A4\n": ["Bolt M8,1450,Shelf A3", "Nut M8,980,Shelf A4"],
    }
    assert {text: of(text) for text in cases} == cases


@pytest.mark.parametrize(
    "table",
    [
        "Light,Since,To do\nGreen,2019,Nothing\nRed,2020,{}\n",
        "| Light | Since | To do |\n|---|---|---|\n| Red | 2020 | {} |\n",
    ],
)
def test_a_row_is_a_statement_though_a_cell_has_much_to_do_and_a_line_as_long_is_none(table: str) -> None:
    much = "Boil all water. Fit the spare lamp. " * 11
    assert f"Light: Red · Since: 2020 · To do: {much.strip()}" in of(table.format(much))
    assert not any("Boil" in text for text in of(table.format(much * 3)))
    assert of(much.replace(".", "")) == []


def test_a_long_sentence_as_of_a_contract_is_a_statement() -> None:
    clause = "The tenant shall pay the rent" + ", together with all charges for water and light" * 13 + "."
    assert of(clause) == [clause]
    assert of(clause.replace(" and light", " and light, without any delay or deduction")) == []


def test_a_long_sentence_has_lines_that_go_on_and_is_no_list_of_headings() -> None:
    wrapped = "The tenant shall pay the rent\n" + "together with all charges for water and light\n" * 13 + "at once."
    assert len(of(wrapped)) == 1
    assert of("How to open the gate of the harbour with the keeper\n" * 12 + "How to close it again.") == []


@given(st.text('a1,;\t|"\r\n -', max_size=80), st.integers(0, 80), st.integers(0, 80))
def test_any_span_of_any_text_has_columns_or_none(text: str, start: int, length: int) -> None:
    end = min(len(text), start + length)
    assert all(isinstance(name, str) for name in columns(text, min(start, end), end))


def test_a_cell_of_a_million_characters_is_no_row() -> None:
    text = f"Name,Value\nlong,1\n{'x' * 1_000_000},2\n"
    assert columns(text, 18, len(text) - 1) == []


def test_the_title_of_a_text_names_no_columns() -> None:
    text = "# Altmere, Westland\n\nIt has 900 people, and a harbour.\n\nIt was founded in 1204, by sailors.\n"
    assert columns(text, text.index("It has"), text.index("harbour.") + 8) == []


def test_a_quoted_block_reads_without_its_marks() -> None:
    text = "The manual answers:\n\n> Not directly, but a module like `pam_ssh`\n> can be used\n> > for this purpose.\n"
    assert of(text)[-1] == "Not directly, but a module like pam_ssh can be used for this purpose."
    assert of("A line may say that the first value\n> 5 000 of them are kept.") == [
        "A line may say that the first value > 5 000 of them are kept."
    ]


def test_a_rule_of_four_words_can_be_quoted() -> None:
    rules = ["Dogs are not allowed.", "Eating and smoking are forbidden."]
    text = " ".join(["Shoes are worn in all rooms of the house.", *rules, "Not at all, no. See there."])
    found = statements(Passage(text=text, start=0, end=len(text)))
    assert [one.text for one in found[1:]] == rules


SHELVES = """Article;Shelf;Left
Pencil;A1;40
Ink;A2;11
Paper;A3;64
Brush;A4;9
Card (red; A3);C2;12
Calculator;Window;13
Glue in a stick;Desk;88
"""


def test_rows_have_the_names_of_their_columns_wherever_in_the_data_a_passage_begins() -> None:
    told = ["Article: Calculator · Shelf: Window · Left: 13", "Article: Glue in a stick · Shelf: Desk · Left: 88"]
    more = "".join(f"Pen {number};A2;{number}\n" for number in range(20))
    text = f"{SHELVES}{more}"
    assert part_of(text, "Calculator", "88\n") == told
    assert part_of(text, "red; A3", "88\n") == told, "it begins within a row"
    assert "Card (red; A3);C2;12" in part_of(text, "Card", "Pen 19;A2;19\n"), "a row of another width stays as it is"


def test_rows_of_a_marked_table_have_the_names_of_their_columns_wherever_in_it_a_passage_begins() -> None:
    rows = "".join(f"| Pen {number} | A{number} |\n" for number in range(20))
    text = f"Stock:\n\n| Article | Shelf |\n| --- | --- |\n{rows}\n| 1 | 2 |\nIt was counted in May.\n"
    told = ["Article: Pen 8 · Shelf: A8", "Article: Pen 9 · Shelf: A9"]
    assert part_of(text, "| Pen 8", "A9 |\n") == told
    assert part_of(text, "A7 |", "A9 |\n") == told, "it begins within a row"
    assert part_of(text, "| Article", "A0 |\n") == ["Article: Pen 0 · Shelf: A0"]
    assert part_of(text, "| 1 |", "May.\n")[-1] == "It was counted in May."


def test_text_below_prose_is_in_no_table() -> None:
    text = "Pencils, pens and glue are on the shelf.\n\nCards, too, are there.\n"
    assert columns_above(text, text.index("Cards")) == []
    assert columns_above(SHELVES, 0) == []


LATER = "However, the price of tea will rise by a tenth in the coming year."


def test_prose_below_a_table_is_none_of_its_rows() -> None:
    table = "| Item | Price |\n| --- | --- |\n| Tea | 3 |\n| Milk | 2 |\n"
    assert part_of(f"{table}\n{LATER}\n", "However", "year.\n") == [LATER]
    assert part_of(f"{table}{LATER}\n", "However", "year.\n") == [LATER]
    assert part_of(f"{table}\n{LATER}\n", "| Milk", "year.\n") == ["Item: Milk · Price: 2", LATER]
    names = "| Name |\n| --- |\n| Ann |\n| Bob |\n\nThe club met again in spring and it elected\na new chair.\n"
    assert part_of(names, "| Bob", "chair.\n")[-1] == "The club met again in spring and it elected a new chair."


def test_prose_below_rows_of_data_is_none_of_them() -> None:
    data = "Name,City,Age\n" + "".join(f"Ann {number},Paris,{number}\n" for number in range(40))
    told = f"{LATER} It was said\nin May, as well."
    for between in ("\n", ""):
        text = f"{data}{between}{told}\n\n## Rules for all of the members\n\n```\nrm -rf all the data\n```\n"
        assert part_of(text, "Ann 39", "```\n") == [
            "Name: Ann 39 · City: Paris · Age: 39",
            LATER,
            "It was said in May, as well.",
        ]
        assert of(text)[40:] == [LATER, "It was said in May, as well."]
        assert part_of(text, "However", "well.")[-1] == "It was said in May, as well."


def test_the_rest_of_a_row_is_in_none_of_its_columns() -> None:
    text = "| Name | City |\n| --- | --- |\n| Ann | Paris, as Ann likes it. |\n| Bob | Rome |\n"
    assert part_of(text, "Ann likes", "Rome |\n") == ["Name: Bob · City: Rome"]
    text = text.replace("Paris, as Ann likes it.", "Paris, as Ann likes it. She has been there.")
    assert part_of(text, "Ann likes", "Rome |\n") == ["Name: Bob · City: Rome"]


def test_links_in_a_line_are_no_statement() -> None:
    assert of("Privacy · Terms\n\nAlice Doe · Editor\n") == []
    assert of("- Thu  ·  Marek, Lucia\n") == ["Thu · Marek, Lucia"]
