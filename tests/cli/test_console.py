"""What is shown on a terminal cannot command it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.cli.console import LastingConsole, tell
from spyglass.kernel.one_line import sanitized


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;aGk=\x07x", "x"),
        ("\x1bPq#0\x1b\\x", "x"),
        ("\x9b31mred", "31mred"),
        ("\x1bcreset", "reset"),
        ("over\rwritten\x00\x7f", "overwritten"),
        ("[31m is no command", "[31m is no command"),
    ],
)
def test_what_a_terminal_obeys_is_taken_out(text: str, shown: str) -> None:
    assert sanitized(text) == shown


@given(st.text(st.one_of(st.sampled_from("\x1b\x9b\x9d[]P;0123m\x07\\\r\x08\n\tab"), st.characters())))
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    left = sanitized(text)
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in left.replace("\n", "").replace("\t", ""))
    assert sanitized(left) == left


def test_nothing_that_is_printed_commands_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    tell("no \x1b]0;owned\x07answer\x1b[2J [from] the\r server")
    LastingConsole().print("\x1b[2Ja [bold]passage[/bold]")
    printed = capsys.readouterr()
    assert (printed.err, printed.out) == ("no answer [from] the server\n", "a passage\n")
