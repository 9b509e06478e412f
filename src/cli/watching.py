"""Where the log and the spans of a command go."""

import logging
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from ..kernel.errors import SettingsError
from ..kernel.observe.export import exported
from ..kernel.observe.logs import LOG, Lines
from ..kernel.settings import Settings
from .console import tell

STDERR: Final = Path("-")


@contextmanager
def watched(settings: Settings) -> Iterator[None]:
    """Write the log and send the spans that the settings ask for, all of them by the time the block has ended.

    Raises SettingsError for a file that cannot be written, and where an exporter is not installed.
    """
    with ExitStack() as exits:
        if settings.observe.log is not None:
            exits.enter_context(_logged(settings.observe.log))
        if settings.observe.otel:
            exits.enter_context(exported(tell))
        yield


@contextmanager
def _logged(place: Path) -> Iterator[None]:
    """Write the log, a line of JSON for each record, to standard error or behind what is in a file."""
    try:
        handler = logging.StreamHandler(sys.stderr) if place == STDERR else logging.FileHandler(place.expanduser())
    except OSError as error:
        raise SettingsError(
            f"The log cannot be written: {error.strerror}",
            where=str(place),
            remedy="Set observe.log to another file, or to -.",
        ) from error
    handler.setFormatter(Lines())
    before = LOG.level
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOG.setLevel(before)
        LOG.removeHandler(handler)
        handler.close()
