"""The walk finds the user's documents, and nothing that is not theirs."""

import os
import socket
from pathlib import Path

import pytest

from spyglass.kernel.errors import FolderError
from spyglass.kernel.notice import Notice, text_of
from spyglass.rag.walk import walk


def put(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def names(root: Path) -> list[str]:
    return [file.path for file in walk(root).files]


def test_files_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.txt", "a/b/c.txt", "a.txt", "Ä/ö.md"):
        put(tmp_path / name)
    assert names(tmp_path) == ["a/b/c.txt", "a/z.txt", "a.txt", "b.txt", "Ä/ö.md"]


def test_a_stamp_is_the_size_and_both_times(tmp_path: Path) -> None:
    info = put(tmp_path / "a.txt", "four").stat()
    assert walk(tmp_path).files[0].stamp == (4, info.st_mtime_ns, info.st_ctime_ns)


def test_hidden_files_and_what_programs_make_are_left_out(tmp_path: Path) -> None:
    for name in (
        ".env",
        ".git/config",
        "a/.hidden/b.txt",
        "node_modules/x/readme.md",
        "html/searchindex.js",
        "a/__pycache__/m.txt",
        "~$a.docx",
    ):
        put(tmp_path / name)
    put(tmp_path / "a" / "seen.txt")
    assert names(tmp_path) == ["a/seen.txt"]


def test_what_a_page_was_made_of_is_left_out_beside_the_page(tmp_path: Path) -> None:
    for name in (
        "use.html",
        "_sources/use.rst.txt",
        "_sources/old.rst.txt",
        "a/b.html",
        "_sources/a/b.md.txt",
        "use.txt",
    ):
        put(tmp_path / name)
    assert names(tmp_path) == ["_sources/old.rst.txt", "a/b.html", "use.html", "use.txt"]


def test_a_folder_may_itself_lie_in_a_hidden_one(tmp_path: Path) -> None:
    put(tmp_path / ".notes" / "a.txt")
    assert names(tmp_path / ".notes") == ["a.txt"]


def test_links_that_leave_the_folder_are_not_followed_but_named(tmp_path: Path) -> None:
    secret = put(tmp_path / "outside" / "secret.txt")
    folder = tmp_path / "files"
    put(folder / "a.txt")
    (folder / "link.txt").symlink_to(secret)
    (folder / "folder").symlink_to(secret.parent)
    (folder / "up.txt").symlink_to(Path("..", "outside", "secret.txt"))
    assert names(folder) == ["a.txt"]
    assert walk(folder).skipped == [(name, Notice("link_leads_out")) for name in ("folder", "link.txt", "up.txt")]


def test_a_name_that_begins_like_the_folder_is_not_inside_it(tmp_path: Path) -> None:
    neighbour = put(tmp_path / "files2" / "secret.txt")
    folder = tmp_path / "files"
    put(folder / "a.txt")
    (folder / "link.txt").symlink_to(neighbour)
    assert names(folder) == ["a.txt"]


def test_a_file_with_several_names_is_taken_once_under_its_own(tmp_path: Path) -> None:
    put(tmp_path / "z.txt")
    (tmp_path / "a.txt").symlink_to("z.txt")
    assert names(tmp_path) == ["z.txt"]


def test_a_link_to_a_hidden_file_of_the_folder_is_followed(tmp_path: Path) -> None:
    put(tmp_path / ".store" / "v3")
    (tmp_path / "report.txt").symlink_to(Path(".store", "v3"))
    assert names(tmp_path) == ["report.txt"]


def test_loops_and_broken_links_end_the_walk_nowhere(tmp_path: Path) -> None:
    put(tmp_path / "a" / "b.txt")
    (tmp_path / "a" / "again").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "gone").symlink_to("nothing")
    listing = walk(tmp_path)
    assert [file.path for file in listing.files] == ["a/b.txt"]
    assert listing.skipped == [("self", Notice("link_in_a_circle"))]
    with pytest.raises(FolderError, match=r"self cannot be read: its links form a loop"):
        walk(tmp_path / "self")


def test_pipes_and_sockets_are_no_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.txt")
        assert names(tmp_path) == []


def test_a_name_that_is_not_text_is_told(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")).write_text("text")
    listing = walk(tmp_path)
    assert listing.files == []
    assert listing.skipped == [("caf?.txt", Notice("name_not_unicode"))]


def test_a_folder_that_cannot_be_listed_is_told_and_the_others_are_walked(tmp_path: Path) -> None:
    put(tmp_path / "open" / "a.txt")
    deep = tmp_path / "deep"
    deep.mkdir()
    here = os.open(deep, os.O_RDONLY)
    try:  # a path beyond the system's limit cannot be listed, not even by root
        for _ in range(20):
            os.mkdir("d" * 250, dir_fd=here)
            below = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
    finally:
        os.close(here)
    listing = walk(tmp_path)
    assert [file.path for file in listing.files] == ["open/a.txt"]
    assert "cannot be listed: File name too long" in text_of(listing.skipped[0][1])


def test_a_single_file_is_a_listing_of_one(tmp_path: Path) -> None:
    file = put(tmp_path / "one.txt")
    put(tmp_path / "other.txt")
    listing = walk(file)
    assert (listing.base, [found.path for found in listing.files]) == (tmp_path, ["one.txt"])


def test_a_missing_folder_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match=r"No such file or directory.*--files"):
        walk(tmp_path / "nothing")


def test_a_folder_that_is_a_link_is_the_folder_it_leads_to(tmp_path: Path) -> None:
    put(tmp_path / "real" / "a.txt")
    (tmp_path / "link").symlink_to("real")
    assert walk(tmp_path / "link").base == tmp_path / "real"
    assert names(tmp_path / "link") == ["a.txt"]
