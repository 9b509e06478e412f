"""`spyglass doctor` calls every part once, and shows no secret."""

import asyncio
import re
from pathlib import Path

import pytest

from cli.command import spyglass
from documents.files import paragraphs, pdf
from loopback import Fault, ModelServer, SearchServer, WebServer
from loopback.search import SECRET, some
from spyglass import prompts

EMBEDDERS = (
    "wordllama-l2-supercat-256 (256 dimensions) and "
    "bge-small-en-v1.5-int8 and answerai-colbert-small-v1-int8-fitted-2 (384 dimensions), for English; "
    "multilingual-e5-small-int8-fitted-2 (384 dimensions), for other languages"
)


def doctor(tmp_path: Path, config: str, **variables: str) -> tuple[int, str]:
    """Return the exit code, and all that was said."""
    path = tmp_path / "c.toml"
    path.write_text(f"models.attempts = 1\nretrieval.dense = false\nbrowser.mode = 'never'\n{config}")
    ran = spyglass(tmp_path, "doctor", "--config", path, **variables)
    assert ran.stderr == ""
    return ran.returncode, ran.stdout


@pytest.mark.slow
def test_doctor_shows_settings_without_secrets_and_says_what_fails(tmp_path: Path, files: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-very-secret\n")
    config = tmp_path / "c.toml"
    config.write_text(
        f'provider = "openai"\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\ndb = "{files}"\nmodels.attempts = 1\n'
    )
    ran = spyglass(tmp_path, "doctor", "--config", config)
    assert ran.returncode == 1
    assert "openai_api_key = ********" in ran.stdout
    assert "sk-very" not in ran.stdout + ran.stderr
    assert "documents: works" in ran.stdout
    assert f"embedder: works: {EMBEDDERS}" in ran.stdout
    assert "planner and writer openai/m: fails" in ran.stdout
    assert "127.0.0.1:9" in ran.stdout


def test_an_address_is_shown_without_its_password(tmp_path: Path, files: Path) -> None:
    _, said = doctor(
        tmp_path,
        f'db = "{files}"\nbase_url = "http://me:sk-one@127.0.0.1:9/v1?key=sk-two"\n'
        'rerank.url = "http://me:sk-five@127.0.0.1:9/rerank"\n[writer]\nbase_url = "http://[sk-three"\n',
        OLLAMA_HOST="me:sk-four@127.0.0.1:8",
    )
    assert "base_url = http://127.0.0.1:9/v1\n" in said
    assert "writer.base_url = not an address\n" in said
    assert "rerank.url = http://127.0.0.1:9/rerank\n" in said
    assert "ollama_host = 127.0.0.1:8\n" in said
    assert "sk-" not in said


def test_the_pages_of_a_folder_are_counted_before_they_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(2):
        (folder / f"{number}.pdf").write_bytes(pdf(paragraphs("A first page."), paragraphs("A second one.")))
    (folder / "damaged.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    _, said = doctor(tmp_path, f'db = "{folder}"')
    assert "works: 3 files; 3 PDFs, 4 pages, about 1 s to read the first time" in said


def test_a_name_is_shown_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "[/x] :smile:"
    folder.mkdir(parents=True)
    code, said = doctor(tmp_path, f'db = "{folder}"')
    assert code == 0, said
    assert f"folder {folder}: works: 0 files" in said


def test_a_mistake_in_one_role_fails_that_role_only(tmp_path: Path, files: Path) -> None:
    code, said = doctor(
        tmp_path,
        f'db = "{files}"\nprovider = "openai"\nbase_url = "http://127.0.0.1:9/v1"\n[planner]\nprovider = "opneai"\n',
    )
    assert code == 1
    assert 'planner: fails: There is no provider "opneai"' in said
    assert "writer openai/gpt-5-mini: fails: " in said
    assert "embedder: works" in said
    models = "ms-marco-MiniLM-L-12-v2-int8-fitted-2 and answerai-colbert-small-v1-int8-fitted-2"
    assert f"relevance: works: {models}, for English only" in said


def test_agents_prompts_and_engines_are_checked(tmp_path: Path, files: Path) -> None:
    outline = Path(prompts.__file__).with_name("outline.txt").read_text(encoding="utf-8")
    for folder, name, text in (
        ("stray", "plannr.txt", outline),
        ("wrong", "outline.txt", f"{outline}\n$quesiton"),
        ("right", "outline.txt", f"Please.\n{outline}"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text, encoding="utf-8")
    for config, said in (
        ('agents = ["local-retrieval", "reprter"]', 'agents: fails: There is no agent "reprter"'),
        ('agents = ["reporter"]', "agents: works: reporter"),
        ('models.prompts = "none"', "prompts: fails: The folder of prompt templates does not exist (none)"),
        ('models.prompts = "stray"', 'prompts: fails: "plannr.txt" is not the name of a prompt template'),
        ('models.prompts = "wrong"', "prompts: fails: The placeholder $quesiton does not exist"),
        ('models.prompts = "right"', "prompts: works: right replaces outline"),
        ('search.engines = ["goggle"]', 'search: fails: There is no search engine "goggle"'),
        ('search.engines = ["tavily"]', "search: fails: None of the configured search engines has its key"),
    ):
        code, shown = doctor(tmp_path, f'db = "{files}"\n{config}\n')
        assert said in shown, config
        assert code == ("fails" in said), config


async def test_each_engine_of_the_chain_is_asked_once(tmp_path: Path, search_server: SearchServer) -> None:
    search_server.play(lambda asked: Fault(401) if asked.engine == "brave" else some(asked))
    place = search_server.url.replace("http://", "http://me:sk-search-pass@")
    code, said = await asyncio.to_thread(
        doctor,
        tmp_path,
        f'searxng_url = "{place}"\n[search.engine_urls]\n'
        + "".join(f'{name} = "{search_server.url}/{name}"\n' for name in ("tavily", "brave", "searxng")),
        TAVILY_API_KEY=SECRET,
        BRAVE_API_KEY=SECRET,
    )
    assert code == 1
    assert f"search engine tavily: works: 3 results from {search_server.url}/tavily" in said
    assert "search engine brave: fails: brave refused the request with status 401" in said
    assert "search engine searxng: works" in said
    assert [asked.engine for asked in search_server.requests] == ["tavily", "brave", "searxng"]
    assert "sk-search" not in said
    assert f"searxng_url = {search_server.url}\n" in said


async def test_engines_without_a_key_are_one_part_that_works_as_long_as_one_of_them_does(
    tmp_path: Path, search_server: SearchServer
) -> None:
    search_server.play(lambda asked: Fault(429) if asked.engine == "mojeek" else some(asked))
    urls = "".join(f'{name} = "{search_server.url}/{name}"\n' for name in ("mojeek", "startpage"))
    config = f"search.engines = ['mojeek', 'startpage']\n[search.engine_urls]\n{urls}"
    _, said = await asyncio.to_thread(doctor, tmp_path, config)
    assert "search without a key: works: startpage answered; mojeek answered with status 429: too many requests" in said
    assert "network: works" in said


async def test_a_network_that_does_not_work_is_said_once_with_what_to_set(tmp_path: Path) -> None:
    urls = "".join(f'{name} = "http://{name}.invalid"\n' for name in ("mojeek", "startpage", "yahoo"))
    config = f"search.engines = ['mojeek', 'startpage', 'yahoo']\n[search.engine_urls]\n{urls}"
    code, said = await asyncio.to_thread(doctor, tmp_path, config, HTTPS_PROXY="http://proxy.example:3128")
    assert code == 1
    assert "network: fails: The network does not work: no host name can be resolved." in said
    assert "HTTPS_PROXY is set, but not used: set network.proxy to its address." in said
    assert "search without a key: fails: Not checked, because the network is unreachable." in said
    assert "does not exist" not in said


def test_doctor_says_why_there_is_no_browser_and_no_model_and_is_content(tmp_path: Path, files: Path) -> None:
    config = tmp_path / "c.toml"
    config.write_text(f'db = "{files}"\nbrowser.chromium = "/missing/chromium"\n')
    ran = spyglass(tmp_path, "doctor", "--config", config)
    assert ran.returncode == 0, ran.stdout
    assert "none is configured" in ran.stdout
    assert f"embedder: works: {EMBEDDERS}" in ran.stdout
    [line] = [line for line in ran.stdout.splitlines() if "browser: " in line]
    assert "works: none, so text that pages show only with JavaScript is not read." in line
    assert "Install" in ran.stdout
    assert "browser: fails" not in ran.stdout


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        ("openai", "OPENAI_API_KEY"),
        ("deepseek", "DEEPSEEK_API_KEY"),
        ("xai", "XAI_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
    ],
)
def test_a_key_that_is_missing_is_told_before_a_report_begins_and_by_doctor_too(
    tmp_path: Path, files: Path, provider: str, variable: str
) -> None:
    report = ("report", "When was the harbour built?", "--files", files, "--model", f"{provider}/m")
    ran = spyglass(tmp_path, *report)
    assert (ran.returncode, ran.stdout) == (2, "")
    told = ran.stderr.strip().removeprefix("spyglass: ")
    assert told.startswith("There is no key for ")
    assert told.endswith(f"Set the environment variable {variable}.")
    assert not (tmp_path / "data" / "runs").exists()
    code, said = doctor(tmp_path, f'db = "{files}"\nprovider = "{provider}"\nmodel = "m"\n')
    assert code == 1
    assert f"planner and writer {told.split()[5]}/m: fails: {told}\n" in said


def test_a_server_of_ones_own_needs_no_key(tmp_path: Path, files: Path) -> None:
    variables = {"SPYGLASS_BASE_URL": "http://127.0.0.1:9/v1", "SPYGLASS_MODELS__ATTEMPTS": "1"}
    ran = spyglass(tmp_path, "report", "When was it built?", "--files", files, "--model", "openai/m", **variables)
    assert ran.returncode == 3, ran.stderr


async def test_the_env_of_a_strangers_folder_runs_nothing_and_gets_no_request(
    tmp_path: Path, files: Path, model_server: ModelServer, search_server: SearchServer, web_server: WebServer
) -> None:
    theirs, trap = web_server.url("/v1"), tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    trap.chmod(0o755)
    (tmp_path / "theirs").mkdir()
    (tmp_path / ".env").write_text(
        "SPYGLASS_MODEL=chosen\nSPYGLASS_BROWSER__CHROMIUM=./trap\nSPYGLASS_OBSERVE__LOG=ran\nSPYGLASS_DATA_DIR=ran\n"
        f"SPYGLASS_MODELS__PROMPTS=theirs\nSPYGLASS_NETWORK__PROXY={web_server.url()}\n"
        "SPYGLASS_NETWORK__ALLOW_PRIVATE=0.0.0.0/0\n"
        f"SPYGLASS_BASE_URL={theirs}\nSPYGLASS_WRITER__BASE_URL={theirs}\nOLLAMA_HOST={theirs}\n"
        f"SPYGLASS_EMBEDDER__PROVIDER=openai\nSPYGLASS_EMBEDDER__BASE_URL={theirs}\n"
        f'SPYGLASS_SEARCH__ENGINE_URLS={{"searxng": "{theirs}"}}\nSPYGLASS_RERANK__METHOD=api\n'
        f"SPYGLASS_RERANK__URL={theirs}\n"
    )
    ran = await asyncio.to_thread(
        spyglass,
        tmp_path,
        "doctor",
        OPENAI_BASE_URL=model_server.base_url("openai"),
        SPYGLASS_PROVIDER="openai",
        SPYGLASS_KEY="sk-mine",
        SPYGLASS_DB=str(files),
        SPYGLASS_SEARCH__ENGINES="searxng",
        SEARXNG_URL=f"{search_server.url}/searxng",
    )
    assert ran.returncode == 0, ran.stdout
    assert not web_server.visits
    assert not (tmp_path / "ran").exists()
    assert {(asked.body["model"], asked.headers["Authorization"]) for asked in model_server.requests} == {
        ("chosen", "Bearer sk-mine")
    }
    assert [asked.engine for asked in search_server.requests] == ["searxng"]
    assert "prompts: works: the built-in ones" in ran.stdout
    [note] = ran.stderr.splitlines()
    assert note.startswith("Note: Some settings in .env are ignored")
    assert "chromium" in note
    assert "SPYGLASS_WRITER__BASE_URL" in note


@pytest.mark.ocr
def test_doctor_reads_a_picture_to_see_whether_ocr_works(tmp_path: Path, files: Path) -> None:
    code, said = doctor(tmp_path, f'db = "{files}"')
    assert code == 0, said
    read = r"read 'A page with some words', \d\d % confidence"
    assert re.search(rf"ocr: works: tesserocr \S+ for eng.*deu.*; {read}", said)


def test_doctor_says_what_ocr_lacks(tmp_path: Path, files: Path) -> None:
    code, said = doctor(tmp_path, f'db = "{files}"', TESSDATA_PREFIX=str(tmp_path))
    assert code == 0, said
    assert "ocr: works: none, so scans and pictures are not read. To read it by OCR" in said
    assert "tesseract-ocr-eng" in said
