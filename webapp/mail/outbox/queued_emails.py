"""The outbox as an operator sees and changes it: without what emails contain, which holds secrets."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from webapp.kernel.database import is_storable
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Tx
from webapp.mail.queries import pending_emails
from webapp.mail.queries.pending_emails import EmailSelection, QueuedEmail

MAX_LISTED: Final = 200


def select_emails(
    ids: Sequence[int] = (),
    *,
    game_slug: str | None = None,
    since: datetime | None = None,
    is_dead_only: bool = False,
) -> EmailSelection:
    """Return a selection of all emails, or of those with these ids, about a game, due since an instant, or given up.

    Raises NotFound for an impossible slug.
    """
    if game_slug is not None and not is_storable(game_slug):
        raise NotFound
    return EmailSelection(tuple(ids), game_slug, since, is_dead_only)


def newest_emails(tx: Tx, selection: EmailSelection) -> Sequence[QueuedEmail]:
    """Return the newest of the selected emails."""
    return pending_emails.newest_emails(tx, selection, limit=MAX_LISTED)


def find_email(tx: Tx, email_id: int) -> QueuedEmail:
    """Return an email. Raises NotFound."""
    emails = pending_emails.newest_emails(tx, EmailSelection(ids=(email_id,)), limit=1)
    if not emails:
        raise NotFound
    return emails[0]


def try_again(tx: Tx, selection: EmailSelection) -> Sequence[int]:
    """Let selected emails that were given up or wait be sent now; return their ids. Those that no longer apply are dropped then."""
    return pending_emails.retry(tx, selection)
