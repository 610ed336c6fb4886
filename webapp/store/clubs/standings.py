"""Standings: what the finished games of a club gave to the people who played them."""

from datetime import date, datetime

import msgspec
from sqlalchemy import Connection, Date, Integer, cast, func, select

from webapp.game_status import GameStatus
from webapp.store.schema.accounts import Account
from webapp.store.schema.play import Game, has_status
from webapp.store.schema.results import GameResult


class StandingRow(msgspec.Struct, frozen=True):
    """A person's games in a span of time; ``name`` is empty once the account was deleted."""

    account_id: int
    name: str
    games: int
    wins: int
    gold: int
    days_of_wins: tuple[date, ...]
    """When the won games ended, in UTC; one day for each win."""


def standings(
    connection: Connection,
    club_id: int,
    *,
    since: datetime | None,
    before: datetime | None,
    limit: int,
) -> tuple[StandingRow, ...]:
    """Return everyone who played a game of the club that ended in this time: most wins first, then most gold.

    Bots have no account and are not listed; cancelled games have no result.
    """
    wins = func.sum(cast(GameResult.is_winner, Integer))
    gold = func.sum(GameResult.gold)
    days_of_wins = func.array_agg(cast(func.timezone("UTC", Game.ended_at), Date)).filter(
        GameResult.is_winner
    )
    query = (
        select(Account.id, Account.name, func.count(), wins, gold, days_of_wins)
        .select_from(GameResult)
        .join(Game, Game.id == GameResult.game_id)
        .join(Account, Account.id == GameResult.account_id)
        .where(Game.club_id == club_id, has_status(GameStatus.FINISHED))
        .group_by(Account.id, Account.name)
        .order_by(wins.desc(), gold.desc(), func.count(), func.lower(Account.name), Account.id)
        .limit(limit)
    )
    if since is not None:
        query = query.where(Game.ended_at >= since)
    if before is not None:
        query = query.where(Game.ended_at < before)
    rows = connection.execute(query)
    return tuple(StandingRow(*row[:-1], tuple(row[-1] or ())) for row in rows)
