"""What readers of reports without a model were burnt by, each on the files that did it."""

import re
from pathlib import Path

import pytest

from spyglass import research
from spyglass.kernel.settings import Settings
from spyglass.report import Report
from spyglass.verify import verify
from spyglass.verify.check import check_text


async def reported(settings: Settings, tmp_path: Path, question: str, **files: str) -> Report:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return await research(question, settings=settings.updated(retrieval__dense=False))


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        (
            "Is the drug safe for children?",
            "The drug is safe for children under twelve years.",
            "The drug is not safe for children under twelve years.",
        ),
        (
            "What is the dose for adults?",
            "The recommended dose for adults is 5 mg per day.",
            "The recommended dose for adults is 7 mg per day.",
        ),
        (
            "Did the drug lower blood pressure in patients?",
            "In trial A the drug lowered blood pressure in 12 of 40 patients.",
            "In trial B the drug lowered blood pressure in 31 of 40 patients.",
        ),
    ],
)
async def test_sources_that_disagree_are_both_quoted(
    settings: Settings, tmp_path: Path, question: str, one: str, other: str
) -> None:
    report = await reported(settings, tmp_path, question, a_txt=one + "\n", b_txt=other + "\n")
    assert one in report.markdown
    assert other in report.markdown


async def test_the_row_of_a_long_table_is_quoted_from_its_own_line(settings: Settings, tmp_path: Path) -> None:
    rows = "".join(f"S{number:04},Maple,Apis mellifera,{number / 100:.2f}\n" for number in range(400))
    report = await reported(
        settings, tmp_path, "What is the mass of sample S0234?", samples_csv=f"sample,site,species,mass_g\n{rows}"
    )
    assert report.outcome == "complete"
    assert "sample: S0234 · site: Maple · species: Apis mellifera · mass_g: 2.34" in report.markdown.replace("\\", "")
    assert "S0234,Maple,Apis mellifera,2.34" in [citation.quote for citation in report.citations]


async def test_a_row_far_below_the_names_of_its_columns_is_quoted_with_them(settings: Settings, tmp_path: Path) -> None:
    rows = "".join(f"P-{number:03};Notebook no. {number};Shelf {number % 7};{number * 3}\n" for number in range(400))
    stock = f"Reference;Article;Place;Left\n{rows}P-401;Card (red; A3);Drawer;7\nP-402;Pocket calculator;Window;13\n"
    report = await reported(settings, tmp_path, "How many pocket calculators are left?", stock_csv=stock)
    row = "Reference: P-402 · Article: Pocket calculator · Place: Window · Left: 13"
    assert row in report.markdown
    assert "P-402;Pocket" not in report.markdown


async def test_the_head_of_a_note_is_no_finding(settings: Settings, tmp_path: Path) -> None:
    note = "---\ntitle: Notes about bees in 2023\ntags: [bees]\n---\n\nBees dance to show where the nectar is.\n"
    report = await reported(settings, tmp_path, "How do bees dance?", note_md=note)
    assert "Bees dance to show where the nectar is." in report.markdown
    assert "tags" not in report.markdown


async def test_what_no_passage_mentions_is_said_before_the_findings(settings: Settings, tmp_path: Path) -> None:
    report = await reported(
        settings,
        tmp_path,
        "What salary does Anna Berg have?",
        a_txt="Anna Berg keeps bees in Norway and has a small house.\n",
    )
    assert "occur in none of the passages found: salary" in report.markdown[: report.markdown.index("## ")]


async def test_a_default_is_told_with_what_it_is_the_default_of(settings: Settings, tmp_path: Path) -> None:
    manual = (
        "# BFD\n\n## receive-interval\n\nHow often control packets may be received. The default value is 300 ms.\n\n"
        "## echo-interval\n\nHow often echo packets may be received. The default value is 50 ms.\n"
    )
    report = await reported(settings, tmp_path, "How often are control packets received by default?", bfd_md=manual)
    told = report.sections[0].text
    assert "receive-interval: The default value is 300 ms." in told
    assert "The default value is 50 ms." not in told.replace("echo-interval: The default value is 50 ms.", "")


