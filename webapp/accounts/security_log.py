"""The security log: one row for site moderators and one line for the operator's log, for each event that matters.

The line holds the account's
id and the kind of event, but neither the email address nor the network address: logs are kept by other rules than the
database, whose periods are in ``webapp.privacy.retention``. It has the ids and kinds in ``detail``, with ``about_`` before
their names.
"""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from typing import Any, Final

from webapp.kernel.tx import Tx
from webapp.logs.fields import event_fields
from webapp.moderation.queries import ledger, security_events
from webapp.moderation.queries.ledger import NewLedgerEntry
from webapp.moderation.queries.security_events import NewSecurityEvent, StoredEvent

_log = logging.getLogger("lodepost.security")


class SecurityEventKind(StrEnum):
    """What happened."""

    SIGN_IN = "sign-in"
    CODE_REFUSED = "code-refused"
    CODE_LIMIT_REACHED = "code-limit-reached"
    SIGN_IN_PAUSED = "sign-in-paused"
    SIGN_OUT = "sign-out"
    SESSION_ENDED = "session-ended"
    """Someone has signed out another browser of theirs."""
    SIGN_OUT_OTHERS = "sign-out-others"
    SIGNED_OUT_BY_OPERATOR = "signed-out-by-operator"
    """The operator has ended all sessions of one account, or of all accounts if ``detail`` has no ``account``."""
    ACCESS_DENIED = "access-denied"
    """A signed-in person has opened a page, or sent a form, that is for others."""
    OPTED_OUT = "opted-out"
    RESUBSCRIBED = "resubscribed"
    IDENTITY_CONFIRMED = "identity-confirmed"
    PASSKEY_ADDED = "passkey-added"
    PASSKEY_REMOVED = "passkey-removed"
    ADDRESS_CHANGED = "address-changed"
    DATA_EXPORTED = "data-exported"
    ACCOUNT_DELETED = "account-deleted"
    RIGHTS_GRANTED = "rights-granted"
    RIGHTS_REMOVED = "rights-removed"
    SETTING_CHANGED = "setting-changed"
    OPERATOR_COMMAND = "operator-command"
    """A command that reads or changes private data and is no act of a moderator."""
    PEEK = "peek"
    ACT = "act"
    """An act of a moderator; ``detail`` has the id of its entry in the ledger."""


_COUNTED_KINDS: Final = frozenset(
    {
        SecurityEventKind.CODE_REFUSED,
        SecurityEventKind.ACCESS_DENIED,
        SecurityEventKind.OPTED_OUT,
        SecurityEventKind.RESUBSCRIBED,
    }
)
_MOST_TIMES_A_DAY: Final = 1000
"""The highest count of a row: it counts no further, so that repeating costs the database nothing."""
_KIND_OF_ACT: Final = {
    "moderator-add": SecurityEventKind.RIGHTS_GRANTED,
    "moderator-remove": SecurityEventKind.RIGHTS_REMOVED,
    "setting-change": SecurityEventKind.SETTING_CHANGED,
    "peek": SecurityEventKind.PEEK,
}


def record(
    tx: Tx,
    kind: SecurityEventKind,
    *,
    account_id: int | None,
    network_address: str | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Record an event in this transaction; after its commit write the line. ``detail`` must not contain a secret.

    ``account_id`` is the person who did it, None for the operator and for someone who is not signed in. What anyone can
    repeat as often as they like, or without being signed in, is counted: one row a day for each person who does it, or
    whose account it concerns, and a line the first, second, fourth, eighth ... time.
    """
    counted_as = (
        _counted_as(kind, account_id, detail or {}, tx.now) if kind in _COUNTED_KINDS else None
    )
    event = NewSecurityEvent(
        kind=kind,
        account_id=account_id,
        network_address=network_address,
        detail=detail or {},
        at=tx.now,
        counted_as=counted_as,
    )
    stored_event = security_events.add(tx, event, most_times=_MOST_TIMES_A_DAY)
    if stored_event is not None and stored_event.times.bit_count() == 1:
        tx.after_commit.append(partial(_write_line, event, stored_event))


def record_act(tx: Tx, entry: NewLedgerEntry, *, network_address: str | None = None) -> int | None:
    """Add an entry to the ledger, and to this log; return its id, None if its form was recorded before."""
    entry_id = ledger.add(tx, entry)
    if entry_id is None:
        return None
    detail = {"ledger": entry_id, "act": entry.act}
    if entry.account_id is not None:
        detail["account"] = entry.account_id
    record(
        tx.at(entry.at),
        _KIND_OF_ACT.get(entry.act, SecurityEventKind.ACT),
        account_id=entry.actor_id,
        network_address=network_address,
        detail=detail,
    )
    return entry_id


def record_command(tx: Tx, command: str, *, subjects: Mapping[str, Any] | None = None) -> None:
    """Record that the operator has run a command on private data, with the ids of its subjects."""
    detail = {"command": command, **(subjects or {})}
    record(tx, SecurityEventKind.OPERATOR_COMMAND, account_id=None, detail=detail)


def _counted_as(
    kind: SecurityEventKind, account_id: int | None, detail: Mapping[str, Any], now: datetime
) -> str:
    """Return what is counted in one row: this kind, by or about this person, where it was done, on this day (UTC)."""
    person = account_id or detail.get("account", 0)
    return f"{kind.value} {person} {detail.get('area', '')} {now.astimezone(UTC):%Y-%m-%d}"


def _write_line(event: NewSecurityEvent, stored_event: StoredEvent) -> None:
    account = "none" if event.account_id is None else event.account_id
    _log.info(
        "kind=%s account=%s event=%d",
        event.kind,
        account,
        stored_event.id,
        extra=event_fields(
            "security-event",
            kind=event.kind,
            account=event.account_id,
            security_event=stored_event.id,
            times=stored_event.times,
            **{f"about_{name}": str(value) for name, value in event.detail.items()},
        ),
    )
