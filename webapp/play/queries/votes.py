"""Votes of the players of a game: opened, answered, ended, and found when their time is up."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Text, cast, func, insert, or_, select, text, update

from webapp.kernel.json_columns import decode_rows
from webapp.kernel.tx import Tx
from webapp.play.schema import Ballot, Game, Vote


class BallotRow(msgspec.Struct, frozen=True, array_like=True):
    """What a person answered; None if they have not yet."""

    account_id: int
    is_yes: bool | None


class VoteRow(msgspec.Struct, frozen=True, array_like=True):
    """A vote with its ballots."""

    id: int
    kind: str
    seat: int
    round: int
    expires_at: datetime
    ended_at: datetime | None
    outcome: str | None
    pause_ends_at: datetime | None
    ballots: tuple[BallotRow, ...]


class NewVote(msgspec.Struct, frozen=True, kw_only=True):
    """A vote to be opened."""

    game_id: int
    kind: str
    seat: int
    round: int
    opened_at: datetime
    expires_at: datetime


def latest_votes_json(game_id: ColumnElement[int]) -> ColumnElement[str | None]:
    """Return a subquery for the votes of a game that still matter.

    These are the open one and the pause that was agreed on, then the newest.
    """
    votes = (
        select(Vote)
        .where(Vote.game_id == game_id)
        .order_by(
            or_(Vote.ended_at.is_(None), Vote.pause_ends_at.is_not(None)).desc(), Vote.id.desc()
        )
        .limit(_LATEST_COUNT)
        .correlate_except(Vote)
        .lateral("latest_vote")
    )
    row = _vote_json(votes.c)
    return select(cast(func.json_agg(row), Text)).select_from(votes).scalar_subquery()


def vote_json(vote_id: ColumnElement[int]) -> ColumnElement[str | None]:
    """Return a subquery for one vote."""
    columns = Vote.__table__.c
    query = select(cast(_vote_json(columns), Text)).where(columns.id == vote_id)
    return query.correlate_except(Vote.__table__).scalar_subquery()


def latest_votes(tx: Tx, game_id: int) -> tuple[VoteRow, ...]:
    """Return the votes of a game that still matter; the caller has locked the game."""
    game = select(Game.id).where(Game.id == game_id).subquery()
    votes = tx.execute(select(latest_votes_json(game.c.id)).select_from(game)).scalar()
    return decode_rows(votes, VoteRow)


def open_vote(tx: Tx, vote: NewVote, *, voters: Collection[int]) -> int:
    """Store a vote and who may answer it; return its id."""
    vote_id: int = tx.execute(
        insert(Vote).values(msgspec.structs.asdict(vote)).returning(Vote.id)
    ).scalar_one()
    tx.execute(
        insert(Ballot), [{"vote_id": vote_id, "account_id": voter} for voter in sorted(voters)]
    )
    return vote_id


def answer(tx: Tx, vote_id: int, account_id: int, *, is_yes: bool) -> None:
    tx.execute(
        update(Ballot)
        .where(Ballot.vote_id == vote_id, Ballot.account_id == account_id)
        .values(is_yes=is_yes)
    )


def end(
    tx: Tx,
    vote_id: int,
    outcome: str,
    *,
    pause_ends_at: datetime | None = None,
) -> None:
    tx.execute(
        update(Vote)
        .where(Vote.id == vote_id)
        .values(ended_at=tx.now, outcome=outcome, pause_ends_at=pause_ends_at)
    )


def forget_pause(tx: Tx, game_id: int) -> None:
    """Store that the pause that the players of a game had agreed on has ended."""
    tx.execute(
        update(Vote)
        .where(Vote.game_id == game_id, Vote.pause_ends_at.is_not(None))
        .values(pause_ends_at=None)
    )


def mark_outdated(tx: Tx, game_id: int, *, is_pause_over: bool) -> None:
    """End the open vote of a game because someone else has decided meanwhile, and also the pause agreed on if it is over."""
    # In one statement, because every act of a moderator on the clock or a seat pays for it.
    tx.execute(
        update(Vote)
        .where(Vote.game_id == game_id)
        .where(or_(Vote.ended_at.is_(None), Vote.pause_ends_at.is_not(None)))
        .values(
            ended_at=func.coalesce(Vote.ended_at, tx.now),
            outcome=func.coalesce(Vote.outcome, "outdated"),
            pause_ends_at=None if is_pause_over else Vote.pause_ends_at,
        )
    )


def lock_next_due(tx: Tx, *, after_id: int) -> int | None:
    """Lock and return the next game, by id, with a vote or an agreed pause whose time is up; games that are locked already are skipped."""
    due_votes = select(Vote.game_id).where(
        or_((Vote.expires_at <= tx.now) & Vote.ended_at.is_(None), Vote.pause_ends_at <= tx.now)
    )
    return tx.execute(
        select(Game.id)
        .where(Game.id.in_(due_votes), Game.id > after_id)
        .order_by(Game.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    ).scalar()


def _vote_json(columns: Any) -> ColumnElement[Any]:  # noqa: ANN401 - the columns of a table or of a subquery
    ballots = (
        select(func.json_agg(func.json_build_array(Ballot.account_id, Ballot.is_yes)))
        .where(Ballot.vote_id == columns.id)
        .correlate_except(Ballot)
        .scalar_subquery()
    )
    return func.json_build_array(
        columns.id,
        columns.kind,
        columns.seat,
        columns.round,
        columns.expires_at,
        columns.ended_at,
        columns.outcome,
        columns.pause_ends_at,
        func.coalesce(ballots, text("'[]'::json")),
    )


_LATEST_COUNT: Final = 12
"""More votes than can be lost within the time for which one is remembered: one of each kind a day."""
