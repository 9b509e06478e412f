"""What speaks against a claim, in plain words."""

from collections.abc import Sequence

from .mismatch import FactMismatch

_MOST_WORDS = 6
_LONGEST = 80

NOTHING = "The source has none of its words."
OTHERWISE = "The source has its words, but not together or in another order."
TOO_LONG = "It is too long to be one claim: judge its sentences one by one."
ONLY_WORDS = "Only words and numbers were compared: it is in a language that the embedder does not know."
TWO_LANGUAGES = "The claim and its source are in different languages: only numbers, names and words in common count."
BESIDE = "It does not serve the question."

_KINDS = {
    "number": "the number {what}",
    "date": "the date {what}",
    "unit": "the unit of {what}",
    "name": "the name {what}",
    "negation": "the denial “{what}”",
    "quantifier": "the word “{what}”",
    "quote": "the quoted “{what}”",
    "word": "what the claim says of “{what}”",
}


def against(mismatch: FactMismatch) -> str:
    """Return a sentence on one thing in which claim and source disagree."""
    what, found = _short(mismatch.what), _short(mismatch.found)
    if what and what == found:
        return f"Claim and source say the opposite of “{what}”."
    if mismatch.kind in ("negation", "quantifier", "word") and found:
        return f"Where the source says “{found}”, the claim says “{what}”." if what else f"The source says “{found}”."
    subject = _KINDS[mismatch.kind].format(what=what)
    said = f", which says {found}" if found else ""
    return f"{subject[0].upper()}{subject[1:]} is not in the source{said}."


def lacking(words: Sequence[str]) -> str:
    """Return a sentence on words that no source has in one place."""
    named = ", ".join(words[:_MOST_WORDS])
    more = f" and {len(words) - _MOST_WORDS} more" if len(words) > _MOST_WORDS else ""
    return f"The source has no words for: {named}{more}."


def unsupported_part(part: str) -> str:
    """Return a sentence on the one of several assertions that nothing supports."""
    return f"This part has no support: “{_short(part)}”."


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"
