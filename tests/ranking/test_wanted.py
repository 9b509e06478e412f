"""What a question wants is told by its words, and what a text has by its own."""

import pytest

from spyglass.ranking.wanted import (
    asks_default,
    defined,
    has,
    is_only_ahead,
    is_topic,
    points,
    tells_default,
    topic,
    wanted,
)


def test_the_kind_of_answer_is_told_by_the_words_of_the_question() -> None:
    cases = {
        "When was the harbour built?": "date",
        "In welchem Jahr wurde der Hafen gebaut?": "date",
        "On which day is it open?": "date",
        "An welchem Tag ist er offen?": "date",
        "Was kostet ein Liegeplatz?": "number",
        "How many ships are there?": "number",
        "¿Cuántos barcos hay?": "number",
        "Who built the harbour?": "person",
        "Wo liegt der Hafen?": "place",
        "Why was it built?": "reason",
        "How should a lens be cleaned?": "steps",
        "Was muss ich tun, wenn das Boot sinkt?": "steps",
        "qué tiene que hacer quien llega tarde al puerto": "steps",
        "Que faut-il faire quand l'alarme sonne ?": "steps",
        "Wie bekomme ich das Boot ins Wasser?": "steps",
        "Was muss ich jetzt machen?": "steps",
        "Wie kommen wir an die Erlaubnis?": "steps",
        "Wie lange darf ich dort liegen?": "number",
        "What do we pay for a berth?": "number",
        "What would a berth cost me?": "number",
        "What does a berth cost?": "number",
        "What will it cost me to leave the boat there overnight?": "number",
        "What does a visitor who only stays for an hour pay?": "number",
        "What is the yearly salary of the harbourmaster?": "number",
        "What share of the boats are insured?": "number",
        "Was verdient ein Hafenmeister?": "number",
        "Ab welchem Alter darf man segeln?": "number",
        "¿Cuál es la edad mínima?": "number",
        "À quelle température la glace fond-elle ?": "number",
        "How late can I come in?": "date",
        "From what time may one moor there?": "date",
        "What is the latest one can call?": "date",
        "Bis zu welcher Uhrzeit ist das Büro besetzt?": "date",
        "¿A qué hora cierra el puerto?": "date",
        "What made the pier sink?": "reason",
        "What was the reason for the delay?": "reason",
        "Wie kam es zu dem Unfall?": "reason",
        "The lamp flashes orange. What now?": "steps",
        "What should the crew do in a storm?": "steps",
        "What should I do if a guest does not pay?": "steps",
        "What does the contract say about who must pay?": "person",
        "What does the word charge mean?": "definition",
        "What is the price list?": "definition",
        "What is the latest version?": "definition",
        "What temperature sensors are there?": "",
        "What must I not do?": "",
        "Quel prix Nobel a-t-elle reçu ?": "",
        "Was nehmen die Kinder mit?": "",
        "Quel est le prix du billet ?": "number",
        "Wat kost een ligplaats?": "number",
        "What do I have to pay if I come late?": "number",
        "What are the cost drivers of the harbour?": "definition",
        "Which cost centre do I use?": "",
        "Wie heißt der Hafen?": "name",
        "Wie haben wir 2023 abgeschnitten?": "overview",
        "How do I join? Any idea?": "steps",
        "Wie nennt man das Boot?": "name",
        "What is MVCC?": "definition",
        "How did the harbour develop?": "overview",
        "What are the advantages of a harbour?": "overview",
        "What is in this folder?": "documents",
        "Welche Dokumente gibt es?": "documents",
        "长城有多长？": "number",
        "谁审核报销单？": "person",
        "富士山が最後に噴火したのはいつですか？": "date",
        "味噌とは何ですか？": "definition",
        "Is the harbour deep?": "whether",
        "Kann man im Hafen baden?": "whether",
        "Est-ce que le port est profond ?": "whether",
        "港口深吗？": "whether",
        "What is deep can be a harbour": "definition",
        "The harbour of Altmere": "",
        "What is the maximum number of columns in a table?": "number",
        "What is the name of the city that she was born in?": "name",
        "Was glaubte Mote von den Klassen der Yuan?": "",
        "¿Cómo se llama la capital?": "name",
        "Was ist die Geschichte der Stadt?": "overview",
    }
    assert {question: wanted(question) for question in cases} == cases


