"""The three-key message that every agent answers with."""

from typing import Any, Final, TypedDict

from pydantic import BaseModel

TERMINATE: Final = "TERMINATE"  # the agent name that ends a run


class Message(TypedDict):
    """What an agent answers: the next agent, its task string, and the results gathered so far.

    `data` is a list of result records; in the TERMINATE message of a Reporter it is the finished report.
    """

    agent: str
    task: str
    data: Any


class MessageFormat(BaseModel, extra="forbid", strict=True):
    """The format that every message must have, whatever the agents' own formats ask beyond it."""

    agent: str
    task: str
    data: list[Any] | str


def terminate(data: list[Any] | str, task: str = TERMINATE) -> Message:
    """Return the message that ends a run and hands over `data`."""
    return {"agent": TERMINATE, "task": task, "data": data}
