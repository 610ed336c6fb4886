"""A table before the deal: open it, sit down, get ready. Everything here but opening wants the game locked."""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from engine.cards import HAND_SIZES
from engine.fairness import SALT_LIMIT, SECRET_SIZE, Secrets, commitments
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from webapp.game_status import GameStatus
from webapp.services.accounts.names import distinct_name
from webapp.services.accounts.person import Person
from webapp.services.errors import Denied, FieldError, FieldErrors, NotAllowed
from webapp.services.keys import Keyring, Tokens, hash_of
from webapp.services.lobby.invitation_links import open_way
from webapp.services.lobby.ready_check import begin_if_all_are_ready, begin_if_full, read_again
from webapp.services.play.access import LoadedGame
from webapp.services.play.bots import bot_names
from webapp.services.play.showing import names_at
from webapp.services.tx import Tx
from webapp.store.lobby import tables
from webapp.store.lobby.tables import NewTable

MIN_ALLOWANCE: Final = timedelta(minutes=5)
MAX_ALLOWANCE: Final = timedelta(days=30)
MOST_OPEN_TABLES: Final = 30
"""Tables of one host that have not begun."""

_SLUG_LETTERS: Final = "23456789abcdefghijkmnpqrstuvwxyz"
_SLUG_SIZE: Final = 8
_SLUG_LENGTH: Final = 12
"""Sixty bits: nobody finds a game by guessing."""


class TableSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The table that a host wants; ``starter`` None leaves it to chance who starts (R6)."""

    rulebook: str
    seats: int
    house: HouseRules
    allowance: timedelta
    public: bool
    starter: int | None = None


def open_game(
    tx: Tx,
    host: Person,
    wish: TableSettings,
    *,
    mark: str = "",
    keys: Keyring,
    tokens: Tokens,
    now: datetime,
) -> str:
    """Open a table, draw its secrets and show their commitments; the host sits down in seat 0. Gives the slug.

    A form that comes twice opens one table: where host, wish and ``mark`` are the same, the slug is, and it is unique.
    Raises FieldErrors for a wish that no table can have, NotAllowed for a host without a name or with too many tables.
    """
    _require_name(host)
    _require_possible(wish)
    slug = _slug(_number(host, wish, mark, keys) if mark else tokens(_SLUG_SIZE))
    if tables.is_there(tx.connection, slug):
        return slug
    if tables.count_open(tx.connection, host.id) >= MOST_OPEN_TABLES:
        raise NotAllowed(Denied.TOO_MANY_TABLES)
    game_id = tables.open_table(tx.connection, _new_table(host, wish, slug, tokens=tokens, now=now))
    # None where the same form came at the same instant: the insertion has waited for the other one's.
    if game_id is not None:
        tables.seat_person(tx.connection, game_id, 0, account_id=host.id, name=host.name, now=now)
        open_way(tx, game_id, host, address=None, keys=keys, tokens=tokens, now=now)
    return slug


def sit_down(
    tx: Tx,
    game: LoadedGame,
    person: Person,
    *,
    seat: int | None = None,
    name: str = "",
    now: datetime,
) -> int:
    """Take this seat, or the first free one; the number of the seat taken. A full table begins its ready-check.

    The person keeps the name of this moment as long as the game lasts: ``name``, or else the account's. Raises FieldErrors
    for a name that a reader could take for that of somebody else at the table.
    """
    _require_name(person)
    if game.status != GameStatus.OPEN:
        raise NotAllowed(
            Denied.NOT_OPEN if game.status != GameStatus.READY_CHECK else Denied.TABLE_FULL
        )
    if game.seat_of(person) is not None:
        raise NotAllowed(Denied.ALREADY_SEATED)
    number = _free_seat(game, seat)
    called = distinct_name(name or person.name, names_at(game.row, joining=person.id))
    tables.seat_person(
        tx.connection, game.row.id, number, account_id=person.id, name=called, now=now
    )
    begin_if_full(tx, read_again(tx, game), now=now)
    return number


def stand_up(tx: Tx, game: LoadedGame, person: Person, *, now: datetime) -> None:  # noqa: ARG001 - all use cases alike
    """Leave one's seat; nobody is ready any more. A host who stands up stays the host."""
    _require_before_deal(game)
    tables.free_seat(tx.connection, game.row.id, _own_seat(game, person))
    tables.make_all_unready(tx.connection, game.row.id)
    tables.set_status(tx.connection, game.row.id, GameStatus.OPEN)


def get_ready(tx: Tx, game: LoadedGame, person: Person, *, salt: str = "", now: datetime) -> bool:
    """Be ready, with a pinch of salt for the shuffles; whether everybody is now, and the cards are dealt."""
    _require_before_deal(game)
    number = _own_seat(game, person)
    grains = _grains(salt)
    if game.status != GameStatus.READY_CHECK:
        raise NotAllowed(Denied.FREE_SEATS)
    tables.make_ready(tx.connection, game.row.id, number, salt=grains)
    return begin_if_all_are_ready(tx, read_again(tx, game), now=now)


def not_ready(tx: Tx, game: LoadedGame, person: Person, *, now: datetime) -> None:  # noqa: ARG001 - all use cases alike
    """Take one's readiness back."""
    _require_before_deal(game)
    tables.make_unready(tx.connection, game.row.id, _own_seat(game, person))


