"""One-click opt-outs (RFC 8058). A token needs no session, does not expire and carries no address."""

from datetime import datetime
from typing import Final, Literal, TypeAlias

import msgspec

from webapp.services import security_log
from webapp.services.accounts.person import Person, is_storable
from webapp.services.email_kinds import REQUESTED_KINDS
from webapp.services.errors import NotFound
from webapp.services.keys import Keyring, hash_of
from webapp.services.notifications.email_envelope import UnsubscribeTokens
from webapp.services.security_log import SecurityEventKind
from webapp.services.tx import Tx
from webapp.store.accounts import accounts
from webapp.store.notifications import opt_outs
from webapp.store.notifications.claimed_notifications import ClaimedNotification
from webapp.store.notifications.opt_outs import StoredToken, TokenRow

UnsubscribeScope: TypeAlias = Literal[
    "game", "club", "requests", "seats", "reminders", "everything"
]
_KINDS_WITHOUT_SCOPE: Final = frozenset(
    {"club-invitation", "club-act", "club-admitted", "club-declined", "deadlines-moved"}
)
SCOPES: Final[dict[str, UnsubscribeScope]] = {
    "game": "game",
    "reminders": "reminders",
    "everything": "everything",
}


class UnsubscribePage(msgspec.Struct, frozen=True, kw_only=True):
    """What a token stops, and whether that has been stopped."""

    scope: UnsubscribeScope
    table_slug: str | None
    is_unsubscribed: bool


def unsubscribe_page(tx: Tx, token: str) -> UnsubscribePage:
    """Return what a press on the button would stop, and change nothing. Raises NotFound."""
    stored_token = _find_token(tx, token)
    return UnsubscribePage(
        scope=stored_token.token.scope,  # type: ignore[arg-type] # only these values are ever stored
        table_slug=stored_token.slug,
        is_unsubscribed=stored_token.is_opted_out,
    )


def unsubscribe(tx: Tx, token: str, *, now: datetime) -> UnsubscribePage:
    """Stop these emails; may be repeated. Raises NotFound."""
    stored_token = _find_token(tx, token)
    opt_outs.opt_out(tx.connection, stored_token.token, now=now)
    if not stored_token.is_opted_out:
        _record_change(tx, SecurityEventKind.OPTED_OUT, stored_token, now)
    return unsubscribe_page(tx, token)


def resubscribe(tx: Tx, token: str, *, now: datetime) -> UnsubscribePage:
    """Send these emails again. Raises NotFound."""
    stored_token = _find_token(tx, token)
    opt_outs.resubscribe(tx.connection, stored_token.token)
    if stored_token.is_opted_out:
        _record_change(tx, SecurityEventKind.RESUBSCRIBED, stored_token, now)
    return unsubscribe_page(tx, token)


def resubscribe_person(
    tx: Tx, person: Person, scope: UnsubscribeScope, *, slug: str | None = None, now: datetime
) -> None:
    """Send these emails again to a signed-in user; change nothing if they were not stopped."""
    table = slug if scope == "game" and slug and is_storable(slug) else None
    if not opt_outs.resubscribe_address(tx.connection, person.address, scope, table):
        return
    security_log.record(
        tx,
        SecurityEventKind.RESUBSCRIBED,
        account_id=person.id,
        now=now,
        detail={"scope": scope},
    )


def tokens_for(
    notification: ClaimedNotification, keys: Keyring
) -> tuple[UnsubscribeTokens, tuple[TokenRow, ...]]:
    """Return the tokens for an email and the rows that make them work. Emails about the account itself have none."""
    if notification.kind in REQUESTED_KINDS:
        return UnsubscribeTokens(), ()
    address = notification.address.lower()
    subject_id_by_scope = _subject_id_by_scope(notification)
    tokens = {
        scope: keys.token("unsubscribe", address, scope, subject_id)
        for scope, subject_id in subject_id_by_scope.items()
    }
    rows = tuple(
        _token_row(tokens[scope], address, scope, subject_id)
        for scope, subject_id in subject_id_by_scope.items()
    )
    return UnsubscribeTokens(**tokens), rows


def _subject_id_by_scope(notification: ClaimedNotification) -> dict[UnsubscribeScope, int | None]:
    """Return what the recipient may stop, with the id of the game or of the club that it is about."""
    if notification.kind in _KINDS_WITHOUT_SCOPE:
        return {"everything": None}
    if notification.kind == "open-seats":
        return {"everything": None, "seats": None}
    if notification.kind == "club-request" and notification.club is not None:
        return {"everything": None, "requests": notification.club.id}
    if notification.kind == "club-announcement" and notification.club is not None:
        return {"everything": None, "club": notification.club.id}
    if notification.game_id is None:
        return {"everything": None, "reminders": None}
    return {"everything": None, "reminders": None, "game": notification.game_id}


def _token_row(
    token: str, address: str, scope: UnsubscribeScope, subject_id: int | None
) -> TokenRow:
    """Return the row of a token; its subject is a club or a game."""
    if scope in {"club", "requests"}:
        return TokenRow(hash_of(token), address, scope, None, subject_id)
    return TokenRow(hash_of(token), address, scope, subject_id)


def _record_change(
    tx: Tx, kind: SecurityEventKind, stored_token: StoredToken, now: datetime
) -> None:
    """Record whose emails were stopped or asked for; anyone with the link can do that."""
    account = accounts.find_by_address(tx.connection, stored_token.token.address)
    detail: dict[str, object] = {} if account is None else {"account": account.id}
    detail["scope"] = stored_token.token.scope
    security_log.record(tx, kind, account_id=None, now=now, detail=detail)


def _find_token(tx: Tx, token: str) -> StoredToken:
    stored_token = opt_outs.find(tx.connection, hash_of(token))
    if stored_token is None:
        raise NotFound
    return stored_token
