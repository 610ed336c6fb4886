"""What only a site moderator's right allows in a club: it needs a reason, the ledger has it, and the members get an email."""

from webapp.accounts.security_log import record_act
from webapp.clubs.access import ClubAccess
from webapp.clubs.queries import members
from webapp.kernel.moderator_reasons import checked_reason
from webapp.kernel.rights import ClubRight, Relation, has_club_right
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification
from webapp.moderation.queries.ledger import NewLedgerEntry


def needs_reason(access: ClubAccess, right: ClubRight) -> bool:
    """Return whether the viewer has this right only because they moderate the whole site."""
    return access.has_right(right) and not has_club_right(
        right, access.relations - {Relation.SITE_MODERATOR}
    )


def record_site_act(
    tx: Tx,
    access: ClubAccess,
    *,
    act: str,
    reason: str,
    account_id: int | None = None,
) -> None:
    """Write what the viewer does to the ledger, and queue the emails about it. Raises FieldErrors for ``reason``."""
    assert access.me is not None
    entry = NewLedgerEntry(
        act=act,
        actor_id=access.me.id,
        acted_as=Relation.SITE_MODERATOR,
        club_id=access.club.id,
        account_id=account_id,
        reason=checked_reason(reason),
        # Both acts change nothing the second time and get here only once.
        form_id=f"{act} {access.club.id} {account_id or 0} {tx.now.isoformat()}",
        at=tx.now,
    )
    entry_id = record_act(tx, entry)
    if entry_id is not None:
        _notify_members(tx, access.club.id, entry_id)


def _notify_members(tx: Tx, club_id: int, entry_id: int) -> None:
    """Queue an email to every member: what a site moderator does concerns them all."""
    emails = [
        NewNotification(
            kind="club-act",
            game_id=None,
            account_id=member.account_id,
            dedup_key=entry_id,
            due_at=tx.now,
        )
        for member in members.members_of_club(tx, club_id)
        if member.status == "member"
    ]
    outbox.enqueue(tx, emails)
    tx.nudges.add("emails")
