"""Pages with something to read on them."""

import re
from collections.abc import Sequence

PROSE = (
    "The harbour of Altmere was built between 1871 and 1880, when the old quay could no longer take the grain ships. "
    "Nine years of dredging made a basin of eleven hectares with a depth of seven metres at low water.",
    "Its two moles are 412 and 388 metres long. They were laid of granite blocks of up to twelve tonnes, which came "
    "by barge from the quarries at Strand and were set by a steam crane that ran on the finished part of the mole.",
    "In the winter of 1903 a storm broke forty metres out of the northern mole. The repair took until 1905 and cost "
    "a third of what the whole harbour had cost, because the foundation had to be carried down to the rock.",
    "Today the basin serves fishing boats and a ferry. The lighthouse on the southern mole, a cast-iron tower of "
    "nineteen metres, has been automatic since 1978 and is open to visitors on Sundays from May to September.",
)


def article(title: str, *paragraphs: str, head: str = "", body: str = "") -> str:
    """Return an HTML page: its title, more for its head, its paragraphs, more for its body."""
    text = "".join(f"<p>{paragraph}</p>\n" for paragraph in paragraphs)
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>{head}</head>"
        f"<body><nav><a href='/'>Home</a></nav><main><h1>{title}</h1>\n{text}{body}</main></body></html>"
    )


def of_section(prompt: str, passages: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what a model that keeps to its section's subject uses of the labelled passages in its prompt.

    These are the passages with a word of its title; without any, those that have none of another section's title.
    """

    def about(found: re.Match[str] | None) -> list[tuple[str, str]]:
        words = [word.casefold().rstrip("s") for word in re.findall(r"\w{4,}", found[1] if found else "")]
        return [one for one in passages if any(word in one[1].casefold() for word in words)]

    others = about(re.search(r"The other sections are: Summary; (.*)\.$", prompt, re.MULTILINE))
    own = about(re.search(r"^Section: (?!Summary)(.*)$", prompt, re.MULTILINE))
    return own or [one for one in passages if one not in others]
