"""What a stranger wrote into the fields of a report, no viewer draws."""

from pathlib import Path

import lxml.html

from attack.injections import injections
from attack.obedient import attack_text
from attack.viewers import baits, hostile, in_markdown, in_pdf, in_word
from report.sample import sample
from spyglass.render.docx import docx

SERVER = "http://10.1.2.3"
DRAWN = "//@src | //@srcset | //@poster | //@data | //style | //link | //script | //iframe | //object"


def test_markdown_and_word_load_nothing_of_what_stands_in_any_field_of_a_report() -> None:
    report = hostile(sample(), attack_text(injections(SERVER)[5]))
    assert report.markdown.count("trap0005") > 100
    assert lxml.html.fromstring(in_markdown(report.markdown)).xpath(DRAWN) == []
    assert in_word(docx(report)) == []


def test_what_would_be_loaded_is_noticed(tmp_path: Path) -> None:
    picture, diagram, page, word, printed = baits(tmp_path / "baits", SERVER)
    for path in (picture, diagram):
        assert lxml.html.fromstring(in_markdown(path.read_text())).xpath(DRAWN)
    assert lxml.html.fromstring(page.read_text()).xpath(DRAWN)
    assert in_word(word.read_bytes())
    assert in_pdf(printed.read_bytes()) == ["/OpenAction"]
