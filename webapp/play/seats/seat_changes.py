"""Change who sits in a seat of a dealt game: open it, hand it to a substitute or bot, give it back.

A player who takes over sees what the seat has seen, because views and history belong to seats. Former players see the game
again once it is over; until then their sitting keeps them from coming back.

The plan and the held turn of the person whose seat is opened stay in the game's row, and count again if they return
while they still can; no one else ever sees them, and they are deleted once someone else has the seat.
"""

from itertools import chain
from typing import Final

import msgspec

from webapp.accounts.names import checked_name, require_unprotected_name
from webapp.accounts.person import Person
from webapp.accounts.queries import accounts
from webapp.clock.turn import ClockChange
from webapp.kernel.bot_levels import require_offered_level
from webapp.kernel.game_status import GameStatus
from webapp.kernel.public_acts import PublicFacts
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, out_of_range
from webapp.kernel.rights import SERVER, Relation
from webapp.mail.queries import pending_emails
from webapp.mail.queries.outbox import NewNotification
from webapp.moderation.queries import moderators
from webapp.play.bots.bots import bot_names
from webapp.play.changes.acts import ActInput
from webapp.play.changes.public_change import (
    ChangedPlayers,
    ChangeSource,
    ChangeValue,
    EndedOffer,
    EndedSitting,
    ExistingAccount,
    HandedOverSeat,
    PlannedChange,
    PublicChange,
    ReturnedSeat,
    SeatValues,
    TakenOffer,
    require_status,
)
from webapp.play.lost_seats import SEAT_NOT_OPEN
from webapp.play.queries import changes, games
from webapp.play.queries.clocks import ClockUpdate
from webapp.play.queries.rows import SeatRow
from webapp.play.summaries import name_of

_NEW_SEAT_CLOCK: Final = {
    "bank": None,
    "strikes": 0,
    "absence_used": None,
    "returned_at": None,
}
"""A substitute starts with a full bank and a clean record."""


class AcceptedOffer(ActInput, frozen=True, kw_only=True):
    """An offer of a seat that a person accepts, and the name under which they play; empty for that of their account."""

    id: int
    seat: int
    account_id: int
    offered_by: int | None
    name: str


def seat_substitute(source: ChangeSource, number: int, *, name: str, address: str) -> PlannedChange:
    """Give a seat to the person whom the operator names, who has neither a seat here nor had one."""
    seat, person = seat_in_play(source, number), _find_substitute(source, name, address)
    return _seat_person(source, seat, person, name="")


def seat_accepting_person(source: ChangeSource, offer: AcceptedOffer) -> PlannedChange:
    """Give a seat to the person who accepts an offer of it."""
    seat = seat_in_play(source, offer.seat)
    person = _accepting_account(source, seat, offer.account_id)
    return _seat_person(source, seat, person, name=offer.name, offer=offer)


def seat_volunteer(
    source: ChangeSource, number: int, account_id: int, *, name: str
) -> PlannedChange:
    """Give an open seat to a person who steps in; webapp.lobby has checked that they may."""
    seat = seat_in_play(source, number)
    return _seat_person(source, seat, _accepting_account(source, seat, account_id), name=name)


def _seat_person(
    source: ChangeSource,
    seat: SeatRow,
    person: Person,
    *,
    name: str,
    offer: AcceptedOffer | None = None,
) -> PlannedChange:
    name = checked_name(name or person.name, other_names(source, seat))
    require_unprotected_name(source.tx, person, name)
    new_seat_row = _seat_row(seat, account_id=person.id, name=name, picks_gold=person.picks_gold)
    return _hand_over_seat(source, seat, new_seat_row, account_id=person.id, offer=offer)


def seat_bot(source: ChangeSource, number: int, level: str) -> PlannedChange:
    """Let a bot of the given level take over a seat. Raises FieldErrors for a level that is not offered."""
    require_offered_level(level)
    seat = seat_in_play(source, number)
    if seat.is_bot:
        raise NotAllowed(DenialReason.BOT_HOLDS_SEAT)
    _require_no_player_replaced_by_host(source, seat)
    new_seat_row = _seat_row(seat, bot_name=_name_of_new_bot(source, seat), bot_level=level)
    return _hand_over_seat(source, seat, new_seat_row, account_id=seat.account_id)


