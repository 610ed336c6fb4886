"""Seats whose players missed too many turns: their list, the page of one, taking it back, and stepping in for the player.

The first person gets the seat: the game is locked, so a player who returns and a volunteer never both have it.
"""

from datetime import datetime
from typing import Final

from engine.view import View
from webapp.accounts.blocks import may_sit_with
from webapp.accounts.person import Person, Viewer
from webapp.accounts.sessions import person_for
from webapp.clock.queries.reliability import Reliability
from webapp.clock.reliability import reliability_by_seat
from webapp.kernel.database import is_storable
from webapp.kernel.public_acts import ServerReason
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound
from webapp.kernel.rights import SERVER, GameRight
from webapp.kernel.tx import Tx
from webapp.lobby.invitations import is_invited, table_link_token
from webapp.lobby.queries import invitations
from webapp.lobby.queries.open_seats import OpenSeatRow, open_seats
from webapp.lobby.ready_check import require_name
from webapp.lobby.seats import has_room_for_game, lock_game_count, missed_condition
from webapp.lobby.volunteers import is_volunteer
from webapp.moderation.queries import games_under_moderation, ledger, moderators
from webapp.play.access import LoadedGame, find_game, load_game, may_view
from webapp.play.change_writer import queue_emails_about_act, write_and_record
from webapp.play.changes.public_change import ChangeSource, PlannedChange
from webapp.play.lost_seats import returning_seat, volunteer_seat, was_unreachable
from webapp.play.queries import changes, games
from webapp.play.seats.seat_changes import reseat, seat_volunteer
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary

MAX_LISTED_SEATS: Final = 50


class OpenSeatList(Redacted, frozen=True, kw_only=True):
    """Games that need a player, the one that has waited longest first."""

    me: Person | None
    rows: tuple[OpenSeatRow, ...]
    is_volunteer: bool
    """Whether the viewer wants emails about open seats."""


class OpenSeatPage(Redacted, frozen=True, kw_only=True):
    """The game as everyone at the table sees it, without any card, and what the viewer can do about its open seat."""

    me: Person | None
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    reliability: dict[int, Reliability]
    """How reliably the people in the seats take their turns, by seat; empty for visitors."""
    seat: int
    view: View
    """What an onlooker may see."""
    round: int
    deadline_at: datetime | None
    is_own: bool
    """Whether it was the viewer's seat, which they can take back."""
    strikes: int
    """How many turns the player missed before the seat was opened."""
    was_unreachable: bool
    """Whether it was opened because no email reached the player."""
    refusal: NotAllowed | None
    """Why the viewer can't take the seat; a visitor is asked to sign in first."""
    link: str
    """The token of the invitation with which the viewer came, or empty."""
    link_to_share: str | None
    """The token with which others may see the seat, for people at a private table; None if they need none."""


def open_seat_list(tx: Tx, token: str | None) -> OpenSeatList:
    """Return the open seats of public tables, and for members those of their clubs' tables."""
    me = person_for(tx, token)
    account_id = None if me is None else me.id
    return OpenSeatList(
        me=me,
        rows=open_seats(tx, account_id, limit=MAX_LISTED_SEATS),
        is_volunteer=me is not None and is_volunteer(tx, me),
    )


def open_seat_page(tx: Tx, slug: str, viewer: Viewer, *, link: str = "") -> OpenSeatPage:
    """Return the page of a game's open seat, for the player who had it and for volunteers.

    A seat at a private table is shown to those who have one of its invitations: ``link`` is the token of the invitation.
    Raises NotFound if there is none that the viewer might take.
    """
    game, _, me = find_game(tx, slug, viewer, mode="read")
    own_seat = returning_seat(game.row, None if me is None else me.id)
    seat = volunteer_seat(game.row) if own_seat is None else own_seat
    if seat is None or (own_seat is None and not _may_volunteer(tx, game, me, link)):
        raise NotFound
    view, row = game.view(None), game.row
    is_own = own_seat is not None
    return OpenSeatPage(
        me=me,
        table=table_summary(row),
        seats=seat_summaries(row, me=None, gone=view.gone),
        reliability=reliability_by_seat(tx, row.seats, me),
        seat=seat,
        view=view,
        round=row.round,
        deadline_at=None if row.paused_at else row.deadline_at,
        is_own=is_own,
        strikes=row.seats[seat].strikes,
        was_unreachable=was_unreachable(row, seat),
        refusal=None if is_own or me is None else _refusal(tx, game, me),
        link=link,
        link_to_share=_link_to_share(tx, game, me),
    )


