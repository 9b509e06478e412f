"""What a record says in short of the passages that it holds."""

import re
from collections import Counter
from collections.abc import Sequence

from ..kernel.one_line import shortened_line
from ..kernel.sentence import sentence_spans
from ..kernel.source import Passage
from ..kernel.term import STOP_WORDS, fold, terms

SNIPPET = 200  # characters of a text that stands for a longer one
KEYWORDS = 8

_WORD = re.compile(r"(?<![\w-])[^\W\d_]{4,}(?![\w-])")  # a word of letters alone, long enough to say something


def joined(passages: list[Passage]) -> list[Passage]:
    """Return passages in the order of the text, those that share characters joined; each is still a verbatim span."""
    joined: list[Passage] = []
    for passage in sorted(passages, key=lambda one: (one.start, one.end)):
        before = joined[-1] if joined else None
        if before is None or passage.start > before.end or passage.page != before.page:
            joined.append(passage)
        elif passage.end > before.end:
            more = passage.text[before.end - passage.start :]
            wider = {"text": before.text + more, "end": passage.end, "last_line": passage.last_line}
            joined[-1] = before.model_copy(update={**wider, "score": max(before.score, passage.score)})
    return joined


def best_sentence(text: str, task: str) -> str:
    """Return the sentence that shares most words with the task, the first of equals."""
    wanted = set(terms(task))
    sentences = [text[start:end] for start, end in sentence_spans(text)] or [text]
    best = max(sentences, key=lambda sentence: len(wanted.intersection(terms(sentence))))
    return shortened_line(best, SNIPPET)


def keywords(passages: Sequence[Passage]) -> list[str]:
    """Return the most frequent content words, as they are written where they come first."""
    counts = Counter(word for passage in passages for word in _WORD.findall(passage.text))
    folded: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    for word, count in counts.items():
        key = fold(word)
        if key not in STOP_WORDS:
            folded[key] += count
            spelled.setdefault(key, word)
    return [spelled[key] for key, _ in folded.most_common(KEYWORDS)]
