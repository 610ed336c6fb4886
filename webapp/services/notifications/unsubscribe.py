"""One-click ends of letters (RFC 8058). A token needs no session, does not expire and carries no address."""

from datetime import datetime
from typing import Final, Literal, TypeAlias

import msgspec

from webapp.services.accounts.person import Person, is_storable
from webapp.services.errors import NotFound
from webapp.services.keys import Keyring, hash_of
from webapp.services.notifications.email_context import Unsubscribe
from webapp.services.tx import Tx
from webapp.store.notifications import opt_outs
from webapp.store.notifications.claimed import ClaimedNotification
from webapp.store.notifications.opt_outs import TokenRow

Scope: TypeAlias = Literal["game", "reminders", "everything"]
SCOPES: Final[dict[str, Scope]] = {
    "game": "game",
    "reminders": "reminders",
    "everything": "everything",
}


class UnsubscribePage(msgspec.Struct, frozen=True, kw_only=True):
    """What a token ends, and whether it was pressed already."""

    scope: Scope
    table_slug: str | None
    done: bool


def unsubscribe_page(tx: Tx, token: str) -> UnsubscribePage:
    """What a press on the button would end; looking ends nothing. Raises NotFound."""
    return _page(tx, token)


def unsubscribe(tx: Tx, token: str, *, now: datetime) -> UnsubscribePage:
    """End these letters; may be repeated. Raises NotFound."""
    row, _, _ = _find(tx, token)
    opt_outs.opt_out(tx.connection, row, now=now)
    return _page(tx, token)


def resubscribe(tx: Tx, token: str) -> UnsubscribePage:
    """Want these letters again. Raises NotFound."""
    row, _, _ = _find(tx, token)
    opt_outs.resubscribe(tx.connection, row)
    return _page(tx, token)


def resubscribe_person(tx: Tx, person: Person, scope: Scope, *, slug: str | None = None) -> None:
    """Want these letters again, as somebody who is signed in; nothing happens where they were not stopped."""
    table = slug if scope == "game" and slug and is_storable(slug) else None
    opt_outs.resubscribe_address(tx.connection, person.address, scope, table)


def tokens_for(
    letter: ClaimedNotification, keys: Keyring
) -> tuple[Unsubscribe, tuple[TokenRow, ...]]:
    """The tokens that stand in a letter, and the rows that make them work. A sign-in was asked for and has none."""
    if letter.kind == "sign-in":
        return Unsubscribe(), ()
    scopes: dict[Scope, int | None] = {"everything": None, "reminders": None}
    if letter.game_id is not None:
        scopes["game"] = letter.game_id
    tokens = {scope: _token(letter, scope, game_id, keys) for scope, game_id in scopes.items()}
    rows = tuple(
        TokenRow(hash_of(tokens[scope]), letter.address.lower(), scope, game_id)
        for scope, game_id in scopes.items()
    )
    return Unsubscribe(**tokens), rows


def _token(letter: ClaimedNotification, scope: Scope, game_id: int | None, keys: Keyring) -> str:
    return keys.token("unsubscribe", letter.address.lower(), scope, game_id)


def _page(tx: Tx, token: str) -> UnsubscribePage:
    row, slug, done = _find(tx, token)
    return UnsubscribePage(
        scope=row.scope,  # type: ignore[arg-type] # nothing else is ever written there
        table_slug=slug,
        done=done,
    )


def _find(tx: Tx, token: str) -> tuple[TokenRow, str | None, bool]:
    found = opt_outs.find(tx.connection, hash_of(token))
    if found is None:
        raise NotFound
    return found
