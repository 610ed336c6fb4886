"""Appeals against sanctions, with the link in their emails and without signing in."""

from datetime import datetime

import msgspec

from webapp.services.errors import DenialReason, NotAllowed, NotFound
from webapp.services.keys import Keyring, hash_of
from webapp.services.moderation.complaints import checked_complaint
from webapp.services.tx import Tx
from webapp.store.moderation import reports, sanctions
from webapp.store.moderation.reports import NewReport
from webapp.store.moderation.sanctions import SanctionRow


class AppealPage(msgspec.Struct, frozen=True, kw_only=True):
    """What an appeal is against."""

    kind: str
    reason: str
    until: datetime | None


def appeal_token(ledger_id: int, keys: Keyring) -> str:
    """Return the token with which the person appeals against what this entry of the ledger records."""
    return keys.token("appeal", ledger_id)


def appeal_page(tx: Tx, token: str) -> AppealPage:
    """Return what the token appeals against. Raises NotFound."""
    found = _find(tx, token)
    return AppealPage(kind=found.kind, reason=found.reason, until=found.until)


def send_appeal(tx: Tx, token: str, *, text: str, now: datetime) -> None:
    """Store an appeal for the moderators. Raises NotFound, FieldErrors, and NotAllowed if one is waiting already."""
    found = _find(tx, token)
    report = NewReport(
        kind="appeal",
        reporter_id=found.account_id,
        account_id=found.account_id,
        sanction_id=found.id,
        complaint=checked_complaint(text),
        at=now,
    )
    if not reports.add(tx.connection, report):
        raise NotAllowed(DenialReason.REPORTED_ALREADY)


def _find(tx: Tx, token: str) -> SanctionRow:
    found = sanctions.find_by_appeal(tx.connection, hash_of(token))
    if found is None:
        raise NotFound
    return found
