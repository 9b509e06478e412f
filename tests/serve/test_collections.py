"""Documents over a real socket: uploaded, read when that is asked for, searched, and refused in words."""

import asyncio
import io
import zipfile
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from serve.conftest import Serving
from serve.test_runs import ended
from spyglass.kernel.settings import Settings
from spyglass.serve.tokens import Tokens

QUESTION = "How deep is the Altmere harbour basin?"
DEPTH = "The basin of the Altmere harbour is seven metres deep at low water."
DOCUMENT = f"# The harbour\n\n{DEPTH}\n".encode()


class Caller:
    """Calls the service, perhaps with a token."""

    def __init__(self, base: str, token: str = "") -> None:
        self._base = base
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    async def __call__(self, method: str, path: str, json: Any = None, data: bytes | None = None) -> tuple[int, Any]:
        """Return the status and the answer of a call."""
        async with (
            aiohttp.ClientSession(headers=self._headers) as session,
            session.request(method, f"{self._base}{path}", json=json, data=data) as response,
        ):
            told = response.content_type == "application/json"
            return response.status, await (response.json() if told else response.text())

    async def read(self, name: str) -> Any:
        """Have a collection read, and return how it stands then."""
        assert (await self("POST", f"/collections/{name}/index", {}))[0] == 202
        async with asyncio.timeout(120):
            while (state := (await self("GET", f"/collections/{name}"))[1])["reading"]:  # noqa: ASYNC110 nobody tells
                await asyncio.sleep(0.1)
        return state


async def test_a_document_is_uploaded_then_read_then_cited(serving: Serving, tmp_path: Path) -> None:
    async with serving(web=False, retrieval__dense=False) as base:
        call = Caller(base)
        assert (await call("POST", "/collections", {"name": "Harbour papers"}))[0] == 201
        assert (await call("PUT", "/collections/Harbour papers/documents/depth.md", data=DOCUMENT))[0] == 201
        assert (await call("PUT", "/collections/Harbour papers/documents/depth.md", data=DOCUMENT))[0] == 200
        state = (await call("GET", "/collections/Harbour papers"))[1]
        assert [(one["name"], one["state"]) for one in state["documents"]] == [("depth.md", "uploaded")]
        assert (await call.read("Harbour papers"))["counts"] == {"ready": 1}
        _, began = await call("POST", "/runs", {"q": QUESTION, "collections": ["Harbour papers"]})
        assert (await ended(base, began["id"]))["outcome"] == "complete"
        report = (await call("GET", f"/runs/{began['id']}/report.md"))[1]
        assert DEPTH in report
        assert "depth.md" in report
        assert "Harbour papers: files read: 1" in report
        assert str(tmp_path) not in report
        checked = (await call("POST", "/check", {"text": DEPTH, "collections": ["Harbour papers"]}))[1]
        assert checked["counts"]["supported"] == 1
        chat = {
            "messages": [{"role": "user", "content": QUESTION}],
            "tools": [{"type": "file_search", "vector_store_ids": ["Harbour papers"]}],
        }
        answer = (await call("POST", "/v1/chat/completions", chat))[1]
        assert DEPTH in answer["choices"][0]["message"]["content"]
        assert (await call("DELETE", "/collections/Harbour papers/documents/depth.md"))[0] == 204
        assert (await call.read("Harbour papers"))["documents"] == []
        assert (await call("DELETE", "/collections/Harbour papers"))[0] == 204
        assert await call("GET", "/collections") == (200, [])
    kept = [path.read_bytes() for path in (tmp_path / "data" / "index").rglob("*") if path.is_file()]
    assert not [content for content in kept if DEPTH.encode() in content], "nothing is left of it"


