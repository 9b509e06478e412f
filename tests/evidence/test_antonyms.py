"""Words that say the opposite of one another, in any order and in the languages of the lexicon."""

import pytest

from spyglass import support
from spyglass.evidence.facts import facts, mismatches

OPPOSED = [
    ("By default, telemetry is off.", "Telemetry is on by default."),
    ("Telemetry is disabled by default.", "By default telemetry is on."),
    ("The default for verbose logging is off.", "Verbose logging is on by default."),
    ("Traffic in Oren drives on the left-hand side of the road.", "In Oren traffic drives on the right-hand side."),
    ("The two agencies will be merged in 2026.", "The two agencies will be split up in 2026."),
    ("The yard plans to hire 300 welders.", "The yard plans to lay off 300 welders."),
    ("The cable was disconnected by the crew.", "The crew connected the cable."),
    ("The service decrypts the backup before it starts.", "The service encrypts the backup before it starts."),
    ("Data flows upstream to the collector.", "Data flows downstream to the collector."),
    ("It offers high-speed trains to Oren.", "It offers low-speed trains to Oren."),
    ("The additive is harmful to bees.", "The additive is harmless to bees."),
    ("Die Ortung ist standardmäßig ausgeschaltet.", "Die Ortung ist standardmäßig eingeschaltet."),
    ("Die Software schaltet den Ton im Zug aus.", "Die Software schaltet den Ton im Zug ein."),
    ("Die Abfrage wird dezentralisiert ausgeführt.", "Die Abfrage wird zentralisiert ausgeführt."),
    ("La télémétrie est désactivée par défaut.", "La télémétrie est activée par défaut."),
    ("El modo oscuro está activado por defecto.", "El modo oscuro está desactivado por defecto."),
    ("La funzione è disattivata nel sistema.", "La funzione è attivata nel sistema."),
    ("O modo escuro está desativado por padrão.", "O modo escuro está ativado por padrão."),
    ("De functie staat standaard uit.", "De functie staat standaard aan."),
    ("テレメトリは既定で無効です。", "テレメトリは既定で有効です。"),
    ("駅は湖の北側にあります。", "駅は湖の南側にあります。"),
    ("该功能默认关闭。", "该功能默认开启。"),
    ("该功能默认关闭。", "默认开启该功能。"),
]


def test_an_opposite_is_a_contradiction_wherever_it_stands() -> None:
    passed = [(source, claim) for source, claim in OPPOSED if support(claim, [source]).verdict != "contradicted"]
    assert passed == []


def test_what_says_the_same_in_other_words_is_no_opposite() -> None:
    cases = [
        ("The valve is off.", "The valve is not on."),
        ("Telemetry is disabled by default.", "By default telemetry is off."),
        ("The museum lies off the coast of Oren.", "The museum lies on an island off the coast of Oren."),
        ("The lights go off at noon when the sensor is on.", "The lights go off at noon."),
        ("Der Dienst ist deaktiviert und muss aktiviert werden.", "Der Dienst muss aktiviert werden."),
        ("La gare est sur la place.", "La gare est sur la place du nord."),
        ("She discovered the comet in May.", "In May she covered the comet she discovered."),
        ("The war lasted four years.", "The first war lasted four years."),
    ]
    assert [pair for pair in cases if any(one.opposed for one in mismatches(facts(pair[1]), facts(pair[0])))] == []


@pytest.mark.parametrize(
    ("source", "claim", "told"),
    [
        (
            "Die Anlage liegt nördlich von Oren am See.",
            "Die Anlage liegt südlich von Oren am See.",
            ("nördlich", "südlich"),
        ),
        ("Some samples contained lead oxide.", "All samples contained lead oxide.", ("Some", "All")),
        ("The goods were unavailable in May.", "The goods were available in May.", ("unavailable", "available")),
    ],
)
def test_words_are_told_as_they_are_written(source: str, claim: str, told: tuple[str, str]) -> None:
    said = " ".join(map(str, support(claim, [source]).reasons))
    assert [word for word in told if f"“{word}”" not in said] == []


def test_words_without_spaces_between_are_never_called_support_in_another_order() -> None:
    source = "東京タワーの高さは333メートルです。該功能默認支持中文。"
    assert support("東京タワーの高さは333メートルです。", [source]).verdict == "supported"
    for claim in ("東京タワーは333メートルの高さです。", "該功能默認不支持中文。"):
        assert support(claim, [source]).verdict == "unsettled", claim