def test_a_long_question_is_read_in_time_proportional_to_its_length() -> None:
    assert wanted("what do " * 100_000) == ""


@pytest.mark.parametrize("told", ["Music ends at 11.30.", "It closes at 9 pm.", "Um 18:00 ist Schluss.", "At noon."])
def test_a_time_of_day_tells_when(told: str) -> None:
    assert has("date", told, set())


@pytest.mark.parametrize("told", ["The fee is 12.50 euros.", "The wall is 1.45 m high.", "It has a MIDI input."])
def test_another_number_does_not_tell_when(told: str) -> None:
    assert not has("date", told, set())


def test_of_several_sentences_the_one_that_asks_is_decisive() -> None:
    cases = {
        "My son is sixteen. Can he join the crew?": "whether",
        "The lamp of the pier is dark again. Who do we ring about that?": "person",
        "A boat comes back. What do I do, in what order?": "steps",
        "When is it closed? And who closes it?": "date",
        "When was St. Mary's pier built?": "date",
        "The lamp of the pier is dark. Who do we ring?!": "person",
        "Can a guest stay? Tell me when the harbour closes.": "whether",
    }
    assert {question: wanted(question) for question in cases} == cases
    assert defined("I found it in a manual. What is MVCC?") == "mvcc"


def test_a_text_has_what_is_wanted_only_beyond_the_question() -> None:
    assert has("date", "It was built in 1871.", set())
    assert has("number", "It has nine piers.", {"nine"})
    assert not has("number", "It has 9 piers.", set()), "the question says 9 itself"
    assert not has("number", "The most that pierd(8) takes.", {"pierd", "8"}), "the section of a manual page"
    assert has("person", "It was built by Ada Lovelace.", {"lovelace"})
    assert not has("date", "It was built long ago.", {"long"})
    assert has("whether", "No, it is shallow.", set())
    assert not has("whether", "Normally it is shallow.", set())


def test_a_word_that_begins_a_clause_asks_nothing() -> None:
    cases = {
        "What happens when queue_max is 0?": "",
        "Which file should be sent last when uploading a package by hand?": "",
        "keep the rules when the firewall restarts": "",
        "setting for users who upload files": "",
        "How does the server find the folder where mail is kept?": "overview",
        "In the playoffs, who did not throw?": "person",
        "From where is it measured?": "place",
        "The harbour was built when?": "date",
        "How and when did it enter Europe?": "date",
        "Qui a construit le port ?": "person",
        "paramètre pour les fichiers qui sont trop grands": "",
    }
    assert {question: wanted(question) for question in cases} == cases


def test_what_holds_by_default_is_asked_and_told() -> None:
    cases = {
        "How long is a session kept by default?": True,
        "Is the index on out of the box?": True,
        "Wie lange hält eine Sitzung standardmäßig?": True,
        "默认端口是多少？": True,
        "How long is a session kept?": False,
        "Is the default index on?": True,
        "How do I change the default port?": False,
        "Why is 8080 the default port?": False,
    }
    assert {question: asks_default(question) for question in cases} == cases
    assert tells_default("Der Standardwert ist 90.")
    assert not tells_default("The defaulter pays 90.")


def test_what_holds_if_nothing_is_set_is_a_default_in_other_words() -> None:
    cases = {
        "Which port does it use if I don't specify one?": True,
        "How often is a quay checked unless I change it?": True,
        "Under which account does it run if I say nothing about it?": True,
        "How long is a mooring kept if I leave the setting alone?": True,
        "How long is a mooring kept if not set?": True,
        "Which port is it without setting one?": True,
        "Welcher Hafen gilt, wenn ich nichts angebe?": True,
        "How can I sail without changing my ship?": False,
        "Why is it 90 unless I say otherwise?": False,
        "Is the harbour open if I don't come?": False,
        "What if I leave the harbour?": False,
    }
    assert {question: asks_default(question) for question in cases} == cases


