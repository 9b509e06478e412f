"""A model of 135 million parameters, as it really answers: what SmolLM2-135M-Instruct wrote for our prompts, shortened.

The questions were "How did the telescope develop?" over the examples that ship, and others over a system's handbook.
"""

import json
from collections.abc import Mapping

from .server import PromptRequest, Say

PLANS: tuple[str | Say, ...] = (
    '{"tasks": [{"task": "what to find out", "agent": "local-retrieval", "queries": ["query", "query", "query"]}], '
    '"sections": ["heading", "heading"]}',
    '{\n  "tasks": [\n    {\n      "task": "what to find out",\n      "agent": "local-retrieval",\n      "queries": [\n'
    '        "query",\n        "query"\n      ]\n    },\n    {\n      "task": "what to find out",\n'
    '      "agent": "reporter",\n      "queries": ["query"]\n    }\n  ],\n  "sections": ["heading", "heading"]\n}',
)
OUTLINES: tuple[str | Say, ...] = (
    '{"sections": [{"title": "heading", "sources": ["S1", "S2"]}]}',
    '{"sections": [{"title": "S1", "sources": ["S1", "S2"]}, {"title": "S2", "sources": []}]}',
    '{\n  "sections":[\n    {\n      "title": "Chapter 5. Packaging System: Tools and Fundamental Principles",\n'
    '      "sources":[\n        "https://packagist.org/tom-s-packagist/packagist.rb#S1",\n      "S2"\n    ]}\n  ]\n}',
)
SECTIONS: tuple[str | Say, ...] = (
    "<<Summary of the report>>\n\nThe first section is a summary of the report. The section headings, like the first "
    "sentence, are formatted with the section's own title. Each sentence, when a full sentence, has a title, a section "
    "title, and the end of the section with the end of the section.",
    "S1.1\n\nThe 40-inch refractor of Yerkes Observatory, finished in 1609, was the first telescope designed "
    "specifically for large-scale observations of distant stars. This design was designed to focus light beyond the "
    "point of view of a single lens, allowing for the largest possible image to be made.",
    "The report opens with a summary of the report that contains the relevant information.",
    "The report, titled S1, showcases the process of upgrading Debian packages using apt, which uses different methods "
    'to ensure the least intrusive upgrade possible. The process of using the command "acquire_languages" is '
    'documented in detail, while the process of using the command "acquire" is documented in detail.',
    'A very helpful document. \n\nThe section "Chapter 5. Packaging System: Tools and Fundamental Principles &gt; 5.1. '
    'Structure of a Package" is perfect. The sections are well-written and there is no need to write separate '
    "sections. You can easily fill the sections with your sentences without writing anything.",
    Say(
        'The report now is:\n<source id="S1.2" title="Chapter 5. Packaging System &gt; 5.1. Structure of a Binary '
        'Package">\n\nThe Debian package format is designed to extract and analyze binary packages, which makes it '
        "difficult to manage packages manually.\n\n"
        + "The command `cd -` to create a directory `data.tar.xz` and then use the command `tar -C` to extract the "
        "contents.\n\n" * 4 + "The command `tar -C /data.tar.xz` to extract and analyze the ",
        finish="length",
    ),
)
ANEW: tuple[str | Say, ...] = ('{"sentences": [{"id": "c1", "text": "The sentence, written anew"}]}',)
OTHERS: tuple[str | Say, ...] = (Say('{"verdicts": [{"id": "c1", "verdict": "supported", "quo', finish="length"),)

BY_SHAPE: Mapping[str, tuple[str | Say, ...]] = {"tasks": PLANS, "sections": OUTLINES, "sentences": ANEW}


class SmolLM2:
    """Answers each kind of prompt with what the model wrote for it, one after the other, beginning with the `first`."""

    def __init__(self, first: int = 0) -> None:
        self._first = first
        self._asked: dict[tuple[str | Say, ...], int] = {}

    def __call__(self, asked: PromptRequest) -> str | Say:
        """Return the next answer to a prompt of this kind."""
        answers = SECTIONS if asked.schema is None else self._structured(asked)
        number = self._asked.setdefault(answers, self._first)
        self._asked[answers] += 1
        return answers[number % len(answers)]

    def _structured(self, asked: PromptRequest) -> tuple[str | Say, ...]:
        assert asked.schema is not None
        wanted = json.dumps(asked.schema["properties"])
        return next((found for name, found in BY_SHAPE.items() if f'"{name}"' in wanted), OTHERS)
