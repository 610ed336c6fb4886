"""Games to be measured on, and the turns that can be played in them, as ready requests with cookie and token."""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlencode

from psycopg import Connection
from sqlalchemy import event

from bench.shared.pgbench import Payload
from engine.actions import Action
from engine.view import legal_actions, view_for
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import Guest, deal, look, sign_in_guest, wish
from tests.support.visitors import Visitor
from webapp import urls
from webapp.app import create_app
from webapp.clock import utc_now
from webapp.config import Settings
from webapp.pages.play.turn_form import form_fields_for
from webapp.services.play.access import LoadedGame
from webapp.services.play.turns import update_for
from webapp.services.tx import Database, database_for
from webapp.store.play.turns import GameUpdate

SEATS = 3
Menu = Sequence[Action]
_REQUEST = "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n"
_FORM = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{body}"


class Browser(NamedTuple):
    """A signed-in browser: its cookie, and the token that its forms carry."""

    cookie: str
    token: str


class Table(NamedTuple):
    """A game under way and the browsers of its seats, in order."""

    slug: str
    guests: Sequence[Guest]
    browsers: Sequence[Browser]


class Company(NamedTuple):
    """Who plays all the games, and the database where they are prepared."""

    database: Database
    guests: Sequence[Guest]
    browsers: Sequence[Browser]


class Turn(NamedTuple):
    """One turn that can be played: the request, and what will be stored."""

    form: dict[str, str]
    request: bytes
    write: GameUpdate


def company_in(url: str, settings: Settings) -> Company:
    """Three persons, signed in."""
    database = hasty_database(url)
    guests = [sign_in_guest(database, each, now=utc_now()) for each in (ALICE, BOB, CAROL)]
    return Company(database, guests, list(_browsers_of(settings, database, guests)))


def hasty_database(url: str) -> Database:
    """For preparations: it does not wait for the disk."""
    database = database_for(url)
    event.listen(database.engine, "connect", _commit_in_haste)
    return database


def _commit_in_haste(connection: Connection, _: object) -> None:
    connection.execute("SET synchronous_commit = off")
    connection.commit()


def _browsers_of(
    settings: Settings, database: Database, guests: Sequence[Guest]
) -> Iterator[Browser]:
    app = create_app(settings, database=database)
    for guest in guests:
        visitor = Visitor(app, app.test_client()).with_session(guest.cookie)
        token = visitor.token()
        name = app.config["SESSION_COOKIE_NAME"]
        cookie = visitor.client.get_cookie(name)
        assert cookie is not None
        yield Browser(f"{name}={cookie.value}", token)


def tables_of(company: Company, count: int) -> list[Table]:
    """Games of these three, just dealt."""
    database, guests, browsers = company
    slugs = (deal(database, guests, wish(seats=SEATS), now=utc_now()) for _ in range(count))
    return [Table(slug, guests, browsers) for slug in slugs]


def game_at(database: Database, table: Table) -> LoadedGame:
    """The game as it is stored, with what a turn needs."""
    return look(database, table.slug, table.guests[0], now=utc_now())


def turns_from(
    game: LoadedGame,
    table: Table,
    chance: random.Random,
    wanted: Callable[[Menu], Menu] = lambda menu: menu,
) -> Iterator[Turn]:
    """The turns of a game from here to its end, chosen at random among what is legal and wanted; nothing is written."""
    now = utc_now()
    while game.row.awaiting is not None:
        seat = game.row.awaiting
        menu = wanted(legal_actions(view_for(game.state, seat)))
        action = menu[int(chance.random() * len(menu))]
        write = update_for(game, seat, action=action, by="player", now=now)
        form = {"seq": str(game.seq), **form_fields_for(action)}
        yield Turn(form, post(urls.turns(table.slug), table.browsers[seat], form), write)
        game = LoadedGame(game.row.__class__(**moved(game, write)))


def chains_of(
    company: Company, count: int, *, length: int, chance: random.Random
) -> list[list[Turn]]:
    """So many new games, each with its first turns."""
    chains: list[list[Turn]] = []
    while len(chains) < count:
        for table in tables_of(company, count - len(chains)):
            turns = list(
                islice(turns_from(game_at(company.database, table), table, chance), length)
            )
            if len(turns) == length:
                chains.append(turns)
    return chains


def payload_of(chains: Sequence[Sequence[Turn]]) -> Payload:
    """The bytes of the turn whose snapshot is of the middle length."""
    writes = [turn.write for chain in chains for turn in chain]
    middle = sorted(writes, key=lambda it: len(it.position.state))[len(writes) // 2]
    [*_, turn] = middle.turns
    return Payload(middle.position.state, turn.action or b"", turn.events)


def moved(game: LoadedGame, write: GameUpdate) -> dict[str, object]:
    """The fields of a game's row after a turn."""
    row = game.row
    fields = {name: getattr(row, name) for name in row.__struct_fields__}
    position = write.position
    return {
        name: getattr(position, name) if name in position.__struct_fields__ else value
        for name, value in fields.items()
    }


def get(path: str, browser: Browser) -> bytes:
    """A request for a page."""
    return (_REQUEST.format(method="GET", path=path, cookie=browser.cookie) + "\r\n").encode()


def post(path: str, browser: Browser, form: dict[str, str]) -> bytes:
    """A form that is sent."""
    body = urlencode({"csrf_token": browser.token, **form})
    head = _REQUEST.format(method="POST", path=path, cookie=browser.cookie)
    return (head + _FORM.format(length=len(body), body=body)).encode()
