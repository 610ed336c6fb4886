"""What may be voted on, by whom, and for how long a vote makes sense: pure functions of a game and its latest votes.

A person who is left with bots alone decides alone, because the game is theirs.

Not beside ``webapp.clock.votes``, which opens and ends votes: the table page, which cannot import that, shows them.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

import msgspec

from webapp.clock.pace.calendar import has_passed
from webapp.clock.queries.votes import VoteRow
from webapp.kernel.game_status import GameStatus
from webapp.kernel.refusals import DenialReason
from webapp.play.queries.rows import GameRow

WAIT_AFTER_LOST_VOTE: Final = timedelta(days=1)
"""For so long no one can propose again what was just rejected, or not answered by everyone."""

WAIT_FOR_PLAYER: Final = timedelta(days=14)
"""For so long the others can't cancel a game while someone can get their open seat back."""


class VoteKind(StrEnum):
    """What the people at a table can decide together."""

    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    SHORTEN = "shorten"
    """The game ends after the round under way."""


class ShownVote(msgspec.Struct, frozen=True, kw_only=True):
    """A vote as everyone at the table may see it: how many agree, never who."""

    id: int
    kind: VoteKind
    seat: int
    """Whose player proposed it."""
    round: int
    expires_at: datetime
    outcome: str | None
    agreed_count: int
    voter_count: int
    may_answer: bool = False
    """Whether the viewer has a vote and has not answered."""


def voters_of(row: GameRow) -> frozenset[int]:
    """Return the accounts of the people who sit at the table."""
    return frozenset(seat.account_id for seat in row.seats if seat.account_id is not None)


def open_vote_of(latest_votes: Iterable[VoteRow]) -> VoteRow | None:
    """Return the vote that has not ended."""
    return next((vote for vote in latest_votes if vote.ended_at is None), None)


def shown_vote(vote: VoteRow, *, viewer_id: int | None = None) -> ShownVote:
    """Return a vote as this person may see it."""
    return ShownVote(
        id=vote.id,
        kind=VoteKind(vote.kind),
        seat=vote.seat,
        round=vote.round,
        expires_at=vote.expires_at,
        outcome=vote.outcome,
        agreed_count=sum(ballot.is_yes is True for ballot in vote.ballots),
        voter_count=len(vote.ballots),
        may_answer=any(
            ballot.account_id == viewer_id and ballot.is_yes is None for ballot in vote.ballots
        ),
    )


def current_vote(row: GameRow, latest_votes: Iterable[VoteRow], *, now: datetime) -> VoteRow | None:
    """Return the vote that can be answered now."""
    vote = open_vote_of(latest_votes)
    if vote is None or is_vote_outdated(vote, row) or has_passed(vote.expires_at, now=now):
        return None
    return vote


def missing_answer_count(vote: VoteRow) -> int:
    """Return how many people have not agreed yet."""
    return sum(ballot.is_yes is not True for ballot in vote.ballots)


def is_vote_outdated(vote: VoteRow, row: GameRow) -> bool:
    """Return whether a vote makes no sense any more.

    Others sit at the table now, the game is in another round or over, or a moderator has paused or resumed it.
    """
    voters = {ballot.account_id for ballot in vote.ballots}
    return (
        voters != voters_of(row) or vote.round != row.round or not _fits_game_status(vote.kind, row)
    )


def is_pause_over(latest_votes: Iterable[VoteRow], row: GameRow, *, now: datetime) -> bool:
    """Return whether the game is still in the pause that was agreed on, and that pause has lasted long enough."""
    pause_vote = _agreed_pause(latest_votes, row)
    return (
        pause_vote is not None
        and pause_vote.pause_ends_at is not None
        and has_passed(pause_vote.pause_ends_at, now=now)
    )


def possible_vote_kinds(
    row: GameRow, rounds: int, latest_votes: Sequence[VoteRow], *, now: datetime
) -> tuple[VoteKind, ...]:
    """Return what can be proposed now."""
    return tuple(
        kind
        for kind in VoteKind
        if vote_denial_reason(kind, row, rounds, latest_votes, now=now) is None
    )


def vote_denial_reason(
    kind: VoteKind, row: GameRow, rounds: int, latest_votes: Sequence[VoteRow], *, now: datetime
) -> DenialReason | None:
    """Return why this cannot be proposed now; ``rounds`` is how many the game has, unless it is shortened."""
    if not row.status.is_under_way:
        return DenialReason.GAME_NOT_UNDER_WAY
    if current_vote(row, latest_votes, now=now) is not None:
        return DenialReason.VOTE_OPEN
    if _waits_for_player(kind, row, now):
        return DenialReason.VOTE_WAITS_FOR_PLAYER
    if (status_denial := _status_denial(kind, row, latest_votes)) is not None:
        return status_denial
    if kind is VoteKind.SHORTEN and row.round >= rounds:
        return DenialReason.LAST_ROUND
    return DenialReason.VOTE_LOST_RECENTLY if _was_lost_lately(kind, latest_votes, now) else None


def _status_denial(
    kind: VoteKind, row: GameRow, latest_votes: Sequence[VoteRow]
) -> DenialReason | None:
    if not _fits_game_status(kind, row):
        return (
            DenialReason.NOT_PAUSED if kind is VoteKind.RESUME else DenialReason.MUST_RESUME_FIRST
        )
    if kind is VoteKind.RESUME and _agreed_pause(latest_votes, row) is None:
        return DenialReason.PAUSED_BY_MODERATOR
    return None


def is_vote_waiting_for_player(row: GameRow, *, now: datetime) -> bool:
    """Return whether nothing can be proposed because someone can still get their open seat back."""
    return row.status.is_under_way and all(_waits_for_player(kind, row, now) for kind in VoteKind)


def _waits_for_player(kind: VoteKind, row: GameRow, now: datetime) -> bool:
    """Return whether a person who can get their open seat back would be outvoted.

    Cancelling, by which no one wins, is possible after a while, so that a player who never returns does not keep the others
    in the game.
    """
    return any(
        seat.is_free
        and seat.leaver_id is not None
        and (
            kind is not VoteKind.CANCEL
            or seat.opened_at is None
            or not has_passed(seat.opened_at + WAIT_FOR_PLAYER, now=now)
        )
        for seat in row.seats
    )


def _fits_game_status(kind: str, row: GameRow) -> bool:
    if kind == VoteKind.PAUSE:
        return row.status == GameStatus.RUNNING
    if kind == VoteKind.RESUME:
        return row.status == GameStatus.PAUSED
    return row.status.is_under_way


def _agreed_pause(latest_votes: Iterable[VoteRow], row: GameRow) -> VoteRow | None:
    """Return the vote that paused the game, if it is still in that pause."""
    return next(
        (
            vote
            for vote in latest_votes
            if vote.pause_ends_at is not None
            and row.status == GameStatus.PAUSED
            and vote.ended_at == row.paused_at
        ),
        None,
    )


def _was_lost_lately(kind: VoteKind, latest_votes: Iterable[VoteRow], now: datetime) -> bool:
    return any(
        vote.kind == kind
        and vote.outcome in {"rejected", "expired"}
        and vote.ended_at is not None
        and now - vote.ended_at < WAIT_AFTER_LOST_VOTE
        for vote in latest_votes
    )
