"""The names of classes: whoever reads one knows which is meant."""

import ast
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
MOST_TWICE = 3


def test_hardly_a_public_class_has_the_name_of_another() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")]
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert names["Report"] == 1
    twice = [name for name, times in names.items() if times > 1 and not name.startswith("_")]
    assert len(twice) <= MOST_TWICE, sorted(twice)
