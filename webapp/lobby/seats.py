"""Take, leave and free seats at a table before the deal, and check whether a person may take one.

Every function that takes or frees a seat needs the game locked, except ``leave_seat_once``.

To take a seat, a person needs room for another game, and the share of turns in time that the table asks for. A person
may be in few games at first, and in one more for every game they have finished with other people, so that newcomers who
leave without a word keep only a few tables waiting. Newcomers have too few turns for a share, and meet any condition.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from webapp.accounts.blocks import may_sit_with
from webapp.accounts.names import checked_name, require_unprotected_name
from webapp.accounts.person import Person
from webapp.accounts.queries.accounts import lock_account
from webapp.accounts.sessions import person_for
from webapp.clock.pace.pace import LateRules
from webapp.clock.reliability import reliability_of
from webapp.kernel.game_status import GameStatus
from webapp.kernel.keyring import Keyring
from webapp.kernel.refusals import (
    DenialReason,
    FieldError,
    FieldErrors,
    NotAllowed,
    NotFound,
    ReliabilityTooLow,
    out_of_range,
)
from webapp.kernel.tx import Tx
from webapp.lobby.queries import tables
from webapp.lobby.ready_check import (
    begin_ready_check_if_full,
    reload_game,
    require_before_deal,
    require_name,
    require_seat,
)
from webapp.moderation.queries import moderators
from webapp.play.access import LoadedGame, game_for, may_view_unseated
from webapp.play.queries.rows import SeatRow
from webapp.play.summaries import names_at
from webapp.site.current_settings import limit_of

MAX_GAMES_OF_NEWCOMER: Final = 3
"""Games that someone who has finished none with other people may be in."""
_FIELD: Final = "lowest_reliability"
_MAX_PERCENT: Final = 100
_LEAVE_PURPOSE: Final = "sat there"


class SeatWish(msgspec.Struct, frozen=True, kw_only=True):
    """The seat that a person wants, None for the first free one, and their name there, empty for the account's own."""

    number: int | None = None
    name: str = ""
    seen_removals: int | None = None
    """How many people the host had removed as the form was shown; None if there was none.

    An older form seats no one, so that no one comes back by mistake.
    """


ANY_SEAT: Final = SeatWish()


def take_seat(tx: Tx, game: LoadedGame, person: Person, *, wish: SeatWish = ANY_SEAT) -> int:
    """Give the person a free seat and return its number. A full table begins its ready-check.

    The person is called by the chosen name as long as the game lasts. Raises NotAllowed, and FieldErrors for a name that is
    confusable with another at the table.
    """
    require_name(person)
    if game.status == GameStatus.READY_CHECK:
        raise NotAllowed(DenialReason.TABLE_FULL)
    if game.status != GameStatus.OPEN:
        raise NotAllowed(DenialReason.LOBBY_CLOSED)
    if game.seat_of(person) is not None:
        raise NotAllowed(DenialReason.ALREADY_SEATED)
    if wish.seen_removals not in {None, game.row.removal_count}:
        raise NotAllowed(DenialReason.SEATS_CHANGED)
    if moderators.has_peeked(tx, game.row.id, person.id):
        raise NotAllowed(DenialReason.PEEKED_AT_GAME)
    if not may_sit_with(tx, game.row.host_id, person.id):
        raise NotAllowed(DenialReason.SEAT_REFUSED)
    number = _free_seat(game, wish.number)
    _require_reliability(tx, game.row.late_rules, person)
    require_room_for_game(tx, person)
    seat_name = checked_name(
        wish.name or person.name, names_at(game.row, joining_account_id=person.id)
    )
    require_unprotected_name(tx, person, seat_name)
    tables.seat_person(tx, game.row.id, number, account_id=person.id, name=seat_name)
    tables.restart_waiting(tx, game.row.id)
    begin_ready_check_if_full(tx, reload_game(tx, game))
    return number


def leave_seat(tx: Tx, game: LoadedGame, person: Person) -> None:
    """Free the person's seat and ask everyone to confirm again. A host who leaves remains the host."""
    require_before_deal(game)
    free_seats(tx, game.row.id, [game.row.seats[require_seat(game, person)]])


