"""The statement that answers stands first, and a question that nothing answers is told."""

from dataclasses import replace

import pytest

from spyglass.kernel.run import Run
from spyglass.ranking import Ranking, ranked
from spyglass.ranking.candidate import Candidate, Question, about, title_match
from spyglass.ranking.features import FEATURES
from spyglass.ranking.ranker import READ, choose_and_score, gate, preselected, weights

TEXT = (
    "The harbour of Altmere lies on the western coast.",
    "The harbour was built between 1871 and 1880 by the engineer Ada Lund.",
    "The basin of the harbour is seven metres deep at low water.",
    "Gulls nest on the northern mole every spring.",
)
PASSAGE = " ".join(TEXT)


def candidates() -> list[Candidate]:
    beside = ("", *TEXT, "")
    return [
        Candidate(text, beside[place], beside[place + 2], "harbour.md\nThe harbour of Altmere\n", passage=PASSAGE)
        for place, text in enumerate(TEXT)
    ]


async def first(run: Run, question: str, *, dense: bool) -> tuple[str, Ranking]:
    found = candidates()
    ranking = await ranked(run, run.settings.updated(retrieval__dense=dense), question, found)
    return found[ranking.ranked[0].number].text, ranking


@pytest.mark.parametrize("dense", [True, False], ids=["with meaning", "by words"])
async def test_what_answers_stands_first(run: Run, dense: bool) -> None:
    cases = {"When was the harbour of Altmere built?": TEXT[1], "How deep is the basin of the harbour?": TEXT[2]}
    found = {question: await first(run, question, dense=dense) for question in cases}
    assert {question: text for question, (text, _) in found.items()} == cases
    assert found["How deep is the basin of the harbour?"][1].verdict == "answered"
    assert "not found" not in {ranking.verdict for _, ranking in found.values()}


@pytest.mark.parametrize("dense", [True, False], ids=["with meaning", "by words"])
async def test_what_tells_the_default_stands_first_where_that_is_asked(run: Run, dense: bool) -> None:
    told = (
        "A level of isolation is chosen for each transaction.",
        "The Serializable isolation level provides the strictest isolation of a transaction.",
        "Read Committed is the default isolation level.",
    )
    found = [Candidate(text, passage=" ".join(told)) for text in told]
    asked = "Which isolation level does a transaction have, if I set nothing?"
    settings = run.settings.updated(retrieval__dense=dense)
    assert (await ranked(run, settings, asked, found)).ranked[0].number == 2
    assert (await ranked(run, settings, asked, found[:2])).verdict == "perhaps"


async def test_a_question_that_nothing_speaks_of_is_not_found(run: Run) -> None:
    _, ranking = await first(run, "Which enzyme unwinds the DNA of bacteria?", dense=True)
    assert (ranking.verdict, ranking.absent) == ("not found", True)
    assert (await ranked(run, run.settings, "When?", [])).verdict == "not found"


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("How deep is the basin of the harbour of Osthaven?", "not found"),
        ("Did Ada Lund build the harbour of Osthaven?", "perhaps"),
        ("How deep is the basin of the harbour of Altmere?", "answered"),
    ],
)
async def test_a_name_that_no_text_has_is_not_answered_about(run: Run, question: str, verdict: str) -> None:
    _, ranking = await first(run, question, dense=True)
    assert ranking.verdict == verdict


def test_a_question_is_not_about_the_function_words_of_its_language() -> None:
    assert about("Wann war die Brücke fertig?") == about("Brücke fertig")
    assert about("Why did the king die?")[-1] == "die"
    assert about("What is war?") == ["war"]


def test_a_title_is_about_what_an_overview_is_wanted_of_as_far_as_it_says_nothing_else() -> None:
    assert title_match("The harbour of Altmere", "Tell me about the harbour of Altmere") == 1
    assert title_match("The harbour of Altmere and its gulls", "harbour of Altmere") == pytest.approx(2 / 3)
    assert title_match("Altmere", "Describe the harbour of Altmere") == 0
    assert title_match("The harbour of Altmere", "How deep is the harbour of Altmere?") == 0, "no overview is wanted"


async def test_an_overview_is_wanted_of_what_a_title_names_as_far_as_the_texts_have_its_words(run: Run) -> None:
    found = [Candidate(text, title="A short history of the harbour", passage=PASSAGE) for text in TEXT]
    ranking = await ranked(run, run.settings, "How did the harbour develop?", found)
    assert (ranking.verdict, ranking.plain) == ("answered", True)
    other = await ranked(run, run.settings, "How did the mole of Altmere develop?", found)
    assert other.verdict != "answered"


