"""The emails about an act on a game: who gets one, and of which kind."""

from datetime import datetime
from typing import Final

from webapp.rights import GameRight
from webapp.services.play.public_change import PublicChange
from webapp.services.tx import Tx
from webapp.store.moderation.games_under_moderation import GameUnderModeration
from webapp.store.notifications import outbox
from webapp.store.notifications.outbox import NewNotification

_ACTS_WITHOUT_EMAIL: Final = {
    GameRight.RESEND_EMAIL,
    GameRight.OFFER_SEAT,
    GameRight.WITHDRAW_OFFER,
}
"""The table reads of them on its page. Of an offer it gets an email once it is accepted."""


def queue_act_emails(
    tx: Tx,
    game: GameUnderModeration,
    change: PublicChange,
    entry_id: int,
    *,
    act: GameRight,
    now: datetime,
) -> None:
    """Queue the emails about an act: of a nudge only to the player, of others to everyone who sits or sat there."""
    if act in _ACTS_WITHOUT_EMAIL:
        return
    seated_ids = {change.before.account_id, change.after.account_id}
    involved_ids = seated_ids | {change.account_id, change.before.offered_by}
    recipients = {change.account_id} if act == GameRight.NUDGE else game.people | involved_ids
    notices = [
        NewNotification(
            kind="nudge" if act == GameRight.NUDGE else "moderator-act",
            game_id=game.id,
            seq=game.turn_seq if act == GameRight.NUDGE else game.seq,
            account_id=account_id,
            dedup_key=entry_id,
            due_at=now,
        )
        for account_id in sorted(filter(None, recipients))
    ]
    outbox.enqueue(tx.connection, notices)
    tx.nudges.add("emails")
