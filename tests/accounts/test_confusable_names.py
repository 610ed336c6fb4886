import pytest

from webapp.accounts.names import are_confusable


@pytest.mark.parametrize(
    "name, other_name",
    [
        ("Bob", "Bob"),
        ("Bob", "bOB"),
        ("Bob", "B0b"),
        ("Bob", "\u0412ob"),
        ("bob", "\u0412\u041e\u0412"),
        ("Iris", "lris"),
        ("Alina", "AIina"),
        ("Tom", "Torn"),
        ("tom", "TORN"),
        ("Anna", "An na"),
        ("Anna", "Anna."),
        ("Anna", "Anna\ufe0f"),
        ("Anna", "\uff21\uff4e\uff4e\uff41"),
        ("Stra\u00dfe", "STRASSE"),
        ("Zo\u00eb", "Zoe\u0308"),
    ],
)
def test_similar_looking_names_are_confusable(name: str, other_name: str) -> None:
    assert are_confusable(name, other_name)
    assert are_confusable(other_name, name)


@pytest.mark.parametrize(
    "name, other_name",
    [
        ("Anna", "Anne"),
        ("Anna", "Anna B"),
        ("Anna 1", "Anna 2"),
        ("Maria", "Marla"),
        ("J\u0101nis", "Janis"),
        ("Zoe", "Zo\u00eb"),
        ("\u042f\u043d", "\u0410\u043b"),
        ("Anna \U0001f98a", "Anna \U0001f43b"),
    ],
)
def test_clearly_different_names_are_not_confusable(name: str, other_name: str) -> None:
    assert not are_confusable(name, other_name)


def test_character_that_looks_like_two_characters_is_confusable_with_them() -> None:
    assert are_confusable("m\u2170", "rni")
    assert are_confusable("\u05c0ris", "Iris")
