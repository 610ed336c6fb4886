import pytest

from webapp.services.accounts.lookalikes import look_alike


@pytest.mark.parametrize(
    "one, other",
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
def test_names_that_look_alike_are_taken_for_one_another(one: str, other: str) -> None:
    assert look_alike(one, other)
    assert look_alike(other, one)


@pytest.mark.parametrize(
    "one, other",
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
def test_names_that_anybody_can_tell_apart_may_sit_together(one: str, other: str) -> None:
    assert not look_alike(one, other)


def test_what_looks_like_two_letters_is_found_however_it_is_written() -> None:
    assert look_alike("m\u2170", "rni")
    assert look_alike("\u05c0ris", "Iris")
