"""People, tables and games made through the services, as the pages make them."""

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import select

from engine.actions import Action
from engine.record import TurnSource
from engine.rulebook import HouseRules
from engine.view import View, neutral_action, view_for
from tests.support.bots import play_next_bot
from tests.support.cast import Character
from tests.support.experience import make_room_for_game
from tests.support.shared_database import LentDatabase
from tests.support.transactions import (
    KEYS,
    NOON,
    pick_first,
    random_bytes_source_for,
    transaction,
    using,
)
from webapp.accounts.emailed_codes import CodeRefused
from webapp.accounts.person import Person
from webapp.accounts.profile import change_profile
from webapp.accounts.queries import accounts, sign_ins
from webapp.accounts.sessions import Device, OpenedSession, open_session
from webapp.accounts.sign_in import Browser, SignInRequest, request_sign_in, sign_in_by_code
from webapp.clock.pace.pace import Pace
from webapp.kernel.bot_levels import USUAL_LEVEL
from webapp.kernel.keyring import TokenSource, hash_of
from webapp.kernel.tx import Database, Tx
from webapp.lobby import host_actions, new_table, ready_check, seats
from webapp.lobby.new_table import TableSettings
from webapp.lobby.schema import Seat
from webapp.play import access
from webapp.play.schema import Game
from webapp.play.turns.turns import TurnResult, take_turn

DAY = timedelta(days=1)
T = TypeVar("T")
DEVICE = Device(user_agent="a browser", network_address="192.0.2.7")


class Guest(NamedTuple):
    """A signed-in character; ``cookie`` is the session's token."""

    person: Person
    cookie: str


def in_scene(database: Database, name: str, create: Callable[[], T]) -> T:
    """Return what ``create`` returns after filling the database, which later tests find filled; the name must say with what."""
    if not isinstance(database, LentDatabase):
        return create()
    source = random_bytes_source_for(database)
    value, source.created_count = database.enter_scene(
        name, lambda: (create(), source.created_count)
    )
    return value


def request_sign_in_email(
    tx: Tx, character: Character, *, now: datetime = NOON, browser: str | None = None
) -> None:
    """Request an email with a link and a code."""
    request = SignInRequest(
        address=character.address,
        language=character.language,
        browser=Browser(key=browser or character.browser),
    )
    request_sign_in(using(tx.at(now), random_bytes=secrets.token_bytes), request)


def enter_code(
    tx: Tx, code: str, *, browser: str, now: datetime = NOON
) -> OpenedSession | CodeRefused:
    """Enter a code in a browser that requested one."""
    return sign_in_by_code(
        using(tx.at(now), random_bytes=secrets.token_bytes),
        code,
        browser=Browser(key=browser, device=DEVICE),
    )


def emailed_code(tx: Tx, character: Character) -> str:
    """Return the code in the character's newest email."""
    sign_in = sign_ins.latest_of_browser(tx, hash_of(character.browser))
    assert sign_in is not None
    return KEYS.code(sign_in.nonce)


def sign_in_guest(database: Database, character: Character, *, now: datetime = NOON) -> Guest:
    """Create a character's account and open a session, as their first sign-in does; its emails are left out."""
    with transaction(database, now) as tx:
        account = accounts.find_or_create(
            tx.at(now), character.address, language=character.language, zone="UTC"
        )
        opened = open_session(using(tx, random_bytes=secrets.token_bytes), account, device=DEVICE)
        person = change_profile(
            tx,
            opened.person,
            name=character.name,
            language=character.language,
            zone=character.zone,
            picks_gold=True,
        )
    return Guest(person, opened.token)


def sign_in_by_email(database: Database, character: Character, *, now: datetime = NOON) -> Guest:
    """Sign a character in with the code from an email, which stays in the outbox."""
    with transaction(database) as tx:
        request_sign_in_email(tx, character, now=now)
        outcome = enter_code(tx, emailed_code(tx, character), browser=character.browser, now=now)
        assert isinstance(outcome, OpenedSession)
    return Guest(outcome.person, outcome.token)


def sign_in_guests(database: Database, *characters: Character) -> list[Guest]:
    return [sign_in_guest(database, character) for character in characters]


def table_settings(
    *,
    rulebook: str = "en-2004",
    seats: int = 3,
    house: HouseRules | None = None,
    allowance: timedelta = DAY,
    pace: Pace | None = None,
    public: bool = False,
    starter: int | None = 0,
    table_name: str = "",
) -> TableSettings:
    return TableSettings(
        rulebook=rulebook,
        seats=seats,
        house=house or HouseRules(),
        pace=pace or Pace(time_per_turn=allowance),
        public=public,
        starter=starter,
        table_name=table_name,
    )


def open_table(
    database: Database,
    host: Guest,
    settings: TableSettings | None = None,
    *,
    now: datetime = NOON,
    tokens: Callable[[int], bytes] | None = None,
) -> str:
    """Open a table with its host in seat 0; return its slug. The host may be in any number of games."""
    make_room_for_game(database, host.person)
    source = TokenSource(KEYS, tokens or random_bytes_source_for(database))
    with transaction(database, now) as tx:
        return new_table.open_table(
            using(tx, source=source), host.person, settings or table_settings()
        )


