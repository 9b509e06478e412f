"""Shows the progress of a run in a notebook: `await research("…", on_event=Progress())`."""

from html import escape
from typing import Final

from .kernel.errors import UsageError
from .kernel.events import Event, ModelCalled, RunEnded
from .kernel.one_line import sanitized
from .runs.words import live_line, permanent_line

__all__ = ["Progress"]

SHOWN: Final = 6
"""Number of latest lines shown during the run; after its end all are shown, folded."""

STYLE: Final = "border-left:3px solid #2f6fb0;padding:.1em 0 .1em .8em;overflow-wrap:anywhere"


class Progress:
    """Shows a run's events in a notebook cell: the current step, past steps, and the cost.

    IPython is imported when an instance is created, not with this module. Raises UsageError outside of a notebook.
    """

    def __init__(self) -> None:
        self._now, self._end = "Starting", ""
        self._lines: dict[str, None] = {}
        self._calls = 0
        self._cost: float | None = 0.0
        self._shown = self._repr_html_()
        try:
            from IPython.display import display

            self._cell = display(self, display_id=True)  # type: ignore[no-untyped-call]
        except ImportError:
            self._cell = None
        if self._cell is None:
            remedy = "Elsewhere, pass your own function as on_event; the command line shows progress by itself."
            raise UsageError("The progress can only be shown in a notebook", remedy=remedy)

    def __call__(self, event: Event) -> None:
        """Update the cell with an event."""
        match event:
            case ModelCalled(replayed=False, cost=cost):
                self._calls += 1
                self._cost = None if self._cost is None or cost is None else self._cost + cost
            case RunEnded():
                self._end = permanent_line(event)
        self._now = live_line(event) or self._now
        if (line := permanent_line(event)) and not self._end:
            self._lines[line] = None
        if self._cell is not None and (shown := self._repr_html_()) != self._shown:
            self._shown = shown
            self._cell.update(self)

    def __repr__(self) -> str:
        """Return the line of the current step, or of the outcome."""
        cost = "price unknown" if self._cost is None else f"${self._cost:.4f}"
        return sanitized(
            self._end or (f"{self._now} · {self._calls} model calls, {cost}" if self._calls else self._now)
        )

    def _repr_html_(self) -> str:
        """Return the HTML of the cell."""
        head, lines = escape(repr(self)), [f"<li>{escape(sanitized(line))}</li>" for line in self._lines]
        if self._end:
            body = f"<details><summary>{head}</summary><ul>{''.join(lines)}</ul></details>"
        else:
            body = f"<strong>{head}</strong><ul>{''.join(lines[-SHOWN:])}</ul>"
        return f'<div role="status" style="{STYLE}">{body}</div>'
