"""Play the turns of bots: claim, decide, and answer when the answer is due, for many games at once.

One loop in one thread of the process does all of it: while some answers are not due, it decides for other bots. Decisions and
answers live in its memory only. If it dies, the claims of its turns expire and another worker starts them again.

1. ``play_bots`` runs after a nudge, and every two seconds anyway. Its queue is its own.
2. ``webapp.play.bots.bot_turns.claim_bot_turn`` leases the turn that has waited longest, and draws when its answer is due.
3. ``tasks.decider.ProcessDecider`` sends the view and the history of the seat to ``tasks.bot_process``. If the bot fails, breaks
   the rules or takes too long, it plays the neutral action, and the log says why without what the bot knows.
4. ``webapp.play.bots.bot_turns.play_bot_turn`` plays the answer if the game still stands where it stood.

No request decides for a bot: the web process loads how bots believe, to show that after a game, but not how they choose.
"""

import logging
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from engine.actions import Action
from engine.bots.policy import LEVELS
from tasks.context import WorkerContext
from tasks.decider import Fault
from webapp.kernel.bot_levels import OFFERED_LEVELS
from webapp.operations import maintenance
from webapp.play.bots.bot_turns import BotTurn, claim_bot_turn, play_bot_turn, release_bot_turn
from webapp.play.bots.thinking_time import answer_time

DECISION_BUDGET: Final = timedelta(seconds=5)
"""The hard limit of one decision; the bots themselves aim at a fraction of a second."""
_POLL_SECONDS: Final = 0.25
"""How often, in seconds, the loop looks for turns that have begun while it is waiting for an answer to be due."""
_MAX_RUN_DURATION: Final = timedelta(seconds=20)
"""The time after which the loop claims no more and ends, so that the broker sees its task done; a new one follows."""
_log = logging.getLogger(__name__)


class _DecidedTurn(NamedTuple):
    """A decided turn, and when to play it; without an action the neutral one is played."""

    turn: BotTurn
    action: Action | None
    due_at: datetime


def play_bots(worker: WorkerContext) -> None:
    """Play until no bot is on turn; in a process where that is being done already, return at once."""
    worker.heartbeats.note_playing_bots()
    if not worker.bots_lock.acquire(blocking=False):
        return
    turn_loop = _BotTurnLoop(worker)
    try:
        turn_loop.run()
    finally:
        if turn_loop.turn is not None:
            # Its decision would be taken for that of the next turn.
            worker.decider.stop()
        worker.bots_lock.release()


class _BotTurnLoop:
    """The turns that were claimed and not yet played."""

    def __init__(self, worker: WorkerContext) -> None:
        self.worker = worker
        self.answers: list[_DecidedTurn] = []
        self.turn: BotTurn | None = None
        """The turn that is being decided."""
        self.began_at = worker.now()
        self.ends_at = self.began_at + _MAX_RUN_DURATION

    def run(self) -> None:
        while not self.worker.is_stopping():
            self._play_due_answers()
            if self.turn is None and self.worker.now() < self.ends_at:
                self._claim_turn()
            if self.turn is None and not self.answers:
                return self._stop_idle_decider_or_run_again()
            self._wait_for_decision()
        return self._release_claimed_turns()

    def _play_due_answers(self) -> None:
        now = self.worker.now()
        due_answers = sorted(
            (answer for answer in self.answers if answer.due_at <= now),
            key=lambda answer: answer.due_at,
        )
        for answer in due_answers:
            self.answers.remove(answer)
            self._play_answer(answer)

    def _play_answer(self, answer: _DecidedTurn) -> None:
        worker = self.worker
        with worker.transaction() as tx:
            if self.worker.has_right_clock(tx) and not maintenance.are_clocks_stopped(tx):
                play_bot_turn(
                    tx,
                    answer.turn,
                    answer.action,
                )
        worker.nudge(tx.nudges - {"bots"})

    def _claim_turn(self) -> None:
        with self.worker.transaction() as tx:
            if maintenance.are_clocks_stopped(tx) or not self.worker.has_right_clock(tx):
                return
            turn = claim_bot_turn(
                tx,
                decisions=self.worker.recent_decisions,
            )
        if turn is not None and turn.level not in LEVELS:
            known_levels = ", ".join(OFFERED_LEVELS)
            reason = f"its level is stored as {turn.level!r}, but it must be one of {known_levels}"
            self._schedule_answer(turn, Fault(reason))
        elif turn is not None:
            self.turn, self.began_at = turn, self.worker.now()
            self.worker.decider.begin(turn)

    def _wait_for_decision(self) -> None:
        """Wait for the decision, the next answer that is due, or a moment."""
        now = self.worker.now()
        seconds_left = [(answer.due_at - now).total_seconds() for answer in self.answers]
        seconds = max(0.0, min([_POLL_SECONDS, *seconds_left]))
        if self.turn is None:
            self.worker.pause(seconds)
            return
        decision = self.worker.decider.wait(seconds)
        if decision is None and self.worker.now() - self.began_at > DECISION_BUDGET:
            self.worker.decider.stop()
            decision = Fault(f"no decision within {DECISION_BUDGET.total_seconds():g} seconds")
        if decision is not None:
            if not isinstance(decision, Fault):
                duration = self.worker.now() - self.began_at
                self.worker.recent_decisions.add_duration(duration, level=self.turn.level)
            self._schedule_answer(self.turn, decision)

    def _schedule_answer(self, turn: BotTurn, decision: Action | Fault) -> None:
        action = None if isinstance(decision, Fault) else decision
        if isinstance(decision, Fault):
            _log.error(
                "The bot in seat %s of game %s plays the neutral action: %s.",
                turn.seat + 1,
                turn.slug,
                decision.reason,
            )
        due_at = answer_time(
            turn.answer_at, turn.thinking_time, self.worker.random_below, ready_at=self.worker.now()
        )
        self.answers.append(_DecidedTurn(turn, action, due_at))
        self.turn = None

    def _stop_idle_decider_or_run_again(self) -> None:
        self.worker.decider.stop_if_unused()
        if self.worker.now() >= self.ends_at:
            self.worker.nudge({"bots"})

    def _release_claimed_turns(self) -> None:
        """Give every claim back: this process is about to end."""
        claimed_turns = [
            *(answer.turn for answer in self.answers),
            *([self.turn] if self.turn else []),
        ]
        with self.worker.transaction() as tx:
            for turn in claimed_turns:
                release_bot_turn(tx, turn)
