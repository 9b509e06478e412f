"""Short forms of a source's passages: joined passages, the best sentence, keywords."""

import re
from collections import Counter
from collections.abc import Sequence

from ..kernel.one_line import shortened_line
from ..kernel.sentence import sentence_spans
from ..kernel.source import Passage
from ..kernel.term import STOP_WORDS, fold, terms

SNIPPET = 200  # characters of a shortened text
KEYWORDS = 8
MOST_JOINED = 2_400  # characters; several passages of this length fit into a writer's prompt

MOST_COMPLETED = 2_000  # characters added to a passage that breaks off within a numbered list

_ITEM = re.compile(r"^([ \t]*)(\d{1,2})[.)][ \t]", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)
_WORD = re.compile(r"(?<![\w-])[^\W\d_]{4,}(?![\w-])")  # a word of at least four letters, without digits and hyphens


def joined(passages: list[Passage], text: str) -> list[Passage]:
    """Return the passages of a text in text order, joining those that overlap or are separated only by white space.

    Each is still a verbatim span; passages that do not overlap are joined up to MOST_JOINED characters. One that breaks
    off within a numbered list has the further items too, up to MOST_COMPLETED characters: half of the steps mislead.
    """
    joined: list[Passage] = []
    whole = [_with_all_items(passage, text) for passage in passages]
    for passage in sorted(whole, key=lambda span: (span.start, span.end)):
        before = joined[-1] if joined else None
        if before is None or not _goes_on(before, passage, text):
            joined.append(passage)
        elif passage.end > before.end:
            more = text[before.end : passage.end]
            wider = {"text": before.text + more, "end": passage.end, "last_line": passage.last_line}
            joined[-1] = before.model_copy(update={**wider, "score": max(before.score, passage.score)})
    return joined


def _with_all_items(passage: Passage, text: str) -> Passage:
    """Return a passage with the items, below no other heading, that continue the numbered list that it ends in."""
    items = list(_ITEM.finditer(passage.text))
    if not items or passage.page is not None:
        return passage
    indent, number, end = items[-1][1], int(items[-1][2]), passage.end
    most = passage.end + MOST_COMPLETED
    for item in _ITEM.finditer(text, passage.end, most):
        if item[1] != indent:
            continue
        line_end = text.find("\n", item.end()) % (len(text) + 1)  # the last line may have no end
        if int(item[2]) != number + 1 or line_end > most or _HEADING.search(text, end, item.start()):
            break
        number, end = number + 1, line_end
    added = text[passage.end : end]
    last_line = None if passage.last_line is None else passage.last_line + added.count("\n")
    return passage.model_copy(update={"text": passage.text + added, "end": end, "last_line": last_line})


def _goes_on(before: Passage, passage: Passage, text: str) -> bool:
    """Return whether a passage continues the one before it."""
    if passage.start < before.end:
        return passage.page == before.page
    touches = not text[before.end : passage.start].strip() and passage.end - before.start <= MOST_JOINED
    return touches and (passage.page, passage.heading) == (before.page, before.heading)


def best_sentence(text: str, task: str) -> str:
    """Return the sentence that shares most words with the task, the first on a tie."""
    wanted = set(terms(task))
    sentences = [text[start:end] for start, end in sentence_spans(text)] or [text]
    best = max(sentences, key=lambda sentence: len(wanted.intersection(terms(sentence))))
    return shortened_line(best, SNIPPET)


def keywords(passages: Sequence[Passage]) -> list[str]:
    """Return the most frequent content words, each in its first spelling."""
    counts = Counter(word for passage in passages for word in _WORD.findall(passage.text))
    folded: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    for word, count in counts.items():
        key = fold(word)
        if key not in STOP_WORDS:
            folded[key] += count
            spelled.setdefault(key, word)
    return [spelled[key] for key, _ in folded.most_common(KEYWORDS)]
