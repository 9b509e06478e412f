"""The subcommands that search the web, over a loopback one, and the service as a process."""

import asyncio
import json
import re
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.command import COMMAND, environment, spyglass
from loopback import Fault, Hit, Hits, ModelServer, Say, SearchServer, WebServer
from tools.sites import finds, put

QUESTION = "How deep is the Altmere harbour basin?"
DEPTH = "The basin of the Altmere harbour is seven metres deep at low water."

Command = Callable[..., "asyncio.Future[subprocess.CompletedProcess[str]]"]


@pytest.fixture
def page(search_server: SearchServer, web_server: WebServer) -> str:
    """A page that every query finds, and that answers the question."""
    url = put(web_server, "127.0.0.1", "/depth", DEPTH)
    finds(search_server, url)
    return url


@pytest.fixture
def command(tmp_path: Path, search_server: SearchServer) -> Command:
    """Run the command in a thread, with a loopback engine in its configuration."""
    (tmp_path / "web.toml").write_text(
        f'search.engines = ["searxng"]\nsearch.engine_urls = {{ searxng = "{search_server.url}/searxng" }}\n'
        'network.allow_private = ["127.0.0.0/8"]\nrerank.method = "lexical"\n'
    )

    def run(*arguments: str, **variables: str) -> "asyncio.Future[subprocess.CompletedProcess[str]]":
        return asyncio.ensure_future(
            asyncio.to_thread(spyglass, tmp_path, *arguments, "--config", "web.toml", **variables)
        )

    return run


async def test_research_prints_findings_with_their_sources(command: Command, page: str) -> None:
    ran = await command("research", "Altmere harbour", "--depth", "1", "--max-sources", "1")
    assert ran.returncode == 0, ran.stderr
    assert f"- {DEPTH} [1]" in ran.stdout
    assert page in ran.stdout
    assert "**Confidence: low**" in ran.stdout
    ran = await command("research", "Altmere harbour", "--json", "--quiet")
    record = json.loads(ran.stdout)
    assert (record["depth"], record["sources"][0]["url"], ran.stderr) == (2, page, "")


async def test_a_search_is_printed_listed_shown_and_made_again(command: Command, page: str) -> None:
    first = await command("search", QUESTION)
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith(f"{DEPTH} [1]")
    assert first.stdout.splitlines()[-1] == f"[1] A page on 127.0.0.1 {page}"
    assert "web_citation" not in first.stdout
    [listed] = json.loads((await command("runs", "--json")).stdout)
    assert (listed["kind"], listed["outcome"], listed["resumable"]) == ("search", "complete", True)
    assert page in (await command("show", "last")).stdout
    met = (await command("show", "last", "--sources")).stdout
    assert f"\n- 50 tier3 {page} Title of {page}\n" in met
    [record] = json.loads((await command("show", "last", "--sources", "--json")).stdout)["ledger"]
    assert (record["url"], record["domain"], record["credibility_score"]) == (page, "127.0.0.1", 50)
    again = await command("replay", "last")
    assert (again.returncode, again.stdout) == (0, first.stdout)
    refused = await command("resume", "last", "--out", "report.md")
    assert (refused.returncode, "A search is printed" in refused.stderr) == (2, True)


async def test_a_search_in_json_is_the_contracts_result(command: Command, page: str) -> None:
    ran = await command("search", QUESTION, "--json", "--quiet", "--time-range", "year", "--trust", "127.0.0.1")
    assert list(json.loads(ran.stdout))[:2] == ["query", "response"]


