"""A sentence that says little without the one before it is told."""

import pytest

from spyglass.evidence.leaning import leans


@pytest.mark.parametrize(
    "text",
    [
        "It has a harbour.",
        "Isaac Newton concluded that lenses could not be cured of this and built a telescope.",
        "Newton bewies das.",
        "Newton no creía en eso y construyó un telescopio.",
        "Newton ne croyait pas à cela et construisit un télescope.",
        "The engineers were told about that.",
        "If this option is set, the program quits at once.",
        "Wenn diese Option gesetzt ist, endet das Programm sofort.",
    ],
)
def test_a_sentence_with_a_demonstrative_for_what_is_not_in_it_leans_on_the_one_before(text: str) -> None:
    assert leans(text)


@pytest.mark.parametrize(
    "text",
    [
        "Lenses bend light of this kind.",
        "Newton built this telescope in 1668.",
        "The fringes that are seen come from the lens.",
        "Das Fernrohr steht in Berlin.",
        "Newton sah das Fernrohr in Berlin.",
        "When a lens is dirty, this can be seen in the image.",
        "Newton construyó este telescopio.",
        "The soldiers of this war were young.",
        "In this section, all commands are run as root.",
        "The leak finder detects these problems in a program:",
    ],
)
def test_a_sentence_whose_demonstrative_has_a_noun_or_a_clause_before_it_does_not(text: str) -> None:
    assert not leans(text)
