"""The server suggests 128 random bits to every player, so that no one adds nothing by mistake."""

import re
from itertools import product

from engine.commitments import MAX_SALT_SIZE
from tests.support.cast import ALICE, BOB
from tests.support.factories import Guest, open_table, seat_guest, sign_in_guests, table_settings
from tests.support.transactions import KEYS, read_only, transaction
from webapp.kernel.keyring import Keyring
from webapp.kernel.tx import Database
from webapp.lobby.queries import tables
from webapp.lobby.ready_check import salt_of_seat, suggested_words
from webapp.play import access

CONSONANTS, VOWELS = "bdfghjklmnprstvz", "aiou"


def loaded_game(database: Database, slug: str, guest: Guest) -> access.LoadedGame:
    with read_only(database) as tx:
        return access.find_game(tx, slug, guest.cookie, mode="read").game


def bits_of(suggestion: str) -> bytes:
    """Return the bits that suggested words stand for."""
    patterns = (CONSONANTS, VOWELS, CONSONANTS, VOWELS, CONSONANTS)
    all_words = ["".join(characters) for characters in product(*patterns)]
    number_by_word = {word: number for number, word in enumerate(all_words)}
    return b"".join(number_by_word[word].to_bytes(2, "big") for word in suggestion.split())


def test_suggestion_is_128_bits_that_fit_into_the_record(database: Database) -> None:
    [alice] = sign_in_guests(database, ALICE)
    game = loaded_game(database, open_table(database, alice), alice)
    words = suggested_words(KEYS, game, alice.person)
    assert re.fullmatch(r"([a-z]{5} ){7}[a-z]{5}", words)
    assert len(words) <= MAX_SALT_SIZE
    expected = KEYS.random_bits("random words", game.slug, game.row.commitments, alice.person.id)
    assert bits_of(words) == expected[:16]


def test_suggestions_differ_by_player_game_and_key_but_not_by_request(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    games = [
        loaded_game(database, open_table(database, alice, table_settings(starter=number)), alice)
        for number in range(2)
    ]
    suggestions = {
        suggested_words(keys, game, guest.person)
        for keys in (KEYS, Keyring(b"another key", domain="lodepost.test"))
        for game in games
        for guest in (alice, bob)
    }
    assert len(suggestions) == 8
    assert suggested_words(KEYS, games[0], bob.person) in suggestions


def test_words_of_a_seat_are_those_added_or_else_the_suggested_ones(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice)
    assert salt_of_seat(KEYS, loaded_game(database, slug, alice), bob.person) == ""
    number = seat_guest(database, slug, bob)
    game = loaded_game(database, slug, alice)
    assert salt_of_seat(KEYS, game, bob.person) == suggested_words(KEYS, game, bob.person)
    with transaction(database) as tx:
        tables.set_ready(tx, game.row.id, number, salt=b"my own")
    assert salt_of_seat(KEYS, loaded_game(database, slug, alice), bob.person) == "my own"
