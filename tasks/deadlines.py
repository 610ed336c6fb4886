"""Turns of players whose time ran out, and reminders of those whose time is running out."""

from tasks.context import WorkerContext
from webapp.services.operations import maintenance
from webapp.services.play import deadlines
from webapp.services.tx import read_only, transaction


def sweep_deadlines(worker: WorkerContext) -> None:
    """Remind players and play for those who are late until nothing is due; each batch is a short transaction.

    After maintenance or an outage, shift all clocks first; during maintenance nothing is due. A worker whose clock is wrong plays nothing.
    """
    with worker.heartbeats.count_sweep(worker.now):
        _shift_clocks(worker)
        if worker.heartbeats.may_have_missed_sweeps(worker.now()):
            _make_up_for_outage(worker)
        has_due_games = _any_turn_is_due(worker)
        while has_due_games and not worker.is_stopping():
            with transaction(worker.database) as tx:
                if not worker.has_right_clock(tx):
                    return
                has_due_games = deadlines.sweep(tx, now=worker.now(), pick=worker.pick).has_more
            worker.nudge(tx.nudges)


def _make_up_for_outage(worker: WorkerContext) -> None:
    """Give all players the time back for which no worker has watched their deadlines, before any of them is played for."""
    with transaction(worker.database) as tx:
        if not worker.has_right_clock(tx):
            return
        maintenance.note_outage(tx, now=worker.now())
    _shift_clocks(worker)


def _shift_clocks(worker: WorkerContext) -> None:
    """Move the deadlines of all running games by the length of the last maintenance, if that has not been done."""
    has_games_to_shift = _are_clocks_stopped(worker)
    while has_games_to_shift and not worker.is_stopping():
        with transaction(worker.database) as tx:
            has_games_to_shift = maintenance.shift_next_games(tx, now=worker.now())


def _are_clocks_stopped(worker: WorkerContext) -> bool:
    with read_only(worker.database) as tx:
        return maintenance.are_clocks_stopped(tx)


def _any_turn_is_due(worker: WorkerContext) -> bool:
    with read_only(worker.database) as tx:
        return deadlines.is_any_game_due(
            tx, now=worker.now()
        ) and not maintenance.are_clocks_stopped(tx)
