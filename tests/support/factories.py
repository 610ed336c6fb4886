"""Persons, tables and games made through the services, as pages and mail would make them."""

import hashlib
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from weakref import WeakKeyDictionary

from engine.actions import Action
from engine.record import TurnSource
from engine.rulebook import HouseRules
from engine.view import View, neutral_action, view_for
from tests.support.cast import Character
from webapp.services.accounts.person import Person
from webapp.services.accounts.profile import change_profile
from webapp.services.accounts.sessions import SignedIn
from webapp.services.accounts.sign_in import (
    Browser,
    NotSignedIn,
    SignInRequest,
    request_sign_in,
    sign_in_by_code,
)
from webapp.services.keys import Keyring, TokenSource, hash_of
from webapp.services.lobby import host_actions, new_table, ready_check, seats
from webapp.services.lobby.new_table import TableSettings
from webapp.services.play import access
from webapp.services.play.bots import play_next_bot
from webapp.services.play.turns import TurnResult, take_turn
from webapp.services.tx import Database, Tx, transaction
from webapp.store.accounts import sign_ins

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)
KEYS = Keyring(b"a key of tests, thirty-two bytes", domain="lodepost.test")


class Guest(NamedTuple):
    """A character who is signed in; ``cookie`` is the session's token."""

    person: Person
    cookie: str


def counted_tokens(seed: str = "tokens") -> Callable[[int], bytes]:
    """Bytes that look random and are the same in every run."""
    made = 0

    def draw(size: int) -> bytes:
        nonlocal made
        made += 1
        return hashlib.shake_256(f"{seed} {made}".encode()).digest(size)

    return draw


_LUCK: WeakKeyDictionary[Database, Callable[[int], bytes]] = WeakKeyDictionary()


def rng_for(database: Database) -> Callable[[int], bytes]:
    """The chance of one database: every run of a test gets the same games."""
    return _LUCK.setdefault(database, counted_tokens("of this database"))


def first(_: int) -> int:
    """Chance that always picks the first."""
    return 0


def ask(tx: Tx, character: Character, *, now: datetime = NOON, browser: str | None = None) -> None:
    """Ask for a mail with a link and a code."""
    request = SignInRequest(
        address=character.address,
        language=character.language,
        browser=Browser(key=browser or character.browser),
    )
    request_sign_in(tx, request, keys=KEYS, tokens=secrets.token_bytes, now=now)


def try_code(tx: Tx, code: str, *, browser: str, now: datetime = NOON) -> SignedIn | NotSignedIn:
    """Type a code in a browser that requested one."""
    return sign_in_by_code(
        tx,
        code,
        browser=Browser(key=browser, user_agent="a browser"),
        keys=KEYS,
        tokens=secrets.token_bytes,
        now=now,
    )


def mailed_code(tx: Tx, character: Character) -> str:
    """The code in the character's newest mail."""
    asked = sign_ins.latest_of_browser(tx.connection, hash_of(character.browser))
    assert asked is not None
    return KEYS.code(asked.nonce)


def sign_in_guest(database: Database, character: Character, *, now: datetime = NOON) -> Guest:
    """Let a character ask, type the code from the mail, and choose a name."""
    with transaction(database) as tx:
        ask(tx, character, now=now)
        code = mailed_code(tx, character)
        outcome = try_code(tx, code, browser=character.browser, now=now)
        assert isinstance(outcome, SignedIn)
        person = change_profile(
            tx,
            outcome.person,
            name=character.name,
            language=character.language,
            zone=character.zone,
            picks_gold=True,
        )
    return Guest(person, outcome.token)


def sign_in_all(database: Database, *characters: Character) -> list[Guest]:
    return [sign_in_guest(database, character) for character in characters]


def wish(
    *,
    rulebook: str = "en-2004",
    seats: int = 3,
    house: HouseRules | None = None,
    allowance: timedelta = DAY,
    public: bool = False,
    starter: int | None = 0,
) -> TableSettings:
    return TableSettings(
        rulebook=rulebook,
        seats=seats,
        house=house or HouseRules(),
        allowance=allowance,
        public=public,
        starter=starter,
    )


