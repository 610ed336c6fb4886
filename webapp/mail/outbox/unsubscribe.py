"""One-click opt-outs (RFC 8058). A token needs no session, does not expire and carries no address."""

from typing import Final, Literal, TypeAlias

import msgspec

from webapp.accounts import security_log
from webapp.accounts.person import Person
from webapp.accounts.queries import accounts
from webapp.accounts.security_log import SecurityEventKind
from webapp.kernel.database import is_storable
from webapp.kernel.keyring import hash_of
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Tx
from webapp.mail.queries import opt_outs
from webapp.mail.queries.opt_outs import StoredToken

UnsubscribeScope: TypeAlias = Literal[
    "game", "club", "requests", "seats", "reminders", "everything"
]
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


def unsubscribe(tx: Tx, token: str) -> UnsubscribePage:
    """Stop these emails; may be repeated. Raises NotFound."""
    if not unsubscribe_by_hash(tx, hash_of(token)):
        raise NotFound
    return unsubscribe_page(tx, token)


def unsubscribe_by_hash(tx: Tx, token_hash: bytes) -> bool:
    """Stop the emails of the token with this hash; return False if there is none."""
    stored_token = opt_outs.find(tx, token_hash)
    if stored_token is None:
        return False
    opt_outs.opt_out(tx, stored_token.token)
    if not stored_token.is_opted_out:
        _record_change(tx, SecurityEventKind.OPTED_OUT, stored_token)
    return True


def stops_emails(tx: Tx, token_hash: bytes) -> bool:
    """Return whether the token with this hash stops emails."""
    return opt_outs.find(tx, token_hash) is not None


def resubscribe(tx: Tx, token: str) -> UnsubscribePage:
    """Send these emails again. Raises NotFound."""
    stored_token = _find_token(tx, token)
    opt_outs.resubscribe(tx, stored_token.token)
    if stored_token.is_opted_out:
        _record_change(tx, SecurityEventKind.RESUBSCRIBED, stored_token)
    return unsubscribe_page(tx, token)


def resubscribe_person(
    tx: Tx, person: Person, scope: UnsubscribeScope, *, slug: str | None = None
) -> None:
    """Send these emails again to a signed-in user; change nothing if they were not stopped."""
    table = slug if scope == "game" and slug and is_storable(slug) else None
    if not opt_outs.resubscribe_address(tx, person.address, scope, table):
        return
    security_log.record(
        tx,
        SecurityEventKind.RESUBSCRIBED,
        account_id=person.id,
        detail={"scope": scope},
    )


def _record_change(tx: Tx, kind: SecurityEventKind, stored_token: StoredToken) -> None:
    """Record whose emails were stopped or asked for; anyone with the link can do that."""
    account = accounts.find_by_address(tx, stored_token.token.address)
    detail: dict[str, object] = {} if account is None else {"account": account.id}
    detail["scope"] = stored_token.token.scope
    security_log.record(tx, kind, account_id=None, detail=detail)


def _find_token(tx: Tx, token: str) -> StoredToken:
    stored_token = opt_outs.find(tx, hash_of(token))
    if stored_token is None:
        raise NotFound
    return stored_token
