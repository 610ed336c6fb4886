"""The emails to people who were invited to a table that is cancelled before the deal."""

from webapp.services.tx import Tx
from webapp.store.lobby import invitations
from webapp.store.notifications.outbox import NewNotification


def cancellation_emails_to_invited(tx: Tx, game_id: int) -> tuple[NewNotification, ...]:
    """Return the emails to the addresses that got an invitation to the table that no one has used."""
    return tuple(
        NewNotification(
            kind="table-cancelled",
            game_id=game_id,
            account_id=None,
            dedup_key=invitation_id,
            due_at=tx.now,
        )
        for invitation_id in invitations.unanswered_emailed_invitations(tx.connection, game_id)
    )