def test_what_is_to_happen_does_not_tell_what_has_happened() -> None:
    asked = {
        "What has the working party proposed?": "The working party will make proposals by October.",
        "Has the defect been closed?": "If the defect is not closed by May, the certificate will not be renewed.",
        "When was the last crack test?": "The crack test is booked for 24 June.",
        "Did the owner give permission?": "This must be decided by our lawyers.",
        "Wurde die Brücke repariert?": "Die Brücke wird im Mai repariert.",
        "¿Qué decidió el consejo?": "El consejo decidirá en junio si se construye.",
    }
    assert [question for question, text in asked.items() if not is_only_ahead(question, text)] == []
    told = {
        "What has the working party proposed?": "The working party proposed a dinner, which will be in May.",
        "When was the last crack test?": "Last crack test: 24 June 2023.",
        "When is the crack test?": "The crack test is booked for 24 June.",
        "What happens if the defect stays open?": "If the defect stays open, the certificate will not be renewed.",
        "Wann wurde die Brücke repariert?": "Die Brücke, die erhalten werden soll, wurde 1920 repariert.",
    }
    assert [question for question, text in told.items() if is_only_ahead(question, text)] == []


def test_a_question_for_the_meaning_of_a_term_names_it_and_nothing_else() -> None:
    cases = {
        "What is MVCC?": "mvcc",
        "What is a rebase?": "rebase",
        "What does git rerere do?": "git rerere",
        "What is meant by data directory?": "data directory",
        "Define hashable.": "hashable",
        "Was ist ein Tidehafen?": "tidehafen",
        "什么是绿茶？": "绿茶",
        "味噌とは何ですか？": "味噌",
        "味噌の保存とは何ですか？": "",
        "What is the capital of Peru?": "",
        "When was the harbour built?": "",
        "": "",
    }
    assert {question: defined(question) for question in cases} == cases


def test_what_a_text_speaks_of_stands_before_its_verb_a_dash_or_a_colon() -> None:
    cases = {
        "MVCC is a method of control.": "MVCC",
        "git-rerere - Reuse recorded resolution": "git-rerere",
        "VACUUM — collect garbage": "VACUUM",
        "ACID: four properties": "ACID",
        "绿茶是不经过发酵的茶叶。": "绿茶",
        "味噌は大豆から作る調味料です。": "味噌",
        "Collects garbage.": "",
        "If you merge when it is clear, it is done.": "",
        "Wenn der Hafen voll ist, ist er geschlossen.": "",
    }
    assert {text: topic(text) for text in cases} == cases


def test_a_question_without_its_mark_is_no_topic() -> None:
    asked = ("which levels are there", "what's a level", "welche Stufen")
    assert [is_topic(text) for text in (*asked, "levels of logging")] == [False, False, False, True]


def test_a_statement_that_only_says_where_something_is_said_is_told_in_each_language() -> None:
    pointing = (
        "The levels are given in the following table.",
        "This section describes the levels.",
        "See the section on levels.",
        "Dieser Abschnitt beschreibt die Stufen.",
        "Die Stufen sind unten aufgeführt.",
        "Cette section décrit les niveaux.",
        "Esta sección describe los niveles.",
        "Questa sezione descrive i livelli.",
        "Esta seção descreve os níveis.",
        "Deze paragraaf beschrijft de niveaus.",
        "下表列出了级别。",
        "以下の表にレベルを示します。",
    )
    assert [text for text in pointing if not points(text)] == []
    telling = (
        "The default level is WARNING, as RFC 12 describes.",
        "The mangle table contains five chains.",
        "The harbour, whose basins are described below, was built between 1871 and 1880 by the engineer Ada Lund, who "
        "had come from the western coast to do so in the spring of that year.",
    )
    assert [text for text in telling if points(text)] == []


def test_a_statement_with_the_mark_of_a_question_tells_nothing() -> None:
    asked = "Q: When I sail to the harbour, I get the error message that no quay is free, " + "and wait " * 20
    assert [points(text) for text in (asked, "Question 3: The quay is full.", "Q 2 is the second quarter.")] == [
        True,
        True,
        False,
    ]


def test_a_name_with_a_digit_is_no_number() -> None:
    new = ["sqlite3", "1gb", "two", "第三", "bytes"]
    assert [word for word in new if has("number", word, {word})] == ["1gb", "two", "第三"]