def take_open_seat(tx: Tx, slug: str, person: Person, *, link: str = "", name: str = "") -> None:
    """Give the open seat to the player who had it, or else to a volunteer; pressed twice, it does nothing more.

    A player who returns keeps the missed turns; a volunteer begins without. Raises NotFound, NotAllowed if someone else was
    faster or the person can't play there, and FieldErrors for a name that is confusable with another at the table.
    """
    require_name(person)
    # Lock first, read second: someone else may take the seat meanwhile.
    if not is_storable(slug) or games_under_moderation.lock(tx, slug) is None:
        raise NotFound
    game, present_seat, _ = find_game(tx, slug, person, mode="read")
    if present_seat is not None:
        return
    own_seat = returning_seat(game.row, person.id)
    if own_seat is not None:
        source = _source(tx, game)
        _write_seat_change(
            source, reseat(source, own_seat, person.id), reason=ServerReason.RETURNED
        )
        return
    seat = volunteer_seat(game.row)
    if not game.row.has_viewer_sat and not _may_volunteer(tx, game, person, link):
        raise NotFound
    if seat is not None:
        _step_in(tx, game, seat, person, name=name)
    elif ledger.was_seat_lost(tx, game.row.id):
        raise NotAllowed(DenialReason.OFFER_NO_LONGER_OPEN)
    else:
        raise NotFound


def _step_in(tx: Tx, game: LoadedGame, seat: int, person: Person, *, name: str) -> None:
    """Seat a volunteer, whose games are counted while no other request of theirs can add one."""
    lock_game_count(tx, person)
    if (refusal := _refusal(tx, game, person)) is not None:
        raise refusal
    source = _source(tx, game)
    reason = (
        ServerReason.STEPPED_IN_FOR_UNREACHED
        if was_unreachable(game.row, seat)
        else ServerReason.STEPPED_IN_FOR_MISSED
    )
    planned_change = seat_volunteer(source, seat, person.id, name=name)
    _write_seat_change(source, planned_change, reason=reason)


def _may_volunteer(tx: Tx, game: LoadedGame, person: Person | None, link: str) -> bool:
    """Return whether this person may hear of an open seat for volunteers.

    Anyone may at a public table, members at a table of their club, and people with an invitation at any other table.
    """
    if game.row.late_rules.replacement != "volunteers":
        return False
    return may_view(game, person) or is_invited(tx, game.slug, link, person)


def _link_to_share(tx: Tx, game: LoadedGame, person: Person | None) -> str | None:
    """Return the token of the table's own link, for someone who sits at a private table or hosts it."""
    is_at_table = game.seat_of(person) is not None or game.is_hosted_by(person)
    if not is_at_table or game.row.public or volunteer_seat(game.row) is None:
        return None
    rows = invitations.invitations_of_game(tx, game.row.id)
    return table_link_token(rows, tx.keys)


def _refusal(tx: Tx, game: LoadedGame, person: Person) -> NotAllowed | None:
    """Return why this person can't step in; None if they can."""
    reason = _denial_reason(tx, game, person)
    if reason is not None:
        return NotAllowed(reason)
    return missed_condition(tx, game.row.late_rules, person)


def _denial_reason(tx: Tx, game: LoadedGame, person: Person) -> DenialReason | None:
    row = game.row
    if row.seat_of(person.id) is not None:
        return DenialReason.ALREADY_SEATED
    if changes.has_sat(tx, row.id, person.id):
        return DenialReason.HAD_SEAT_IN_GAME
    if moderators.has_peeked(tx, row.id, person.id):
        return DenialReason.PEEKED_AT_GAME
    if not may_sit_with(tx, row.host_id, person.id):
        return DenialReason.SEAT_REFUSED
    return None if has_room_for_game(tx, person.id) else DenialReason.TOO_MANY_GAMES


def _source(tx: Tx, game: LoadedGame) -> ChangeSource:
    row = games.find_many_to_play(tx, [game.row.id])[game.row.id]
    return ChangeSource(tx, load_game(tx, row), by=SERVER)


def _write_seat_change(
    source: ChangeSource, planned_change: PlannedChange, *, reason: ServerReason
) -> None:
    """Write the change, record it, and inform the table."""
    tx, game = source.tx, source.game
    by, act = (SERVER, reason), GameRight.SEAT_PERSON
    entry_id = write_and_record(source, act, planned_change, by=by)
    people = {seat.account_id for seat in game.row.seats} | {game.row.host_id}
    others = sorted(filter(None, people - {planned_change.change.after.account_id}))
    queue_emails_about_act(tx, game, entry_id, others)
