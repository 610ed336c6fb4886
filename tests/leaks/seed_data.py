"""The data of an observed site before its running game is stored: people, games, tables, an invitation and a sign-in."""

from typing import NamedTuple

from sqlalchemy import text

from tests.leaks.counterfactual_games import SEATS
from tests.support.cast import MALLORY, MO, Character
from tests.support.factories import (
    KEYS,
    NOON,
    Guest,
    confirm_ready,
    deal_game,
    open_table,
    seat_guest,
    seeded_tokens,
    sign_in_guest,
    sign_in_guests,
    table_settings,
)
from webapp.services.accounts.sign_in import Browser, SignInRequest, request_sign_in
from webapp.services.keys import TokenSource
from webapp.services.lobby import invitations
from webapp.services.play import access
from webapp.services.tx import Database, transaction

RULEBOOK = "uk-2017"
ZOE = Character("Zoe", "zoe-the-invited@hidden.example")
SALTS = {1: "salt-of-bob-9f3", 2: "salt-of-carol-71c"}


class SeedData(NamedTuple):
    """The database, its people and the slugs of its games."""

    url: str
    seated: list[Guest]
    mallory: Guest
    running: str
    """A public game of the four; its position is replaced later."""
    private: str
    lobby: str
    """Bob's private table: Carol has a seat, Zoe is invited."""
    checking: str
    """Bob's table in its ready-check; Bob and Carol have confirmed with a salt."""


def seed(url: str) -> SeedData:
    """Fill a migrated, empty database and return what is in it."""
    database = Database(url, pool_size=2)
    _start_ids(database)
    seated = sign_in_guests(database, *SEATS)
    mallory = sign_in_guest(database, MALLORY)
    running = deal_game(database, seated, table_settings(seats=4, public=True, rulebook=RULEBOOK))
    private = deal_game(database, seated, table_settings(seats=4))
    seeded = SeedData(
        url,
        seated,
        mallory,
        running,
        private,
        _table_with_invitation(database, seated),
        _table_in_ready_check(database, seated),
    )
    _request_sign_in_of_mo(database)
    database.dispose()
    return seeded


def _start_ids(database: Database) -> None:
    """Start ids at numbers that occur nowhere else on a page."""
    first_ids = {
        "account": 734001700,
        "game": 835001700,
        "notification": 936001700,
        "session": 637001700,
    }
    with transaction(database) as tx:
        for table, number in first_ids.items():
            alter = f"ALTER TABLE {table} ALTER COLUMN id RESTART WITH {number}"
            tx.connection.execute(text(alter))


def _table_with_invitation(database: Database, seated: list[Guest]) -> str:
    slug = open_table(database, seated[1], table_settings(seats=4))
    seat_guest(database, slug, seated[2])
    with transaction(database) as tx:
        game = access.find_game(tx, slug, seated[1].cookie, now=NOON, mode="change").game
        invitations.invite(
            tx,
            game,
            seated[1].person,
            address=ZOE.address,
            source=TokenSource(KEYS, seeded_tokens("zoe")),
            now=NOON,
        )
    return slug


def _table_in_ready_check(database: Database, seated: list[Guest]) -> str:
    slug = open_table(database, seated[1], table_settings(seats=3))
    seat_guest(database, slug, seated[2])
    seat_guest(database, slug, seated[3])
    for seat, salt in SALTS.items():
        confirm_ready(database, slug, seated[seat], salt=salt)
    return slug


def _request_sign_in_of_mo(database: Database) -> None:
    with transaction(database) as tx:
        request = SignInRequest(address=MO.address, language="en", browser=Browser(key=MO.browser))
        request_sign_in(
            tx,
            request,
            keys=KEYS,
            tokens=seeded_tokens("mo"),
            now=NOON,
        )
