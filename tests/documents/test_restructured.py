"""reStructuredText is read as its reader sees it, Sphinx's additions too, and opens no other file."""

from pathlib import Path, PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.documents.file_kind import HEAD, kind_of
from spyglass.documents.restructured import read

MANUAL = """
.. _tool:

======
 Tool
======

.. contents:: What there is

See :ref:`the options <opts>`, :class:`~tool.Runner`, :func:`!run` and |it|. *Never* run ``tool`` as root.

.. |it| replace:: its log

.. setting:: LIMIT
   :type: int

   The most files that are read.

   .. versionadded:: 2.4
   .. versionchanged:: 3.0
      Was :setting:`MOST` before.

To limit it::

    LIMIT = 20

.. code-block:: python
   :caption: limits.py
   :emphasize-lines: 1

   tool.run(limit=20)

.. toctree::
   :maxdepth: 2

   install
   usage

.. seealso:: The manual of make.

.. only:: html

   Shown on pages.

.. unheard-of::

   - first
   - second

=====  =====
Model  Price
=====  =====
A1     20
B2     30
=====  =====
"""


def test_a_manual_reads_as_its_reader_sees_it() -> None:
    found = read(MANUAL)
    assert (found.title, found.kind) == ("Tool", "restructured")
    assert found.text == (
        "# Tool\n\n"
        "See the options, Runner, run and its log. Never run tool as root.\n\n"
        "LIMIT\n\nThe most files that are read.\n\n"
        "Added in version 2.4.\n\nChanged in version 3.0: Was MOST before.\n\n"
        "To limit it:\n\n```\nLIMIT = 20\n```\n\n```\ntool.run(limit=20)\n```\n\n"
        "The manual of make.\n\nShown on pages.\n\n- first\n- second\n\n"
        "| Model | Price |\n| --- | --- |\n| A1 | 20 |\n| B2 | 30 |"
    )


@pytest.mark.parametrize(
    "directive",
    [".. include:: {}", ".. literalinclude:: {}", ".. csv-table::\n   :file: {}", ".. raw:: html\n   :file: {}"],
)
def test_no_other_file_is_opened(directive: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a,geheim")
    found = read(f"Before it.\n\n{directive.format(secret)}\n\nBehind it.")
    assert "geheim" not in found.text
    assert found.text.startswith("Before it.")
    assert found.text.endswith("Behind it.")


@pytest.mark.parametrize("option", ["", "   :loading: embed\n", "   :width: 50%\n   :scale: 50\n"])
def test_no_picture_is_opened(option: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text("<svg><text>geheim</text></svg>")
    found = read(f"Before it.\n\n.. figure:: {secret}?a.svg\n   :alt: A pier\n{option}\n   Said of it.\n\nBehind it.")
    assert found.text == "Before it.\n\nA pier\n\nSaid of it.\n\nBehind it."


def test_a_page_in_it_is_no_part_of_the_page() -> None:
    assert read("Before.\n\n.. raw:: html\n\n   <p>An advertisement.</p>\n\nBehind.").text == "Before.\n\nBehind."


def test_what_a_text_defines_ends_with_it() -> None:
    asked = "Run :code:`x` and :quux:`~/.bashrc` now, please."
    assert read(asked).text == "Run x and ~/.bashrc now, please."
    read(".. role:: code(raw)\n   :format: html\n\n.. role:: quux(raw)\n   :format: html\n\n:code:`x`")
    assert read(asked).text == "Run x and ~/.bashrc now, please."


@pytest.mark.parametrize(
    ("role", "shown"),
    [
        ("class:`~tool.Runner`", "Runner"),
        ("meth:`~tool.Runner.run()`", "run()"),
        ("meth:`.Runner.run`", "Runner.run"),
        ("file:`~/.bashrc`", "~/.bashrc"),
        ("file:`.gitignore`", ".gitignore"),
        ("samp:`git checkout <branch>`", "git checkout \\<branch>"),
        ("ref:`the options <opts>`", "the options"),
        ("func:`!run`", "run"),
    ],
)
def test_a_role_is_shown_as_sphinx_shows_it(role: str, shown: str) -> None:
    assert read(f"This is what one sees of it, whatever it is: :{role}.").text.endswith(f": {shown}.")


def test_the_name_of_a_field_stands_in_front_of_its_text() -> None:
    fields = "   :type: a number\n   :parts: - one\n           - two\n"
    found = read(f".. confval:: limit\n\n{fields}\n   The most files that are read.\n")
    assert found.text == "limit\n\ntype: a number\n\nparts:\n\n- one\n- two\n\nThe most files that are read."


def test_directives_in_a_list_and_versions_without_a_number_are_read() -> None:
    code = ".. code-block:: python\n     :emphasize-lines: 1\n\n     run()"
    text = f"- One\n\n  {code}\n\n- .. versionadded::\n\n- .. quux::\n\n     Two"
    assert read(text).text == "- One\n\n```\nrun()\n```\n\n- Added in version.\n- Two"
    text = ".. versionchanged:: 3.0\n\n   - one\n   - two\n"
    assert read(text).text == "Changed in version 3.0.\n\n- one\n- two"


def test_what_docutils_cannot_read_is_a_text_all_the_same() -> None:
    deep = "\n\n".join("  " * depth + f"- level {depth}" for depth in range(600))
    assert (read(deep).kind, read(deep).text) == ("text", deep)
    assert read("One line is long. " * 1_000).text == ("One line is long. " * 1_000).strip()


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("a.rst", "Anything.", "restructured"),
        ("README", "Tool\n====\n\n.. contents::\n", "restructured"),
        ("a.txt", "Tool\n====\n\n.. note:: Read it.\n", "restructured"),
        ("a.txt", "He said .. note:: that.\n", "text"),
        ("a.md", "# Tool\n\n.. note:: Read it.\n", "text"),
        ("a.py", '"""Tool.\n\n.. note:: Read it.\n"""', "text"),
    ],
)
def test_it_is_known_by_its_name_or_by_a_directive_in_a_text(name: str, head: str, kind: str) -> None:
    assert kind_of(PurePath(name), head.encode()[:HEAD]) == kind


PIECES = ("::", "\n\n", "   ", ".. a:: b", ".. note::", ":r:`", "`", "*", "|", "_", "====", "-", "1.", "[1]_", "x")


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=30).map("".join))
def test_whatever_it_holds_it_is_read(text: str) -> None:
    found = read(text)
    assert found.kind in ("restructured", "text")
    assert found == read(text), "whatever was read before"
