"""Invitations to a rematch: to people whom the host knows by name, and not by address.

An invitation that exceeds a limit, or whose recipient has blocked the host, is stored and not sent: a refusal would tell the host
something about an address that they don't know. Everyone can also join from the page of the finished game.
"""

from collections.abc import Sequence

from webapp.services.accounts.blocks import is_invitation_sent, may_sit_with
from webapp.services.accounts.person import Person
from webapp.services.accounts.recipient_limits import (
    check_newcomer_limit,
    check_unanswered,
    lock_invitations,
    may_be_emailed,
)
from webapp.services.errors import FieldErrors
from webapp.services.keys import TokenSource
from webapp.services.lobby.invitation_links import Invitee, add_invitation
from webapp.services.lobby.invitations import check_daily_limit
from webapp.services.play.access import LoadedGame
from webapp.services.tx import Tx
from webapp.store.lobby import rematches
from webapp.store.notifications import outbox
from webapp.store.notifications.outbox import NewNotification
from webapp.store.play.rows import SeatRow


def invite_players(
    tx: Tx,
    table: LoadedGame,
    host: Person,
    seats: Sequence[SeatRow],
    *,
    source: TokenSource,
) -> None:
    """Email an invitation to the people in these seats of the finished game, except the host and whom the host has blocked."""
    account_ids = {seat.account_id for seat in seats if seat.account_id is not None} - {host.id}
    name_by_id = {seat.account_id: seat.name or "" for seat in seats}
    for player in rematches.players_by_address(tx.connection, account_ids):
        if may_sit_with(tx, host.id, player.account_id):
            invitee = Invitee(player.address, name_by_id[player.account_id])
            _invite(tx, table, host, invitee, source=source)
    tx.nudges.add("emails")


def _invite(
    tx: Tx,
    table: LoadedGame,
    host: Person,
    invitee: Invitee,
    *,
    source: TokenSource,
) -> None:
    lock_invitations(tx, host, invitee.address)
    is_sent = _is_sent(tx, host, invitee.address)
    invitation_id = add_invitation(tx, table.row.id, host, invitee=invitee, source=source)
    if is_sent:
        notification = NewNotification(
            kind="invitation",
            game_id=table.row.id,
            account_id=None,
            dedup_key=invitation_id,
            due_at=tx.now,
        )
        outbox.enqueue(tx.connection, [notification])


def _is_sent(tx: Tx, host: Person, address: str) -> bool:
    try:
        check_unanswered(tx, host, address, is_rematch=True)
        check_daily_limit(tx, host)
        check_newcomer_limit(tx, host)
    except FieldErrors:
        return False
    return is_invitation_sent(tx, address, host, ()) and may_be_emailed(tx, address)
