"""OpenTelemetry spans of a run, by the semantic conventions for generative AI, version 1.41."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..errors import SettingsError
from ..events import Event, Retrying, RunEnded, RunStarted
from .attributes import SpanStart, agent_at, answered, effect_span, workflow
from .logs import Observer, OnAnswer

if TYPE_CHECKING:
    from contextvars import Token

    from opentelemetry.context import Context

    from ..journal import Answer

try:
    from opentelemetry import context as contexts
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError as error:
    raise SettingsError(
        "OpenTelemetry is not installed", where="otel = true", remedy='Install it: pip install "spyglass[otel]".'
    ) from error

KINDS: Final = {"client": trace.SpanKind.CLIENT, "internal": trace.SpanKind.INTERNAL}
PROPAGATOR: Final = TraceContextTextMapPropagator()
CALL: Final = contexts.create_key("spyglass-call")


@dataclass(slots=True)
class _Call:
    """The span of a running effect, and the number of its retries."""

    span: trace.Span
    retries: int = 0


class Tracing(Observer):
    """An observer that also creates a span for the run, for each dispatch to an agent, and for each effect.

    The spans go to the application's TracerProvider, under the span that is current when the run begins. With `content`
    they also have the attributes that the conventions make optional: prompts, answers, tasks, queries.
    """

    def __init__(self, *, content: bool) -> None:
        self._content = content
        self._tracer = trace.get_tracer("spyglass")
        self._id = ""
        self._parent: Context | None = None
        self._run_span: tuple[trace.Span, Context, Token[Context]] | None = None

    def record_event(self, run: str, event: Event) -> None:
        """Begin and end the span of the run, and count retries."""
        super().record_event(run, event)
        match event:
            case RunStarted():
                self._begin(event)
            case RunEnded():
                self._end(event)
            case Retrying() if isinstance(call := contexts.get_value(CALL), _Call):
                call.retries += 1
                call.span.add_event("spyglass.kernel.retry")

    def under(self, traceparent: str | None) -> None:
        """Make the run part of another trace, unless it has begun under a span of this process."""
        if traceparent and not trace.get_current_span().get_span_context().is_valid:
            self._parent = PROPAGATOR.extract({"traceparent": traceparent})

    def here(self) -> str:
        """Return the current `traceparent`; empty without one."""
        carrier: dict[str, str] = {}
        PROPAGATOR.inject(carrier)
        return carrier.get("traceparent", "")

    @contextmanager
    def effect(self, kind: str, request: Any) -> Iterator[OnAnswer]:
        """Create the span of an effect, the parent of those within it; none for effects before the run's span."""
        if self._run_span is None:
            yield lambda _answer, _replayed: None
            return
        with self._span(effect_span(kind, request, content=self._content)) as call:

            def record(answer: "Answer", replayed: bool) -> None:
                call.span.set_attribute("spyglass.replayed", replayed)
                if not replayed:
                    call.span.set_attribute("spyglass.kernel.attempts", call.retries + 1)
                    call.span.set_attributes(answered(kind, answer.value, content=self._content))
                if answer.error is not None:
                    _fail(call.span, str(answer.error["type"]))

            yield record

    @contextmanager
    def agent(self, name: str, task: str) -> Iterator[None]:
        """Create the span of an agent's task."""
        with self._span(agent_at(name, task, content=self._content)):
            yield

    def record_cost(self, cost: float | None) -> None:
        """Set the cost of the running call on its span."""
        if cost is not None and isinstance(call := contexts.get_value(CALL), _Call):
            call.span.set_attribute("spyglass.cost", cost)

    @contextmanager
    def _span(self, start: SpanStart) -> Iterator[_Call]:
        """Create a span for the block, the parent of all spans within."""
        span = self._tracer.start_span(
            start.name, kind=KINDS[start.kind], attributes={**start.attributes, "spyglass.kernel.run.id": self._id}
        )
        call = _Call(span)
        token = contexts.attach(contexts.set_value(CALL, call, trace.set_span_in_context(span)))
        with ExitStack() as cleanup:
            cleanup.callback(span.end)
            cleanup.callback(contexts.detach, token)
            cleanup.push(lambda kind, *_: None if kind is None else _fail(span, kind.__name__))
            yield call

    def _begin(self, event: RunStarted) -> None:
        self._id = event.run
        start = workflow(event.run, event.question, content=self._content)
        span = self._tracer.start_span(start.name, self._parent, attributes=start.attributes)
        context = trace.set_span_in_context(span)
        self._run_span = span, context, contexts.attach(context)

    def _end(self, event: RunEnded) -> None:
        if self._run_span is None:
            return
        (span, context, token), self._run_span = self._run_span, None
        if contexts.get_current() is context:  # not if another task closes the run than opened it
            contexts.detach(token)
        span.set_attributes({"spyglass.kernel.outcome": event.outcome, "spyglass.kernel.run.calls": event.calls})
        if event.cost is not None:
            span.set_attribute("spyglass.kernel.run.cost", event.cost)
        if event.outcome == "failed":
            _fail(span, event.outcome)
        span.end()


def _fail(span: trace.Span, kind: str) -> None:
    """Mark a span as failed, with the type of the error only: its message may contain text of a page."""
    span.set_attribute("error.type", kind)
    span.set_status(trace.StatusCode.ERROR)
