"""A passage knows the headings that its statements are below."""

from collections.abc import Sequence
from functools import partial

from spyglass.evidence.headings import HeadingAbove, heading_above, headings_in
from spyglass.kernel.source import Passage


def test_a_heading_stands_below_those_before_it_that_are_higher() -> None:
    text = "### Root\n\nIt is.\n\n### Revoke\n\nIt ends.\n\n## Limits\n\nThere are some.\n\nmost-lines\n\nOf a pier.\n"
    for begins_with in (text, text.removeprefix("### Root\n\n")):
        passage = Passage(text=begins_with, start=0, end=len(begins_with), heading="Directives > Root")
        assert [one.path for one in headings_in(passage, "mod_pier")][-3:] == [
            ("mod_pier", "Directives", "Revoke"),
            ("mod_pier", "Limits"),
            ("mod_pier", "Limits", "most-lines"),
        ]


def test_a_term_at_the_beginning_of_a_passage_heads_its_explanation() -> None:
    text = "-p, --pier\n\nMoor at the last pier that was used.\n"
    passage = Passage(text=text, start=90, end=90 + len(text), heading="OPTIONS")
    headings = headings_in(passage, "moor(1)")
    for at in (90, 90 + text.index("Moor")):
        assert heading_above(headings, at)[:3] == (90, "-p, --pier", ("moor(1)", "OPTIONS", "-p, --pier"))


def test_a_heading_that_is_repeated_with_its_markup_stands_once_in_the_path() -> None:
    text = "### Where does `pierd` log?\n\nIn its folder.\n"
    passage = Passage(text=text, start=0, end=len(text), heading="Questions > Where does pierd log?")
    assert headings_in(passage, "pierd")[-1][2] == ("pierd", "Questions", "Where does pierd log?")


def test_a_comment_in_code_heads_nothing() -> None:
    text = "# Piers\n\nTo close one:\n\n```\n# s = Pier()\ns.close()\n```\n\nA closed pier is not lit at night.\n"
    passage = Passage(text=text, start=0, end=len(text), heading="Piers")
    assert [one.text for one in headings_in(passage, "Piers")] == ["Piers", "Piers"]


def test_a_heading_keeps_the_sign_that_its_last_word_ends_in() -> None:
    text = "## Piers in C# ##\n\nThey are short.\n\n### F#\n\nThere are none.\n"
    passage = Passage(text=text, start=0, end=len(text), heading="")
    assert [one.text for one in headings_in(passage, "Piers")][1:] == ["Piers in C#", "F#"]


def test_a_heading_in_capitals_heads_its_paragraph() -> None:
    text = (
        "Morning all,\n\na few things.\n\nCAR PARK. Two spaces go. Book one by noon.\n\nÄRGER / LÄRM: Es wird laut.\n\n"
        "BIKES. None on the rails.\n\nNow and then. It rains.\n\nIT. It is down. A. Lund left.\n\n车位。我们有两个。\n"
    )
    headings = headings_in(Passage(text=text, start=0, end=len(text)), "Mail")

    above = partial(path_above, headings, text)

    assert above("Two spaces") == above("Book one") == ("CAR PARK",)
    assert above("Es wird") == ("ÄRGER / LÄRM",)
    assert above("None on") == ("BIKES",)
    assert above("a few") == above("It rains") == above("It is down") == above("我们") == ()


def test_a_heading_in_bold_type_heads_its_paragraph_and_the_list_below_it() -> None:
    text = (
        "## Hurt\n\nStay calm.\n\n**Ticks.** There are many in May.\n - Use the hook.\n"
        " - **Look.** A red ring is bad.\n - Wipe it.\n\n"
        "**Stings:** Scrape it off.\n\nCall if in doubt.\n\n```\n\n**No head.** Code\n```\n\n"
        "- **Lunch**: 3.50 for all. Tea is free.\n- Cake\n"
    )
    passage = Passage(text=text, start=7, end=7 + len(text))
    headings = headings_in(passage, "First aid")

    above = partial(path_above, headings, text, begins=7)

    assert above("Stay calm.") == ("Hurt",)
    assert above("There are") == above("Use the hook") == above("Wipe it") == ("Hurt", "Ticks")
    assert above("A red ring") == ("Hurt", "Ticks", "Look")
    assert above("Scrape it") == ("Hurt", "Stings")
    assert above("Call if") == above("Code") == above("Tea is") == above("Cake") == ("Hurt",)
    assert not heading_above(headings, 7 + text.index("Call if")).is_there


def test_a_question_above_its_answer_heads_that_answer() -> None:
    text = (
        "**How long may I stay at the visitors' pier?**\nThree nights. After that the harbour master decides.\n\n"
        "**Can I leave my boat there?** Yes, if she is locked.\n\n¿Dónde pago?\nEn la oficina del puerto.\n\n"
        "**Who is on duty in winter?**\n\nNobody is.\n\n"
        "Who knows the lamps?\n- The lamps are new.\n\nShall we. Or not?\nNobody asked.\n\nIs it late? It is.\n"
    )
    headings = headings_in(Passage(text=text, start=0, end=len(text)), "Piers")

    above = partial(path_above, headings, text)

    assert above("Three nights") == above("After that") == ("How long may I stay at the visitors' pier?",)
    assert above("Yes, if") == ("Can I leave my boat there?",)
    assert above("En la") == ("¿Dónde pago?",)
    assert above("Nobody is") == ("Who is on duty in winter?",)
    assert not {"Who knows the lamps?", "Shall we. Or not?", "Is it late?"} & {one.text for one in headings}


def path_above(headings: Sequence[HeadingAbove], text: str, said: str, begins: int = 0) -> tuple[str, ...]:
    """Return the path above what a passage says, without the document; the passage begins there in its snapshot."""
    return heading_above(headings, begins + text.index(said)).path[1:]
