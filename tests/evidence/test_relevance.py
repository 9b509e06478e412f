"""Words in common count, rare ones more, in any of their forms."""

from spyglass.evidence.relevance import Relevance, roots, unmentioned


def test_forms_of_a_word_have_one_root() -> None:
    assert roots("The wings were repaired in colonies") == roots("wing repairs, colony")
    assert roots("abeilles Bienen") == roots("abeille Biene")
    assert roots("clean gardens developed") == roots("cleaning garden development")
    assert roots("glass") == frozenset({"glass"})


def test_words_that_only_begin_alike_are_different() -> None:
    assert not roots("invented authors") & roots("inventory authority")


def test_numbers_are_compared_whole() -> None:
    assert roots("20240115") != roots("20240116")


def test_a_rare_word_counts_more_than_a_frequent_one() -> None:
    texts = [roots(text) for text in ("bees dance", "bees fly", "bees sting", "wasps sting")]
    relevance = Relevance(texts)
    question = roots("do bees dance?")
    assert relevance.coverage(question, roots("They dance")) > relevance.coverage(question, roots("Bees fly"))


def test_coverage_and_likeness_lie_between_nothing_and_one() -> None:
    relevance = Relevance([roots("bees dance")])
    assert relevance.coverage(roots("bees dance"), roots("bees dance well")) == 1.0
    assert relevance.likeness(roots("bees dance"), roots("bees dance")) == 1.0
    assert relevance.likeness(roots("bees"), roots("wasps")) == 0.0
    assert relevance.coverage(roots("the of"), roots("bees")) == 0.0


def test_words_that_no_text_has_are_told_without_those_that_say_how_many() -> None:
    question = "How do I share the history between several sessions of mehrere Fenster?"
    assert unmentioned(question, ["The history of a session."]) == ["share", "Fenster"]


def test_a_number_is_told_whole() -> None:
    assert unmentioned("Why 3,000 average rows, and 4,000 or 1.5.2?", ["There are 3,000 rows."]) == [
        "average", "4,000", "1.5.2"
    ]  # fmt: skip


def test_how_a_question_is_asked_is_no_word_of_it() -> None:
    cases = [
        ("May I share the history?", "May"),
        ("Wie viel Speicher darf die Sitzung belegen?", "viel darf"),
        ("Peut-on ou doit-on partager la session ?", "Peut doit"),
        ("¿Puede o debe compartirse la sesión?", "Puede debe"),
        ("Può o deve essere condivisa?", "Può deve"),
        ("Hoeveel mag of moet het kosten?", "mag moet"),
        ("履歴はどれくらい保存されますか。", "くら どれくらい"),
        ("一回に何人が使えますか。", "何人"),
        ("一次能否保存多大的文件？", "能否 多大"),
    ]
    told = [(question, set(words.split()) & set(unmentioned(question, [""]))) for question, words in cases]
    assert [case for case in told if case[1]] == []
    assert "履歴" in unmentioned("履歴はどれくらい保存されますか。", [""])