async def test_a_report_that_only_quotes_says_so_once_and_repeats_no_quote(settings: Settings, tmp_path: Path) -> None:
    said = "The queen lays up to 2,000 eggs a day."
    report = await reported(
        settings, tmp_path, "How many eggs does the queen lay a day?", bees_md=f"# Bees\n\n{said}\n"
    )
    assert report.markdown.count(said) == 1
    assert "every sentence is quoted from a source" in report.markdown
    assert "Claims checked" not in report.markdown
    assert report.counts["supported"] == len(report.claims) == 1
    assert report.references[0].quote == said


async def test_code_that_is_quoted_is_not_repeated_on_one_line_in_the_references(
    settings: Settings, tmp_path: Path
) -> None:
    hives = "# Hives\n\nTo mend the index of a hive, run this command:\n\n```\nhive --mend \\\n  index *.wax\n```\n"
    report = await reported(settings, tmp_path, "How do I mend the index of a hive?", hives_md=hives)
    text, _, references = report.markdown.partition("## References")
    assert "hive --mend \\\n  index *.wax\n" in text
    assert "mend" not in references


async def test_what_is_nearest_stands_behind_the_option_that_it_is_said_of(settings: Settings, tmp_path: Path) -> None:
    options = (
        "# pier(1)\n\n## OPTIONS\n\n-s --symlinks\n\nFollow what is moored.\n\n"
        "-q \\<n>, --quiet\n\nPut out the lamps.\n"
    )
    report = await reported(settings, tmp_path, "Does it sell wooden lamps and ropes abroad?", pier_md=options)
    assert "- pier.md › -q \\<n\\>, --quiet: “Put out the lamps.”" in report.markdown


async def test_an_excerpt_leaves_out_nothing_that_turns_its_sense_round(settings: Settings, tmp_path: Path) -> None:
    policy = (
        "# Complaints\n\nThis policy is about the lamps of the pier. It does not cover:\n\n"
        "- the ropes of other harbours;\n- complaints about the lamps of ships. Ask them!\n"
    )
    report = await reported(settings, tmp_path, "Which museum has a policy for its violins?", policy_md=policy)
    (excerpt,) = re.findall("“.*”", report.markdown)
    assert excerpt == (
        "“This policy is about the lamps of the pier. It does not cover: the ropes of other harbours; / "
        "complaints about the lamps of ships.”"
    )


async def test_a_sentence_in_brackets_after_its_successor_is_verified_in_any_language(
    settings: Settings, tmp_path: Path
) -> None:
    told = (
        "# Altmere\n\nAltmere liegt an der Westküste des Landes. "
        "Der Ort hat einen Hafen, den Ada Lund im Jahr 1880 baute. "
        "Er ist an seiner tiefsten Stelle sieben Meter tief. Im Winter friert er zu.\n"
    )
    report = await reported(settings, tmp_path, "Wie viele Meter tief ist die tiefste Stelle?", altmere_md=told)
    assert "(Direkt davor: Der Ort hat einen Hafen, den Ada Lund im Jahr 1880 baute. [1])" in report.markdown
    assert verify(report).mismatches == []


async def test_a_text_that_is_checked_by_a_long_table_is_verified(settings: Settings, tmp_path: Path) -> None:
    rows = "".join(f"Notebook no. {number},Shelf {number % 7},{number * 3}\n" for number in range(400))
    (tmp_path / "stock.csv").write_text(f"article,place,left\n{rows}Pocket calculator,Window,13\n", encoding="utf-8")
    claim = "There are 13 pocket calculators left at the window (stock.csv)."
    checked = await check_text(claim, settings.updated(db=[tmp_path], retrieval__dense=False), web=False)
    (source,) = checked.report.sources
    assert [passage.columns for passage in source.passages if "calculator" in passage.text] == [
        ("article", "place", "left")
    ]
    assert verify(checked.report).mismatches == []
