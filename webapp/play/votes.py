"""Votes: the people at a table pause, resume, cancel or shorten their game, if all of them agree.

Bots and open seats have no vote. A person who is left with bots alone decides alone, because the game is theirs.
A vote that passes acts in the same transaction, through the planners of moderators' acts.
"""

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

import msgspec

from webapp.clock.pace.calendar import has_passed
from webapp.clock.queries import maintenance
from webapp.kernel.database import UNAVAILABLE_ERRORS
from webapp.kernel.game_status import GameStatus
from webapp.kernel.public_acts import ServerReason
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.rights import SERVER, VOTE, GameRight
from webapp.kernel.tx import Tx, savepoint
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification
from webapp.play.access import GameAccess, LoadedGame, load_game
from webapp.play.change_writer import queue_emails_about_act, write_and_record, write_change
from webapp.play.changes.game_changes import cancel, shorten
from webapp.play.changes.public_change import ChangeSource, pause, require_status, resume
from webapp.play.queries import games, votes
from webapp.play.queries.rows import GameRow
from webapp.play.queries.votes import NewVote, VoteRow

VOTE_DURATION: Final = timedelta(days=3)
LONGEST_PAUSE: Final = timedelta(days=30)
"""The time after which a game that was paused by vote is resumed."""
WAIT_AFTER_LOST_VOTE: Final = timedelta(days=1)
"""The time in which no one can propose again what was just rejected, or not answered by everyone."""

WAIT_FOR_PLAYER: Final = timedelta(days=14)
"""The time in which the others can't cancel a game while someone can get their open seat back."""
_log = logging.getLogger(__name__)


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
    """The seat of the player who proposed it."""
    round: int
    expires_at: datetime
    outcome: str | None
    agreed_count: int
    voter_count: int
    may_answer: bool = False
    """Whether the viewer has a vote and has not answered."""


_ACT_AND_PLANNER_BY_VOTE_KIND: Final = {
    VoteKind.PAUSE: (GameRight.PAUSE, pause),
    VoteKind.RESUME: (GameRight.RESUME, resume),
    VoteKind.CANCEL: (GameRight.CANCEL_GAME, cancel),
}


def start_vote(tx: Tx, access: GameAccess, kind: VoteKind) -> bool:
    """Open a vote in the locked game; the one who proposes it agrees. Return whether others have to answer. Raises NotAllowed."""
    game, seat, person = access
    if person is None or seat is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    require_status(game.row, GameStatus.RUNNING, GameStatus.PAUSED)
    latest_votes = votes.latest_votes(tx, game.row.id)
    denial = _vote_denial_reason(kind, game.row, game.state.house.rounds, latest_votes, now=tx.now)
    if denial is not None:
        raise NotAllowed(denial)
    replaced_vote = _open_vote_of(latest_votes)
    if replaced_vote is not None:
        _end_unanswered(tx, game, replaced_vote)
    vote = NewVote(
        game_id=game.row.id,
        kind=kind,
        seat=seat,
        round=game.row.round,
        opened_at=tx.now,
        expires_at=tx.now + VOTE_DURATION,
    )
    voters = _voters_of(game.row)
    vote_id = votes.open_vote(tx, vote, voters=voters)
    _notify(tx, game, "vote-opened", vote_id, voters - {person.id})
    _record_answer(tx, game, vote_id, person.id, is_yes=True)
    return not decides_alone(game.row)


def answer_vote(tx: Tx, access: GameAccess, vote_id: int, *, is_yes: bool) -> None:
    """Answer the open vote of the locked game; the same answer twice changes nothing. Raises NotAllowed."""
    game, _, person = access
    vote = _open_vote_of(votes.latest_votes(tx, game.row.id))
    if person is None or access.seat is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    if vote is None or vote.id != vote_id or has_passed(vote.expires_at, now=tx.now):
        raise NotAllowed(DenialReason.VOTE_OVER)
    ballot = next((ballot for ballot in vote.ballots if ballot.account_id == person.id), None)
    if ballot is None:
        raise NotAllowed(DenialReason.JOINED_AFTER_VOTE)
    if _is_vote_outdated(vote, game.row):
        raise NotAllowed(DenialReason.VOTE_OUTDATED)
    if ballot.is_yes is not None and ballot.is_yes != is_yes:
        raise NotAllowed(DenialReason.ANSWERED_ALREADY)
    if ballot.is_yes is None:
        _record_answer(tx, game, vote.id, person.id, is_yes=is_yes)


def end_next_due_votes(tx: Tx, *, after_id: int = 0) -> int | None:
    """End the votes and the agreed pause of the next game after ``after_id`` whose time is up; return its id, None without one.

    A game that fails does not hold up the others.
    """
    game_id = votes.lock_next_due(tx, after_id=after_id)
    if game_id is None:
        return None
    try:
        with savepoint(tx):
            _end_due_votes(tx, game_id)
    except UNAVAILABLE_ERRORS:
        raise
    except Exception:  # noqa: BLE001 - one broken game must not stop the others
        _log.exception("The votes of game %s were not ended.", game_id)
    return game_id


