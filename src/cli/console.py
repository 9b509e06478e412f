"""Output of the command line; a closed pipe (`| head -1`) stops neither the run nor its other outputs."""

import json
import os
import sys
from typing import Any, Final, TextIO

import typer
from rich.console import Console
from rich.text import Text

from ..kernel.errors import RunError, UsageError
from ..kernel.one_line import sanitized

WIDEST: Final = 100  # characters of a line of prose, even on a wider terminal


class LastingConsole(Console):
    """A console that strips control sequences, and stops printing once its pipe is closed."""

    def __init__(self, *, stderr: bool = False, quiet: bool = False) -> None:
        super().__init__(stderr=stderr, quiet=quiet, highlight=False, soft_wrap=True, emoji=False)

    def render_str(self, text: str, **options: Any) -> Text:
        """Remove control sequences from every printed text."""
        return super().render_str(sanitized(text), **options)

    def on_broken_pipe(self) -> None:
        """Stop printing."""
        self.quiet = True
        _silence(sys.stderr if self.stderr else sys.stdout)


def write(text: str) -> None:
    """Write text to standard output and flush it. Raises RunError if that fails, for example on a full disk."""
    if sys.stdout is None:  # the parent process closed it
        return
    try:
        sys.stdout.write(sanitized(text))
        sys.stdout.flush()
    except BrokenPipeError:
        _silence(sys.stdout)
    except OSError as error:
        _silence(sys.stdout)
        raise RunError(f"Cannot write to standard output: {error.strerror}") from error


def write_json(value: Any) -> None:
    """Write a value as indented JSON to standard output. Raises as `write` does."""
    write(json.dumps(value, indent=2) + "\n")


def write_result(record: Any, text: str, *, as_json: bool) -> None:
    """Write a record as JSON, or else its text with a newline, to standard output. Raises as `write` does."""
    if as_json:
        write_json(record)
    else:
        write(f"{text}\n")


def show_markdown(text: str) -> None:
    """Write Markdown to standard output: rendered and word-wrapped on a terminal, else verbatim."""
    if sys.stdout is None or not sys.stdout.isatty():
        return write(text)
    from rich.markdown import Markdown

    console = LastingConsole()
    console.print(Markdown(sanitized(text), hyperlinks=False), width=min(console.width, WIDEST), soft_wrap=False)
    return None


def tell(text: str) -> None:
    """Write a line to standard error."""
    LastingConsole(stderr=True).print(text, markup=False)


def confirm(question: str, refusal: str, where: str) -> None:
    """Ask the user to confirm. Raises UsageError without a terminal, typer.Abort if the answer is no."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(refusal, where=where, remedy="Add --yes to confirm.")
    typer.confirm(question, abort=True, err=True)


def _silence(stream: TextIO) -> None:
    """Discard all further output of a stream, including the interpreter's flush at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
