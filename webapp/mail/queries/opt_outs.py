"""Addresses that have opted out of emails, and the tokens of the links with which they do so."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Executable,
    LargeBinary,
    Text,
    and_,
    case,
    cast,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert
from sqlalchemy.orm import aliased

from webapp.accounts.schema import Account
from webapp.clubs.schema import Membership
from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted
from webapp.kernel.schema import folded
from webapp.kernel.statements import Statement, array_rows
from webapp.kernel.tx import Tx
from webapp.mail.schema import OptOut, UnsubscribeToken
from webapp.play.schema import Game


class TokenRow(Redacted, frozen=True):
    """What a token stops for one address: emails about one game or one club, all of one kind, or everything."""

    token_hash: bytes
    address: str
    """The address in lower case."""
    scope: str
    game_id: int | None
    club_id: int | None = None


class StoredToken(NamedTuple):
    """A token that was found, the slug of its game if it has one, and whether the address has opted out already."""

    token: TokenRow
    slug: str | None
    is_opted_out: bool


class StoredOptOut(NamedTuple):
    """Emails that an address has stopped; ``game_id`` is that of the table if the scope is one game."""

    scope: str
    game_id: int | None


def opt_outs_json(account: type[Account], *, at_table: bool = False) -> ColumnElement[str | None]:
    """Return a subquery for what this person has stopped, without games that have ended; ``at_table``: of its game alone."""
    entry = func.json_build_array(
        OptOut.scope, _stopped_game.slug, _stopped_game.host_name, _stopped_game.table_name
    )
    is_active = and_(
        _stopped_game.status != GameStatus.FINISHED, _stopped_game.status != GameStatus.CANCELLED
    )
    covers_game = and_(is_active, _stopped_game.id == Game.id) if at_table else is_active
    return (
        select(cast(func.json_agg(aggregate_order_by(entry, OptOut.id)), Text))
        .select_from(OptOut)
        .outerjoin(_stopped_game, _stopped_game.id == OptOut.game_id)
        .where(OptOut.address == folded(account.address))
        .where(or_(OptOut.game_id.is_(None), covers_game))
        .scalar_subquery()
    )


def store_tokens(tx: Tx, tokens: Sequence[TokenRow]) -> None:
    """Store the tokens of emails that are about to be sent; those already stored stay unchanged."""
    if tokens:
        # In one order: two senders may store the same tokens, and would deadlock.
        ordered_tokens = sorted(tokens, key=lambda token: token.token_hash)
        _STORE_TOKENS_STATEMENT.run(
            tx,
            hashes=[token.token_hash for token in ordered_tokens],
            addresses=[token.address for token in ordered_tokens],
            scopes=[token.scope for token in ordered_tokens],
            games=[token.game_id for token in ordered_tokens],
            clubs=[token.club_id for token in ordered_tokens],
        )


def find_all(tx: Tx, addresses: Collection[str]) -> dict[str, list[StoredOptOut]]:
    """Return what each of these addresses has stopped, by the address as it is given."""
    found: dict[str, list[StoredOptOut]] = {}
    if addresses:
        given = array_rows(addresses=Text())
        is_theirs = OptOut.address == folded(given.c.addresses)
        query = select(given.c.addresses, OptOut.scope, OptOut.game_id).join(OptOut, is_theirs)
        for address, scope, game_id in tx.execute(query, {"addresses": sorted(addresses)}):
            found.setdefault(address, []).append(StoredOptOut(scope, game_id))
    return found


def find(tx: Tx, token_hash: bytes) -> StoredToken | None:
    """Return the token with this hash, if there is one."""
    row = tx.execute(
        select(
            UnsubscribeToken.token_hash,
            UnsubscribeToken.address,
            UnsubscribeToken.scope,
            UnsubscribeToken.game_id,
            UnsubscribeToken.club_id,
            Game.slug,
            case(
                (
                    UnsubscribeToken.scope == "club",
                    ~_has_member_who_wants(Membership.wants_announcements),
                ),
                (
                    UnsubscribeToken.scope == "requests",
                    ~_has_member_who_wants(Membership.wants_requests),
                ),
                (UnsubscribeToken.scope == "seats", ~_is_volunteer()),
                else_=OptOut.id.is_not(None),
            ),
        )
        .select_from(UnsubscribeToken)
        .outerjoin(Game, Game.id == UnsubscribeToken.game_id)
        .outerjoin(
            OptOut,
            _is_opt_out(UnsubscribeToken.address, UnsubscribeToken.scope, UnsubscribeToken.game_id),
        )
        .where(UnsubscribeToken.token_hash == token_hash)
    ).first()
    return None if row is None else StoredToken(TokenRow(*row[:5]), row[5], row[6])


def opt_out(tx: Tx, token: TokenRow) -> None:
    """Store that the address has opted out; repeating it changes nothing."""
    if _set_emails(tx, token, are_wanted=False):
        return
    tx.execute(
        insert(OptOut)
        .values(address=folded(token.address), scope=token.scope, game_id=token.game_id, at=tx.now)
        .on_conflict_do_nothing()
    )


def resubscribe(tx: Tx, token: TokenRow) -> None:
    """Delete the opt-out."""
    if _set_emails(tx, token, are_wanted=True):
        return
    tx.execute(delete(OptOut).where(_is_opt_out(token.address, token.scope, token.game_id)))


def resubscribe_address(tx: Tx, address: str, scope: str, slug: str | None) -> bool:
    """Delete an opt-out without a token, and return whether there was one.

    ``slug`` is that of the table if the scope is one game.
    """
    game_id = select(Game.id).where(Game.slug == slug).scalar_subquery()
    statement = delete(OptOut).where(_is_opt_out(address, scope, game_id))
    return tx.execute(statement).rowcount > 0


def _set_emails(tx: Tx, token: TokenRow, *, are_wanted: bool) -> bool:
    """Change the setting of a club's member or of a volunteer; return whether there is a setting for what a token stops."""
    if token.scope == "seats":
        tx.execute(
            update(Account)
            .where(func.lower(Account.address) == token.address)
            .values(wants_open_seats=are_wanted)
        )
        return True
    if token.club_id is None:
        return False
    _set_club_emails(tx, token, are_wanted=are_wanted)
    return True


