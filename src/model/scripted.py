"""A model that answers from a script, for tests; journal, events and costs work as with any other."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager

from ..kernel.argument import validated
from ..kernel.errors import ScriptError
from ..kernel.notice import Notice
from .exchange import ModelConfig, ModelRequest, Reply
from .model import DEFAULT_CONFIG, Hear, Model, Prompt
from .tokens import count_tokens

Line = str | Reply | Exception  # the answer to a prompt: a text, a whole reply, or an exception to raise
Script = Iterable[Line] | Callable[[Prompt], Line]  # lines in the order of asking, or a function of the prompt


@validated
class Scripted(Model):
    """A model for tests: it answers from a list in order, by a function of the prompt, or by role from either.

    ```
    model = Scripted({"planner": ['{"tasks": []}'], "writer": lambda prompt: "As the file says [1]."})
    ```

    `prompts` contains the prompts that it got, in order. Equal prompts of one role are one effect of a run and take one
    line; each attempt at a call takes a line. An exception in a script is raised; a retryable one causes a retry.
    Raises ScriptError when there is no line left, or none for the role.
    """

    provider = "scripted"
    default_window = 128_000
    free = True

    def __init__(self, script: Script | Mapping[str, Script], config: ModelConfig = DEFAULT_CONFIG) -> None:
        super().__init__("scripted", config)
        self.prompts: list[Prompt] = []
        by_role = script if isinstance(script, Mapping) else {"": script}
        self._lines = {role: lines if callable(lines) else _in_order(lines) for role, lines in by_role.items()}

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Open nothing."""
        yield

    async def ask(self, client: None, request: ModelRequest, hear: Hear | None) -> Reply:  # noqa: ARG002 it needs none
        """Return the next line as the reply."""
        prompt = Prompt(request.system, request.user)
        self.prompts.append(prompt)
        lines = self._lines.get(request.role) or self._lines.get("")
        if lines is None:
            raise ScriptError(Notice("script_ended", what=request.role))
        line = lines(prompt)
        if isinstance(line, Exception):
            raise line
        reply = line if isinstance(line, Reply) else _spoken(request, line)
        if hear is not None:
            hear(reply.text)
        return reply


def _in_order(lines: Iterable[Line]) -> Callable[[Prompt], Line]:
    left = iter(lines)
    return lambda prompt: next(left, ScriptError(Notice("script_ended", what=repr(prompt.user[:80]))))


def _spoken(request: ModelRequest, text: str) -> Reply:
    prompt_tokens = count_tokens(request.system) + count_tokens(request.user)
    return Reply(text=text, prompt_tokens=prompt_tokens, completion_tokens=count_tokens(text))
