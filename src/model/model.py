"""The base of all models: what a provider's own file need not do is done here, once."""

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
from ..kernel.argument import door
from ..kernel.events import ModelCalled, TextDelta
from ..kernel.journal import effect_key
from ..kernel.notice import Notice
from ..kernel.one_line import tamed
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

Hear = Callable[[str], None]  # takes a piece of text as it arrives
EMBED_BATCH = 64  # texts a call for vectors: well under every provider's limit (Gemini's is 100)
CUT_FLOOR = 512
"""Tokens: half of the smallest window there is; a server that counts fewer leaves out what it had cached."""


@door
@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked: standing instructions, and the request itself."""

    system: str
    user: str


DEFAULT_CONFIG = ModelConfig()


@door
class Model(ABC):
    """A model of a provider. Opens nothing until the first call, and keeps nothing of a run.

    A provider implements `open`, `ask` and `rejection`, and `vectors` where it has embeddings; whatever else an SDK
    raises inside them counts as an answer that cannot be read.
    """

    provider: ClassVar[str]
    home: ClassVar[str] = ""
    """The provider's own address; a server elsewhere is taken to need no key."""
    default_model: ClassVar[str] = ""
    default_embedder: ClassVar[str] = ""
    default_window: ClassVar[int] = 8_192
    """Tokens, for an unknown model: the default of small servers."""
    default_concurrency: ClassVar[int] = 8
    free: ClassVar[bool] = False
    """Whether a call costs nothing unless a price was set: it is one's own machine."""
    key_setting: ClassVar[str] = ""
    base_url_setting: ClassVar[str] = ""
    unreachable_remedy: ClassVar[Notice] = Notice("check_network_and_base_url")

    def __init__(self, name: str, config: ModelConfig = DEFAULT_CONFIG) -> None:
        self.name = name
        self.config = config
        self.base_url = (config.base_url or self.home).rstrip("/")

    @property
    def context_window(self) -> int:
        """Tokens that prompt and answer may have together."""
        return self.config.context_window or known_window(self.name) or self.default_window

    @property
    def secret(self) -> str:
        """The key itself, for a client's eyes only; nothing when there is none."""
        return self.config.key.get_secret_value() if self.config.key else ""

    @property
    def place(self) -> str:
        """Provider, model and address, for errors: no secret in it."""
        return f"{self.provider} {self.name}, {without_secrets(self.base_url)}"

    def room(self, max_tokens: int | None = None) -> int:
        """Return how many tokens a prompt may have, beside an answer of `max_tokens`."""
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
        """Return the model's text, thinking stripped; every call is an effect of the run.

        With `tools`, which are schemas as `@tool` makes them, the model may call these instead: the text then is a JSON
        list of its calls, `{"tool": name, …arguments}` each. Where the server has no tools it is asked without.
        Without schema and tools it is prose, without what repeats itself or the instructions (`own_words`). The call is
        made up to `attempts` times, and never more often than the config says; `trying` follows them.

        With `stream` the text is also emitted as TextDelta events while it arrives; an attempt that fails midway and is
        made again emits it again, and a recorded answer is one event. After `longest` characters a stream is given up
        with OutputCutError. Raises ModelError: PromptTooLongError before anything is sent, OutputCutError,
        EmptyAnswerError, RefusalError and PromptCutError about an answer that came, which is counted and recorded.
        """
        request = replace(self._request(prompt, role, schema, max_tokens), longest=longest, tools=tuple(tools))
        tokens = self._counted(request)
        record = asdict(request)
        tell: Hear = lambda text: run.emit(TextDelta(role, tamed(well_formed(text))))  # noqa: E731
        beside = [one for one in (request.schema, *request.tools) if one is not None]
        counted = tokens + (count_tokens(json.dumps(beside)) if beside else 0)
        most = min(attempts or self.config.attempts, self.config.attempts)
        heard = partial(self._heard, request, tell if stream else None)
        asking = Asking(role, (most_tokens(counted), request.max_tokens), heard, most, trying or Trying())
        reply, replayed = await self._effect(run, "model", record, asking, Reply)
        text = strip_thinking(reply.text)
        if stream and replayed and text:
            tell(text)
        read = reply.prompt_tokens or tokens
        written = count_tokens(reply.text) if reply.completion_tokens is None else reply.completion_tokens
        await self._count(run, role, effect_key("model", record), read, written, replayed=replayed)
        own, repeats = text, False
        if not beside:
            own, repeats = await asyncio.to_thread(own_words, text, request.system, request.user)
        self._check(reply, text, least_tokens(request.system) + least_tokens(request.user))
        return self._whole(own, cut=reply.finish == "length" and not repeats)

    async def embed(self, run: Run, texts: list[str]) -> list[list[float]]:
        """Return one vector a text, in their order. Raises EmbedderError, whatever went wrong."""
        whole = [well_formed(text) for text in texts]
        batches = [whole[start : start + EMBED_BATCH] for start in range(0, len(whole), EMBED_BATCH)]
        calls = [asyncio.ensure_future(self._embed_batch(run, batch)) for batch in batches]
        try:
            found = await asyncio.gather(*calls)  # Python 3.11's TaskGroup that fails leaves its caller as if cancelled
        except (errors.ModelError, errors.BudgetError) as error:
            raise error.turned(errors.EmbedderError) from error
        finally:
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
        return [vector for vectors in found for vector in vectors]

    # What a provider implements

    @abstractmethod
    def open(self) -> AbstractAsyncContextManager[Any]:
        """Return what opens the provider's client, its own retries off, and closes it."""

    @abstractmethod
    async def ask(self, client: Any, request: ModelRequest, hear: Hear | None) -> Reply:
        """Send the request; where `hear` is given, stream and hand it each piece of the answer's text."""

    async def vectors(self, client: Any, texts: list[str]) -> Embeddings:  # noqa: ARG002 nobody to ask
        """Return one vector a text; at most `EMBED_BATCH` texts."""
        raise errors.EmbedderError(Notice("no_embeddings"), where=self.place, remedy=Notice("set_embedder_provider"))

    def rejection(self, error: Exception) -> Rejection | None:  # noqa: ARG002 nothing known of it
        """Return what an SDK's exception says, or None when it is not about the server's refusal or absence."""
        return None

    @property
    def unknown_remedy(self) -> Notice:
        """What helps where the server does not have the model."""
        return Notice("check_model_name")

    def price(self, at: datetime, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Return what a call costs in US dollars: as was set, else as the table says, None when no price is known.

        Blocks on its first use.
        """
        if self.config.price is not None:
            return (prompt_tokens * self.config.price[0] + completion_tokens * self.config.price[1]) / 1_000_000
        return 0.0 if self.free else price(self.base_url, self.name, prompt_tokens, completion_tokens, at)

    # What they share

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

    async def _heard(self, request: ModelRequest, tell: Hear | None, client: Any) -> Reply:
        """Ask; of a stream `tell` each piece, and end it once it is long enough."""
        if tell is None:
            return await self.ask(client, request, None)
        think_filter = ThinkFilter(tell, request.longest)
        try:
            reply = await self.ask(client, request, think_filter)
        except LongEnoughError:
            reply = Reply(text=think_filter.told, finish="length")
        think_filter.end()
        return reply

    def _whole(self, own: str, *, cut: bool) -> str:
        """Return the model's own words. Raises EmptyAnswerError and OutputCutError."""
        if not own:
            remedy = Notice("choose_another_model")
            raise errors.EmptyAnswerError(Notice("only_repeated"), where=self.place, remedy=remedy)
        if cut:
            remedy = Notice("raise_setting", setting="models.max_output_tokens")
            raise errors.OutputCutError(Notice("output_limit_hit"), where=self.place, remedy=remedy, text=own)
        return own

    def _counted(self, request: ModelRequest) -> int:
        """Return the prompt's tokens by our count. Raises PromptTooLongError when it does not fit."""
        tokens = count_tokens(request.system) + count_tokens(request.user)
        room = self.room(request.max_tokens)
        if tokens > room:
            raise errors.PromptTooLongError(
                Notice(
                    "prompt_too_long",
                    tokens=tokens,
                    room=room,
                    window=self.context_window,
                    answer=request.max_tokens,
                ),
                where=self.place,
                remedy=Notice("set_larger_window"),
                tokens=tokens,
                window=self.context_window,
            )
        return tokens

    async def _effect(
        self, run: Run, kind: str, record: Any, asking: Asking[Answered], shape: type[Answered]
    ) -> tuple[Answered, bool]:
        """Make the call as an effect of the run; return the answer, and whether it came from the journal."""
        called = False

        async def call() -> Any:
            nonlocal called
            called = True
            with asking.trying.attempt():
                return (await self._attempt(run, asking)).model_dump()

        value = await run.effect(kind, record, call, attempts=asking.attempts)
        return shape.model_validate(value), not called

    async def connect(self, run: Run) -> Any:
        """Return the pool's client of this server, opened at its first use, which imports the SDK."""
        return await run.shared((self._server, self.config.deadline), self.open)

    @property
    def _server(self) -> str:
        """What calls to one server with one key have in common."""
        return f"{self.provider} {self.base_url} {digest(self.secret)}"

    async def _attempt(self, run: Run, asking: Asking[Answered]) -> Answered:
        """Make one attempt within limits, deadline and budget. Raises ModelError for whatever goes wrong."""
        self.require_key()
        client = await self.connect(run)
        most = self.config.concurrency or self.default_concurrency
        place, of_all = run.place(self._server, most), run.place_of_all(self._server, most)
        async with place, of_all, metered(run, self, asking.role, asking.most) as used:
            try:
                async with asyncio.timeout(self.config.deadline):
                    answer = await asking.ask(client)
            except TimeoutError as error:
                raise errors.ModelDeadlineError(
                    Notice("model_too_slow", seconds=self.config.deadline),
                    where=self.place,
                    remedy=Notice("raise_or_faster_model", setting="models.deadline"),
                ) from error
            except errors.SpyglassError:
                raise
            except Exception as error:  # the SDK's edge: what a server's garbage makes it raise has no list
                raise self.explained(error) from error
            if answer.used is not None:
                used(answer.used)
            return answer

    def require_key(self) -> None:
        """Raise ModelKeyError where a key is needed and none is set."""
        if not self.secret and self.key_setting and self.base_url == self.home:
            raise errors.ModelKeyError(
                Notice("model_without_key", provider=self.provider),
                where=self.place,
                remedy=Notice("set_variable", name=self.key_setting.upper()),
            )

    def explained(self, error: Exception) -> errors.ModelError:
        """Return the error of ours that an SDK's exception amounts to."""
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

    def _check(self, reply: Reply, text: str, least: int) -> None:
        """Raise the ModelError about an answer that came, if any; the prompt has at least `least` tokens.

        Ollama keeps half of its window, plus two tokens, of a prompt that overflows it, and says nothing
        (ollama#17427, #17889): what it counts then is less than the least that the prompt can have.
        """
        counted = reply.prompt_tokens
        if reply.finish == "refusal":
            raise errors.RefusalError(Notice("model_declined"), where=self.place, text=text)
        if counted and CUT_FLOOR <= counted < least:
            raise errors.PromptCutError(
                Notice("prompt_cut_by_server", counted=counted, least=least),
                where=self.place,
                remedy=Notice("set_true_window"),
                text=text,
            )
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

        async def asked(client: Any) -> Embeddings:
            return await self.vectors(client, texts)

        most = most_tokens(sum(map(count_tokens, texts)))
        asking = Asking("embedder", (most, 0), asked, self.config.attempts, Trying())
        answer, replayed = await self._effect(run, "embed", record, asking, Embeddings)
        if len(answer.vectors) != len(texts) or not all(answer.vectors):
            what = Notice("vectors_missing", given=len(answer.vectors), wanted=len(texts))
            raise errors.EmbedderError(what, where=self.place)
        tokens = answer.prompt_tokens or sum(map(count_tokens, texts))
        await self._count(run, "embedder", effect_key("embed", record), tokens, 0, replayed=replayed)
        return answer.vectors
