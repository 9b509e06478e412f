"""Lists of words as the house writes them: one string, a space between."""


def vocabulary(words: str) -> frozenset[str]:
    """Return the words of a string."""
    return frozenset(words.split())
