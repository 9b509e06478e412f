"""The base class of all models: prompts, limits, budget, journal and errors for every provider."""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from pydantic import BaseModel

from ..kernel import errors
from ..kernel.argument import validated
from ..kernel.cleanup import cancel_and_wait
from ..kernel.events import ModelCalled, TextDelta
from ..kernel.journal import effect_key
from ..kernel.notice import Notice
from ..kernel.one_line import sanitized
from ..kernel.run import Run
from ..kernel.source import digest
from .address import without_secrets
from .asking import Answered, Asking, Trying
from .exchange import Embeddings, ModelConfig, ModelRequest, Reply, well_formed
from .extract import strip_thinking
from .metering import metered
from .own_words import own_words
from .prices import price
from .rejection import RefusedError, Rejection, as_model_error, unreadable
from .think_filter import LongEnoughError, ThinkFilter
from .tokens import count_tokens, least_tokens, most_tokens
from .windows import known_window

Hear = Callable[[str], None]  # called with each piece of text as it arrives
EMBED_BATCH = 64  # texts per embedding call: well under every provider's limit (Gemini's is 100)
CUT_FLOOR = 512
"""Tokens, half of the smallest context window: a server that reports fewer does not count its cached tokens."""


@validated
@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: the instructions (`system`) and the request itself (`user`)."""

    system: str
    user: str


DEFAULT_CONFIG = ModelConfig()


@validated
class Model(ABC):
    """A model of a provider. Opens no connection until the first call, and keeps no state of a run.

    A provider implements `open`, `ask` and `rejection`, and `vectors` where it has embeddings; any other exception that
    an SDK raises inside them counts as an unreadable answer.
    """

    provider: ClassVar[str]
    home: ClassVar[str] = ""
    """The provider's own address; a server at another address is assumed to need no key."""
    default_model: ClassVar[str] = ""
    default_embedder: ClassVar[str] = ""
    default_window: ClassVar[int] = 8_192
    """Tokens, for an unknown model: the default of small servers."""
    default_concurrency: ClassVar[int] = 8
    free: ClassVar[bool] = False
    """Whether calls are free unless a price is set, as on the user's own machine."""
    key_setting: ClassVar[str] = ""
    base_url_setting: ClassVar[str] = ""
    unreachable_remedy: ClassVar[Notice] = Notice("check_network_and_base_url")

    def __init__(self, name: str, config: ModelConfig = DEFAULT_CONFIG) -> None:
        self.name = name
        self.config = config
        self.base_url = (config.base_url or self.home).rstrip("/")

    @property
    def context_window(self) -> int:
        """The maximum number of tokens of prompt and answer together."""
        return self.config.context_window or known_window(self.name) or self.default_window

    @property
    def secret(self) -> str:
        """The key in plain text, for the client only; empty when there is none."""
        return self.config.key.get_secret_value() if self.config.key else ""

    @property
    def place(self) -> str:
        """Provider, model and address, for error messages; contains no secret."""
        return f"{self.provider} {self.name}, {without_secrets(self.base_url)}"

    def room(self, max_tokens: int | None = None) -> int:
        """Return the maximum number of tokens of a prompt, beside an answer of `max_tokens`."""
        return max(0, self.context_window - (max_tokens or self.config.max_output_tokens))

    async def complete(
        self,
        run: Run,
        prompt: Prompt,
        *,
        role: str,
        schema: type[BaseModel] | None = None,
        tools: Sequence[dict[str, Any]] = (),
        max_tokens: int | None = None,
        stream: bool = False,
        longest: int = 0,
        attempts: int | None = None,
        trying: Trying | None = None,
    ) -> str:
        """Return the model's text without its thinking; every call is an effect of the run.

        With `tools`, schemas made by `@tool`, the model may call tools instead: the text is then a JSON list of its
        calls, `{"tool": name, …arguments}` each. A server without tool support gets the request without tools. Without
        schema and tools the text is prose, and sentences that repeat the text or the instructions are removed
        (`own_words`). The call is made at most `attempts` times and never more often than the config allows; `trying`
        records the attempts.

        With `stream` the text is also emitted as TextDelta events while it arrives; a retry after a failure midway
        emits it again, and a replayed answer is one event. A stream of more than `longest` characters ends with
        OutputCutError. Raises ModelError: PromptTooLongError before anything is sent; OutputCutError, EmptyAnswerError,
        RefusalError and PromptCutError for an answer that arrived, which is counted and recorded.
        """
        request = replace(self._request(prompt, role, schema, max_tokens), longest=longest, tools=tuple(tools))
        tokens = self._count_prompt(request)
        record = asdict(request)
        emit_delta: Hear = lambda text: run.emit(TextDelta(role, sanitized(well_formed(text))))  # noqa: E731
        schemas = [schema for schema in (request.schema, *request.tools) if schema is not None]
        prompt_size = tokens + (count_tokens(json.dumps(schemas)) if schemas else 0)
        max_attempts = min(attempts or self.config.attempts, self.config.attempts)
        ask = partial(self._ask_and_emit, request, emit_delta if stream else None)
        call = Asking(role, (most_tokens(prompt_size), request.max_tokens), ask, max_attempts, trying or Trying())
        reply, replayed = await self._effect(run, "model", record, call, Reply)
        text = strip_thinking(reply.text)
        if stream and replayed and text:
            emit_delta(text)
        prompt_tokens = reply.prompt_tokens or tokens
        answer_tokens = count_tokens(reply.text) if reply.completion_tokens is None else reply.completion_tokens
        await self._count(run, role, effect_key("model", record), prompt_tokens, answer_tokens, replayed=replayed)
        answer, repeats = text, False
        if not schemas:
            answer, repeats = await asyncio.to_thread(own_words, text, request.system, request.user)
        self._check(reply, text, least_tokens(request.system) + least_tokens(request.user))
        return self._whole(answer, cut=reply.finish == "length" and not repeats)

    async def embed(self, run: Run, texts: list[str]) -> list[list[float]]:
        """Return one vector for each text, in order. Raises EmbedderError for every failure."""
        cleaned = [well_formed(text) for text in texts]
        batches = [cleaned[start : start + EMBED_BATCH] for start in range(0, len(cleaned), EMBED_BATCH)]
        calls = [asyncio.ensure_future(self._embed_batch(run, batch)) for batch in batches]
        try:
            results = await asyncio.gather(*calls)  # a failed TaskGroup leaves its caller as if cancelled (3.11)
        except (errors.ModelError, errors.BudgetError) as error:
            raise error.as_kind(errors.EmbedderError) from error
        finally:
            await cancel_and_wait(*calls)
        return [vector for vectors in results for vector in vectors]

    # What a provider implements

    @abstractmethod
    def open(self) -> AbstractAsyncContextManager[Any]:
        """Return a context manager that opens and closes the provider's client, with the SDK's own retries off."""

    @abstractmethod
    async def ask(self, client: Any, request: ModelRequest, hear: Hear | None) -> Reply:
        """Send the request; with `hear`, stream the answer and pass each piece of its text to it."""

    async def vectors(self, client: Any, texts: list[str]) -> Embeddings:  # noqa: ARG002 nobody to ask
        """Return one vector for each text, of at most `EMBED_BATCH` texts."""
        raise errors.EmbedderError(Notice("no_embeddings"), where=self.place, remedy=Notice("set_embedder_provider"))

    def rejection(self, error: Exception) -> Rejection | None:  # noqa: ARG002 nothing known of it
        """Return the refusal or failed connection that an SDK's exception reports; None for any other exception."""
        return None

    @property
    def unknown_remedy(self) -> Notice:
        """The remedy when the server does not have the model."""
        return Notice("check_model_name")

    def price(self, at: datetime, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Return the cost of a call in US dollars by the configured price, else the price table; None when unknown.

        Blocks on its first use.
        """
        if self.config.price is not None:
            return (prompt_tokens * self.config.price[0] + completion_tokens * self.config.price[1]) / 1_000_000
        return 0.0 if self.free else price(self.base_url, self.name, prompt_tokens, completion_tokens, at)

    # What all providers share

    def _request(
        self, prompt: Prompt, role: str, schema: type[BaseModel] | None, max_tokens: int | None
    ) -> ModelRequest:
        return ModelRequest(
            provider=self.provider,
            model=self.name,
            base_url=without_secrets(self.base_url),
            role=role,
            system=well_formed(prompt.system),
            user=well_formed(prompt.user),
            schema=None if schema is None else schema.model_json_schema(),
            max_tokens=max_tokens or self.config.max_output_tokens,
        )

    async def _ask_and_emit(self, request: ModelRequest, emit: Hear | None, client: Any) -> Reply:
        """Ask the server; with `emit`, stream the answer to it and end the stream once it is long enough."""
        if emit is None:
            return await self.ask(client, request, None)
        think_filter = ThinkFilter(emit, request.longest)
        try:
            reply = await self.ask(client, request, think_filter)
        except LongEnoughError:
            reply = Reply(text=think_filter.passed, finish="length")
        think_filter.end()
        return reply

    def _whole(self, text: str, *, cut: bool) -> str:
        """Return the text. Raises EmptyAnswerError if it is empty, and OutputCutError if it was `cut`."""
        if not text:
            remedy = Notice("choose_another_model")
            raise errors.EmptyAnswerError(Notice("only_repeated"), where=self.place, remedy=remedy)
        if cut:
            remedy = Notice("raise_setting", setting="models.max_output_tokens")
            raise errors.OutputCutError(Notice("output_limit_hit"), where=self.place, remedy=remedy, text=text)
        return text

    def _count_prompt(self, request: ModelRequest) -> int:
        """Return our estimate of the prompt's tokens. Raises PromptTooLongError when it does not fit the window."""
        tokens = count_tokens(request.system) + count_tokens(request.user)
        room, window = self.room(request.max_tokens), self.context_window
        if tokens > room:
            what = Notice("prompt_too_long", tokens=tokens, room=room, window=window, answer=request.max_tokens)
            remedy = Notice("set_larger_window")
            raise errors.PromptTooLongError(what, where=self.place, remedy=remedy, tokens=tokens, window=window)
        return tokens

    async def _effect(
        self, run: Run, kind: str, record: Any, pending: Asking[Answered], shape: type[Answered]
    ) -> tuple[Answered, bool]:
        """Make the call as an effect of the run; return the answer and whether it was replayed from the journal."""
        was_called = False

        async def call() -> Any:
            nonlocal was_called
            was_called = True
            with pending.trying.attempt():
                return (await self._attempt(run, pending)).model_dump()

        value = await run.effect(kind, record, call, attempts=pending.attempts)
        return shape.model_validate(value), not was_called

    async def connect(self, run: Run) -> Any:
        """Return the pool's client of this server, opened at its first use, which imports the SDK."""
        return await run.shared((self._server, self.config.deadline), self.open)

    @property
    def _server(self) -> str:
        """The key under which calls to the same server with the same API key share a client and limits."""
        return f"{self.provider} {self.base_url} {digest(self.secret)}"

    async def _attempt(self, run: Run, call: Asking[Answered]) -> Answered:
        """Make one attempt within limits, deadline and budget. Raises ModelError for every failure."""
        self.require_key()
        client = await self.connect(run)
        limit = self.config.concurrency or self.default_concurrency
        slot, shared_slot = run.slot(self._server, limit), run.global_slot(self._server, limit)
        async with slot, shared_slot, metered(run, self, call.role, call.most) as report_usage:
            try:
                async with asyncio.timeout(self.config.deadline):
                    answer = await call.ask(client)
            except TimeoutError as error:
                what = Notice("model_too_slow", seconds=self.config.deadline)
                remedy = Notice("raise_or_faster_model", setting="models.deadline")
                raise errors.ModelDeadlineError(what, where=self.place, remedy=remedy) from error
            except errors.SpyglassError:
                raise
            except Exception as error:  # no SDK documents what it raises for a malformed answer
                raise self.explained(error) from error
            if answer.tokens_used is not None:
                report_usage(answer.tokens_used)
            return answer

    def require_key(self) -> None:
        """Raise ModelKeyError where a key is needed and none is set."""
        if not self.secret and self.key_setting and self.base_url == self.home:
            remedy = Notice("set_variable", name=self.key_setting.upper())
            what = Notice("model_without_key", provider=self.provider)
            raise errors.ModelKeyError(what, where=self.place, remedy=remedy)

    def explained(self, error: Exception) -> errors.ModelError:
        """Return the ModelError for an SDK's exception."""
        rejection = error.rejection if isinstance(error, RefusedError) else self.rejection(error)
        if rejection is None:
            return unreadable(error, self.place)
        return as_model_error(
            rejection.without(self.secret),
            self.place,
            key_variable=self.key_setting.upper(),
            unknown_remedy=self.unknown_remedy,
            unreachable_remedy=self.unreachable_remedy,
        )

    async def _count(self, run: Run, role: str, key: str, prompt: int, completion: int, *, replayed: bool) -> None:
        cost = await asyncio.to_thread(self.price, run.started, prompt, completion)
        run.spending.add(key, prompt, completion, cost)
        run.journal.charge(key, prompt, completion, cost)
        run.emit(ModelCalled(role, self.name, prompt, completion, cost, replayed))

    def _check(self, reply: Reply, text: str, fewest: int) -> None:
        """Raise a ModelError when the reply is unusable; the prompt has at least `fewest` tokens.

        Ollama silently cuts a prompt that overflows its window to half of the window plus two tokens (ollama#17427,
        #17889): the count that it reports is then below `fewest`.
        """
        counted = reply.prompt_tokens
        if reply.finish == "refusal":
            raise errors.RefusalError(Notice("model_declined"), where=self.place, text=text)
        if counted and CUT_FLOOR <= counted < fewest:
            what, remedy = Notice("prompt_cut_by_server", counted=counted, least=fewest), Notice("set_true_window")
            raise errors.PromptCutError(what, where=self.place, remedy=remedy, text=text)
        if not text:
            raise self._empty(reply)

    def _empty(self, reply: Reply) -> errors.EmptyAnswerError:
        if reply.thought or reply.text.strip():
            remedy = Notice("raise_for_thinking", setting="models.max_output_tokens")
            return errors.EmptyAnswerError(Notice("only_thought"), where=self.place, remedy=remedy)
        remedy = Notice("ask_again_or_choose")
        return errors.EmptyAnswerError(Notice("answered_nothing"), where=self.place, remedy=remedy)

    async def _embed_batch(self, run: Run, texts: list[str]) -> list[list[float]]:
        where = {"provider": self.provider, "model": self.name, "base_url": without_secrets(self.base_url)}
        record = {**where, "texts": texts}

        async def ask(client: Any) -> Embeddings:
            return await self.vectors(client, texts)

        max_tokens = most_tokens(sum(map(count_tokens, texts)))
        call = Asking("embedder", (max_tokens, 0), ask, self.config.attempts, Trying())
        answer, replayed = await self._effect(run, "embed", record, call, Embeddings)
        if len(answer.vectors) != len(texts) or not all(answer.vectors):
            problem = Notice("vectors_missing", given=len(answer.vectors), wanted=len(texts))
            raise errors.EmbedderError(problem, where=self.place)
        tokens = answer.prompt_tokens or sum(map(count_tokens, texts))
        await self._count(run, "embedder", effect_key("embed", record), tokens, 0, replayed=replayed)
        return answer.vectors
