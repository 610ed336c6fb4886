"""What the context of an email is built from, and the envelope that all kinds of email share."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from webapp.services.email_kinds import DropReason
from webapp.services.keys import Keyring
from webapp.services.notifications.email_envelope import Envelope
from webapp.services.notifications.unsubscribe import tokens_for
from webapp.services.play.access import LoadedGame
from webapp.store.lobby.open_seats import OpenSeatRow
from webapp.store.moderation.reports import ReportRow
from webapp.store.moderation.sanctions import SanctionRow
from webapp.store.notifications.claimed_notifications import ClaimedNotification
from webapp.store.play.messages import MessageRow
from webapp.store.play.turns import TurnRow


class EmailSource(NamedTuple):
    """Everything that a context is built from. ``game`` is None for emails outside games."""

    notification: ClaimedNotification
    game: LoadedGame | None
    new_turns: Sequence[TurnRow]
    """The turns since the recipient last acted."""
    keys: Keyring
    now: datetime
    whole_log: Sequence[TurnRow] = ()
    """All turns of a game that is over, for the email about its end."""
    sanction: SanctionRow | None = None
    report: ReportRow | None = None
    messages: tuple[MessageRow, ...] = ()
    """The latest table talk that the recipient reads."""
    open_seats: tuple[OpenSeatRow, ...] | None = None
    """The open seats that the recipient may take; None if they want no emails about them."""

    @property
    def may_see_game(self) -> bool:
        """Whether the recipient may open the game: those who have left their seat wait until it is over."""
        if self.game is None:
            return False
        is_seated = self.game.row.seat_of(self.notification.recipient_id) is not None
        return is_seated or not self.game.status.is_under_way


class Superseded(Exception):
    """The email no longer applies; ``reason`` is stored in its row."""

    def __init__(self, reason: DropReason) -> None:
        super().__init__(reason)
        self.reason: DropReason = reason


def message_id_of(notification: ClaimedNotification, keys: Keyring) -> str:
    """Return the Message-ID: the same on every retry, another one for each notification (RFC 5322)."""
    return keys.message_id(
        notification.kind,
        notification.game_id,
        notification.seq,
        notification.account_id,
        notification.dedup_key,
    )


def envelope_for(source: EmailSource) -> Envelope:
    """Return the recipient and the place of the email in its thread."""
    notification, keys = source.notification, source.keys
    return Envelope(
        kind=notification.kind,  # type: ignore[arg-type] # only these values are ever stored
        address=notification.address,
        name=notification.name,
        language=notification.language,
        zone=notification.zone,
        message_id=message_id_of(notification, keys),
        root_id=notification.thread_id,
        list_id=_list_id(source),
        unsubscribe=tokens_for(notification, keys)[0],
    )


def require_game(source: EmailSource) -> LoadedGame:
    """Return the game. Raises Superseded if there is none."""
    if source.game is None:
        raise Superseded("no-game")
    return source.game


def require_seated(source: EmailSource) -> tuple[LoadedGame, int]:
    """Return the game and the recipient's seat. Raises Superseded if they have none."""
    game = require_game(source)
    seat = game.row.seat_of(source.notification.account_id)
    if seat is None:
        raise Superseded("not-seated")
    return game, seat.number


def _list_id(source: EmailSource) -> str | None:
    """Return the identity of the game's emails, or of the club's announcements (RFC 2919)."""
    notification, domain = source.notification, source.keys.domain
    if source.game is not None and notification.thread_id is not None:
        # As long as the game lasts, because people sort their emails by it.
        return f"{source.game.slug}.{notification.thread_id.strip('<>').partition('@')[2]}"
    if notification.kind == "club-announcement" and notification.club is not None:
        return f"{notification.club.slug}.clubs.{domain}"
    return None