def free_seats(tx: Tx, game_id: int, seats: Iterable[SeatRow]) -> None:
    """Free these seats, for whatever reason: the table waits for players again, and everyone confirms again."""
    for seat in seats:
        tables.free_seat(tx, game_id, seat.number)
    tables.reset_ready(tx, game_id)
    tables.set_status(tx, game_id, GameStatus.OPEN)
    tables.restart_waiting(tx, game_id)


def leave_seat_token(slug: str, person: Person, keys: Keyring) -> str:
    """Return the token in the form of a seated person, which proves later that they sat at this table."""
    return keys.token(_LEAVE_PURPOSE, slug, person.id)


def leave_seat_once(tx: Tx, slug: str, cookie: str | None, *, form_token: str) -> bool:
    """Free the seat of the signed-in person and return whether they may still see the table.

    A person who left may no longer see the table, so a form sent twice would get "not found": the token makes the second
    answer the same as the first, and tells others nothing about whether the table exists. Raises NotFound and NotAllowed.
    """
    try:
        game, _, person = game_for(tx, slug, cookie, mode="change")
    except NotFound:
        if _has_left(slug, person_for(tx, cookie), form_token, tx.keys):
            return False
        raise
    if person is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    if game.seat_of(person) is not None or not _has_left(slug, person, form_token, tx.keys):
        leave_seat(tx, game, person)
    return may_view_unseated(game, person)


def _free_seat(game: LoadedGame, wanted_number: int | None) -> int:
    free = [seat.number for seat in game.row.seats if seat.is_free]
    if not free:
        raise NotAllowed(DenialReason.TABLE_FULL)
    if wanted_number is None:
        return free[0]
    if not 0 <= wanted_number < game.row.seat_count:
        raise FieldErrors(out_of_range("seat", 0, game.row.seat_count - 1))
    if wanted_number not in free:
        raise NotAllowed(DenialReason.SEAT_TAKEN)
    return wanted_number


def _has_left(slug: str, person: Person | None, form_token: str, keys: Keyring) -> bool:
    if person is None:
        return False
    return keys.is_token(form_token, _LEAVE_PURPOSE, slug, person.id)


def require_room_for_game(tx: Tx, person: Person) -> None:
    """Lock the person's count of games, and raise NotAllowed if they are in as many as they may be in."""
    lock_game_count(tx, person)
    if not has_room_for_game(tx, person.id):
        raise NotAllowed(DenialReason.TOO_MANY_GAMES)


def lock_game_count(tx: Tx, person: Person) -> None:
    """Make others who seat this person wait until this transaction ends, so that two games at once are counted one by one.

    To be called after the game is locked: games are locked before accounts.
    """
    lock_account(tx, person.id)


def has_room_for_game(tx: Tx, account_id: int) -> bool:
    """Return whether the person may be in another game: up to the games they have finished and three, and the site's limit.

    A seat counts from the moment it is taken, because the cards are dealt without asking again.
    """
    counts = tables.count_games(tx, account_id)
    return counts.current < min(counts.finished + MAX_GAMES_OF_NEWCOMER, limit_of(tx, "most_games"))


def _require_reliability(tx: Tx, rules: LateRules, person: Person) -> None:
    """Raise ReliabilityTooLow if the person is not reliable enough for a table with these rules."""
    missed = missed_condition(tx, rules, person)
    if missed is not None:
        raise missed


def missed_condition(tx: Tx, rules: LateRules, person: Person) -> ReliabilityTooLow | None:
    """Return why the person is not reliable enough for a table with these rules; None if they are, or are new."""
    if not rules.lowest_reliability:
        return None
    percent = reliability_of(tx, person.id).percent
    if percent is None or percent >= rules.lowest_reliability:
        return None
    return ReliabilityTooLow(percent=percent, needed_percent=rules.lowest_reliability)


def condition_errors(tx: Tx, rules: LateRules, host: Person) -> tuple[FieldError, ...]:
    """Return what is wrong with the condition of a new table: its host must meet it too."""
    if not 0 <= rules.lowest_reliability <= _MAX_PERCENT:
        return (out_of_range(_FIELD, 0, _MAX_PERCENT),)
    missed = missed_condition(tx, rules, host)
    return () if missed is None else (FieldError(_FIELD, "above-own", {**missed.params}),)
