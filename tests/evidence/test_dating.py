"""A document tells its own date in the name of its file or in its first lines; other dates there are not its own."""

import pytest

from spyglass.evidence.dating import LINES, dated


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("minutes_2024-05-31", "2024-05-31"),
        ("minutes 2024-05", "2024-05"),
        ("Protokoll_31.05.2024", "2024-05-31"),
        ("besprechung_31_05_2024", "2024-05-31"),
        ("Unfallbericht_07-11-23", "2023-11-07"),
        ("scan20240531", "2024-05-31"),
        ("prices_from_april_2024", "2024-04"),
        ("minutes_may2024", "2024-05"),
        ("acta 9 de marzo de 2024", "2024-03-09"),
        ("house_rules_2019", "2019"),
        ("Wochenplan_KW43_2024", "2024"),
        ("precios_2024-25", "2024"),
        ("IMG_20240531_101010", "2024-05-31"),
        ("3M_2018_10K", "2018"),
        ("report-2019-2024", "2024"),
        ("2024-05-31_2024-06-30", "2024-06-30"),
        ("scan_2024-05-31_10-11-12", "2024-05-31"),
        ("01_2024-05-31", "2024-05-31"),
        ("minutes_2024-05_2", "2024-05"),
        ("prices 05-2024", "2024-05"),
        ("v1.2 2024-05-31", "2024-05-31"),
    ],
)
def test_the_name_of_a_file_tells_its_date(name: str, date: str) -> None:
    assert dated(name, "", 2026) == date


@pytest.mark.parametrize(
    "name", ["house-rules", "plan_2031", "battle_of_jutland_1916", "room_2024-99-99", "SI-2004567"]
)
def test_other_numbers_in_a_name_are_no_date(name: str) -> None:
    assert dated(name, "", 2026) == ""


@pytest.mark.parametrize(
    ("opening", "date"),
    [
        ("# Prices from Monday 1 April 2024", "2024-04-01"),
        ("# House rules 2019", "2019"),
        ("HOUSE RULES\nPinned up in Sept 2019", "2019-09"),
        (
            "# Handbook\n\nEdition 2, September 2022. Edited by Ann and the team of people who work here with us.",
            "2022-09",
        ),
        ("From: Ann\nTo: Bob\nDate: Mon, 29 Apr 2024 10:12:44 +0100\nSubject: Re: 3 May 2024", "2024-04-29"),
        ("RULES\nAdopted 9 March 1987. Consolidated with amendments to 12 October 2021.", "2021-10-12"),
        ("WERKSTATTORDNUNG\nStand: 4. Februar 2019 – gez. G. B.", "2019-02-04"),
        ("# Normas\n\nAprobadas el 22 de junio de 2021", "2021-06-22"),
        ("A LEAFLET\n(printed spring 2022)", "2022"),
        ("# Règlement\n\nVersion de janvier 2023", "2023-01"),
        ("# Rules\nReplaces: 1 May 2019\nValid from 1 May 2024", "2024-05-01"),
        ("# Policy\nApproved: 3 May 2022. Review date: 3 May 2025", "2022-05-03"),
        ("Date of birth: 4 May 1985\nDate: 3 June 2024", "2024-06-03"),
    ],
)
def test_the_first_lines_tell_the_date_of_their_document(opening: str, date: str) -> None:
    assert dated("rules", opening, 2026) == date


@pytest.mark.parametrize(
    "opening",
    [
        "# Ann Lee\n\nAnn Lee was born on 4 May 1985.",
        "# The bridge\n\nThe bridge, which was opened on 3 May 1999 by the mayor, crosses the river at its mouth.",
        "# Guide\n\nWe have been here since May 1998",
        "# Guide\n\nThe next meeting is on 4 June 2024.",
        "# Release notes\n\nThis release addresses the security issue CVE-2021-21300.",
        "# A treaty\n\nsigned in March 1848",
        "# The match\n\nOn 12 July 1998 France won the cup.",
        "# Members\n\n| name | born |\n|---|---|\n| Ann | 1985-05-04 |",
        "# A form\n\nExpires 3 June 2025",
        "# Calendar\n\nVersion of 31 February 2024",
    ],
)
def test_a_date_of_something_else_is_not_that_of_the_document(opening: str) -> None:
    assert dated("notes", opening, 2026) == ""


def test_a_date_further_down_does_not_count() -> None:
    lines = [f"Line {letter}" for letter in "abcdefgh"[:LINES]]
    assert dated("notes", "\n".join([*lines, "Revised May 2024"]), 2026) == ""


def test_the_first_lines_make_the_year_of_a_name_more_precise_but_do_not_contradict_it() -> None:
    assert dated("prices_2024", "Valid from 1 March 2024", 2026) == "2024-03-01"
    assert dated("prices_2024", "Agreed 12 December 2023", 2026) == "2024"


def test_a_year_to_come_does_not_count() -> None:
    assert dated("plan", "# Plan for 2027", 2026) == ""
    assert dated("plan", "# Plan for 2027", 2027) == "2027"


def test_rows_of_data_have_the_dates_of_what_they_are_about() -> None:
    rows = "Item,Spare,Counted,By\nBag,85,13/02/2025,Tom\nRope,40,14/02/2025,Tom\nTrestle,12,14/02/2025,Kit\n"
    assert dated("inventory", rows, 2026) == ""
    assert dated("inventory_2025", rows, 2026) == "2025"


def test_a_day_that_is_another_one_in_another_country_dates_by_its_year() -> None:
    assert dated("prices", "Prices, 3/2/2025\n\nA bag costs 3 euros.\n", 2026) == "2025"
    assert dated("prices", "Prices, 3/3/2025\n\nA bag costs 3 euros.\n", 2026) == "2025-03-03"


def test_a_piece_of_a_line_dates_a_document_whatever_the_other_pieces_say() -> None:
    line = "Version 3 / P. Tonkin / 9 Feb 2021 / replaces the sheet that was taped to the inside of the old UV box"
    assert dated("sop", f"# Tanks\n\n{line}\n", 2026) == "2021-02-09"
    assert dated("sop", f"# Tanks\n\n{line.replace('9 Feb', 'opened on 9 Feb')}\n", 2026) == ""


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Prices of 3 May 2024\nItem,Price,Unit\na,1,kg\nb,2,kg\nc,3,kg\n", "2024-05-03"),
        ("Minutes, board, 3 May 2024\nActing chair, Ann Lee, Bodmin\nPresent, Khan, Poe\n", "2024-05-03"),
        ("Date, Item, Price\n3 May 2024, rope, 5\n4 May 2024, bag, 2\n", ""),
        ("Date;Item\n3 May 2024;rope, long\n4 May 2024;bag, big\n", ""),
        ("The desk by the main door of the old hall is always staffed 24/7 as from 3 May 2024 on\n", ""),
        ("Valid until | 31 December 2024\n", ""),
        ("Next review / 9 Feb 2022\n", ""),
        ("Date: 2025/02/03\n", "2025-02-03"),
    ],
)
def test_a_title_above_rows_dates_them_and_a_word_before_a_stroke_says_whose_date_it_is(text: str, date: str) -> None:
    assert dated("list", text, 2026) == date
