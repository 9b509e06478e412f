"""The description of the service at /openapi.json: its examples are answered."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from loopback import SearchServer, WebServer
from serve.conftest import Serving
from tools.sites import finds, put

DEPTH = "The basin of the Altmere harbour is seven metres deep at low water, and tidal power is made beside it."


def examples(described: dict[str, Any]) -> dict[str, Any]:
    """Return the examples of what each call takes that begins something, by its path."""
    found = {}
    for path, calls in described["paths"].items():
        for schema in calls.get("post", {}).get("requestBody", {}).get("content", {}).values():
            name = schema["schema"].get("$ref", "").rpartition("/")[2]
            if given := described["components"]["schemas"].get(name, {}).get("examples"):
                found[path] = given
    return found


async def test_each_example_is_answered(
    serving: Serving, tmp_path: Path, search_server: SearchServer, web_server: WebServer
) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "lens.md").write_text("# Care\n\nA lens should be cleaned with a soft brush.\n")
    finds(search_server, put(web_server, "127.0.0.1", "/depth", DEPTH))
    async with (
        serving(db=[tmp_path / "files"], serve__share=9, serve__runs=9) as base,
        aiohttp.ClientSession() as session,
    ):
        async with session.get(f"{base}/openapi.json") as response:
            described = await response.json()
        found = examples(described)
        assert {"/search", "/research", "/report", "/runs", "/check", "/collections"} <= found.keys()
        assert {"/v1/responses", "/v1/chat/completions"} <= found.keys()
        for path, given in found.items():
            for example in given:
                async with session.post(f"{base}{path}", json=example) as response:
                    answer = await response.text()
                    assert response.status in (200, 201, 202), (path, answer)
                    assert path != "/research" or DEPTH[:40] in answer
        assert described["paths"]["/runs"]["get"]["responses"]["4XX"], "every call says what it refuses"


SETTINGS = """
[warnings]
fail-on = ["missing_test_data"]

# What is not as described may be too long to be read at all.
[checks.negative_data_rejection]
expected-statuses = ["4XX"]

[[operations]]
include-path = "/runs/{{run_id}}/evidence"
parameters = {{ "path.run_id" = "{run}" }}

[[operations]]
include-path = "/runs/{{run_id}}/plan"
parameters = {{ "path.run_id" = "{run}" }}

[[operations]]
include-path = "/runs/{{run_id}}/{{name}}"
parameters = {{ "path.run_id" = "{run}", "path.name" = "report.json" }}

[[operations]]
include-name = "GET /v1/responses/{{response_id}}"
parameters = {{ "path.response_id" = "{response}" }}

[[operations]]
include-name = "DELETE /collections/{{name}}/documents/{{document}}"
parameters = {{ "path.name" = "papers", "path.document" = "lens.md" }}
"""
"""What was made beforehand is asked for where nothing made up leads to it; an operation that is never found fails."""

UNCHECKED = "positive_data_acceptance,unsupported_method"
"""What is well-formed may be refused for what it means; what is no JSON is refused wherever it goes."""


async def made_beforehand(base: str) -> dict[str, str]:
    """Make an answer, whose run has a report, and a collection with a document; return the ids of the first two."""
    asked = {"input": "How should a lens be cleaned?", "model": "spyglass"}
    async with aiohttp.ClientSession(base, raise_for_status=True) as session:
        async with session.post("/v1/responses", json=asked) as response:
            answer = await response.json()
        async with session.get("/runs") as response:
            (run,) = await response.json()
        async with session.post("/collections", json={"name": "papers"}):
            pass
        async with session.put("/collections/papers/documents/lens.md", data=b"A lens is cleaned with a brush."):
            pass
    return {"run": run["id"], "response": answer["id"]}


@pytest.mark.slow
async def test_made_up_calls_get_the_answers_that_are_described_and_no_fault(serving: Serving, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "lens.md").write_text("# Care\n\nA lens should be cleaned with a soft brush.\n")
    async with serving(db=[tmp_path / "files"], web=False, serve__runs=1, serve__per_second=10_000) as base:
        made = await made_beforehand(base)
        (tmp_path / "schemathesis.toml").write_text(SETTINGS.format(**made))
        command = [str(Path(sys.executable).with_name("schemathesis")), "run", f"{base}/openapi.json", "--no-color"]
        command += ["--phases", "coverage,fuzzing,stateful", "--max-examples", "3", "--seed", "1"]
        command += ["--exclude-checks", UNCHECKED, "--suppress-health-check", "all", "--continue-on-failure"]
        command += ["--request-timeout", "120"]  # ten seconds may be too few on a busy machine
        trying = await asyncio.create_subprocess_exec(
            *command, cwd=tmp_path, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        said, _ = await trying.communicate()
    assert trying.returncode == 0, said.decode()
