"""Public results of finished games, one row per seat, for standings and lists that never read a position."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    ColumnElement,
    Executable,
    Select,
    SmallInteger,
    Text,
    and_,
    bindparam,
    cast,
    delete,
    exists,
    extract,
    func,
    select,
    tuple_,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert
from sqlalchemy.orm import aliased

from webapp.clubs.schema import Club
from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted
from webapp.kernel.statements import Statement, array_rows
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Seat
from webapp.play.schema import Game, GameResult, SharedGame, has_status


class SharedGameRow(Redacted, frozen=True):
    """The link of a game: what its token is derived from, and the account that created it."""

    nonce: bytes
    account_id: int


class OwnResultFilter(Redacted, frozen=True, kw_only=True):
    """The finished games to list; a field that is None filters nothing."""

    opponent: str | None = None
    """The name of another player, whatever its case."""
    club: str | None = None
    """The slug of the club in which the game was played."""
    rulebook: str | None = None
    is_won: bool | None = None
    year: int | None = None
    """The year in which the game ended, in UTC."""


class OwnResultRow(Redacted, frozen=True):
    """A finished game and what its viewer won there."""

    slug: str
    host_name: str
    table_name: str
    rulebook: str
    ended_at: datetime
    i_won: bool
    gold: int
    opponents: tuple[str, ...]
    other_winners: tuple[str, ...]


class ResultRow(msgspec.Struct, frozen=True, array_like=True):
    """What one seat has won. Public once the game is over, and never stored before."""

    seat: int
    gold: int
    is_winner: bool
    digger_rounds: int
    saboteur_rounds: int


class OwnRecord(Redacted, frozen=True, kw_only=True):
    """What the games of a filter add up to for their viewer."""

    games: int
    won: int
    gold: int
    digger_rounds: int
    saboteur_rounds: int


def replace_results(tx: Tx, game_id: int, results: Sequence[ResultRow]) -> None:
    """Store the results of a game with the accounts that have its seats now; none for a game that continues."""
    tx.execute(delete(GameResult).where(GameResult.game_id == game_id))
    if results:
        _INSERT_STATEMENT.run(
            tx,
            game_id=game_id,
            seats=[result.seat for result in results],
            golds=[result.gold for result in results],
            wins=[result.is_winner for result in results],
            digger_rounds=[result.digger_rounds for result in results],
            saboteur_rounds=[result.saboteur_rounds for result in results],
        )


def _insert_statement() -> Executable:
    values = array_rows(
        seats=SmallInteger(),
        golds=SmallInteger(),
        wins=Boolean(),
        digger_rounds=SmallInteger(),
        saboteur_rounds=SmallInteger(),
    ).c
    results = {
        GameResult.game_id: Seat.game_id,
        GameResult.seat: Seat.number,
        GameResult.account_id: Seat.account_id,
        GameResult.gold: values.golds,
        GameResult.is_winner: values.wins,
        GameResult.digger_rounds: values.digger_rounds,
        GameResult.saboteur_rounds: values.saboteur_rounds,
    }
    rows = select(*results.values()).where(
        Seat.game_id == bindparam("game_id", type_=BigInteger), Seat.number == values.seats
    )
    return insert(GameResult).from_select(list(results), rows)


_INSERT_STATEMENT = Statement(_insert_statement)


def own_results(
    tx: Tx,
    account_id: int,
    result_filter: OwnResultFilter,
    *,
    before: str | None,
    limit: int,
) -> tuple[OwnResultRow, ...]:
    """Return the games that the account has finished, those after the game ``before`` in this order if it is one of them."""
    columns: tuple[Any, ...] = (
        Game.slug,
        Game.host_name,
        Game.table_name,
        Game.rulebook,
        Game.ended_at,
        GameResult.is_winner,
        GameResult.gold,
        _names_of_others(winners_only=False),
        _names_of_others(winners_only=True),
    )
    query = _filtered(select(*columns), account_id, result_filter)
    if before is not None:
        last_shown = _own_games(select(Game.ended_at, Game.id), account_id)
        query = query.where(
            tuple_(Game.ended_at, Game.id)
            < last_shown.where(Game.slug == before).correlate(None).scalar_subquery()
        )
    rows = tx.execute(query.order_by(Game.ended_at.desc(), Game.id.desc()).limit(limit))
    return tuple(OwnResultRow(*(*row[:-2], tuple(row[-2]), tuple(row[-1]))) for row in rows)


def own_record(tx: Tx, account_id: int, result_filter: OwnResultFilter) -> OwnRecord:
    """Return what the games that the filter leaves add up to for the account."""
    sums = (GameResult.gold, GameResult.digger_rounds, GameResult.saboteur_rounds)
    columns: Select[*tuple[Any, ...]] = select(
        func.count().label("games"),
        func.count().filter(GameResult.is_winner).label("won"),
        *(func.coalesce(func.sum(column), 0).label(column.key) for column in sums),
    )
    return OwnRecord(**tx.execute(_filtered(columns, account_id, result_filter)).one()._asdict())


def clubs_of_results(tx: Tx, account_id: int) -> tuple[tuple[str, str], ...]:
    """Return the clubs in which the account has finished games, as slugs and names."""
    query = _own_games(select(Club.slug, Club.name).distinct(), account_id)
    rows = tx.execute(query.join(Club, Club.id == Game.club_id).order_by(Club.name))
    return tuple((row.slug, row.name) for row in rows)


def _own_games(query: Select[*tuple[Any, ...]], account_id: int) -> Select[*tuple[Any, ...]]:
    return (
        query.select_from(GameResult)
        .join(Game, Game.id == GameResult.game_id)
        .where(GameResult.account_id == account_id)
    )


def _filtered(
    query: Select[*tuple[Any, ...]], account_id: int, result_filter: OwnResultFilter
) -> Select[*tuple[Any, ...]]:
    club_ids = select(Club.id).where(Club.slug == result_filter.club)
    conditions: tuple[tuple[object, ColumnElement[bool]], ...] = (
        (result_filter.opponent, _has_opponent(account_id, result_filter.opponent or "")),
        (result_filter.club, Game.club_id.in_(club_ids)),
        (result_filter.rulebook, Game.rulebook == result_filter.rulebook),
        (result_filter.is_won, GameResult.is_winner.is_(result_filter.is_won)),
        (
            result_filter.year,
            extract("year", func.timezone("UTC", Game.ended_at)) == result_filter.year,
        ),
    )
    wanted = [condition for value, condition in conditions if value is not None]
    return _own_games(query, account_id).where(*wanted)


def _has_opponent(account_id: int, name: str) -> ColumnElement[bool]:
    seat = aliased(Seat, name="seat_of_opponent")
    return (
        exists()
        .where(seat.game_id == Game.id, seat.account_id.is_distinct_from(account_id))
        .where(func.lower(func.coalesce(seat.bot_name, seat.name)) == func.lower(name))
        .correlate_except(seat)
    )


def _names_of_others(*, winners_only: bool) -> ColumnElement[list[str]]:
    """Return a subquery for the names of the other players of a game, or of some of them, by seat."""
    result, seat = aliased(GameResult, name="other_result"), aliased(Seat, name="other_seat")
    name = func.coalesce(seat.bot_name, seat.name, "")
    is_same_seat = and_(seat.game_id == result.game_id, seat.number == result.seat)
    names = (
        select(func.array_agg(aggregate_order_by(name, seat.number)))
        .select_from(result)
        .join(seat, is_same_seat)
        .where(result.game_id == Game.id, result.seat != GameResult.seat)
        .correlate(Game, GameResult)
    )
    if winners_only:
        names = names.where(result.is_winner)
    return func.coalesce(names.scalar_subquery(), cast([], ARRAY(Text)))


def find_link(tx: Tx, game_id: int) -> SharedGameRow | None:
    """Return the link of a game; None if it is not shared."""
    row = tx.execute(
        select(SharedGame.nonce, SharedGame.account_id).where(SharedGame.game_id == game_id)
    ).first()
    return None if row is None else SharedGameRow(*row)


def slug_of_link(tx: Tx, token_hash: bytes) -> str | None:
    """Return the finished game of a link; None if there is no such link, or the game is running again after a rewind."""
    query = (
        select(Game.slug)
        .join(SharedGame, SharedGame.game_id == Game.id)
        .where(SharedGame.token_hash == token_hash, has_status(GameStatus.FINISHED))
    )
    return tx.execute(query).scalar_one_or_none()


def add_link(
    tx: Tx,
    game_id: int,
    account_id: int,
    *,
    nonce: bytes,
    token_hash: bytes,
) -> None:
    """Store the link of a game, unless it has one."""
    values = {"game_id": game_id, "nonce": nonce, "token_hash": token_hash}
    statement = insert(SharedGame).values(values | {"account_id": account_id, "shared_at": tx.now})
    tx.execute(statement.on_conflict_do_nothing(index_elements=[SharedGame.game_id]))


def delete_link(tx: Tx, game_id: int, token_hash: bytes) -> None:
    """Delete this link of a game; a later one stays."""
    tx.execute(
        delete(SharedGame).where(SharedGame.game_id == game_id, SharedGame.token_hash == token_hash)
    )


def own_links() -> Executable:
    """Return the query for the games that an account has shared, for its owner's download."""
    account_id = bindparam("account_id", type_=BigInteger)
    return (
        select(Game.slug.label("game"), SharedGame.shared_at)
        .join(Game, Game.id == SharedGame.game_id)
        .where(SharedGame.account_id == account_id)
        .order_by(SharedGame.game_id)
    )