def _name_of_new_bot(source: ChangeSource, seat: SeatRow) -> str:
    """Return a name that no one else at the table has and, if possible, that is new in the history of the game."""
    taken_names = [*other_names(source, seat), source.game.row.host_name]
    sittings = changes.sittings_of(source.tx, source.game.row.id)
    former_names = [sitting.name for each in sittings.values() for sitting in each]
    new_names = bot_names([*taken_names, *former_names, name_of(seat)])
    name = next(chain(new_names, bot_names(taken_names)), None)
    if name is None:
        raise NotAllowed(DenialReason.NO_BOT_NAME_LEFT)
    return name


def _require_no_player_replaced_by_host(source: ChangeSource, seat: SeatRow) -> None:
    """Raise NotAllowed if a host replaces another player: they would decide alone about the game, and who sees that hand."""
    is_host = source.actor.acted_as == Relation.HOST
    if is_host and seat.account_id not in {None, source.actor.id}:
        raise NotAllowed(DenialReason.PERSON_HOLDS_SEAT)


def other_names(source: ChangeSource, seat: SeatRow) -> list[str]:
    """Return what the others at the table are called."""
    return [name_of(other) for other in source.game.row.seats if other.number != seat.number]


def chosen_seat(source: ChangeSource, number: int) -> SeatRow:
    """Return the seat with this number. Raises FieldErrors."""
    seats = source.game.row.seats
    if not 0 <= number < len(seats):
        raise FieldErrors(out_of_range("seat", 1, len(seats)))
    return seats[number]


def seat_in_play(source: ChangeSource, number: int) -> SeatRow:
    """Return the seat that was chosen in a game under way. Raises FieldErrors and NotAllowed."""
    require_status(source.game.row, GameStatus.RUNNING, GameStatus.PAUSED)
    seat = chosen_seat(source, number)
    if seat.number in source.game.state.gone:
        raise NotAllowed(DenialReason.NO_PERSON_HOLDS_SEAT)
    return seat


def _find_substitute(source: ChangeSource, name: str, address: str) -> Person:
    """Return the account of a substitute. Refusals tell nothing about an address, except of someone who has peeked."""
    row, tx = source.game.row, source.tx
    person = accounts.find_by_address(tx, address) if address else None
    if person is None or not person.name or person.name != name:
        raise NotAllowed(DenialReason.NO_SUCH_SUBSTITUTE)
    if person.is_banned(now=tx.now):
        raise NotAllowed(DenialReason.NO_SUCH_SUBSTITUTE)
    if row.seat_of(person.id) is not None or changes.has_sat(tx, row.id, person.id):
        raise NotAllowed(DenialReason.NO_SUCH_SUBSTITUTE)
    if moderators.has_peeked(tx, row.id, person.id):
        raise NotAllowed(DenialReason.PEEKED_AT_GAME)
    return person


def _accepting_account(source: ChangeSource, seat: SeatRow, account_id: int) -> Person:
    """Return the account of the person who takes the seat; webapp.lobby has checked that they may."""
    person = accounts.find(source.tx, account_id)
    if person is None or seat.account_id is not None:
        raise NotAllowed(DenialReason.OFFER_NO_LONGER_OPEN)
    return person


def _seat_row(
    seat: SeatRow,
    *,
    account_id: int | None = None,
    name: str | None = None,
    picks_gold: bool | None = None,
    bot_name: str | None = None,
    bot_level: str | None = None,
) -> SeatRow:
    """Return the seat with someone else in it; its random words stay those of the deal."""
    return SeatRow(
        number=seat.number,
        account_id=account_id,
        name=name,
        picks_gold=picks_gold,
        bot_name=bot_name,
        is_ready=True,
        salt=seat.salt,
        bot_level=bot_level,
    )


def _hand_over_seat(
    source: ChangeSource,
    seat: SeatRow,
    new_seat_row: SeatRow,
    *,
    account_id: int | None,
    offer: AcceptedOffer | None = None,
) -> PlannedChange:
    number, new_player_id = seat.number, new_seat_row.account_id
    values: list[ChangeValue] = []
    if new_player_id:
        values.append(ExistingAccount(new_player_id, DenialReason.NO_SUCH_SUBSTITUTE))
    values.append(
        EndedOffer(number, "filled") if offer is None else TakenOffer(offer.id, offer.account_id)
    )
    if not seat.is_free:
        values.append(EndedSitting(seat))
    columns = {
        "account_id": new_player_id,
        "name": new_seat_row.name,
        "bot_name": new_seat_row.bot_name,
        "bot_level": new_seat_row.bot_level,
        **_NEW_SEAT_CLOCK,
        **SEAT_NOT_OPEN,
    }
    values += [SeatValues(number, columns), HandedOverSeat(number)]
    if new_player_id:
        values.append(_briefing(source, number, new_player_id))
    change = PublicChange(
        seat=number,
        account_id=account_id,
        before=_facts_before(seat, offer),
        after=_facts_of(new_seat_row),
    )
    return PlannedChange(change=change, values=tuple(values))


