"""Text of others on one line."""

import unicodedata


def one_line(text: str) -> str:
    """Return the text on one line: white space folded, control and direction-override characters gone."""
    folded = " ".join(text.split())
    if folded.isprintable():
        return folded
    kept = (" " if char.isspace() else char for char in text)
    visible = (char for char in kept if unicodedata.category(char) not in ("Cc", "Cf", "Cs") or char in "\u200c\u200d")
    return " ".join("".join(visible).split())