async def test_what_an_option_does_is_told_by_what_explains_just_that(run: Run) -> None:
    told = {
        "": "The pilot command is restricted to the harbour master, except for the -l option, which lists what is due.",
        "-i": "Print the age of each boat.",
        "-I, --inactive INACTIVE": "Set the number of days of inactivity after which a berth is locked.",
    }
    found = [Candidate(text, title="pilot(1)", term=term, passage=text) for term, text in told.items()]
    ranking = await ranked(run, run.settings, "What does pilot -I do?", found)
    assert (ranking.ranked[0].number, ranking.detailed_verdict) == (2, "plainly")


def test_each_other_word_of_a_name_makes_it_half_as_much_the_entry_that_is_asked_for() -> None:
    names = ("hold time", "hold time number", "startup hold time number", "keepalive time")
    found = [Candidate("Default: 240 seconds.", path=(name,), passage=f"{name} 240 seconds") for name in names]
    asked = Question("What is the default hold time?", found)
    whole, value, start, other = map(asked.entered, found)
    assert (whole, value, start) == (1.0, 0.5, 0.25)
    assert other < start


def test_what_stands_in_brackets_behind_a_term_is_no_part_of_its_name() -> None:
    told = Candidate("Entering its name alone goes to a pier.", term="AUTO_MOOR (-J)", passage="AUTO_MOOR AUTO_SAIL")
    asked = Question("What is AUTO_MOOR?", [told])
    assert asked.introduced(told) == pytest.approx(1.0)


def test_no_statement_stands_out_more_than_so_far() -> None:
    def lead(*scores: float) -> float:
        rows = [dict.fromkeys(FEATURES, 0.0) for _ in scores]
        return gate(weights()["relevance"], rows, scores)["lead"]

    assert lead(9, 0, 0, 0, 0, 0) == lead(20, 0, 0, 0, 0, 0) > lead(1, 0, 0, 0, 0, 0) == pytest.approx(5 / 6)
    assert lead(9) == pytest.approx(1.0), "of missing ones little is thought"


def test_no_noun_of_a_german_question_is_a_name_that_no_text_has() -> None:
    assert Question("Wie tief ist der Hafen bei Ebbe und Sturm?", candidates()).strange == 0
    assert Question("Wie tief ist der Hafen der GmbH?", candidates()).strange == 1


def test_what_is_asked_to_be_ok_is_no_name_that_no_text_has() -> None:
    assert Question("Is a deep basin OK for the harbour?", candidates()).strange == 0


async def test_another_thing_of_the_same_subject_is_not_surely_absent(run: Run) -> None:
    _, ranking = await first(run, "What did the harbour of Altmere cost?", dense=True)
    assert not ranking.absent


async def test_a_ranking_is_answered_from_the_journal(run: Run) -> None:
    assert await first(run, "How deep is the basin?", dense=True) == await first(
        run, "How deep is the basin?", dense=True
    )
    assert run.journal.effects("relevance")


def test_every_weight_is_that_of_a_feature() -> None:
    of_the_whole = {"bias", "lead", "most_passage_words", "most_near_words", "topic"}
    for model in weights().values():
        assert set(model["rank"]) <= set(FEATURES)
        assert set(model["there"]) | set(model["right"]) <= set(FEATURES) | of_the_whole


async def verdict(run: Run, question: str, *told: str, title: str = "Harbours") -> tuple[str, str]:
    found = [Candidate(text, around=f"a.md\n{title}\n", title=title, passage=" ".join(told)) for text in told]
    ranking = await ranked(run, run.settings.updated(retrieval__dense=False), question, found)
    return found[ranking.ranked[0].number].text, ranking.detailed_verdict


async def test_a_number_of_the_question_is_not_left_out_by_its_answer(run: Run) -> None:
    asked = "When was edition 2.4 of the harbour rules printed?"
    assert (await verdict(run, asked, "Edition 2.4 of the harbour rules was printed in 1998."))[1] == "plainly"
    one = "An edition of the harbour rules was printed in 1998."
    assert (await verdict(run, asked, one, "The rules 2.4 are long."))[1] == "perhaps"


async def test_what_tells_of_other_years_than_the_one_asked_for_is_not_called_an_answer(run: Run) -> None:
    asked, below = "Who won the cup of the harbour in 2025?", "The harbour in 2025"
    for text, expected in (
        ("Ada Lund won the cup of the harbour in 2024.", "perhaps"),
        ("Ada Lund won the cup of the harbour in 2025, and Per Holm in 2024.", "plainly"),
        ("Ada Lund won the cup of the harbour.", "answered"),
    ):
        assert (await verdict(run, asked, text, title=below))[1] == expected, text


