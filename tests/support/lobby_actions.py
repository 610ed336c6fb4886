"""Actions in the lobby as a page would perform them, and what they lead to."""

import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Final

import pytest
from sqlalchemy import select

from tests.support.factories import Guest
from tests.support.game_pages import game_page
from tests.support.transactions import KEYS, NOON, read_only, transaction, using
from webapp.kernel.keyring import TokenSource
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.tx import Database
from webapp.lobby import invitations
from webapp.lobby.host_actions import cancel_table, choose_starter, fill_with_bots
from webapp.lobby.lobby_page import LobbyPage
from webapp.lobby.ready_check import confirm_ready, withdraw_ready
from webapp.lobby.seats import leave_seat, take_seat
from webapp.mail.schema import Notification
from webapp.play import access

_ACTIONS: Final[dict[str, Callable[..., object]]] = {
    "withdraw_ready": withdraw_ready,
    "take_seat": take_seat,
    "leave_seat": leave_seat,
    "confirm_ready": confirm_ready,
    "fill_with_bots": fill_with_bots,
    "choose_starter": choose_starter,
    "cancel_table": cancel_table,
}


def take_lobby_action(
    database: Database,
    slug: str,
    guest: Guest,
    action: str,
    *,
    now: datetime = NOON,
    **options: object,
) -> object:
    """Call the service of this name for a guest and return its result."""
    with transaction(database, now) as tx:
        game, _, own_seat = access.game_for(tx, slug, guest.cookie, mode="change")
        assert own_seat is not None
        return _ACTIONS[action](tx, game, own_seat, **options)


def denial_of(
    database: Database, slug: str, guest: Guest, action: str, **options: object
) -> DenialReason:
    """Return why the service of this name refuses this guest."""
    with pytest.raises(NotAllowed) as error_info:
        take_lobby_action(database, slug, guest, action, **options)
    return error_info.value.reason


def lobby_of(
    database: Database, slug: str, guest: Guest | None, *, now: datetime = NOON
) -> LobbyPage:
    """Return the lobby page of a table that has not been dealt."""
    with read_only(database) as tx:
        page = game_page(tx, slug, guest and guest.cookie, keys=KEYS, now=now)
    assert isinstance(page, LobbyPage)
    return page


def queued_emails(database: Database, kind: str) -> list[tuple[int | None, int]]:
    """Return account and dedup key of all notifications of this kind, oldest first."""
    with transaction(database) as tx:
        query = (
            select(Notification.account_id, Notification.dedup_key)
            .where(Notification.kind == kind)
            .order_by(Notification.id)
        )
        return [(row[0], row[1]) for row in tx.execute(query)]


def send_invitation(database: Database, slug: str, host: Guest, address: str) -> None:
    """Invite an address to a table."""
    with transaction(database) as tx:
        game = access.game_for(tx, slug, host.person, mode="change").game
        source = TokenSource(KEYS, secrets.token_bytes)
        invitations.invite(using(tx, source=source), game, host.person, address=address)