def _set_club_emails(tx: Tx, token: TokenRow, *, are_wanted: bool) -> None:
    """Change what the club's page shows and changes too, so that there is one truth about a club's emails."""
    column = "wants_announcements" if token.scope == "club" else "wants_requests"
    owner = select(Account.id).where(func.lower(Account.address) == token.address)
    tx.execute(
        update(Membership)
        .where(Membership.club_id == token.club_id, Membership.account_id.in_(owner))
        .values({column: are_wanted})
    )


def _has_member_who_wants(preference: Any) -> ColumnElement[bool]:  # noqa: ANN401 - a column of Membership
    """Return whether the address of a token belongs to a member of its club who wants such emails."""
    return (
        select(Membership.id)
        .join(Account, Account.id == Membership.account_id)
        .where(Membership.club_id == UnsubscribeToken.club_id, preference)
        .where(func.lower(Account.address) == UnsubscribeToken.address)
        .correlate(UnsubscribeToken)
        .exists()
    )


def _is_volunteer() -> ColumnElement[bool]:
    """Return whether the address of a token belongs to someone who wants emails about open seats."""
    return (
        select(Account.id)
        .where(func.lower(Account.address) == UnsubscribeToken.address, Account.wants_open_seats)
        .correlate(UnsubscribeToken)
        .exists()
    )


def _is_opt_out(address: Any, scope: Any, game_id: Any) -> ColumnElement[bool]:  # noqa: ANN401 - columns or values
    return and_(
        OptOut.address == folded(address),
        OptOut.scope == scope,
        OptOut.game_id.is_not_distinct_from(game_id),
    )


_stopped_game = aliased(Game, name="stopped_game")


def _store_tokens_statement() -> Executable:
    parameter_rows = array_rows(
        hashes=LargeBinary(),
        addresses=Text(),
        scopes=Text(),
        games=BigInteger(),
        clubs=BigInteger(),
    )
    rows = select(
        parameter_rows.c.hashes,
        parameter_rows.c.addresses,
        parameter_rows.c.scopes,
        parameter_rows.c.games,
        parameter_rows.c.clubs,
    )
    columns = ["token_hash", "address", "scope", "game_id", "club_id"]
    return insert(UnsubscribeToken).from_select(columns, rows).on_conflict_do_nothing()


_STORE_TOKENS_STATEMENT = Statement(_store_tokens_statement)
