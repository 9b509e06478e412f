"""A run as OpenTelemetry spans, by the semantic conventions for generative AI (version 1.41 of them)."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..errors import SettingsError
from ..events import Event, Retrying, RunEnded, RunStarted
from .attributes import SpanStart, agent_at, answered, asked, workflow
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
    """The span of an effect under way, and how often it was tried again."""

    span: trace.Span
    retries: int = 0


class Tracing(Observer):
    """Draws a span for the run, one for each dispatch to an agent, and one for each effect, beside the log.

    They go to the application's TracerProvider, under the span that is current where the run begins. With `content`
    they also have what the conventions keep out unless somebody asks for it: prompts, answers, tasks, queries.
    """

    def __init__(self, *, content: bool) -> None:
        self._content = content
        self._tracer = trace.get_tracer("spyglass")
        self._id = ""
        self._around: Context | None = None
        self._whole: tuple[trace.Span, Context, Token[Context]] | None = None

    def record_event(self, run: str, event: Event) -> None:
        """Begin and end the span of the run, and count what is tried again."""
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
            self._around = PROPAGATOR.extract({"traceparent": traceparent})

    def here(self) -> str:
        """Return the current `traceparent`; empty without one."""
        carrier: dict[str, str] = {}
        PROPAGATOR.inject(carrier)
        return carrier.get("traceparent", "")

    @contextmanager
    def effect(self, kind: str, request: Any) -> Iterator[OnAnswer]:
        """Draw the span of an effect, and under it those of the effects within; none for what opens a run."""
        if self._whole is None:
            yield lambda _answer, _replayed: None
            return
        with self._span(asked(kind, request, content=self._content)) as call:

            def told(answer: "Answer", replayed: bool) -> None:
                call.span.set_attribute("spyglass.replayed", replayed)
                if not replayed:
                    call.span.set_attribute("spyglass.kernel.attempts", call.retries + 1)
                    call.span.set_attributes(answered(kind, answer.value, content=self._content))
                if answer.error is not None:
                    _fail(call.span, str(answer.error["type"]))

            yield told

    @contextmanager
    def agent(self, name: str, task: str) -> Iterator[None]:
        """Draw the span of an agent at a task."""
        with self._span(agent_at(name, task, content=self._content)):
            yield

    def paid(self, cost: float | None) -> None:
        """Say on the span of the call under way what it has cost."""
        if cost is not None and isinstance(call := contexts.get_value(CALL), _Call):
            call.span.set_attribute("spyglass.cost", cost)

    @contextmanager
    def _span(self, what: SpanStart) -> Iterator[_Call]:
        """Draw a span for as long as the block lasts; everything that the block begins is under it."""
        span = self._tracer.start_span(
            what.name, kind=KINDS[what.kind], attributes={**what.attributes, "spyglass.kernel.run.id": self._id}
        )
        call = _Call(span)
        token = contexts.attach(contexts.set_value(CALL, call, trace.set_span_in_context(span)))
        with ExitStack() as ending:
            ending.callback(span.end)
            ending.callback(contexts.detach, token)
            ending.push(lambda kind, *_: None if kind is None else _fail(span, kind.__name__))
            yield call

    def _begin(self, event: RunStarted) -> None:
        self._id = event.run
        what = workflow(event.run, event.question, content=self._content)
        span = self._tracer.start_span(what.name, self._around, attributes=what.attributes)
        context = trace.set_span_in_context(span)
        self._whole = span, context, contexts.attach(context)

    def _end(self, event: RunEnded) -> None:
        if self._whole is None:
            return
        (span, context, token), self._whole = self._whole, None
        if contexts.get_current() is context:  # not so where a run is closed by another task than opened it
            contexts.detach(token)
        span.set_attributes({"spyglass.kernel.outcome": event.outcome, "spyglass.kernel.run.calls": event.calls})
        if event.cost is not None:
            span.set_attribute("spyglass.kernel.run.cost", event.cost)
        if event.outcome == "failed":
            _fail(span, event.outcome)
        span.end()


def _fail(span: trace.Span, kind: str) -> None:
    """Say that what a span stands for failed, by the kind of the error alone: its words may be a page's."""
    span.set_attribute("error.type", kind)
    span.set_status(trace.StatusCode.ERROR)
