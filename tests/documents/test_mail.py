"""An e-mail is read as the messages in it, each below its own author."""

from contextlib import suppress
from email.message import EmailMessage
from pathlib import PurePath

from hypothesis import given
from hypothesis import strategies as st

from spyglass.documents import mail, reader
from spyglass.kernel.errors import UnsupportedError

ANSWERED = """\
Ada,

please go on without the survey.

On Mon, 11 Jul 2022 at 09:15, Ada Lund wrote:
> Per,
>
> I advise against it.

One more thing: tell the club.
"""

FORWARDED = """\
See below.

-----Original Message-----
From: Ada Lund
Sent: 11 July 2022 09:15
To: Per Holm

I advise against it.
"""


def message(told: str, subtype: str = "plain", **fields: str) -> EmailMessage:
    made = EmailMessage()
    for name, value in {
        "From": "Per Holm <per@pier.example>",
        "Date": "Tue, 12 Jul 2022 17:48:09 +0100",
        **fields,
    }.items():
        made[name] = value
    made.set_content(told, subtype=subtype, cte="quoted-printable")
    return made


def read(told: str, **fields: str) -> list[str]:
    return mail.read(message(told, **fields).as_bytes()).text.split("\n")


def test_a_message_stands_below_its_author_and_its_encoding_is_undone() -> None:
    made = mail.read(message("The pier – it costs 5 €.\n", Subject="Prüfung des Piers", To="Ada Lund").as_bytes())
    assert made.subject == "Prüfung des Piers"
    assert made.text == (
        "# Per Holm, 2022-07-12 17:48\n\n- From: Per Holm <per@pier.example>\n- To: Ada Lund\n\n"
        "The pier – it costs 5 €."
    )


def test_what_is_quoted_stands_below_its_own_author_and_what_follows_it_below_the_first_again() -> None:
    headings = [line for line in read(ANSWERED) if line.startswith("#")]
    first = "# Per Holm, 2022-07-12 17:48"
    assert headings == [first, "# On Mon, 11 Jul 2022 at 09:15, Ada Lund wrote", first]
    told = "\n".join(read(ANSWERED))
    assert told.index("go on without") < told.index(headings[1]) < told.index("\nI advise") < told.index("One more")


def test_a_message_below_header_lines_stands_below_who_they_say_wrote_it() -> None:
    for told in (FORWARDED, FORWARDED.replace("From", "Von").replace("Sent", "Gesendet")):
        lines = read(told)
        assert [line for line in lines if line.startswith("#")][1:] == ["# Ada Lund, 11 July 2022 09:15"]
        assert not any("Original" in line for line in lines)
    marked = "See below.\n> From: Ada Lund <ada@pier.example>\n> Date: 11 July 2022\n>\n> I advise against it.\n"
    assert "# Ada Lund, 11 July 2022" in read(marked)


def test_a_quotation_that_nothing_introduces_keeps_its_marks() -> None:
    assert read("A poem\n\n> Roses are red\n\nThat is all.\n")[-5:] == [
        "A poem",
        "",
        "> Roses are red",
        "",
        "That is all.",
    ]


def test_a_page_of_html_is_read_as_one() -> None:
    made = message("<p>The pier is <b>closed</b>.</p><ul><li>until May</li></ul>", "html")
    assert "The pier is closed." in mail.read(made.as_bytes()).text
    assert "- until May" in mail.read(made.as_bytes()).text


def test_the_files_attached_are_read_too_and_one_without_text_is_named() -> None:
    made = message("See the list.\n", Subject="The list")
    made.add_attachment(b"name,fee\nAda,12\n", maintype="text", subtype="csv", filename="fees.csv")
    made.add_attachment(b"\x7fELF" + bytes(90), maintype="application", subtype="octet-stream", filename="a.bin")
    document = reader.read("mail", PurePath("a.eml"), made.as_bytes())
    assert (document.title, document.kind) == ("The list", "mail")
    assert "# fees.csv\n\nname,fee\nAda,12" in document.text
    assert len(document.skipped) == 1


def test_a_part_without_a_name_is_named_by_its_type_and_a_message_in_another_is_read() -> None:
    made = message("See below.\n")
    made.add_attachment("Per forgot this.\n")
    made.add_attachment(message("The pier is old.\n", From="Ada Lund"))
    text = reader.read("mail", PurePath("a.eml"), made.as_bytes()).text
    assert "# text/plain\n\nPer forgot this." in text
    assert "# message.eml\n\n# Ada Lund, 2022-07-12 17:48\n\n- From: Ada Lund\n\nThe pier is old." in text


def test_a_conversation_of_any_length_and_depth_is_read() -> None:
    header = "\n-----Original Message-----\nFrom: Ada Lund\nSent: 11 July 2022\n\nI advise against it.\n"
    assert "\n".join(read(header * 3_000)).count("# Ada Lund, 11 July 2022") == 3_000
    nested = "\n".join(f"{'> ' * depth}On {depth} July 2022, Ada wrote:" for depth in range(2_000))
    assert read(nested)[-1].startswith("> > ")


def test_a_broken_date_and_an_unknown_encoding_are_shown_as_they_are() -> None:
    raw = b"From: =?nonsense?Q?a?= <a@pier.example>\nDate: soon\nContent-Type: text/plain; charset=nonsense\n\nWords.\n"
    assert mail.read(raw).text.startswith("# =?nonsense?Q?a?=")
    assert ", soon\n\n" in mail.read(raw).text
    assert mail.read(raw).text.endswith("\n\nWords.")


@given(
    st.text(st.characters(exclude_categories=("C", "Z")), max_size=100), st.text(alphabet="ab \n>:#-F1", max_size=200)
)
def test_nothing_that_a_message_says_is_lost(value: str, told: str) -> None:
    made = mail.read(f"From: ada@pier.example\nSubject: {value}\n\n{told}".encode())
    kept = "".join(made.text.split())
    assert all(word in kept for line in told.split("\n") for word in line.strip(">: -#").split(">")[0].split())


@given(st.binary(max_size=300))
def test_bytes_are_read_or_refused_as_no_text(body: bytes) -> None:
    with suppress(UnsupportedError):
        assert mail.read(b"From: ada@pier.example\nSubject: x\n\n" + body).text.startswith("# ada@pier.example")
