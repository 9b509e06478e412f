"""What a notebook shows of a run while it goes on: `await research("…", on_event=Progress())`."""

from html import escape
from typing import Final

from .kernel.errors import UsageError
from .kernel.events import Event, ModelCalled, RunEnded
from .kernel.one_line import tamed
from .runs.words import doing, done

__all__ = ["Progress"]

SHOWN: Final = 6
"""Of the things that have happened the last ones, while the run goes on; all of them, folded, once it has ended."""

STYLE: Final = "border-left:3px solid #2f6fb0;padding:.1em 0 .1em .8em;overflow-wrap:anywhere"


class Progress:
    """The sink of a run's events for a cell of a notebook: what is done now, what has happened, what it has cost.

    IPython is imported when one is made, not with this module. Raises UsageError outside of a notebook.
    """

    def __init__(self) -> None:
        self._now, self._end = "Starting", ""
        self._happened: dict[str, None] = {}
        self._calls = 0
        self._cost: float | None = 0.0
        self._shown = self._repr_html_()
        try:
            from IPython.display import display

            self._cell = display(self, display_id=True)  # type: ignore[no-untyped-call]
        except ImportError:
            self._cell = None
        if self._cell is None:
            remedy = "Elsewhere give a function of your own as on_event; the command line shows progress by itself."
            raise UsageError("There is no notebook to show the progress in", remedy=remedy)

    def __call__(self, event: Event) -> None:
        """Take an event, and show what it tells."""
        match event:
            case ModelCalled(replayed=False, cost=cost):
                self._calls += 1
                self._cost = None if self._cost is None or cost is None else self._cost + cost
            case RunEnded():
                self._end = done(event)
        self._now = doing(event) or self._now
        if (said := done(event)) and not self._end:
            self._happened[said] = None
        if self._cell is not None and (shown := self._repr_html_()) != self._shown:
            self._shown = shown
            self._cell.update(self)

    def __repr__(self) -> str:
        """Return the line of what is done now, or of how it ended."""
        cost = "price unknown" if self._cost is None else f"${self._cost:.4f}"
        return tamed(self._end or (f"{self._now} · {self._calls} model calls, {cost}" if self._calls else self._now))

    def _repr_html_(self) -> str:
        """Return what the cell shows."""
        head, lines = escape(repr(self)), [f"<li>{escape(tamed(line))}</li>" for line in self._happened]
        if self._end:
            body = f"<details><summary>{head}</summary><ul>{''.join(lines)}</ul></details>"
        else:
            body = f"<strong>{head}</strong><ul>{''.join(lines[-SHOWN:])}</ul>"
        return f'<div role="status" style="{STYLE}">{body}</div>'
