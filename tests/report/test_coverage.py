"""A sub-question is answered, in part or not at all, by what the claims that stand say."""

import pytest

from report.shelf import HIVES, HONEY, WASPS, record
from spyglass.kernel.journal import Journal
from spyglass.kernel.plan import Task
from spyglass.kernel.source import Citation, Support
from spyglass.report.coverage import covered, is_answered, names, planned_coverage
from spyglass.report.report import Claim, Coverage
from spyglass.report.source_index import SourceIndex

TASKS = (
    Task(task="How many eggs does the queen of a honey bee colony lay?", agent="files"),
    Task(task="How do wasps build their nests?", agent="files"),
)


@pytest.fixture
def journal() -> Journal:
    return Journal()


@pytest.fixture
def source_index(journal: Journal) -> SourceIndex:
    eggs, nests = (task.task for task in TASKS)
    records = [
        record(journal, "bees.md", HONEY, task=eggs),
        record(journal, "wasps.md", WASPS, task=nests),
        record(journal, "hives.md", HIVES, task=nests),
    ]
    return SourceIndex.of(records, journal)


class Written:
    """Claims of a report that quote the catalogue."""

    def __init__(self, source_index: SourceIndex) -> None:
        self._source_index = source_index
        self.claims: list[Claim] = []
        self.citations: list[Citation] = []

    def quote(self, words: str, text: str = "", verdict: Support = "supported") -> "Written":
        """Claim what the one passage with these words says, in these words or others."""
        (passage,) = (one for one in self._source_index.passages if words in one.passage.text)
        start = passage.passage.start + passage.passage.text.index(words)
        citation = Citation(
            number=1,
            source_id=passage.source.id,
            passage=0,
            snapshot=passage.source.snapshot,
            start=start,
            end=start + len(words),
            quote=words,
        )
        self.claims.append(Claim("", text or words, citations=[len(self.citations)], verdict=verdict))
        self.citations.append(citation)
        return self

    def covers(self, question: str, tasks: tuple[Task, ...] = ()) -> list[Coverage]:
        recorded = planned_coverage(question, tasks, self._source_index, {})
        return covered(recorded, self._source_index, self.claims, self.citations)


EGGS = "The queen lays up to 2,000 eggs a day."
PAPER = "Wasps chew wood into paper and build their nests from it."
HONEY_YIELD = "A strong colony gives 20 kilograms of honey in a year."


def test_each_sub_question_has_its_verdict_its_sources_and_its_claims(source_index: SourceIndex) -> None:
    eggs, nests = Written(source_index).quote(PAPER).quote(EGGS).covers("What do bees and wasps do?", TASKS)
    assert (eggs.question, eggs.verdict, eggs.sources, eggs.claims) == (TASKS[0].task, "answered", 1, [1])
    assert (nests.question, nests.verdict, nests.sources, nests.claims) == (TASKS[1].task, "answered", 2, [0])


def test_a_sub_question_of_which_no_claim_speaks_was_not_found(source_index: SourceIndex) -> None:
    eggs, nests = Written(source_index).quote(PAPER).covers("What do bees and wasps do?", TASKS)
    assert (eggs.verdict, eggs.claims) == ("not found", [])
    assert nests.verdict == "answered"


def test_without_a_plan_the_question_is_the_only_one(source_index: SourceIndex) -> None:
    (whole,) = Written(source_index).quote(EGGS).covers("How many eggs does the queen lay?")
    assert (whole.verdict, whole.sources) == ("answered", 3)


def test_a_report_without_claims_found_nothing(source_index: SourceIndex) -> None:
    (whole,) = Written(source_index).covers("How many eggs does the queen lay?")
    assert (whole.verdict, whole.sources, whole.claims) == ("not found", 3, [])


@pytest.mark.parametrize("verdict", ["unsupported", "contradicted"])
def test_a_claim_that_nothing_supports_answers_nothing(source_index: SourceIndex, verdict: Support) -> None:
    (whole,) = Written(source_index).quote(EGGS, verdict=verdict).covers("How many eggs does the queen lay?")
    assert whole.verdict == "not found"


def test_a_claim_that_is_supported_in_part_answers_in_part(source_index: SourceIndex) -> None:
    (whole,) = Written(source_index).quote(EGGS, verdict="partial").covers("How many eggs does the queen lay?")
    assert (whole.verdict, whole.claims) == ("partly", [0])