async def test_what_has_no_date_or_number_is_not_called_an_answer_to_a_question_for_one(run: Run) -> None:
    when, many = "When does the lease of the harbour end?", "How many berths does the harbour of Altmere have?"
    for asked, text, is_called in (
        (when, "The lease of the harbour does not end soon, I have checked that.", False),
        (when, "The lease of the harbour does end in May.", True),
        (when, "The lease of the harbour does end on a Sunday.", True),
        (many, "The harbour of Altmere does have berths of many sizes.", False),
        (many, "The harbour of Altmere does have sixteen berths.", True),
    ):
        assert ((await verdict(run, asked, text))[1] != "perhaps") is is_called, text


async def test_a_single_statement_in_another_language_answers(run: Run) -> None:
    for text, expected in (("Der Hafen wurde 1871 gebaut.", "answered"), ("Bienen sammeln Nektar.", "not found")):
        only = [Candidate(text, around="a.md\nNotizen\n", title="Notizen", passage=text)]
        assert (await ranked(run, run.settings, "Wann wurde der Hafen gebaut?", only)).verdict == expected


async def test_a_topic_is_met_by_a_statement_with_its_words_in_another_form(run: Run) -> None:
    told = ("Sorts are guaranteed to be stable.", "Keys may be given to a function that sorts.", "A list has a length.")
    assert await verdict(run, "sorting stability", *told) == (told[0], "answered")
    hyphened = "These operations are not synchronized or threadsafe."
    asked = "Are the operations thread-safe?"
    assert (await verdict(run, asked, hyphened, "Operations return promises of a result."))[0] == hyphened


async def test_a_statement_in_another_language_is_left_out_unless_all_are(run: Run) -> None:
    told = (
        "Si votre interface est ppp0 ou ippp0 alors vous mettrez CLAMPMSS=yes dans le fichier de configuration.",
        "If your external interface is ppp0 then you will want to set CLAMPMSS=yes.",
    )
    found = [Candidate(text, passage=text) for text in told]
    asked = "mss clamping ppp0"
    assert [one.number for one in (await ranked(run, run.settings, asked, found)).ranked] == [1]
    assert [one.number for one in (await ranked(run, run.settings, asked, found[:1])).ranked] == [0]


async def test_what_lacks_its_beginning_is_not_called_an_answer(run: Run) -> None:
    told = "will cause an unresponsive client to be disconnected after approximately 45 seconds."
    asked = "After how many seconds is an unresponsive client disconnected?"
    for torn, verdict in ((False, "answered"), (True, "perhaps")):
        found = [Candidate(told, passage=told, torn=torn)]
        assert (await ranked(run, run.settings, asked, found)).verdict == verdict


async def test_what_only_points_to_another_place_is_no_answer(run: Run) -> None:
    found = [
        Candidate("This section describes the depth of the harbour.", passage=PASSAGE, points=True),
        Candidate("The depth of the harbour is seven metres.", passage=PASSAGE),
    ]
    ranking = await ranked(
        run, run.settings.updated(retrieval__dense=False), "What is the depth of the harbour?", found
    )
    assert [one.number for one in ranking.ranked] == [1]


async def test_an_answer_is_plain_where_another_document_tells_it_in_other_words(run: Run) -> None:
    told = ("The basin of the harbour of Altmere holds ninety ships.", "Some basin of the harbour holds ninety ships.")
    found = [
        Candidate(text, around=f"{n}.md\nDocument {n}\n", title=f"Document {n}", passage=text)
        for n, text in enumerate(told)
    ]
    settings = run.settings.updated(retrieval__dense=False)
    asked = "Which ships does the basin hold in winter?"
    assert [(await ranked(run, settings, asked, found[:n])).plain for n in (1, 2)] == [False, True]


@pytest.mark.parametrize("years", [("2019", "2025"), ("2025", "2019")])
async def test_of_two_rules_the_one_in_force_stands_first_and_is_no_surer_for_the_age_of_the_other(
    run: Run, years: tuple[str, str]
) -> None:
    told = ("The fee of the harbour is 12 crowns a night.", "A night in the harbour costs a fee of 14 crowns.")
    now = [Candidate(text, around="a.md\n", title=text, passage=text) for text in told]
    dated = [replace(one, published=year) for one, year in zip(now, years, strict=True)]
    settings = run.settings.updated(retrieval__dense=False)
    plain, aged = [await ranked(run, settings, "What is the fee of a night?", found) for found in (now, dated)]
    assert aged.ranked[0].number == years.index("2025")
    assert aged.right <= plain.right or aged.ranked[0].number != plain.ranked[0].number


