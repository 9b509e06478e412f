"""The command's log and its spans: a line of JSON an event, and what a collector receives over its socket."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import (
    TraceServiceServicer,
    add_TraceServiceServicer_to_server,
)

from cli.command import QUESTION, spyglass
from spyglass.runs import RunStore


class Collector(TraceServiceServicer):
    """Receives spans as any OpenTelemetry backend does: OTLP over gRPC."""

    def __init__(self) -> None:
        self.received: list[ExportTraceServiceRequest] = []
        self.address = ""

    def Export(self, request: ExportTraceServiceRequest, context: Any) -> ExportTraceServiceResponse:
        self.received.append(request)
        return ExportTraceServiceResponse()

    def spans(self) -> list[Any]:
        resources = (resource for request in self.received for resource in request.resource_spans)
        return [span for resource in resources for scope in resource.scope_spans for span in scope.spans]

    def services(self) -> set[str]:
        resources = (one.resource for request in self.received for one in request.resource_spans)
        return {pair.value.string_value for one in resources for pair in one.attributes if pair.key == "service.name"}


@pytest.fixture
def collector() -> Iterator[Collector]:
    collector = Collector()
    server = grpc.server(ThreadPoolExecutor(1))
    add_TraceServiceServicer_to_server(collector, server)  # type: ignore[no-untyped-call]
    collector.address = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    yield collector
    server.stop(None).wait()


def test_the_spans_of_a_command_arrive_where_the_standard_variables_say(
    tmp_path: Path, files: Path, collector: Collector
) -> None:
    done = spyglass(
        tmp_path, "report", QUESTION, "--files", files, "--otel", OTEL_EXPORTER_OTLP_ENDPOINT=collector.address
    )
    assert done.returncode == 0, done.stderr
    names = [span.name for span in collector.spans()]
    assert "invoke_workflow spyglass" in names
    assert "invoke_agent reporter" in names
    assert len({span.trace_id for span in collector.spans()}) == 1
    assert collector.services() == {"spyglass"}


def test_the_name_of_the_service_is_the_users(tmp_path: Path, files: Path, collector: Collector) -> None:
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.address, "OTEL_SERVICE_NAME": "library"}
    spyglass(tmp_path, "report", QUESTION, "--files", files, SPYGLASS_OBSERVE__OTEL="true", **variables)
    assert collector.services() == {"library"}


def test_a_collector_that_is_not_there_is_told_once_and_costs_no_report(tmp_path: Path, files: Path) -> None:
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_TIMEOUT": "1"}
    done = spyglass(tmp_path, "report", QUESTION, "--files", files, "--otel", **variables)
    assert done.returncode == 0, done.stderr
    assert "1871" in done.stdout
    assert done.stderr.count("spans cannot be exported") == 1


def test_what_cannot_be_watched_with_is_told_before_anything_is_asked(tmp_path: Path, files: Path) -> None:
    report = ("report", QUESTION, "--files", files)
    done = spyglass(tmp_path, *report, "--otel", OTEL_TRACES_EXPORTER="zipkin_json")
    assert done.returncode == 2
    assert "pip install opentelemetry-exporter-zipkin-json" in done.stderr
    done = spyglass(tmp_path, *report, "--log", tmp_path / "nowhere" / "log.jsonl")
    assert done.returncode == 2
    assert "The log cannot be written" in done.stderr
    assert not (tmp_path / "data" / "runs").exists()


def test_a_log_has_a_line_of_json_for_each_event_and_grows(tmp_path: Path, files: Path) -> None:
    for _ in range(2):
        done = spyglass(tmp_path, "report", QUESTION, "--files", files, "--log", tmp_path / "log.jsonl")
        assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    runs = {run.id for run in RunStore(tmp_path / "data").all()}
    assert {line["run"] for line in lines} == runs
    assert len(runs) == 2
    assert [line["event"] for line in lines].count("RunEnded") == 2
    assert "nine years" not in (tmp_path / "log.jsonl").read_text()


def test_a_log_may_go_to_standard_error_alone(tmp_path: Path, files: Path) -> None:
    done = spyglass(tmp_path, "report", QUESTION, "--files", files, "--quiet", "--log", "-")
    assert next(json.loads(line)["event"] for line in done.stderr.splitlines()) == "RunStarted"
    assert "RunStarted" not in done.stdout


def test_a_resumed_run_is_watched_as_today_says(tmp_path: Path, files: Path) -> None:
    assert spyglass(tmp_path, "report", QUESTION, "--files", files, "--log", tmp_path / "first.jsonl").returncode == 0
    done = spyglass(tmp_path, "resume", "last", "--log", tmp_path / "second.jsonl")
    assert done.returncode == 0, done.stderr
    assert "Note: new values are ignored" not in done.stderr
    assert (tmp_path / "second.jsonl").read_text().count("RunEnded") == 1
