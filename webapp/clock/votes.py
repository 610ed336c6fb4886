"""Votes: the people at a table pause, resume, cancel or shorten their game, if all of them agree.

Bots and open seats have no vote. A vote that passes acts in the same transaction, through the planners of moderators' acts.
"""

import logging
from datetime import timedelta
from typing import Final

from webapp.clock.pace.calendar import has_passed
from webapp.clock.queries import votes
from webapp.clock.queries.votes import NewVote, VoteRow
from webapp.kernel.database import UNAVAILABLE_ERRORS
from webapp.kernel.game_status import GameStatus
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.rights import SERVER, VOTE, GameRight
from webapp.kernel.tx import Tx, savepoint
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification
from webapp.play.access import GameAccess, LoadedGame, load_game
from webapp.play.change_writer import queue_emails_about_act, write_and_record, write_change
from webapp.play.changes.game_changes import cancel, shorten
from webapp.play.changes.public_change import ChangeSource, pause, require_status, resume
from webapp.play.queries import games
from webapp.play.vote_rules import (
    VoteKind,
    is_pause_over,
    is_vote_outdated,
    missing_answer_count,
    open_vote_of,
    vote_denial_reason,
    voters_of,
)
from webapp.site.queries import maintenance

VOTE_DURATION: Final = timedelta(days=3)
LONGEST_PAUSE: Final = timedelta(days=30)
"""After this time a game that was paused by vote is resumed."""
VOTE_PASSED_REASON: Final = "Everyone who plays has agreed."
PAUSE_OVER_REASON: Final = "The pause that the players agreed on has lasted 30 days."
_ACT_AND_PLANNER_BY_VOTE_KIND: Final = {
    VoteKind.PAUSE: (GameRight.PAUSE, pause),
    VoteKind.RESUME: (GameRight.RESUME, resume),
    VoteKind.CANCEL: (GameRight.CANCEL_GAME, cancel),
}
_log = logging.getLogger(__name__)


def start_vote(tx: Tx, access: GameAccess, kind: VoteKind) -> None:
    """Open a vote in the locked game; the one who proposes it agrees. Raises NotAllowed."""
    game, seat, person = access
    if person is None or seat is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    require_status(game.row, GameStatus.RUNNING, GameStatus.PAUSED)
    latest_votes = votes.latest_votes(tx, game.row.id)
    denial = vote_denial_reason(kind, game.row, game.state.house.rounds, latest_votes, now=tx.now)
    if denial is not None:
        raise NotAllowed(denial)
    replaced_vote = open_vote_of(latest_votes)
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
    voters = voters_of(game.row)
    vote_id = votes.open_vote(tx, vote, voters=voters)
    _notify(tx, game, "vote-opened", vote_id, voters - {person.id})
    _record_answer(tx, game, vote_id, person.id, is_yes=True)


def answer_vote(tx: Tx, access: GameAccess, vote_id: int, *, is_yes: bool) -> None:
    """Answer the open vote of the locked game; the same answer twice changes nothing. Raises NotAllowed."""
    game, _, person = access
    vote = open_vote_of(votes.latest_votes(tx, game.row.id))
    if person is None or access.seat is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    if vote is None or vote.id != vote_id or has_passed(vote.expires_at, now=tx.now):
        raise NotAllowed(DenialReason.VOTE_OVER)
    ballot = next((ballot for ballot in vote.ballots if ballot.account_id == person.id), None)
    if ballot is None:
        raise NotAllowed(DenialReason.JOINED_AFTER_VOTE)
    if is_vote_outdated(vote, game.row):
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


def _end_due_votes(tx: Tx, game_id: int) -> None:
    game = load_game(tx, games.find_many_to_play(tx, [game_id])[game_id])
    latest_votes = votes.latest_votes(tx, game_id)
    vote = open_vote_of(latest_votes)
    if vote is not None and has_passed(vote.expires_at, now=tx.now):
        _end_unanswered(tx, game, vote)
    if is_pause_over(latest_votes, game.row, now=tx.now):
        source = _change_source(tx, game, by=SERVER)
        by = (SERVER, PAUSE_OVER_REASON)
        entry_id = write_and_record(source, GameRight.RESUME, resume(source), by=by)
        queue_emails_about_act(tx, game, entry_id, sorted(voters_of(game.row)))
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
        _notify(tx, game, "vote-ended", vote_id, voters_of(game.row))
        return
    vote = open_vote_of(votes.latest_votes(tx, game.row.id))
    if vote is not None and not missing_answer_count(vote):
        _apply_passed_vote(tx, game, vote)


def _apply_passed_vote(tx: Tx, game: LoadedGame, vote: VoteRow) -> None:
    """Do what all have agreed on, and inform the table."""
    kind, source = VoteKind(vote.kind), _change_source(tx, game, by=VOTE)
    votes.forget_pause(tx, game.row.id)
    pause_ends_at = tx.now + LONGEST_PAUSE if kind is VoteKind.PAUSE else None
    votes.end(tx, vote.id, "passed", pause_ends_at=pause_ends_at)
    if kind is VoteKind.SHORTEN:
        write_change(source, shorten(source))
        _notify(tx, game, "vote-ended", vote.id, voters_of(game.row))
        return
    act, planner = _ACT_AND_PLANNER_BY_VOTE_KIND[kind]
    by = (VOTE, VOTE_PASSED_REASON)
    entry_id = write_and_record(source, act, planner(source), by=by)
    queue_emails_about_act(tx, game, entry_id, sorted(voters_of(game.row)))


def _end_unanswered(tx: Tx, game: LoadedGame, vote: VoteRow) -> None:
    """End a vote whose time is up, or that makes no sense any more; only the first is news."""
    is_stale = is_vote_outdated(vote, game.row)
    votes.end(tx, vote.id, "outdated" if is_stale else "expired")
    if not is_stale:
        _notify(tx, game, "vote-ended", vote.id, voters_of(game.row))


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
    tx.nudges.add("emails")
