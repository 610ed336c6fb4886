"""Changes of a game that no moderator makes: the server by itself, or all players together. The ledger and the table read of them."""

from collections.abc import Iterable

import msgspec

from webapp.rights import GameRight
from webapp.services.play.access import LoadedGame
from webapp.services.play.change_writer import write_change
from webapp.services.play.public_change import ChangeSource, PlannedChange
from webapp.services.security_log import record_act
from webapp.services.tx import Tx
from webapp.store.moderation.ledger import NewLedgerEntry
from webapp.store.notifications import outbox
from webapp.store.notifications.outbox import NewNotification


def write_and_record(
    source: ChangeSource, act: GameRight, planned_change: PlannedChange, *, by: tuple[str, str]
) -> int:
    """Write a change to the locked game and return its entry of the ledger; ``by`` is as what the change is made, and the reason."""
    write_change(source, planned_change)
    (acted_as, reason), change = by, planned_change.change
    game, now = source.game, source.now
    entry = NewLedgerEntry(
        act=act,
        actor_id=None,
        acted_as=acted_as,
        game_id=game.row.id,
        seat=change.seat,
        seq=game.row.seq,
        account_id=change.account_id,
        before=msgspec.to_builtins(change.before),
        after=msgspec.to_builtins(change.after),
        reason=reason,
        form_id=f"{acted_as} {act} {game.row.id} {change.before.account_id or 0} {now.isoformat()}",
        at=now,
    )
    entry_id = record_act(source.tx, entry)
    # The game is locked, and nothing else happens to it in this transaction.
    assert entry_id is not None
    return entry_id


def queue_emails_about_act(
    tx: Tx, game: LoadedGame, entry_id: int, account_ids: Iterable[int | None]
) -> None:
    """Queue the email about an entry of the ledger for these people."""
    notices = [
        NewNotification(
            kind="moderator-act",
            game_id=game.row.id,
            seq=game.row.seq,
            account_id=account_id,
            dedup_key=entry_id,
            due_at=tx.now,
        )
        for account_id in account_ids
    ]
    outbox.enqueue(tx.connection, notices)
    tx.nudges.add("emails")
