"""Games to measure, and their next turns as prepared requests with cookie and CSRF token."""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlencode

from psycopg import Connection
from sqlalchemy import event, text

from bench.shared.pgbench import Payload
from engine.actions import Action
from engine.view import legal_actions, view_for
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import Guest, deal_game, sign_in_guest, stored_game, table_settings
from tests.support.visitors import Visitor
from webapp.app import create_app
from webapp.kernel import urls
from webapp.kernel.config import Settings
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database
from webapp.lobby.new_table import TABLES_PER_DAY
from webapp.play.access import LoadedGame
from webapp.play.pages.table import form_fields_for
from webapp.play.queries.turns import GameUpdate
from webapp.play.turns.turns import update_for

SEAT_COUNT = 3
Actions = Sequence[Action]
_REQUEST_FORMAT = "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n"
_FORM_FORMAT = (
    "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{body}"
)


class SignedInBrowser(NamedTuple):
    """A signed-in browser: its cookie and the CSRF token of its forms."""

    cookie: str
    token: str


SIGNED_OUT_BROWSER = SignedInBrowser("none=none", "")


class PreparedGame(NamedTuple):
    """A running game and the browsers of its seats, in order."""

    slug: str
    guests: Sequence[Guest]
    browsers: Sequence[SignedInBrowser]


class Players(NamedTuple):
    """The three accounts that play all games, and the database where the games are prepared."""

    database: Database
    guests: Sequence[Guest]
    browsers: Sequence[SignedInBrowser]


class PreparedTurn(NamedTuple):
    """A prepared turn: the request, what it stores, and the game after it."""

    form: dict[str, str]
    request: bytes
    game_update: GameUpdate
    game_after: LoadedGame


def sign_in_players(url: str, settings: Settings) -> Players:
    """Sign in three players."""
    database = unsynced_database(url)
    guests = [sign_in_guest(database, address, now=utc_now()) for address in (ALICE, BOB, CAROL)]
    return Players(database, guests, list(_browsers_of(settings, database, guests)))


def unsynced_database(url: str) -> Database:
    """Open a database for preparations that does not wait for the disk."""
    database = Database(url)
    event.listen(database.engine, "connect", _do_not_wait_for_disk)
    return database


def _do_not_wait_for_disk(connection: Connection, _: object) -> None:
    connection.execute("SET synchronous_commit = off")
    connection.commit()


def _browsers_of(
    settings: Settings, database: Database, guests: Sequence[Guest]
) -> Iterator[SignedInBrowser]:
    app = create_app(settings, database=database)
    for guest in guests:
        visitor = Visitor(app, app.test_client()).with_session(guest.cookie)
        token = visitor.token()
        name = app.config["SESSION_COOKIE_NAME"]
        cookie = visitor.client.get_cookie(name)
        assert cookie is not None
        yield SignedInBrowser(f"{name}={cookie.value}", token)


def deal_games(players: Players, count: int) -> list[PreparedGame]:
    """Deal new games of these three players."""
    slugs = deal_many(players.database, players.guests, count)
    return [PreparedGame(slug, players.guests, players.browsers) for slug in slugs]


def deal_many(database: Database, guests: Sequence[Guest], count: int) -> Iterator[str]:
    """Deal new games of these players, more than their host may open in a day."""
    for number in range(count):
        if number % TABLES_PER_DAY == 0:
            _make_older(database, guests[0])
        yield deal_game(database, guests, table_settings(seats=SEAT_COUNT), now=utc_now())


def _make_older(database: Database, host: Guest) -> None:
    """Let all tables of this host have been opened a day earlier."""
    with database.engine.begin() as connection:
        connection.execute(
            text("UPDATE game SET opened_at = opened_at - interval '1 day' WHERE host_id = :host"),
            {"host": host.person.id},
        )


def load_game(database: Database, table: PreparedGame) -> LoadedGame:
    """Read a stored game with everything that a turn needs."""
    return stored_game(database, table.slug, table.guests[0], now=utc_now())


def prepared_turns(
    game: LoadedGame,
    table: PreparedGame,
    chance: random.Random,
    filter_actions: Callable[[Actions], Actions] = lambda actions: actions,
) -> Iterator[PreparedTurn]:
    """Yield random legal turns of a game until it ends; ``filter_actions`` chooses among the legal ones; nothing is stored."""
    now = utc_now()
    while game.row.awaiting is not None:
        seat = game.row.awaiting
        actions = filter_actions(legal_actions(view_for(game.state, seat)))
        action = actions[int(chance.random() * len(actions))]
        game_update = update_for(game, seat, action=action, by="player", now=now)
        form = {"seq": str(game.seq), **form_fields_for(action)}
        game = LoadedGame(game.row.__class__(**row_fields_after(game, game_update)))
        request = post_request(urls.turns(table.slug), table.browsers[seat], form)
        yield PreparedTurn(form, request, game_update, game)


def first_turns_of_new_games(
    players: Players, count: int, *, length: int, chance: random.Random
) -> list[list[PreparedTurn]]:
    """Create new games and return the first turns of each."""
    games: list[list[PreparedTurn]] = []
    while len(games) < count:
        for table in deal_games(players, count - len(games)):
            turns = list(
                islice(prepared_turns(load_game(players.database, table), table, chance), length)
            )
            if len(turns) == length:
                games.append(turns)
    return games


def median_turn_payload(games: Sequence[Sequence[PreparedTurn]]) -> Payload:
    """Return the bytes of the turn with the snapshot of median length."""
    game_updates = [turn.game_update for game_turns in games for turn in game_turns]
    median_update = sorted(game_updates, key=lambda update: len(update.position.state))[
        len(game_updates) // 2
    ]
    [*_, turn] = median_update.turns
    return Payload(median_update.position.state, turn.action or b"", turn.events)


def row_fields_after(game: LoadedGame, game_update: GameUpdate) -> dict[str, object]:
    """Return the fields of a game's row after a turn."""
    row = game.row
    fields = {name: getattr(row, name) for name in row.__struct_fields__}
    position = game_update.position
    return {
        name: getattr(position, name) if name in position.__struct_fields__ else value
        for name, value in fields.items()
    }


def get_request(path: str, browser: SignedInBrowser) -> bytes:
    """Return a GET request as bytes."""
    return (
        _REQUEST_FORMAT.format(method="GET", path=path, cookie=browser.cookie) + "\r\n"
    ).encode()


def post_request(path: str, browser: SignedInBrowser, form: dict[str, str]) -> bytes:
    """Return the POST of a form as bytes."""
    body = urlencode({"csrf_token": browser.token, **form})
    request_head = _REQUEST_FORMAT.format(method="POST", path=path, cookie=browser.cookie)
    return (request_head + _FORM_FORMAT.format(length=len(body), body=body)).encode()
