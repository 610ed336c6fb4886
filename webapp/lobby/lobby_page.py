"""What the page of a table shows before the deal, or after it was cancelled."""

from collections.abc import Sequence
from datetime import datetime

from webapp.accounts.person import Person
from webapp.clock.queries.reliability import Reliability
from webapp.clock.reliability import reliability_by_seat
from webapp.kernel.game_status import GameStatus
from webapp.kernel.keyring import Keyring
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.rights import SERVER, GameRight
from webapp.kernel.tx import Tx
from webapp.lobby.host_actions import RemovableSeat, removable_seats
from webapp.lobby.invitations import table_link_token
from webapp.lobby.queries import invitations
from webapp.lobby.queries.invitations import InvitationRow
from webapp.lobby.ready_check import LobbyAction, permitted_actions, salt_of_seat
from webapp.lobby.seats import leave_seat_token
from webapp.lobby.waiting_tables import answer_time, closing_time
from webapp.play.access import GameAccess, LoadedGame
from webapp.play.queries.rows import GameRow
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary
from webapp.play.views.page_version import page_version


class InvitedCard(Redacted, frozen=True):
    """An address that the viewer invited, or the name of a person whose address they don't know."""

    label: str
    is_accepted: bool


class LobbyPage(Redacted, frozen=True, kw_only=True):
    """A table before the deal, or one that was cancelled."""

    me: Person | None
    version: str
    seat: int | None
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    reliability: dict[int, Reliability]
    """How reliably the people in the seats take their turns, by seat; empty for visitors."""
    permitted_actions: frozenset[LobbyAction]
    link_token: str | None
    """The token of the table link, for seated people and the host: everyone who has it may see the table and take a seat."""
    sent_invitations: tuple[InvitedCard, ...]
    unanswered_count: int
    """How many of the people whom the viewer invited have not answered yet."""
    closes_at: datetime | None
    """When an open table closes unless its seats change."""
    answer_by: datetime | None
    """When the ready-check ends, and those who have not confirmed lose their seats."""
    removable_seats: tuple[RemovableSeat, ...]
    """The seats that the viewer, who is the host, can free."""
    removals: int
    """How many people the host has removed: part of the form that takes a seat."""
    is_closed_unfilled: bool
    """Whether it was closed because its seats were not all taken."""
    my_salt: str
    """The words that the viewer has added to the shuffles, or else those that the server suggests."""
    leave_seat_token: str
    """The token of the form that leaves the seat; empty without a seat."""


def lobby_page(tx: Tx, game: LoadedGame, me: Person | None) -> LobbyPage:
    """Return the lobby of a game that this person may see."""
    row = game.row
    seat = game.seat_of(me)
    is_member = seat is not None or game.is_hosted_by(me)
    actions = permitted_actions(game, me)
    rows = invitations.invitations_of_game(tx, row.id) if is_member else ()
    sent_invitations = () if me is None else _invited_cards(me, rows)
    return LobbyPage(
        me=me,
        version=page_version(GameAccess(game, seat, me)),
        seat=seat,
        table=table_summary(row),
        seats=seat_summaries(row, me=seat, now=tx.now if is_member else None),
        reliability=reliability_by_seat(tx, row.seats, me),
        permitted_actions=actions,
        link_token=_link_token(game, rows, tx.keys),
        sent_invitations=sent_invitations,
        unanswered_count=sum(not card.is_accepted for card in sent_invitations),
        closes_at=closing_time(row),
        answer_by=_answer_time_to_come(row, tx.now),
        removable_seats=removable_seats(game, me, tx.keys) if "remove-player" in actions else (),
        removals=row.removal_count,
        is_closed_unfilled=any(
            act.act == GameRight.CANCEL_GAME and act.acted_as == SERVER for act in row.acts
        ),
        my_salt="" if me is None else salt_of_seat(tx.keys, game, me),
        leave_seat_token=""
        if seat is None or me is None
        else leave_seat_token(row.slug, me, tx.keys),
    )


def _answer_time_to_come(row: GameRow, now: datetime) -> datetime | None:
    """Return when the ready-check ends; None if that has passed, as it may have during an outage."""
    ends_at = answer_time(row)
    return ends_at if ends_at is not None and ends_at > now else None


def require_no_unanswered_invitations(tx: Tx, game: LoadedGame, person: Person) -> None:
    """Raise NotAllowed while someone whom this person invited may still want one of the free seats."""
    rows = invitations.invitations_of_game(tx, game.row.id)
    if any(not card.is_accepted for card in _invited_cards(person, rows)):
        raise NotAllowed(DenialReason.INVITATIONS_UNANSWERED)


def _link_token(game: LoadedGame, rows: Sequence[InvitationRow], keys: Keyring) -> str | None:
    if game.status == GameStatus.CANCELLED:
        return None
    return table_link_token(rows, keys)


def _invited_cards(me: Person, rows: Sequence[InvitationRow]) -> tuple[InvitedCard, ...]:
    """Return the addresses this person invited; what others invited stays private.

    Several people may have invited one address, which got one email: when it is accepted, it counts for all of them.
    """
    emailed_rows = [(row.address, row) for row in rows if row.address]
    accepted_pairs = {
        (address.lower(), row.invited_by)
        for address, row in emailed_rows
        if row.accepted_by is not None
    }
    return tuple(
        InvitedCard(
            row.name or address,
            row.accepted_by is not None
            or any(other == address.lower() and by != me.id for other, by in accepted_pairs),
        )
        for address, row in emailed_rows
        if row.invited_by == me.id
    )