async def test_all_words_of_a_question_in_another_sense_do_not_answer_it(run: Run) -> None:
    question = "on delete not specified, what happens"
    other = "Or, if there is no row at all with the specified key, it happens that a DELETE is added to the changes."
    same = "If no action is explicitly specified on delete, nothing happens."
    for text, verdict in ((other, "perhaps"), (same, "answered")):
        ranking = await ranked(run, run.settings, question, [Candidate(text, passage=text)])
        assert ranking.verdict == verdict, text


def test_what_another_form_of_a_document_says_again_takes_no_place_among_what_is_read() -> None:
    one = Candidate("The quay is of oak.", heading="9.2. Is the quay old?")
    typeset = replace(one, text="The quay is of  oak", heading="9.2 IS THE QUAY OLD?", rank=1)
    other = replace(one, heading="9.3. Is the mole old?", rank=2)
    found = [one, typeset, other]
    assert preselected(Question("What is the quay of?", found), found, 3) == [0, 2]
    signed = [replace(one, text=f"The quay is at {depth} metres.") for depth in ("5", "-5")]
    assert preselected(Question("Where is the quay?", signed), signed, 2) == [0, 1]


def test_a_licence_answers_only_a_question_that_may_be_about_it() -> None:
    told = Candidate("It copies files to the quay.", title="ferry(1)", path=("DESCRIPTION",))
    under = "You may copy and use these files for any purpose."
    licences = [
        Candidate(under, title="ferry(1)", path=("3. LICENSE AND COPYRIGHT",)),
        Candidate(under, title="copyright", path=("Files",)),
    ]
    keys = Candidate("A licence key is asked for when it copies files.", title="ferry(1)", path=("Licence keys",))
    found = [*licences, told, keys]

    def left(question: str, found: list[Candidate]) -> set[str]:
        return {found[number].text for number in preselected(Question(question, found), found, 4)}

    assert left("Can I use it to copy files?", found) == {told.text, keys.text}
    for question in ("Under which licence may I copy the files?", "Who wrote it?", "Is it free to copy?"):
        assert under in left(question, found)
    assert left("Can I use it to copy files?", licences) == {under}, "nothing else is there"


async def topic(run: Run, asked: str, told: str, passage: str) -> float:
    found = [Candidate(told, passage=passage + told)]
    _, _, (scores,) = await choose_and_score(run, run.settings, Question(asked, found), found)
    return scores.topic


async def test_what_a_text_is_about_is_told_by_its_first_passage_beside_its_statements(run: Run) -> None:
    asked, told = "How long is a ferry moored at the quay?", "The default is 15."
    passages = ("A ferry is moored at the quay for some minutes. ", "The yield of a field of barley is given in tons. ")
    about, other = [await topic(run, asked, told, passage) for passage in passages]
    assert about > other


@pytest.mark.parametrize(
    ("asked", "told", "about", "other"),
    [
        (
            "How long is a ferry moored at the quay?",
            "The default is 15.",
            "A ferry is moored at the quay for some minutes. ",
            "The yield of a field of barley is given in tons. ",
        ),
        (
            "Wie lange liegt eine Fähre am Kai?",
            "Voreingestellt ist 15.",
            "Eine Fähre liegt einige Minuten am Kai. ",
            "Der Ertrag eines Feldes mit Gerste wird in Tonnen angegeben. ",
        ),
    ],
    ids=["English", "German"],
)
async def test_what_a_long_passage_is_about_is_told_by_its_part_with_the_questions_words(
    run: Run, asked: str, told: str, about: str, other: str
) -> None:
    short, long, unrelated = [await topic(run, asked, told, text) for text in (about, other * 39 + about, other * 39)]
    assert long - unrelated > 0.4 * (short - unrelated) > 0


async def test_an_answer_in_other_words_is_read_though_many_statements_have_those_of_the_question(run: Run) -> None:
    told = [f"A log of bag {number} is kept in much the same book." for number in range(60)]
    found = [
        Candidate(text, passage=text, rank=place)
        for place, text in enumerate([*told, "Firewood costs 6 pounds a sack."])
    ]
    question = Question("How much is a bag of logs?", found)
    assert 60 not in preselected(question, found, READ)
    ranking = await ranked(run, run.settings, question.text, found)
    assert ranking.ranked[0].number == ranking.nearest[0] == 60
    assert len(ranking.nearest) < len(found), "the slower model reads the best of them only"


async def test_what_models_find_much_worse_than_the_best_statement_is_not_near(run: Run) -> None:
    told = ["A bag of logs costs 6 pounds.", "Logs cost 5 pounds a sack.", "The tide turns at noon.", "Bees dance."]
    ranking = await ranked(run, run.settings, "How much is a bag of logs?", [Candidate(one) for one in told])
    assert ranking.nearest == (0, 1)
