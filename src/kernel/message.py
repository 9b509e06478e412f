"""The three-key message that every agent answers with."""

from typing import Any, Final, TypedDict

from pydantic import BaseModel, ConfigDict

TERMINATE: Final = "TERMINATE"
"""The agent name that ends a run."""


class Message(TypedDict):
    """What an agent answers: the next agent, its task string, and the results gathered so far.

    `data` is a list of result records; in the TERMINATE message of a Reporter it is the finished report.
    """

    agent: str
    task: str
    data: Any


class MessageFormat(BaseModel):
    """The format that every message must have, whatever the agents' own formats ask beyond it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    agent: str
    task: str
    data: list[Any] | str


def terminate(data: list[Any] | str, task: str = TERMINATE) -> Message:
    """Return the message that ends a run and hands over `data`."""
    return {"agent": TERMINATE, "task": task, "data": data}
