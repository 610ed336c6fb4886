"""Initials of players: short, different within a game, and in every script."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.wording.perspective import player_initials


def test_different_first_characters_are_enough() -> None:
    assert player_initials(("Anna", "bob", "Carol")) == ("A", "B", "C")


def test_shared_first_characters_get_a_second_character() -> None:
    assert player_initials(("Anna", "Bob", "Alice")) == ("An", "B", "Al")


def test_shared_beginnings_differ_by_a_later_character() -> None:
    assert player_initials(("Anna", "Anne", "Annette")) == ("An", "Ae", "At")


def test_one_character_names_get_the_number_of_their_seat() -> None:
    assert player_initials(("A", "a", "Bob")) == ("A1", "A2", "B")


def test_names_in_cyrillic_have_cyrillic_initials() -> None:
    assert player_initials(("Олена", "Юрій", "Орест")) == ("Ол", "Ю", "Ор")  # noqa: RUF001 - Cyrillic on purpose


def test_characters_that_look_the_same_in_two_scripts_are_shared() -> None:
    assert player_initials(("Anna", "Андрій")) == ("An", "Ан")


def test_accents_stay_on_their_character() -> None:
    assert player_initials(("E\u0301va", "Eva", "नीना")) == ("É", "E", "नी")


def test_signs_before_a_name_are_left_out() -> None:
    assert player_initials(("'Zoë", "*7 up*")) == ("Z", "7")


def test_players_without_a_name_have_the_number_of_their_seat() -> None:
    assert player_initials(("", "1 Ivan", "", "☂")) == ("1", "1i", "3", "4")


@given(st.lists(st.text(max_size=8), min_size=1, max_size=10))
def test_initials_are_different_and_at_most_two_characters(names: list[str]) -> None:
    initials = player_initials(tuple(names))
    assert len({text.casefold() for text in initials}) == len(names)
    assert all(initials)
    assert all(sum(part.isalnum() for part in text) <= 2 for text in initials)