def _briefing(source: ChangeSource, seat: int, account_id: int) -> NewNotification:
    """Return the email that tells a substitute what the seat has seen, at the position that the change makes."""
    return NewNotification(
        kind="briefing",
        game_id=source.game.row.id,
        seq=source.game.seq + 1,
        account_id=account_id,
        dedup_key=seat,
        due_at=source.tx.now,
    )


def _facts_of(seat: SeatRow) -> PublicFacts:
    return PublicFacts(account_id=seat.account_id, bot_name=seat.bot_name, bot_level=seat.bot_level)


def _facts_before(seat: SeatRow, offer: AcceptedOffer | None) -> PublicFacts:
    if offer is None:
        return _facts_of(seat)
    return msgspec.structs.replace(_facts_of(seat), offer=offer.id, offered_by=offer.offered_by)


def open_seat(source: ChangeSource, number: int) -> PlannedChange:
    """Take a person's seat away; until someone takes it over, the clock plays its turns."""
    row, seat = source.game.row, seat_in_play(source, number)
    if seat.account_id is None:
        raise NotAllowed(DenialReason.SEAT_IS_OPEN)

    opened_seat = {
        "account_id": None,
        "opened_at": source.tx.now,
        "leaver_id": seat.account_id,
        "is_lost": source.by == SERVER,
    }
    values: list[ChangeValue] = [
        EndedSitting(seat),
        SeatValues(number, opened_seat),
        # Their turn may be on its way, or one after which they would be reminded of the next.
        ChangedPlayers(),
    ]
    if row.awaiting == number:
        values.append(ClockUpdate(row, ClockChange(row.clock.vacate())))
    change = PublicChange(
        seat=seat.number,
        account_id=seat.account_id,
        before=PublicFacts(account_id=seat.account_id),
    )
    return PlannedChange(change=change, values=tuple(values))


def reseat(source: ChangeSource, number: int | None, account_id: int | None) -> PlannedChange:
    """Give an open seat back to the person who had it last. Raises NotAllowed if that is no longer possible."""
    row = source.game.row
    if number is None or account_id is None or not row.seats[number].is_free:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    # Someone else may have had the seat since then, and have seen more.
    if changes.last_former_player_id(source.tx, row.id, number) != account_id:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    require_status(row, GameStatus.RUNNING, GameStatus.PAUSED)

    change = PublicChange(
        seat=number, account_id=account_id, after=PublicFacts(account_id=account_id)
    )
    return PlannedChange(change=change, values=(ReturnedSeat(number, account_id),))


def call_for_returned_player(source: ChangeSource, account_id: int) -> PlannedChange:
    """Return the clock for the player who has the seat on turn again, and the email that calls them to it.

    They have time to react, and workers look at the game next at a reminder, a held turn or the deadline.
    """
    game_id = source.game.row.id
    row = games.find_many_to_play(source.tx, [game_id])[game_id]
    clock_change = row.clock.reseat(
        by=source.by,
        now=source.tx.now,
        actor_id=source.actor.id,
        since=source.clock.time_shown(source.tx.now),
    )
    # One that was dropped while the seat was open would keep another with its key from being queued.
    was_dropped = pending_emails.was_dropped(
        source.tx, row.id, "your-turn", account_id, row.turn_seq
    )
    call = NewNotification(
        kind="your-turn",
        game_id=row.id,
        seq=row.turn_seq,
        account_id=account_id,
        dedup_key=int(source.tx.now.timestamp()) if was_dropped else 0,
        due_at=source.tx.now,
    )
    return PlannedChange(
        change=PublicChange(),
        values=(ClockUpdate(row, clock_change), call),
        nudges=frozenset({"bots"} if clock_change.events else ()),
    )