async def test_a_stream_shows_the_answer_while_it_is_written(
    command: Command, page: str, model_server: ModelServer
) -> None:
    model_server.script(Say("Seven metres <source_1>. \x1b[31mAnd a < sign stays."))
    ran = await command(
        "search", QUESTION, "--stream", "--model", "openai/m", OPENAI_BASE_URL=model_server.base_url("openai")
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("Seven metres [1]. And a < sign stays.\n\n[1] A page on 127.0.0.1")


async def test_a_stream_in_json_is_one_event_a_line(command: Command, page: str) -> None:
    ran = await command("search", QUESTION, "--stream", "--json")
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [events[0]["event"], events[-1]["event"]] == ["tool_update", "tool_end"]
    assert events[-1]["data"]["response"].startswith(DEPTH)


async def test_a_stream_shows_its_steps_beside_the_answer(command: Command, page: str) -> None:
    ran = await command("search", QUESTION, "--stream")
    shown = [line for line in ran.stderr.splitlines() if not line.startswith("Complete in")]
    assert shown == ["Searching the web", "Reading pages", "Ranking passages", "Writing"]
    assert ran.stdout.startswith(DEPTH)
    assert (await command("search", QUESTION, "--stream", "--quiet")).stderr == ""


@pytest.mark.parametrize("form", [[], ["--json"], ["--stream"]], ids=str)
async def test_what_did_not_work_in_a_search_is_told_beside_the_answer(
    command: Command, search_server: SearchServer, page: str, form: list[str]
) -> None:
    hits = Hits((Hit(page, "The harbour \x1b[2J", "Deep.", 0.9),))
    search_server.play(lambda asked: hits if asked.query == QUESTION else Fault(400, message="\x1b[31mno"))
    ran = await command("search", QUESTION, *form)
    assert ran.returncode == 3, ran.stderr
    assert "Note: search: " in ran.stderr
    assert "No answer to “" in ran.stderr
    assert "searxng answered with status 400" in ran.stderr
    assert "\x1b" not in ran.stderr + ran.stdout
    assert "Note" not in ran.stdout


WRONG_SETTINGS = {
    'network.allow_private = ["!!"]': "allow_private",
    'network.ca_file = "none.pem"': "none.pem",
    'network.proxy = "socks5://a:1"': "proxy",
    'search.engines = ["nope"]': "nope",
}


@pytest.mark.parametrize(("setting", "said"), WRONG_SETTINGS.items(), ids=str)
def test_a_wrong_setting_is_told_with_exit_code_two(tmp_path: Path, setting: str, said: str) -> None:
    (tmp_path / "wrong.toml").write_text(setting)
    commands = [["report", QUESTION, "--web"], ["search", QUESTION], ["research", QUESTION]]
    commands += [["fetch", "http://a.example/"]] if said != "nope" else []
    for command in commands:
        ran = spyglass(tmp_path, *command, "--config", "wrong.toml")
        assert (ran.returncode, ran.stdout) == (2, ""), command
        assert said in ran.stderr, command


async def test_nothing_found_has_its_own_exit_code(command: Command, page: str) -> None:
    ran = await command("search", QUESTION, "--domains", "example.org")
    assert (ran.returncode, ran.stdout) == (4, "Nothing was found on example.org for this query.\n\n")
    assert (await command("research", "volcanoes of Iceland")).returncode == 4


async def test_wrong_usage_is_told_with_exit_code_two(command: Command) -> None:
    for arguments, said in (
        (["search", QUESTION, "--time-range", "decade"], "time_range"),
        (["search", QUESTION, "--block", "http://a b"], "is not a domain"),
        (["search", " "], "empty"),
        (["research", "bees", "--depth", "4"], "depth"),
        (["research", "bees", "--max-sources", "11"], "max_sources"),
        (["report", QUESTION, "--web", "--domains", "a b/c"], "is not a domain"),
    ):
        ran = await command(*arguments)
        assert (ran.returncode, ran.stdout) == (2, ""), arguments
        assert said in ran.stderr, arguments


async def test_when_no_engine_answers_the_exit_code_says_failed(command: Command, search_server: SearchServer) -> None:
    search_server.script(Fault(400))
    for subcommand in ("search", "research"):
        ran = await command(subcommand, QUESTION)
        assert ran.returncode == 1
        assert "No search engine answered" in ran.stderr


@contextmanager
def serving(tmp_path: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the service on a free port, and end it; gives its process and what it said first."""
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0", *options],
        cwd=tmp_path,
        env=environment(tmp_path),
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert process.stderr is not None
    with process, process.stderr:
        try:
            yield process, process.stderr.readline()
        finally:
            process.kill()


def address_in(told: str) -> str:
    found = re.search(r"http://[\d.]+:\d+", told)
    assert found, told
    return found[0]


@pytest.mark.kill
def test_the_service_answers_until_it_is_interrupted(tmp_path: Path) -> None:
    with serving(tmp_path) as (process, told):
        with urllib.request.urlopen(f"{address_in(told)}/health", timeout=60) as answer:
            assert json.load(answer)["status"] == "ok"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0 or process.returncode in (130, -signal.SIGINT)


@pytest.mark.kill
def test_an_address_in_use_is_told(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, told):
        ran = spyglass(tmp_path, "serve", "--port", address_in(told).rpartition(":")[2])
    assert ran.returncode == 2
    assert "Cannot listen on 127" in ran.stderr


@pytest.mark.kill
def test_a_service_for_others_takes_a_token_that_is_told_once_and_can_be_revoked(tmp_path: Path) -> None:
    refused = spyglass(tmp_path, "serve", "--port", "0", "--host", "0.0.0.0")
    assert refused.returncode == 2
    assert "spyglass token new" in refused.stderr
    made = spyglass(tmp_path, "token", "new", "ana", "--budget", "2")
    token = made.stdout.strip()
    assert "not shown again" in made.stderr
    assert spyglass(tmp_path, "token", "list").stdout.startswith("ana  made 20")
    with serving(tmp_path, "--host", "0.0.0.0") as (_, told):
        port = address_in(told).rpartition(":")[2]
        address, shown = f"http://127.0.0.1:{port}/health", {"Authorization": f"Bearer {token}"}
        with urllib.request.urlopen(urllib.request.Request(address, headers=shown), timeout=60) as answer:
            assert answer.status == 200
        assert spyglass(tmp_path, "token", "revoke", "ana").returncode == 0
        for headers in ({}, shown):
            with pytest.raises(urllib.error.HTTPError, match="401"):
                urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=60)
    assert "$2 in 30 days" not in spyglass(tmp_path, "token", "list").stdout
