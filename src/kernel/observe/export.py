"""Export of spans, configured by the standard variables `OTEL_*`, if the program has no tracer provider."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points
from typing import Any, Final

from ..errors import SettingsError

PROTOCOLS: Final = {"grpc": "otlp_proto_grpc", "http/protobuf": "otlp_proto_http"}
"""The name of the exporter for each protocol of OTLP, the default first."""


@contextmanager
def exported(tell: Callable[[str], object]) -> Iterator[None]:
    """Export spans during the block, unless the program has a tracer provider, and flush them at its end.

    `tell` is called with a message if the export fails. Raises SettingsError if an exporter is not installed.
    """
    try:
        from opentelemetry import trace
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise _missing("otel = true", 'pip install "spyglass[otel]"') from error
    if not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        yield
        return
    resource = Resource.create()
    if str(resource.attributes.get("service.name", "")).startswith("unknown_service"):
        resource = resource.merge(Resource({"service.name": "spyglass"}))
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    for exporter in _exporters():
        provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    trouble = _Trouble(tell)
    logging.getLogger("opentelemetry").addHandler(trouble)
    try:
        yield
    finally:
        provider.shutdown()
        logging.getLogger("opentelemetry").removeHandler(trouble)


def _exporters() -> list[Any]:
    """Return the exporters that `OTEL_TRACES_EXPORTER` names; by default that for OTLP."""
    names = [name.strip() for name in os.environ.get("OTEL_TRACES_EXPORTER", "otlp").split(",")]
    return [_exporter(_protocol() if name == "otlp" else name) for name in names if name not in ("", "none")]


def _protocol() -> str:
    variables = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
    protocol = next((os.environ[name].strip() for name in variables if os.environ.get(name)), "grpc")
    return PROTOCOLS.get(protocol, protocol)


def _exporter(name: str) -> Any:
    matches = list(entry_points(group="opentelemetry_traces_exporter", name=name))
    if not matches:
        distribution = f"opentelemetry-exporter-{name.replace('_', '-')}"
        raise _missing(f'the exporter "{name}" of OTEL_*', f"pip install {distribution}")
    return matches[0].load()()


def _missing(what: str, command: str) -> SettingsError:
    return SettingsError("Spans cannot be exported: a package is missing", where=what, remedy=f"Install it: {command}.")


class _Trouble(logging.Handler):
    """Reports once that the export fails; the SDK would do so for each batch."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        super().__init__(logging.WARNING)
        self._tell = tell
        self._has_reported = False

    def emit(self, record: logging.LogRecord) -> None:
        if not self._has_reported:
            self._has_reported = True
            self._tell(f"Note: spans cannot be exported: {record.getMessage()}")