def decides_alone(row: GameRow) -> bool:
    """Return whether one person alone has a vote, so that what they propose happens at once."""
    return len(_voters_of(row)) == 1


def _voters_of(row: GameRow) -> frozenset[int]:
    """Return the accounts of the people who sit at the table."""
    return frozenset(seat.account_id for seat in row.seats if seat.account_id is not None)


def _open_vote_of(latest_votes: Iterable[VoteRow]) -> VoteRow | None:
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
    vote = _open_vote_of(latest_votes)
    if vote is None or _is_vote_outdated(vote, row) or has_passed(vote.expires_at, now=now):
        return None
    return vote


def _missing_answer_count(vote: VoteRow) -> int:
    """Return how many people have not agreed yet."""
    return sum(ballot.is_yes is not True for ballot in vote.ballots)


def _is_vote_outdated(vote: VoteRow, row: GameRow) -> bool:
    """Return whether a vote makes no sense any more.

    Others sit at the table now, the game is in another round or over, or a moderator has paused or resumed it.
    """
    voters = {ballot.account_id for ballot in vote.ballots}
    return (
        voters != _voters_of(row)
        or vote.round != row.round
        or not _fits_game_status(vote.kind, row)
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
        if _vote_denial_reason(kind, row, rounds, latest_votes, now=now) is None
    )


def _vote_denial_reason(
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


def is_vote_waiting_for_player(row: GameRow, *, now: datetime) -> bool:
    """Return whether nothing can be proposed because someone can still get their open seat back."""
    return row.status.is_under_way and all(_waits_for_player(kind, row, now) for kind in VoteKind)


def _end_due_votes(tx: Tx, game_id: int) -> None:
    game = load_game(tx, games.find_many_to_play(tx, [game_id])[game_id])
    latest_votes = votes.latest_votes(tx, game_id)
    vote = _open_vote_of(latest_votes)
    if vote is not None and has_passed(vote.expires_at, now=tx.now):
        _end_unanswered(tx, game, vote)
    if is_pause_over(latest_votes, game.row, now=tx.now):
        source = _change_source(tx, game, by=SERVER)
        by = (SERVER, ServerReason.PAUSE_OVER)
        entry_id = write_and_record(source, GameRight.RESUME, resume(source), by=by)
        queue_emails_about_act(tx, game, entry_id, sorted(_voters_of(game.row)))
    if any(
        vote.pause_ends_at and has_passed(vote.pause_ends_at, now=tx.now) for vote in latest_votes
    ):
        votes.forget_pause(tx, game_id)


def _record_answer(
    tx: Tx, game: LoadedGame, vote_id: int, account_id: int, *, is_yes: bool
) -> None:
    votes.answer(tx, vote_id, account_id, is_yes=is_yes)
    if not is_yes:
        votes.end(tx, vote_id, "rejected")
        _notify(tx, game, "vote-ended", vote_id, _voters_of(game.row))
        return
    vote = _open_vote_of(votes.latest_votes(tx, game.row.id))
    if vote is not None and not _missing_answer_count(vote):
        _apply_passed_vote(tx, game, vote)


def _apply_passed_vote(tx: Tx, game: LoadedGame, vote: VoteRow) -> None:
    """Do what all have agreed on, and inform the table."""
    kind, source = VoteKind(vote.kind), _change_source(tx, game, by=VOTE)
    votes.forget_pause(tx, game.row.id)
    pause_ends_at = tx.now + LONGEST_PAUSE if kind is VoteKind.PAUSE else None
    votes.end(tx, vote.id, "passed", pause_ends_at=pause_ends_at)
    if kind is VoteKind.SHORTEN:
        write_change(source, shorten(source))
        _notify(tx, game, "vote-ended", vote.id, _voters_of(game.row))
        return
    act, planner = _ACT_AND_PLANNER_BY_VOTE_KIND[kind]
    by = (VOTE, ServerReason.VOTE_PASSED)
    entry_id = write_and_record(source, act, planner(source), by=by)
    queue_emails_about_act(tx, game, entry_id, sorted(_voters_of(game.row)))


def _end_unanswered(tx: Tx, game: LoadedGame, vote: VoteRow) -> None:
    """End a vote whose time is up, or that makes no sense any more; only the first is news."""
    is_stale = _is_vote_outdated(vote, game.row)
    votes.end(tx, vote.id, "outdated" if is_stale else "expired")
    if not is_stale:
        _notify(tx, game, "vote-ended", vote.id, _voters_of(game.row))


def _change_source(tx: Tx, game: LoadedGame, by: str) -> ChangeSource:
    stopping_maintenance = maintenance.unfinished_maintenance(tx)
    return ChangeSource(tx, game, maintenance=stopping_maintenance, by=by)


def _notify(
    tx: Tx,
    game: LoadedGame,
    kind: str,
    vote_id: int,
    account_ids: frozenset[int],
) -> None:
    notices = [
        NewNotification(
            kind=kind,
            game_id=game.row.id,
            seq=game.row.seq,
            account_id=account_id,
            dedup_key=vote_id,
            due_at=tx.now,
        )
        for account_id in sorted(account_ids)
    ]
    outbox.enqueue(tx, notices)


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
