"""Addresses that want no more of something, and the tokens with which they say so."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    LargeBinary,
    Text,
    and_,
    cast,
    delete,
    func,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert
from sqlalchemy.orm import aliased

from webapp.game_status import GameStatus
from webapp.store.redacted import Redacted
from webapp.store.schema.accounts import Account
from webapp.store.schema.notifications import OptOut, Unsubscribe
from webapp.store.schema.play import Game
from webapp.store.statements import Statement, given_rows


class TokenRow(Redacted, frozen=True):
    """What a token ends: for one address, one game's letters, all reminders, or everything."""

    token_hash: bytes
    address: str
    """In lower case."""
    scope: str
    game_id: int | None


class ActiveOptOut(msgspec.Struct, frozen=True, array_like=True):
    """What a person has stopped; ``slug`` and ``host`` are those of the table when it is one table's letters."""

    scope: str
    slug: str | None
    host: str | None


def opt_outs_json(account: type[Account], *, at_table: bool = False) -> ColumnElement[str | None]:
    """As part of another statement: what this person has stopped, of letters still to come; ``at_table`` of its game alone."""
    entry = func.json_build_array(OptOut.scope, _about.slug, _about.host_name)
    goes_on = and_(_about.status != GameStatus.FINISHED, _about.status != GameStatus.CANCELLED)
    touches = and_(goes_on, _about.id == Game.id) if at_table else goes_on
    return (
        select(cast(func.json_agg(aggregate_order_by(entry, OptOut.id)), Text))
        .select_from(OptOut)
        .outerjoin(_about, _about.id == OptOut.game_id)
        .where(OptOut.address == func.lower(account.address))
        .where(or_(OptOut.game_id.is_(None), touches))
        .scalar_subquery()
    )


def decode_opt_outs(text: str | None) -> tuple[ActiveOptOut, ...]:
    """What ``opt_outs_json`` gave."""
    return () if text is None else _SILENCES.decode(text)


def remember(connection: Connection, tokens: Sequence[TokenRow]) -> None:
    """Store tokens that go out in letters; those already stored stay as they are."""
    if tokens:
        # In one order, for two senders meet at the same tokens, and would wait for one another.
        ordered = sorted(tokens, key=lambda token: token.token_hash)
        _REMEMBER.run(
            connection,
            hashes=[token.token_hash for token in ordered],
            addresses=[token.address for token in ordered],
            scopes=[token.scope for token in ordered],
            games=[token.game_id for token in ordered],
        )


def find(connection: Connection, token_hash: bytes) -> tuple[TokenRow, str | None, bool] | None:
    """What a token ends, the slug of its game if it is about one, and whether that was ended already."""
    row = connection.execute(
        select(
            Unsubscribe.token_hash,
            Unsubscribe.address,
            Unsubscribe.scope,
            Unsubscribe.game_id,
            Game.slug,
            OptOut.id.is_not(None),
        )
        .select_from(Unsubscribe)
        .outerjoin(Game, Game.id == Unsubscribe.game_id)
        .outerjoin(OptOut, _same(Unsubscribe.address, Unsubscribe.scope, Unsubscribe.game_id))
        .where(Unsubscribe.token_hash == token_hash)
    ).first()
    return None if row is None else (TokenRow(*row[:4]), row[4], row[5])


def opt_out(connection: Connection, token: TokenRow, *, now: datetime) -> None:
    """End it; saying so twice changes nothing."""
    connection.execute(
        insert(OptOut)
        .values(address=token.address, scope=token.scope, game_id=token.game_id, at=now)
        .on_conflict_do_nothing()
    )


def resubscribe(connection: Connection, token: TokenRow) -> None:
    """Take it back."""
    connection.execute(delete(OptOut).where(_same(token.address, token.scope, token.game_id)))


def resubscribe_address(connection: Connection, address: str, scope: str, slug: str | None) -> None:
    """Take it back without a token; ``slug`` names the table when it is one table's letters."""
    game_id = select(Game.id).where(Game.slug == slug).scalar_subquery()
    connection.execute(delete(OptOut).where(_same(address.lower(), scope, game_id)))


def _same(address: Any, scope: Any, game_id: Any) -> ColumnElement[bool]:  # noqa: ANN401 - columns or values
    return and_(
        OptOut.address == address,
        OptOut.scope == scope,
        OptOut.game_id.is_not_distinct_from(game_id),
    )


_about = aliased(Game, name="about")
_SILENCES = msgspec.json.Decoder(tuple[ActiveOptOut, ...])


def _remembering() -> Statement:
    given = given_rows(hashes=LargeBinary(), addresses=Text(), scopes=Text(), games=BigInteger())
    rows = select(given.c.hashes, given.c.addresses, given.c.scopes, given.c.games)
    columns = ["token_hash", "address", "scope", "game_id"]
    return Statement(insert(Unsubscribe).from_select(columns, rows).on_conflict_do_nothing())


_REMEMBER = _remembering()
