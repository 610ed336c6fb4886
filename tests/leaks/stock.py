"""What stands in the database before any world is laid: four people and a stranger, two games, two tables, somebody who wants in."""

from typing import NamedTuple

from sqlalchemy import text

from tests.leaks.counterfactual_games import SEATS
from tests.support.cast import MALLORY, MO, Character
from tests.support.factories import (
    KEYS,
    NOON,
    Guest,
    counted_tokens,
    deal,
    get_ready,
    open_table,
    sign_in_all,
    sign_in_guest,
    sit,
    wish,
)
from webapp.services.accounts.sign_in import Browser, SignInRequest, request_sign_in
from webapp.services.keys import TokenSource
from webapp.services.lobby import invitations
from webapp.services.play import access
from webapp.services.tx import Database, database_for, transaction

RULEBOOK = "uk-2017"
ZOE = Character("Zoe", "zoe-the-invited@hidden.example")
SALTS = {1: "salt-of-bob-9f3", 2: "salt-of-carol-71c"}


class Stock(NamedTuple):
    """What was put into the database, before any world is laid."""

    url: str
    seated: list[Guest]
    mallory: Guest
    running: str
    """A public game of the four; its position is laid later."""
    private: str
    lobby: str
    """Bob's table, by invitation: Carol sits there, Zoe is invited."""
    checking: str
    """Bob's table in its ready-check; Bob and Carol have given their salt."""


def stocked(url: str) -> Stock:
    """Fill a new database."""
    database = database_for(url, pool_size=2)
    _begin_numbers(database)
    seated = sign_in_all(database, *SEATS)
    mallory = sign_in_guest(database, MALLORY)
    running = deal(database, seated, wish(seats=4, public=True, rulebook=RULEBOOK))
    private = deal(database, seated, wish(seats=4))
    stock = Stock(
        url, seated, mallory, running, private, _lobby(database, seated), _check(database, seated)
    )
    _ask_for_mo(database)
    database.dispose()
    return stock


def _begin_numbers(database: Database) -> None:
    """Numbers of rows that nothing else on a page can be mistaken for."""
    begins = {
        "account": 734001700,
        "game": 835001700,
        "notification": 936001700,
        "session": 637001700,
    }
    with transaction(database) as tx:
        for table, number in begins.items():
            alter = f"ALTER TABLE {table} ALTER COLUMN id RESTART WITH {number}"
            tx.connection.execute(text(alter))


def _lobby(database: Database, seated: list[Guest]) -> str:
    slug = open_table(database, seated[1], wish(seats=4))
    sit(database, slug, seated[2])
    with transaction(database) as tx:
        game = access.find_game(tx, slug, seated[1].cookie, now=NOON, mode="change").game
        invitations.invite(
            tx,
            game,
            seated[1].person,
            address=ZOE.address,
            source=TokenSource(KEYS, counted_tokens("zoe")),
            now=NOON,
        )
    return slug


def _check(database: Database, seated: list[Guest]) -> str:
    slug = open_table(database, seated[1], wish(seats=3))
    sit(database, slug, seated[2])
    sit(database, slug, seated[3])
    for seat, salt in SALTS.items():
        get_ready(database, slug, seated[seat], salt=salt)
    return slug


def _ask_for_mo(database: Database) -> None:
    with transaction(database) as tx:
        request = SignInRequest(address=MO.address, language="en", browser=Browser(key=MO.browser))
        request_sign_in(
            tx,
            request,
            keys=KEYS,
            tokens=counted_tokens("mo"),
            now=NOON,
        )