def fill_with_bots(tx: Tx, game: LoadedGame, person: Person, *, now: datetime) -> bool:
    """Let bots take every free seat. The host counts as ready; whether everybody is now, and the cards are dealt."""
    _require_host(game, person)
    _require_before_deal(game)
    free = [seat.number for seat in game.row.seats if seat.is_free]
    if not free:
        raise NotAllowed(Denied.TABLE_FULL)
    if not any(seat.account_id for seat in game.row.seats):
        raise NotAllowed(Denied.NOT_SEATED)
    bots = list(zip(free, bot_names(names_at(game.row)), strict=False))
    tables.seat_bots(tx.connection, game.row.id, bots, now=now)
    _make_host_ready(tx, game, person)
    filled = read_again(tx, game)
    if begin_if_all_are_ready(tx, filled, now=now):
        return True
    begin_if_full(tx, filled, now=now)
    return False


def choose_starter(
    tx: Tx,
    game: LoadedGame,
    person: Person,
    *,
    seat: int | None,
    now: datetime,
) -> None:
    """Name who starts round one, or leave it to chance; whoever was ready agreed to something else (R6)."""
    _require_host(game, person)
    _require_before_deal(game)
    if seat is not None and not 0 <= seat < game.row.seat_count:
        raise FieldErrors(_out_of_range("starter", 0, game.row.seat_count - 1))
    if seat == game.row.starter:
        return
    tables.set_starter(tx.connection, game.row.id, seat)
    tables.make_all_unready(tx.connection, game.row.id)
    begin_if_full(tx, read_again(tx, game), now=now)


def cancel(tx: Tx, game: LoadedGame, person: Person, *, now: datetime) -> None:
    """Give the table up before the deal; from now on its secrets lie open."""
    _require_host(game, person)
    _require_before_deal(game)
    tables.set_status(tx.connection, game.row.id, GameStatus.CANCELLED, ended_at=now)


def _require_name(person: Person) -> None:
    if not person.name:
        raise NotAllowed(Denied.NO_NAME)


def _require_before_deal(game: LoadedGame) -> None:
    if not game.status.is_before_deal:
        raise NotAllowed(Denied.NOT_OPEN)


def _require_host(game: LoadedGame, person: Person) -> None:
    if person.id != game.row.host_id:
        raise NotAllowed(Denied.NOT_HOST)


def _own_seat(game: LoadedGame, person: Person) -> int:
    number = game.seat_of(person)
    if number is None:
        raise NotAllowed(Denied.NOT_SEATED)
    return number


def _free_seat(game: LoadedGame, wanted: int | None) -> int:
    free = [seat.number for seat in game.row.seats if seat.is_free]
    if not free:
        raise NotAllowed(Denied.TABLE_FULL)
    if wanted is None:
        return free[0]
    if not 0 <= wanted < game.row.seat_count:
        raise FieldErrors(_out_of_range("seat", 0, game.row.seat_count - 1))
    if wanted not in free:
        raise NotAllowed(Denied.SEAT_TAKEN)
    return wanted


def _grains(salt: str) -> bytes:
    if not salt.isprintable():
        raise FieldErrors(FieldError("salt", "control-characters"))
    grains = salt.encode()
    if len(grains) > SALT_LIMIT:
        raise FieldErrors(FieldError("salt", "too-long", {"max": SALT_LIMIT}))
    return grains


def _make_host_ready(tx: Tx, game: LoadedGame, person: Person) -> None:
    number = game.seat_of(person)
    if number is not None:
        salt = bytes.fromhex(game.row.seats[number].salt)
        tables.make_ready(tx.connection, game.row.id, number, salt=salt)


def _require_possible(wish: TableSettings) -> None:
    errors = [*_wrong_seats(wish), *_wrong_allowance(wish)]
    if wish.rulebook not in RULEBOOKS:
        errors.insert(0, FieldError("rulebook", "unknown"))
    if errors:
        raise FieldErrors(*errors)


def _wrong_seats(wish: TableSettings) -> list[FieldError]:
    if wish.seats not in HAND_SIZES:
        return [_out_of_range("seats", min(HAND_SIZES), max(HAND_SIZES))]
    if wish.starter is not None and not 0 <= wish.starter < wish.seats:
        return [_out_of_range("starter", 0, wish.seats - 1)]
    return []


def _wrong_allowance(wish: TableSettings) -> list[FieldError]:
    if MIN_ALLOWANCE <= wish.allowance <= MAX_ALLOWANCE:
        return []
    low, high = (int(limit / timedelta(minutes=1)) for limit in (MIN_ALLOWANCE, MAX_ALLOWANCE))
    return [_out_of_range("allowance", low, high)]


def _out_of_range(field: str, low: int, high: int) -> FieldError:
    return FieldError(field, "out-of-range", {"low": low, "high": high})


def _new_table(
    host: Person, wish: TableSettings, slug: str, *, tokens: Tokens, now: datetime
) -> NewTable:
    drawn = (tokens(SECRET_SIZE), tokens(SECRET_SIZE), tokens(SECRET_SIZE), tokens(SECRET_SIZE))
    gold, round_1, round_2, round_3 = drawn
    secrets = Secrets(gold=gold, round_1=round_1, round_2=round_2, round_3=round_3)
    return NewTable(
        slug=slug,
        host_id=host.id,
        host_name=host.name,
        rulebook=wish.rulebook,
        house=msgspec.to_builtins(wish.house),
        seats=wish.seats,
        starter=wish.starter,
        allowance=wish.allowance,
        public=wish.public,
        opened_at=now,
        secrets=drawn,
        commitments=" ".join(commitments(slug, secrets)),
    )


def _number(host: Person, wish: TableSettings, mark: str, keys: Keyring) -> bytes:
    """Keyed, so that nobody guesses the name of a table from the form that opened it."""
    return hash_of(keys.token("table", host.id, mark, msgspec.json.encode(wish)))[:_SLUG_SIZE]


def _slug(drawn: bytes) -> str:
    number = int.from_bytes(drawn, "big")
    base = len(_SLUG_LETTERS)
    return "".join(_SLUG_LETTERS[number // base**place % base] for place in range(_SLUG_LENGTH))
