"""A manual page becomes what `man` shows, without the commands of roff."""

from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.documents import manpage
from spyglass.documents.file_kind import kind_of

MAN = r""".\" A comment.
.ie \n(.g .ds Aq \(aq
.el       .ds Aq '
.de Old
.B never shown
..
.if t \{\
Only on paper.
.\}
.TH FIND 1 2024-01-01
.SH NAME
find \- search for files
.SH
OPTIONS
.TP
.BI \-mindepth " levels"
Do not look above \fIlevels\fR, see
.BR xargs (1).
.IP \(bu 2
It\*(Aqs a `point'.
.IP 2.
Second.
.PP
For instance
.nf
find . \e
  \-name '*.c'
.fi
.TS
tab(;);
l l.
Size;T{
in blocks
T}
.TE
"""

MDOC = r""".Dd November 28, 2022
.Dt SSH 1
.Os
.Sh NAME
.Nm ssh
.Nd remote login client
.Sh SYNOPSIS
.Nm
.Op Fl 46A
.Op Fl b Ar address
.Bl -tag -width Ds
.It Fl D Xo
.Sm off
.Oo Ar host : Oc
.Ar port
.Sm on
.Xc
Reads
.Pa ~/.ssh/config
.Pq see Xr ssh_config 5 ,
or
.Ql ~ .
.It Fl Fl long
Is long.
.El
.Bl -bullet
.It
One.
.El
.Bd -literal
$ ssh host
.Ed
.Bl -enum
.It
First.
.It
Second.
.El
"""


def test_a_page_of_man_is_read_as_it_is_shown() -> None:
    found = manpage.read(MAN)
    assert (found.title, found.kind) == ("find(1)", "manpage")
    assert found.text == (
        "## NAME\n\nfind - search for files\n\n## OPTIONS\n\n-mindepth levels\n\n"
        "Do not look above levels, see xargs(1).\n\n- It's a ‘point’.\n\n2. Second.\n\nFor instance\n\n"
        "```\nfind . \\\n  -name '*.c'\n```\n\n- Size – in blocks"
    )


def test_a_page_of_mdoc_is_read_as_it_is_shown() -> None:
    found = manpage.read(MDOC)
    assert (found.title, found.kind) == ("ssh(1)", "manpage")
    assert found.text == (
        "## NAME\n\nssh – remote login client\n\n## SYNOPSIS\n\nssh [-46A] [-b address]\n\n-D [host:]port\n\n"
        "Reads ~/.ssh/config (see ssh_config(5)), or ‘~’.\n\n--long\n\nIs long.\n\n- One.\n\n"
        "```\n$ ssh host\n```\n\n1. First.\n\n2. Second."
    )


KINDS = {
    "manpage": ('.\\" x', "'\\\" t", ".TH FIND 1", ".Dd May 1", ".so man1/find.1", '.ig \\"'),
    "text": (".gitignore is a file", "... and so on", "'Tis so", ".THE END"),
}


@pytest.mark.parametrize(("kind", "head"), [(kind, head) for kind, heads in KINDS.items() for head in heads])
def test_a_page_is_known_by_its_first_request_and_not_by_a_full_stop(kind: str, head: str) -> None:
    assert kind_of(PurePath("find.1"), f"{head}\n".encode()) == kind


def test_a_character_by_its_number_is_shown_where_it_can_be() -> None:
    assert manpage.read("a\\[u2014]b\\N'66'\\[uD800]\\N'8'c\n").text.encode() == "a—bB\ufffdc".encode()


def test_tags_that_share_a_description_are_one_term() -> None:
    shared = '.IP "\\-c" 4\n.IX Item "\\-c"\n.PD 0\n.IP "\\-\\-continue" 4\n.PD\nGo on.\n'
    told = manpage.read(f".SH OPTIONS\n{shared}.TP\n\\-a\n.TQ\n\\-\\-all\nTake all.\n.SH NEXT\n").text
    assert told == "## OPTIONS\n\n-c, --continue\n\nGo on.\n\n-a, --all\n\nTake all.\n\n## NEXT"


def test_a_bare_number_is_a_value_not_the_place_of_an_item() -> None:
    told = manpage.read(".SH EXIT STATUS\n.IP 0\nif it succeeds\n.IP 123\nif a command failed\n.IP (1)\nFirst.\n").text
    assert told == "## EXIT STATUS\n\n- 0 – if it succeeds\n\n- 123 – if a command failed\n\n1. First."


def test_macros_within_a_cell_of_a_table_are_no_text() -> None:
    cells = 'T{\n.sp\n\\fBip6\\fR\nT}:T{\n.sp\nIPv6, see\n.BR ip (8)\nor\n.B "the guide"\nT}'
    assert manpage.read(f".TS\ntab(:);\nlt lt.\n{cells}\n.TE\n").text == "- ip6 – IPv6, see ip(8) or the guide"


def test_a_page_that_is_another_one_says_which() -> None:
    assert manpage.read(".so man1/find.1\n").text == "See man1/find.1."


REQUESTS = [
    "if t \\{",
    "ie n \\{",
    "el",
    "\\}",
    "de X",
    ".",
    "ds a",
    "TS",
    "TE",
    "It Fl Xo",
    "Bl",
    "Bd",
    "nf",
    "fi",
    "TP",
    "IP",
    "Op",
    "Nm",
    "Sm off",
    "Xr",
    "Dt",
    "TH",
    "EQ",
    "ig",
    "SH",
    "El",
    "Ed",
    "Fl",
    "Oc",
]
LINE = st.one_of(
    st.text(max_size=20),
    st.builds(
        lambda name, rest: f".{name} {rest}",
        st.sampled_from(REQUESTS),
        st.text(alphabet="ab \"'\\(*[]{}n.-1", max_size=12),
    ),
)


@given(st.lists(LINE, max_size=30))
def test_any_lines_become_text(lines: list[str]) -> None:
    assert isinstance(manpage.read("\n".join(lines)).text, str)


def test_a_string_that_names_itself_and_conditions_within_conditions_end() -> None:
    assert len(manpage.read(".ds a x\n" + ".ds a \\*a\\*a\n" * 60 + "\\*a").text) == manpage.LONGEST_STRING
    assert manpage.read(".if n " * 20_000 + "x\ny\n").text == "y"
    assert manpage.read(".if n .if n x\n").text == "x"
