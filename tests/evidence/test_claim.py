"""Which sentences assert something, and what a sentence asserts one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.evidence.claim import atoms, is_claim


def test_what_says_something_of_the_world_is_a_claim() -> None:
    texts = [
        "Berlin is the capital of Germany",
        "In summary, the bees dance in the dark.",
        "**Result:** 5 ms",
        "- The hive weighed 40 kg in June.",
        "The document shows that sales did not rise.",
        "The sources do not say why, but bees fly 24 km per hour.",
        "However, the bridge was never finished.",
        "蜜蜂在黑暗中跳舞。",
        "النحل يرقص في الخلية المظلمة.",
        "Die Bienen tanzen auf der Wabe.",
    ]
    assert [text for text in texts if not is_claim(text)] == []


def test_what_asserts_nothing_is_no_claim() -> None:
    texts = [
        "What do bees eat in winter?",
        "为什么蜜蜂会跳舞？",
        "## The dance of the bees",
        "Key findings:",
        "Causes of decline",
        "Further Reading and Notes",
        "This section covers the causes of the decline.",
        "The following table lists the results.",
        "Here is an overview of the results.",
        "We will now look at the history of bees.",
        "Let us turn to the costs of the bridge.",
        "Please consult a doctor before treatment.",
        "Dieser Abschnitt behandelt die Ursachen.",
        "Cette section présente les causes principales.",
        "Esta sección describe las causas principales.",
        "Questa sezione descrive le cause principali.",
        "Esta seção descreve as causas principais.",
        "Dit hoofdstuk beschrijft de belangrijkste oorzaken.",
        "The sources do not say why the bridge fell.",
        "None of the passages mentions a price.",
        "No information was found on this question.",
        "Die Quellen nennen keinen Grund.",
        "Les sources ne précisent pas la date.",
        "Las fuentes no indican el precio.",
        "Le fonti non menzionano il prezzo.",
        "As fontes não mencionam o preço.",
        "De bronnen vermelden geen prijs.",
        "It works.",
        "[1] https://example.org/a/b",
        "",
        "***",
    ]
    assert [text for text in texts if is_claim(text)] == []


def test_clauses_are_assertions_of_their_own() -> None:
    assert atoms("Worker bees dance in the hive, while paper wasps build nests of wood.") == [
        "Worker bees dance in the hive",
        "while paper wasps build nests of wood.",
    ]
    assert atoms("The hive was built in 1990 and it was moved to Kent in 1995.") == [
        "The hive was built in 1990",
        "it was moved to Kent in 1995.",
    ]


def test_members_of_a_list_with_numbers_of_their_own_are_assertions() -> None:
    assert atoms("Costs are 5 ms for A, 7 ms for B and 9 ms for C.") == [
        "Costs are 5 ms for A",
        "7 ms for B",
        "9 ms for C.",
    ]


def test_one_assertion_stays_whole() -> None:
    texts = [
        "On March 5, 2024, the queen laid 1,500 eggs.",
        "It takes between 5 and 10 minutes.",
        "Bees, wasps and ants are insects.",
        "The cat and the dog sleep.",
    ]
    assert [text for text in texts if atoms(text) != [text]] == []


@given(st.text(max_size=300))
def test_assertions_are_verbatim_and_in_order(text: str) -> None:
    position = 0
    for part in atoms(text):
        assert text.find(part, position) >= position
        position = text.find(part, position) + len(part)
    assert isinstance(is_claim(text), bool)


@pytest.mark.parametrize(
    "text",
    [
        "#Tesla lost 5 billion dollars.",
        "This report shows that Tesla lost money.",
        "Here are 5 million bees dead.",
        "No evidence of fraud was found at Tesla by the committee.",
    ],
)
def test_what_only_begins_like_a_remark_is_a_claim(text: str) -> None:
    assert is_claim(text)


def test_that_the_sources_have_no_evidence_is_no_claim() -> None:
    assert not is_claim("No evidence of fraud was found in the sources.")
