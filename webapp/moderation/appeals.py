"""Appeals against sanctions, with the link in their emails and without signing in."""

from datetime import datetime
from typing import Final

from webapp.kernel.errors import DenialReason, NotAllowed, NotFound
from webapp.kernel.keyring import Keyring, hash_of
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.moderation.complaints import checked_complaint
from webapp.moderation.queries import reports, sanctions
from webapp.moderation.queries.reports import NewReport
from webapp.moderation.queries.sanctions import SanctionRow

_PURPOSE: Final = "appeal"


class SentAppeal(Redacted, frozen=True, kw_only=True):
    """An appeal that a person has sent; ``answer`` is None until a moderator has decided."""

    complaint: str
    at: datetime
    answer: str | None


class AppealPage(Redacted, frozen=True, kw_only=True):
    """What an appeal is against, and the appeal if it was sent."""

    kind: str
    reason: str
    until: datetime | None
    is_lifted: bool
    zone: str
    """The time zone of the person, who need not be signed in."""
    sent: SentAppeal | None


def new_appeal_token(ledger_id: int, keys: Keyring) -> str:
    """Return the token with which the person will appeal against what this entry of the ledger records."""
    return keys.token(_PURPOSE, ledger_id)


def appeal_token(sanction: SanctionRow, keys: Keyring) -> str:
    """Return the token with which the person appeals, made with the key that was in use at the time, if it is known."""
    tokens = keys.tokens(_PURPOSE, sanction.ledger_id)
    return next((token for token in tokens if hash_of(token) == sanction.appeal_hash), tokens[0])


def appeal_page(tx: Tx, token: str) -> AppealPage:
    """Return what the token appeals against. Raises NotFound."""
    sanction, zone = _find_sanction_and_zone(tx, token)
    return AppealPage(
        kind=sanction.kind,
        reason=sanction.reason,
        until=sanction.until,
        is_lifted=sanction.lifted_at is not None,
        zone=zone,
        sent=_sent_appeal(tx, sanction),
    )


def send_appeal(tx: Tx, token: str, *, text: str) -> None:
    """Store an appeal for the moderators. Raises NotFound, FieldErrors, and NotAllowed if one was sent already."""
    sanction, _ = _find_sanction_and_zone(tx, token)
    if _sent_appeal(tx, sanction) is not None:
        raise NotAllowed(DenialReason.APPEALED_ALREADY)
    report = NewReport(
        kind="appeal",
        reporter_id=sanction.account_id,
        account_id=sanction.account_id,
        sanction_id=sanction.id,
        complaint=checked_complaint(text),
        at=tx.now,
    )
    if not reports.add(tx, report):
        raise NotAllowed(DenialReason.APPEALED_ALREADY)


def _find_sanction_and_zone(tx: Tx, token: str) -> tuple[SanctionRow, str]:
    """Return what the token appeals against, and the time zone of the person."""
    found_sanction = sanctions.find_by_appeal(tx, hash_of(token))
    if found_sanction is None:
        raise NotFound
    return found_sanction


def _sent_appeal(tx: Tx, sanction: SanctionRow) -> SentAppeal | None:
    appeal_report = reports.newest_appeal(
        tx, account_id=sanction.account_id, sanction_id=sanction.id
    )
    if appeal_report is None:
        return None
    return SentAppeal(
        complaint=appeal_report.complaint, at=appeal_report.at, answer=appeal_report.answer
    )
