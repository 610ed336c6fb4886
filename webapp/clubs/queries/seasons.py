"""Seasons of clubs, and the standings that the finished games of a span of time give. Every change needs the club locked."""

from datetime import date, datetime
from typing import Final

import msgspec
from sqlalchemy import (
    ColumnElement,
    Date,
    Integer,
    Text,
    cast,
    delete,
    exists,
    func,
    insert,
    select,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by

from webapp.accounts.schema import Account
from webapp.clubs.schema import Club, Season
from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.play.schema import Game, GameResult, has_status


class SeasonRow(Redacted, frozen=True, array_like=True):
    id: int
    name: str
    starts_on: date
    ends_on: date


class StandingRow(msgspec.Struct, frozen=True):
    """A person's games in a span of time; ``name`` is empty once the account was deleted."""

    account_id: int
    name: str
    games: int
    wins: int
    gold: int
    days_of_wins: tuple[date, ...]
    """When the won games ended, in UTC; one day for each win."""


_SEASON_COLUMNS: Final = (Season.id, Season.name, Season.starts_on, Season.ends_on)


def seasons_of(tx: Tx, club_id: int) -> tuple[SeasonRow, ...]:
    """Return the seasons of a club, the latest first."""
    rows = tx.execute(
        select(*_SEASON_COLUMNS)
        .where(Season.club_id == club_id)
        .order_by(Season.starts_on.desc(), Season.id.desc())
    )
    return tuple(SeasonRow(*row) for row in rows)


def add_season(tx: Tx, club_id: int, *, name: str, starts_on: date, ends_on: date) -> None:
    tx.execute(
        insert(Season).values(club_id=club_id, name=name, starts_on=starts_on, ends_on=ends_on)
    )


def remove_season(tx: Tx, club_id: int, season_id: int) -> bool:
    """Delete a season of this club; return whether there was one. Its games stay."""
    result = tx.execute(delete(Season).where(Season.club_id == club_id, Season.id == season_id))
    return result.rowcount > 0


def has_season(tx: Tx, season_id: int) -> bool:
    """Return whether any club has this season."""
    return tx.execute(select(exists().where(Season.id == season_id))).scalar_one()


def seasons_json() -> ColumnElement[str | None]:
    """Return a subquery for the seasons of a club, the latest first."""
    season = func.json_build_array(*_SEASON_COLUMNS)
    order = (Season.starts_on.desc(), Season.id.desc())
    return (
        select(cast(func.json_agg(aggregate_order_by(season, *order)), Text))
        .where(Season.club_id == Club.id)
        .correlate(Club)
        .scalar_subquery()
    )


def standings(
    tx: Tx,
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
    rows = tx.execute(query)
    return tuple(StandingRow(*row[:-1], tuple(row[-1] or ())) for row in rows)
