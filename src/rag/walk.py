"""The listing of a folder's files that are the user's documents."""

import contextlib
import mimetypes
import os
import re
import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ..documents.opening import Identity, is_loop
from ..kernel.errors import FolderError
from ..kernel.notice import Notice, NoticeOrText
from ..kernel.thread import require_wanted

JUNK = frozenset(
    {"node_modules", "__pycache__", "site-packages", "Thumbs.db", "desktop.ini", "searchindex.js", "search_index.json"}
)
"""Names of generated files. Names that begin with a full stop (hidden) or `~$` (locks of office programs) are skipped,
too."""

PAGES = frozenset({".html", ".htm", ".xhtml"})
PROGRAMS = frozenset({".css", ".js", ".map"})
FONTS = frozenset({".eot", ".otf", ".ttf", ".woff", ".woff2"})
SCANS = frozenset({".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
PICTURES = 3  # the number of pictures from which a folder counts as a folder of pictures
NEAR = 3  # levels of folders in which a page's pictures may lie: the page's folder and two below it

_SOURCE = re.compile(r"(?P<above>(?:.*/)?)_sources/(?P<name>.+?)(?:\.(?:rst|md))?\.txt")
"""Where Sphinx stores the source of the page `above/name.html`."""

Stamp = tuple[int, int, int]
"""Size in bytes, and the times of the last change to content (mtime) and to anything (ctime), in nanoseconds."""


@dataclass(frozen=True, slots=True)
class WalkedFile:
    """A file: its path relative to the folder, with `/` between the parts, its stamp, and its identity."""

    path: str
    stamp: Stamp
    identity: Identity


@dataclass(slots=True)
class Listing:
    """The files of a folder, ordered by path, and what could not be read, as (path, reason).

    `base` is the absolute folder to which the paths are relative.
    """

    base: Path
    files: list[WalkedFile] = field(default_factory=list)
    skipped: list[tuple[str, NoticeOrText]] = field(default_factory=list)


def walk(root: Path) -> Listing:
    """Return the regular files under `root`, or `root` itself when it is one file.

    Left out are hidden and generated files, sockets, pipes, devices, links to folders (which avoids loops), and the
    sources that Sphinx stores beside its pages. Links to targets outside `root` are not followed, but reported. A file
    with several names is listed once, under its real name if that is under `root`. Raises FolderError when `root` is
    missing or cannot be listed.
    """
    root = _existing(root)
    if not root.is_dir():
        return Listing(root.parent, [_walked(root.name, root.stat())])
    walking = _Walk(root)
    walking.all_folders()
    walking.all_links()
    listing = walking.listing
    paths = {file.path for file in listing.files}
    listing.files = [file for file in listing.files if _page_of(file.path) not in paths]
    listing.files.sort(key=lambda file: file.path.split("/"))
    listing.skipped.sort(key=lambda skip: skip[0])
    return listing


def found_at(base: Path, path: str) -> WalkedFile | None:
    """Return the current file at a path relative to a folder; None if there is none."""
    try:
        return _walked(path, (base / path).stat())
    except OSError:
        return None


def parts_of_pages(paths: Sequence[str]) -> set[str]:
    """Return the files that only serve to display web pages: fonts, scripts, styles, and pictures near a page.

    One or two photos in the folder of a page itself may be scans of documents.
    """
    files = list(map(PurePosixPath, paths))
    pictures = Counter(file.parent for file in files if is_picture(file.name))
    pages = {file.parent for file in files if file.suffix.lower() in PAGES}

    def shows(file: PurePosixPath) -> bool:
        is_scan = file.suffix.lower() in SCANS and pictures[file.parent] < PICTURES
        near = file.parents[is_scan:NEAR]
        return (is_picture(file.name) or file.suffix.lower() in PROGRAMS) and not pages.isdisjoint(near)

    return {str(file) for file in files if file.suffix.lower() in FONTS or shows(file)}


def _page_of(source: str) -> str:
    """Return the page that Sphinx made from a source file; "" for any other file."""
    match = _SOURCE.fullmatch(source)
    return f"{match['above']}{match['name']}.html" if match else ""


def is_picture(path: str) -> bool:
    """Return whether a file is a picture by its name."""
    return (mimetypes.guess_type(path)[0] or "").startswith("image/")


def _existing(root: Path) -> Path:
    try:
        root = root.expanduser().resolve(strict=True)
        root.stat()
    except (OSError, RuntimeError) as error:
        raise FolderError(
            f"The folder {root} cannot be read: {_error_text(error)}",
            remedy="Name an existing folder with --files or the setting db.",
        ) from error
    return root


class _Walk:
    """One walk: its listing, the links still to be resolved, and the identities of the listed files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.listing = Listing(root)
        self.links: list[os.DirEntry[str]] = []
        self.identities: set[tuple[int, int]] = set()

    def all_folders(self) -> None:
        folders = [str(self.root)]
        while folders:
            require_wanted()
            folder = folders.pop()
            try:
                with os.scandir(folder) as entries:
                    folders += [entry.path for entry in entries if self._visit(entry)]
            except OSError as error:
                if folder == str(self.root):
                    raise FolderError(f"The folder {self.root} cannot be listed: {_error_text(error)}") from error
                self._skip(folder, Notice("folder_unlisted", why=_error_text(error)))

    def _visit(self, entry: os.DirEntry[str]) -> bool:
        """Add a file or remember a link; return whether the entry is a folder to walk."""
        if entry.name.startswith((".", "~$")) or entry.name in JUNK:
            return False
        if entry.is_symlink():
            self.links.append(entry)
        elif entry.is_dir(follow_symlinks=False):
            return True
        elif entry.is_file(follow_symlinks=False):
            with contextlib.suppress(FileNotFoundError):  # it vanished during the walk
                self._add_file(entry.path, entry.stat(follow_symlinks=False))
        return False

    def all_links(self) -> None:
        for link in sorted(self.links, key=lambda entry: entry.path):
            require_wanted()
            try:
                target = Path(link.path).resolve(strict=True)
                info = target.stat()
            except (OSError, RuntimeError) as error:
                if is_loop(error):
                    self._skip(link.path, Notice("link_in_a_circle"))
                continue  # else the target does not exist
            if not target.is_relative_to(self.root):
                self._skip(link.path, Notice("link_leads_out"))
            elif stat.S_ISREG(info.st_mode) and (info.st_dev, info.st_ino) not in self.identities:
                self._add_file(link.path, info)

    def _add_file(self, path: str, info: os.stat_result) -> None:
        """Add a file, unless its name is not valid Unicode (possible on Linux), which a report could not print."""
        self.identities.add((info.st_dev, info.st_ino))
        if path.isascii() or not any("\ud800" <= character <= "\udfff" for character in path):
            self.listing.files.append(_walked(self._relative(path), info))
        else:
            self._skip(path, Notice("name_not_unicode"))

    def _skip(self, path: str, reason: NoticeOrText) -> None:
        self.listing.skipped.append((self._relative(path).encode("utf-8", "replace").decode(), reason))

    def _relative(self, path: str) -> str:
        return path[len(str(self.root)) :].lstrip(os.sep).replace(os.sep, "/")


def _walked(path: str, info: os.stat_result) -> WalkedFile:
    return WalkedFile(path, (info.st_size, info.st_mtime_ns, info.st_ctime_ns), (info.st_dev, info.st_ino))


def _error_text(error: Exception) -> str:
    if is_loop(error):
        return "its links form a loop"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
