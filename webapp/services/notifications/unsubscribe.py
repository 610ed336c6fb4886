"""One-click opt-outs (RFC 8058). A token needs no session, does not expire and carries no address."""

from datetime import datetime
from typing import Final, Literal, TypeAlias

import msgspec

from webapp.services.accounts.person import Person, is_storable
from webapp.services.errors import NotFound
from webapp.services.keys import Keyring, hash_of
from webapp.services.notifications.email_context import UnsubscribeTokens
from webapp.services.tx import Tx
from webapp.store.notifications import opt_outs
from webapp.store.notifications.claimed_notifications import ClaimedNotification
from webapp.store.notifications.opt_outs import StoredToken, TokenRow

Scope: TypeAlias = Literal["game", "reminders", "everything"]
SCOPES: Final[dict[str, Scope]] = {
    "game": "game",
    "reminders": "reminders",
    "everything": "everything",
}


class UnsubscribePage(msgspec.Struct, frozen=True, kw_only=True):
    """What a token stops, and whether that has been stopped."""

    scope: Scope
    table_slug: str | None
    done: bool


def unsubscribe_page(tx: Tx, token: str) -> UnsubscribePage:
    """Return what a press on the button would stop, and change nothing. Raises NotFound."""
    found = _find(tx, token)
    return UnsubscribePage(
        scope=found.token.scope,  # type: ignore[arg-type] # only these values are ever stored
        table_slug=found.slug,
        done=found.is_opted_out,
    )


def unsubscribe(tx: Tx, token: str, *, now: datetime) -> UnsubscribePage:
    """Stop these emails; may be repeated. Raises NotFound."""
    opt_outs.opt_out(tx.connection, _find(tx, token).token, now=now)
    return unsubscribe_page(tx, token)


def resubscribe(tx: Tx, token: str) -> UnsubscribePage:
    """Send these emails again. Raises NotFound."""
    opt_outs.resubscribe(tx.connection, _find(tx, token).token)
    return unsubscribe_page(tx, token)


def resubscribe_person(tx: Tx, person: Person, scope: Scope, *, slug: str | None = None) -> None:
    """Send these emails again to a signed-in user; change nothing if they were not stopped."""
    table = slug if scope == "game" and slug and is_storable(slug) else None
    opt_outs.resubscribe_address(tx.connection, person.address, scope, table)


def tokens_for(
    notification: ClaimedNotification, keys: Keyring
) -> tuple[UnsubscribeTokens, tuple[TokenRow, ...]]:
    """Return the tokens for an email and the rows that make them work. A sign-in was requested and has none."""
    if notification.kind == "sign-in":
        return UnsubscribeTokens(), ()
    address = notification.address.lower()
    scopes: dict[Scope, int | None] = {"everything": None, "reminders": None}
    if notification.game_id is not None:
        scopes["game"] = notification.game_id
    tokens = {
        scope: keys.token("unsubscribe", address, scope, game_id)
        for scope, game_id in scopes.items()
    }
    rows = tuple(
        TokenRow(hash_of(tokens[scope]), address, scope, game_id)
        for scope, game_id in scopes.items()
    )
    return UnsubscribeTokens(**tokens), rows


def _find(tx: Tx, token: str) -> StoredToken:
    found = opt_outs.find(tx.connection, hash_of(token))
    if found is None:
        raise NotFound
    return found
