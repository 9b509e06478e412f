"""Whether a query is English, which is all that the local embedder knows."""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH = _words(
    "the of and to in is are was were be been what which who whose how why when where does do did has have had for "
    "with by from can could should would about that this these those an at on not it its their there into than as or "
    "if between during under over"
)
_OTHERS = _words(
    # German, Dutch
    "der das und ist sind wie wer wann wo warum welche welcher welches für mit von dem den ein eine einen zu "
    "zur zum im über nicht het een zijn wat welke wie hoe waarom wanneer waar voor op te naar "
    # French, Spanish, Portuguese, Italian
    "le la les des du et est sont quel quelle quels quelles qui que comment pourquoi quand où pour avec par dans sur "
    "une el los las del y es son qué cuál cuáles quién cómo por cuándo dónde para con una en se o os do da dos das e é "
    "são qual quais quem como quando onde com uma em na il lo gli di che quale quali chi perché nella"
)
"""Function words, without those that are English for something else (`die`); those of both sides decide nothing."""

_LONGEST = 2_000


def is_english(text: str) -> bool:
    """Say whether a text is more likely English than not: by its letters, then by its function words."""
    letters = [letter for letter in text[:_LONGEST] if letter.isalpha()]
    if sum(not letter.isascii() for letter in letters) * 20 > len(letters):
        return False
    words = re.findall(r"[^\W\d_]+", text[:_LONGEST].lower())
    return sum(word in _ENGLISH for word in words) >= sum(word in _OTHERS for word in words)
