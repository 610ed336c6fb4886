"""The emails about an act on a game: who gets one, of which kind, and when.

The email about an act that can be undone follows a little later: who undoes it before that has sent none at all.
"""

from datetime import timedelta
from typing import Any, Final

from webapp.services.email_outcomes import DropReason
from webapp.services.play.acts import Act
from webapp.services.play.public_change import PublicChange
from webapp.services.tx import Tx
from webapp.store.moderation.games_under_moderation import GameUnderModeration
from webapp.store.moderation.ledger import NewLedgerEntry
from webapp.store.notifications import outbox, pending_emails
from webapp.store.notifications.outbox import NewNotification

TIME_TO_UNDO: Final = timedelta(minutes=2)


def queue_act_emails(
    tx: Tx,
    game: GameUnderModeration,
    act: Act[Any],
    change: PublicChange,
    entry_id: int,
    entry: NewLedgerEntry,
) -> None:
    """Queue the emails about an act: to everyone who sits or sat there, or only to the player whom it is about.

    Who has got no email about an act gets none when it is undone.
    """
    if act.informs == "no one":
        return
    is_for_player, now = act.informs == "player", entry.at
    spared_ids: frozenset[int] = frozenset()
    if entry.undoes is not None:
        spared_ids = pending_emails.drop_unsent(
            tx.connection, game.id, entry.undoes, reason=DropReason.UNDONE.code, now=now
        )
    seated_ids = {change.before.account_id, change.after.account_id}
    involved_ids = seated_ids | {change.account_id, change.before.offered_by}
    recipients = {change.account_id} if is_for_player else game.people | involved_ids
    notices = [
        NewNotification(
            kind=act.name if is_for_player else "moderator-act",
            game_id=game.id,
            seq=game.turn_seq if is_for_player else game.seq,
            account_id=account_id,
            dedup_key=entry_id,
            due_at=now if act.undone_as is None else now + TIME_TO_UNDO,
        )
        for account_id in sorted(filter(None, recipients - spared_ids))
    ]
    outbox.enqueue(tx.connection, notices)
    tx.nudges.add("emails")