def open_table(
    database: Database,
    host: Guest,
    wanted: TableSettings | None = None,
    *,
    now: datetime = NOON,
    tokens: Callable[[int], bytes] | None = None,
) -> str:
    """A table with its host in seat 0; its slug."""
    source = TokenSource(KEYS, tokens or rng_for(database))
    with transaction(database) as tx:
        return new_table.open_table(tx, host.person, wanted or wish(), source=source, now=now)


def sit(database: Database, slug: str, guest: Guest, *, now: datetime = NOON) -> int:
    """Sit down at a table, as somebody with an invitation would."""
    with transaction(database) as tx:
        game = access.find_game(tx, slug, guest.cookie, now=now, mode="change").game
        return seats.take_seat(tx, game, guest.person, now=now)


def get_ready(
    database: Database, slug: str, guest: Guest, *, salt: str = "", now: datetime = NOON
) -> bool:
    with transaction(database) as tx:
        game = access.game_for(tx, slug, guest.cookie, now=now, mode="change").game
        return ready_check.confirm_ready(tx, game, guest.person, salt=salt, now=now)


def deal(
    database: Database,
    guests: Sequence[Guest],
    wanted: TableSettings | None = None,
    *,
    now: datetime = NOON,
    tokens: Callable[[int], bytes] | None = None,
) -> str:
    """A game under way, the guests in seats 0, 1, 2 ... and bots in what is left; its slug."""
    table = wanted or wish(seats=max(3, len(guests)))
    slug = open_table(database, guests[0], table, now=now, tokens=tokens)
    for guest in guests[1:]:
        sit(database, slug, guest, now=now)
    if len(guests) < table.seats:
        fill(database, slug, guests[0], now=now)
    for guest in guests if len(guests) == table.seats else guests[1:]:
        get_ready(database, slug, guest, now=now)
    return slug


def fill(database: Database, slug: str, host: Guest, *, now: datetime = NOON) -> bool:
    with transaction(database) as tx:
        game = access.game_for(tx, slug, host.cookie, now=now, mode="change").game
        return host_actions.fill_with_bots(tx, game, host.person, now=now)


def play(
    database: Database,
    slug: str,
    guest: Guest,
    action: Action | None = None,
    *,
    by: TurnSource = "player",
    now: datetime = NOON,
    choose: Callable[[View], Action] | None = None,
) -> TurnResult:
    """Take the guest's turn: this action, or what ``choose`` makes of the view, or the neutral one."""
    with transaction(database) as tx:
        game, seat, _ = access.game_for(tx, slug, guest.cookie, now=now, mode="play")
        if action is None:
            view = view_for(game.state, seat)
            action = choose(view) if choose else neutral_action(view, first)
        return take_turn(tx, game, seat, action=action, seq=game.seq, by=by, now=now)


def look(database: Database, slug: str, guest: Guest, *, now: datetime = NOON) -> access.LoadedGame:
    """The game as stored, secrets and all."""
    with transaction(database) as tx:
        return access.find_game(tx, slug, guest.cookie, now=now, mode="play").game


def play_bots(database: Database, *, now: datetime = NOON) -> int:
    """Let bots play until none is on turn; how many turns that took."""
    taken = 0
    while _play_a_bot(database, now):
        taken += 1
    return taken


def play_to_the_end(
    database: Database,
    slug: str,
    guests: Sequence[Guest],
    *,
    choose: Callable[[View], Action] | None = None,
    now: datetime = NOON,
) -> None:
    """Play until somebody has won; the guests choose as told, or neutrally."""
    seated = {guest.person.id: guest for guest in guests}
    while True:
        play_bots(database, now=now)
        game = look(database, slug, guests[0], now=now)
        if game.row.awaiting is None:
            return
        on_turn = game.row.seats[game.row.awaiting].account_id
        assert on_turn is not None
        play(database, slug, seated[on_turn], choose=choose, now=now)


def _play_a_bot(database: Database, now: datetime) -> bool:
    with transaction(database) as tx:
        return play_next_bot(tx, now=now, pause=timedelta(0), pick=first)