def bomb() -> bytes:
    """Return a word-processor file whose text unpacks to two gigabytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as container:
        container.writestr("[Content_Types].xml", "<Types/>")
        with container.open("word/document.xml", "w", force_zip64=True) as member:
            for _ in range(200):
                member.write(b" " * 1_000_000)
    return packed.getvalue()


async def test_a_document_that_gives_no_text_says_why_and_is_tried_again(serving: Serving) -> None:
    async with serving(web=False, retrieval__dense=False, documents__max_megabytes={"docx": 1}) as base:
        call = Caller(base)
        await call("POST", "/collections", {"name": "odd"})
        for name, content in (("bomb.docx", bomb()), ("cut.pdf", b"%PDF-1.7\n and no more"), ("fine.md", DOCUMENT)):
            assert (await call("PUT", f"/collections/odd/documents/{name}", data=content))[0] == 201, name
        states = {one["name"]: one for one in (await call.read("odd"))["documents"]}
        assert {name: one["state"] for name, one in states.items()} == {
            "bomb.docx": "failed",
            "cut.pdf": "failed",
            "fine.md": "ready",
        }
        assert all(states[name]["why"] for name in ("bomb.docx", "cut.pdf"))
        assert (await call("PUT", "/collections/odd/documents/cut.pdf", data=b"No PDF, but a text."))[0] == 200
        status, state = await call("POST", "/collections/odd/index", {"documents": ["bomb.docx"]})
        assert status == 202
        assert {one["name"]: one["state"] for one in state["documents"]}["bomb.docx"] == "waiting"
        assert (await call.read("odd"))["counts"] == {"failed": 1, "ready": 2}


@pytest.mark.parametrize(
    ("name", "status", "why"),
    [
        ("..%2F..%2Fetc%2Fpasswd", 422, "without a path"),
        ("../../etc/passwd", 422, "without a path"),
        ("a%5Cb.md", 422, "without a path"),
        (".hidden", 422, "without a path"),
        ("a%00.md", 422, "without a path"),
        ("x" * 201, 422, "200 bytes"),
        ("song.mp3", 415, "Sound and video recordings are not supported"),
        ("program.exe", 415, "neither text nor a supported kind of document"),
        ("empty.md", 422, "is empty"),
    ],
)
async def test_what_is_no_document_is_refused_in_words(serving: Serving, name: str, status: int, why: str) -> None:
    content = {"song.mp3": b"ID3\x04" + bytes(99), "program.exe": b"\x7fELF" + bytes(range(32)) * 9, "empty.md": b""}
    async with serving(web=False, retrieval__dense=False) as base:
        await Caller(base)("POST", "/collections", {"name": "papers"})
        raw = f"PUT /collections/papers/documents/{name} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        body = content.get(name, b"text")
        reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
        writer.write(f"{raw}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = (await reader.read()).decode()
        writer.close()
        assert int(answer.split()[1]) == status, answer
        assert why in answer
        assert '"error"' in answer
        assert (await Caller(base)("GET", "/collections/papers"))[1]["documents"] == []


async def test_uploads_are_bounded(serving: Serving, online: Settings, tmp_path: Path) -> None:
    async with serving(web=False, retrieval__dense=False, serve__upload_megabytes=0.01) as base:
        call = Caller(base)
        for name, status in (("", 422), ("../etc", 422), ("x" * 61, 422), (5, 422), ("Größe 1", 201), ("Größe 1", 409)):
            assert (await call("POST", "/collections", {"name": name}))[0] == status, name
        status, answer = await call("PUT", "/collections/Größe 1/documents/a.md", data=b"x" * 10_001)
        assert (status, answer["type"]) == (413, "Request Entity Too Large")
        assert (await call("PUT", "/collections/none/documents/a.md", data=b"x"))[0] == 404
        assert (await call("DELETE", "/collections/Größe 1/documents/a.md"))[0] == 404
        assert (await call("GET", "/collections/none"))[0] == 404
        assert (await call("POST", "/collections/Größe 1/index", {"documents": ["none"]}))[0] == 404
        assert (await call("POST", "/runs", {"q": QUESTION, "collections": ["none"]}))[0] == 404
    assert list((tmp_path / "data" / "collections").rglob("arriving*")) == []


async def test_a_thousand_documents_are_taken(serving: Serving) -> None:
    async with (
        serving(web=False, retrieval__dense=False, serve__per_second=1_000) as base,
        aiohttp.ClientSession() as session,
    ):
        await Caller(base)("POST", "/collections", {"name": "many"})
        place = asyncio.Semaphore(8)

        async def put(number: int) -> int:
            url = f"{base}/collections/many/documents/{number}.md"
            async with place, session.put(url, data=f"Berth {number} is {number} metres long.") as response:
                return response.status

        assert {*await asyncio.gather(*map(put, range(1_000)))} == {201}
        assert (await Caller(base).read("many"))["counts"] == {"ready": 1_000}


async def test_who_calls_too_often_is_told_when_to_call_again(serving: Serving) -> None:
    async with serving(web=False, serve__per_second=2) as base, aiohttp.ClientSession() as session:

        async def health() -> tuple[int, str]:
            async with session.get(f"{base}/health") as response:
                return response.status, response.headers.get("Retry-After", "")

        assert {*await asyncio.gather(*(health() for _ in range(60)))} == {(200, ""), (429, "10")}


async def test_each_caller_has_collections_of_their_own(serving: Serving, online: Settings) -> None:
    tokens = Tokens(online)
    ann, ben = await asyncio.to_thread(tokens.make, "ann"), await asyncio.to_thread(tokens.make, "ben")
    async with serving(web=False, retrieval__dense=False) as base:
        for token in (ann, ben):
            assert (await Caller(base, token)("POST", "/collections", {"name": "papers"}))[0] == 201
        assert (await Caller(base, ann)("PUT", "/collections/papers/documents/a.md", data=DOCUMENT))[0] == 201
        assert (await Caller(base, ben)("GET", "/collections/papers"))[1]["documents"] == []
        assert (await Caller(base)("GET", "/collections"))[0] == 401


async def test_another_service_reads_what_the_one_before_it_did_not(serving: Serving, tmp_path: Path) -> None:
    async with serving(web=False, retrieval__dense=False) as base:
        call = Caller(base)
        await call("POST", "/collections", {"name": "papers"})
        await call("PUT", "/collections/papers/documents/a.md", data=DOCUMENT)
        assert (await call("POST", "/collections/papers/index", {}))[1]["reading"]
    async with serving(web=False, retrieval__dense=False) as base:
        async with asyncio.timeout(120):
            while (state := (await Caller(base)("GET", "/collections/papers"))[1])["reading"]:  # noqa: ASYNC110 nor here
                await asyncio.sleep(0.1)
        assert state["counts"] == {"ready": 1}
