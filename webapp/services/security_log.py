"""The security log: one row for site moderators and one line for the operator's log, for each event that matters.

Its own module, beside the subjects, because services of every subject record events here. The line holds the account's
id and the kind of event, but neither the email address nor the network address: logs are kept by other rules than the
database, whose periods are in ``services.privacy.retention``.
"""

import logging
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any, Final

from webapp.services.tx import Tx
from webapp.store.moderation import ledger, security_events
from webapp.store.moderation.ledger import NewLedgerEntry
from webapp.store.moderation.security_events import NewSecurityEvent

_log = logging.getLogger("lodepost.security")


class SecurityEventKind(StrEnum):
    """What happened."""

    SIGN_IN = "sign-in"
    CODE_LIMIT_REACHED = "code-limit-reached"
    SIGN_IN_PAUSED = "sign-in-paused"
    SIGN_OUT_OTHERS = "sign-out-others"
    SIGNED_OUT_BY_OPERATOR = "signed-out-by-operator"
    """All sessions of one account, or without ``account`` in the detail of all accounts."""
    IDENTITY_CONFIRMED = "identity-confirmed"
    PASSKEY_ADDED = "passkey-added"
    PASSKEY_REMOVED = "passkey-removed"
    ADDRESS_CHANGED = "address-changed"
    DATA_EXPORTED = "data-exported"
    ACCOUNT_DELETED = "account-deleted"
    RIGHTS_GRANTED = "rights-granted"
    RIGHTS_REMOVED = "rights-removed"
    SETTING_CHANGED = "setting-changed"
    PEEK = "peek"
    ACT = "act"
    """An act of a moderator; ``detail`` has the id of its entry in the ledger."""


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
    now: datetime,
    network_address: str | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Record an event in this transaction; after its commit write the line. ``detail`` must not contain a secret.

    ``account_id`` is the person who did it, None for the operator and for someone who is not signed in.
    """
    event = NewSecurityEvent(
        kind=kind,
        account_id=account_id,
        network_address=network_address,
        detail=detail or {},
        at=now,
    )
    event_id = security_events.add(tx.connection, event)
    tx.after_commit.append(partial(_write_line, kind, account_id, event_id))


def record_act(tx: Tx, entry: NewLedgerEntry, *, network_address: str | None = None) -> int | None:
    """Add an entry to the ledger, and to this log; return its id, None if its form was recorded before."""
    entry_id = ledger.add(tx.connection, entry)
    if entry_id is None:
        return None
    detail = {"ledger": entry_id, "act": entry.act}
    if entry.account_id is not None:
        detail["account"] = entry.account_id
    record(
        tx,
        _KIND_OF_ACT.get(entry.act, SecurityEventKind.ACT),
        account_id=entry.actor_id,
        now=entry.at,
        network_address=network_address,
        detail=detail,
    )
    return entry_id


def _write_line(kind: SecurityEventKind, account_id: int | None, event_id: int) -> None:
    account = "none" if account_id is None else account_id
    _log.info("kind=%s account=%s event=%d", kind.value, account, event_id)