def test_one_side_of_a_comparison_is_a_part_of_the_answer(source_index: SourceIndex) -> None:
    compared = "How do Langstroth hives differ from Dadant hives?"
    row, other = "| Langstroth | 10 |", "| Dadant | 12 |"
    half = Written(source_index).quote(row, "The hive of Langstroth has 10 frames, unlike other hives that differ.")
    assert half.covers(compared)[0].verdict == "partly"
    whole = half.quote(other, "The hive of Dadant has 12 frames.")
    assert whole.covers(compared)[0].verdict == "answered"


def test_what_is_said_of_something_else_is_not_found(source_index: SourceIndex) -> None:
    (named,) = Written(source_index).quote(EGGS).covers("How many eggs does a queen lay in Zorblax?")
    assert (named.verdict, named.claims) == ("not found", [])


def test_the_title_above_a_claim_counts_as_its_words(source_index: SourceIndex) -> None:
    said = "Paper is chewed from wood."
    (found,) = Written(source_index).quote(PAPER, said).covers("What paper do wasps chew?")
    assert found.verdict == "answered", "`wasps.md` is the title of what it cites"


def test_a_further_task_serves_its_sub_question(source_index: SourceIndex) -> None:
    further = Task(task="wasp paper", agent="files", serves=TASKS[1].task)
    found = Written(source_index).quote(PAPER).covers("What do wasps do?", (TASKS[1], further))
    assert [one.question for one in found] == [TASKS[1].task]


def test_across_languages_the_sources_decide_and_nothing_is_more_than_partly_answered(
    source_index: SourceIndex,
) -> None:
    tasks = (Task(task=TASKS[0].task, agent="files"), Task(task="Wie bauen die Wespen ihre Nester?", agent="files"))
    eggs, german = Written(source_index).quote(EGGS).quote(PAPER).covers("Was tun die Bienen?", tasks)
    assert eggs.verdict == "answered"
    assert german.verdict == "not found", "no source was found for the German task"
    own = Task(task="Wie bauen die Wespen ihre Nester?", agent="files", serves="Wie bauen die Wespen ihre Nester?")
    nests = Task(task=TASKS[1].task, agent="files", serves=own.task)
    (served,) = Written(source_index).quote(PAPER).covers("Was tun die Wespen?", (nests,))
    assert (served.verdict, served.claims) == ("partly", [0])


def test_a_question_without_a_word_to_look_for_is_answered_in_part_by_what_was_found_for_it(
    source_index: SourceIndex,
) -> None:
    (whole,) = Written(source_index).quote(EGGS).covers("What is it?")
    assert whole.verdict == "partly"


def test_names_are_what_is_written_like_one() -> None:
    cases = {
        "How does the WAL mode of SQLite work?": {"wal", "sqlit"},
        "What does work_mem do?": {"work", "mem"},
        "Which changes came with 3.11?": {"3.11"},
        "What happened in Berlin in 1989?": {"berlin", "1989"},
        "Key Features Of The Vacuum Process": set(),
        "How many eggs does a queen lay?": set(),
        "蜜蜂如何跳舞": set(),
        "": set(),
    }
    assert {text: names(text) for text in cases} == cases


def test_a_claim_below_a_title_with_the_words_of_the_question_does_not_answer_it_by_itself(journal: Journal) -> None:
    found = SourceIndex.of([record(journal, "x.md", WASPS, title="The dance of honey bees")], journal)
    claim = Written(found).quote("Wasps chew wood into paper and build their nests from it.")
    assert [one.verdict for one in claim.covers("How do honey bees dance?")] == ["partly"]


def test_a_question_that_speaks_of_it_and_has_one_word_of_its_own_is_not_told_to_be_answered(
    source_index: SourceIndex,
) -> None:
    eggs = Written(source_index).quote("The queen lays up to 2,000 eggs a day.")
    assert [one.verdict for one in eggs.covers("Where does it lay?")] == ["partly"]
    assert [one.verdict for one in eggs.covers("Who lays?")] == ["answered"]


def test_claims_with_the_words_of_a_question_answer_it(source_index: SourceIndex) -> None:
    question = TASKS[1].task
    assert is_answered(question, [(PAPER, "wasps.md")], source_index.relevance)
    assert not is_answered(question, [(EGGS, "bees.md")], source_index.relevance)
    assert not is_answered(question, [], source_index.relevance)
