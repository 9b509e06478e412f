"""A run's journal with things that happened at times that a test says."""

from spyglass.kernel.errors import ModelBusyError
from spyglass.kernel.journal import Answer, Journal, effect_key
from spyglass.runs.timeline import Timeline

T = 1_795_000_000.0
"""When all this began."""


class Course:
    """A journal in which things happened at times that a test says."""

    def __init__(self) -> None:
        self.journal = Journal()
        self.journal.take()

    def call(self, kind: str, began: float, ended: float, *, failed: bool = False, **asked: object) -> str:
        key = effect_key(kind, {**asked, "at": began})
        answer = Answer(error=ModelBusyError("busy").to_record()) if failed else Answer("so")
        self.journal.record(key, kind, {**asked, "at": began}, answer, began=T + began, ended=T + ended)
        return key

    def model(self, role: str, began: float, ended: float, *, failed: bool = False) -> str:
        return self.call("model", began, ended, failed=failed, role=role, model="m")

    def mark(self, mark: tuple[str, str], at: float) -> None:
        self.journal.mark(*mark, T + at)

    def phase(self, name: str, began: float, ended: float) -> None:
        self.mark((name, "started"), began)
        self.mark((name, "completed"), ended)

    def timeline(self, *, running: bool = False) -> Timeline:
        return Timeline.of(self.journal, running=running)
