"""A short form keeps a text's own words."""

from spyglass.kernel.source import Passage
from spyglass.rag.brief import KEYWORDS, SNIPPET, best_sentence, keywords


def test_the_best_sentence_has_most_words_of_the_task() -> None:
    text = "The basin is deep. Boats pay for the basin. It lies in the north."
    assert best_sentence(text, "What do boats pay?") == "Boats pay for the basin."
    assert best_sentence(text, "Who owns the castle?") == "The basin is deep."
    assert len(best_sentence("word " * SNIPPET, "word")) <= SNIPPET


def test_keywords_are_the_most_frequent_words_as_first_written() -> None:
    texts = ["Basins and boats.", "BASINS with boats, and boats again; pier2 and a1."]
    passages = [Passage(text=text, start=0, end=len(text)) for text in texts]
    assert keywords(passages)[:2] == ["boats", "Basins"]
    assert not {"pier2", "with"} & {*keywords(passages)}
    many = " ".join(chr(ord("a") + number) * 5 for number in range(26))
    assert len(keywords([Passage(text=many, start=0, end=len(many))])) == KEYWORDS