def seat_guest(database: Database, slug: str, guest: Guest, *, now: datetime = NOON) -> int:
    """Seat a guest at a table, as if they had an invitation; return the seat. The guest may be in any number of games."""
    make_room_for_game(database, guest.person)
    with transaction(database, now) as tx:
        game = access.find_game(tx, slug, guest.cookie, mode="change").game
        return seats.take_seat(tx, game, guest.person)


def confirm_ready(
    database: Database, slug: str, guest: Guest, *, salt: str | None = None, now: datetime = NOON
) -> bool:
    with transaction(database, now) as tx:
        game = access.game_for(tx, slug, guest.cookie, mode="change").game
        return ready_check.confirm_ready(tx, game, guest.person, salt=salt)


def deal_game(
    database: Database,
    guests: Sequence[Guest],
    settings: TableSettings | None = None,
    *,
    now: datetime = NOON,
    tokens: Callable[[int], bytes] | None = None,
) -> str:
    """Deal a game with the guests in seats 0, 1, 2 ... and bots in the others; return its slug."""
    settings = settings or table_settings(seats=max(3, len(guests)))
    slug = open_table(database, guests[0], settings, now=now, tokens=tokens)
    for guest in guests[1:]:
        seat_guest(database, slug, guest, now=now)
    if len(guests) < settings.seats:
        fill_with_bots(database, slug, guests[0], now=now)
    for guest in guests if len(guests) == settings.seats else guests[1:]:
        confirm_ready(database, slug, guest, now=now)
    return slug


def deal_game_of_unseated_host(
    database: Database, host: Guest, guests: Sequence[Guest], *, now: datetime = NOON
) -> str:
    """Deal a private game with the guests in seats 0, 1, 2 ... whose host has left their own seat before; return its slug."""
    slug = open_table(database, host, table_settings(seats=len(guests)), now=now)
    with transaction(database, now) as tx:
        game = access.game_for(tx, slug, host.cookie, mode="change").game
        seats.leave_seat(tx, game, host.person)
    for guest in guests:
        seat_guest(database, slug, guest, now=now)
    for guest in guests:
        confirm_ready(database, slug, guest, now=now)
    return slug


def deal_short_game(database: Database, guests: Sequence[Guest], **settings: Any) -> str:
    """Deal a game of one round, for tests that need its end; return its slug."""
    house = HouseRules(rounds=1)
    return deal_game(
        database,
        guests,
        table_settings(**{"seats": max(3, len(guests)), "house": house, **settings}),
    )


def fill_with_bots(
    database: Database,
    slug: str,
    host: Guest,
    *,
    level: str = USUAL_LEVEL,
    now: datetime = NOON,
) -> bool:
    with transaction(database, now) as tx:
        game = access.game_for(tx, slug, host.cookie, mode="change").game
        return host_actions.fill_with_bots(tx, game, host.person, level=level)


def play_turn(
    database: Database,
    slug: str,
    guest: Guest,
    action: Action | None = None,
    *,
    by: TurnSource = "player",
    now: datetime = NOON,
    choose: Callable[[View], Action] | None = None,
) -> TurnResult:
    """Play the guest's turn: this action, or the one that ``choose`` picks, or the neutral one."""
    with transaction(database, now) as tx:
        loaded_game = access.game_for(tx, slug, guest.cookie, mode="play")
        game = loaded_game.game
        if action is None:
            view = view_for(game.state, loaded_game.seat)
            action = choose(view) if choose else neutral_action(view, pick_first)
        return take_turn(tx, loaded_game, action, seq=game.seq, by=by)


def stored_game(
    database: Database, slug: str, guest: Guest, *, now: datetime = NOON
) -> access.LoadedGame:
    """Return the game as stored, all its secrets included."""
    with transaction(database, now) as tx:
        return access.find_game(tx, slug, guest.cookie, mode="play").game


def play_bots(database: Database, *, now: datetime = NOON) -> int:
    """Let bots play until none is on turn; return the number of turns."""
    turns = 0
    while _play_next_bot(database, now):
        turns += 1
    return turns


def play_to_end(
    database: Database,
    slug: str,
    guests: Sequence[Guest],
    *,
    choose: Callable[[View], Action] | None = None,
    now: datetime = NOON,
) -> None:
    """Play until the game is over, with ``choose`` or neutral actions for the guests."""
    guests_by_id = {guest.person.id: guest for guest in guests}
    while True:
        play_bots(database, now=now)
        account_on_turn = _account_on_turn(database, slug)
        if account_on_turn is None:
            return
        play_turn(database, slug, guests_by_id[account_on_turn], choose=choose, now=now)


def _account_on_turn(database: Database, slug: str) -> int | None:
    """Return whose turn it is, or None if the game is over."""
    is_seat_on_turn = (Seat.game_id == Game.id) & (Seat.number == Game.awaiting)
    query = select(Game.awaiting, Seat.account_id).outerjoin(Seat, is_seat_on_turn)
    with transaction(database) as tx:
        seat, account_id = tx.execute(query.where(Game.slug == slug)).one()
    assert seat is None or account_id is not None, f"no one plays in seat {seat}"
    return account_id


def _play_next_bot(database: Database, now: datetime) -> bool:
    with transaction(database) as tx:
        return play_next_bot(tx, now=now, random_below=pick_first)
