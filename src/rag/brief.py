"""Short forms of a source's passages: the best sentence, keywords."""

import re
from collections import Counter
from collections.abc import Sequence

from ..kernel.one_line import shortened_line
from ..kernel.sentence import sentence_spans
from ..kernel.source import Passage
from ..kernel.term import STOP_WORDS, fold, terms

SNIPPET = 200  # characters of a shortened text
KEYWORDS = 8

_WORD = re.compile(r"(?<![\w-])[^\W\d_]{4,}(?![\w-])")  # a word of at least four letters, without digits and hyphens


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
