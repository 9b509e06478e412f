"""The message that every agent returns: `agent`, `task` and `data`."""

from typing import Any, Final, TypedDict

from pydantic import BaseModel

TERMINATE: Final = "TERMINATE"  # the agent name that ends a run


class Message(TypedDict):
    """The return value of an agent: the next agent, its task as a string, and the results gathered so far.

    `data` is a list of result records; in the TERMINATE message of a Reporter it is the finished report.
    """

    agent: str
    task: str
    data: Any


class MessageFormat(BaseModel, extra="forbid", strict=True):
    """The format required of every message; the formats of single agents may require more."""

    agent: str
    task: str
    data: list[Any] | str


def terminate(data: list[Any] | str, task: str = TERMINATE) -> Message:
    """Return the message that ends a run and hands over `data`."""
    return {"agent": TERMINATE, "task": task, "data": data}
