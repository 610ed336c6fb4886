"""What all processes count together for metrics: attempts to send an email, and the work of workers; and totals of games.

Metrics read these rows, so that no request of a monitor reads a table that grows with the site.
"""

from typing import Final, Literal, TypeAlias, get_args

import msgspec

from webapp.kernel.game_status import GameStatus
from webapp.kernel.tx import Tx
from webapp.operations.queries import daily_statistics
from webapp.operations.queries.daily_statistics import FigureKey

AttemptOutcome: TypeAlias = Literal[
    "accepted", "waits", "refused", "unreachable", "not-composed", "dead"
]
"""The relay took the email; the recipient's mailbox refused it for now; the relay refused this server, or could not be reached;
the email could not be written; it was given up."""
ATTEMPT_OUTCOMES: Final[tuple[AttemptOutcome, ...]] = get_args(AttemptOutcome)
_ATTEMPTS: Final = "delivery-attempts"
_GAMES: Final = "games"
_TURNS: Final = FigureKey("turns")


class WorkReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker did since its last heartbeat."""

    sweeps: int = 0
    slow_sweeps: int = 0
    """Of the sweeps, those that took longer than the time until the next."""
    tasks_done: int = 0
    tasks_failed: int = 0
    has_looked_for_bots: bool = False


NO_WORK: Final = WorkReport()


class SiteFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures; every outcome and status has an entry."""

    attempts: dict[str, int]
    work: WorkReport
    """Of all workers together, since the database was created."""
    games: dict[str, int] | None
    """By status, counted within the last minutes; None before the first count."""
    turns: int | None


def count_attempts(tx: Tx, outcome: AttemptOutcome, times: int = 1) -> None:
    """Count attempts to send an email, as the last statement of the transaction that records what became of it."""
    daily_statistics.add(tx, {FigureKey(_ATTEMPTS, outcome): times})


def count_work(tx: Tx, report: WorkReport) -> None:
    """Add what a worker did."""
    counts = {key: getattr(report, name) for name, key in _WORK_KEYS.items()}
    daily_statistics.add(tx, {key: count for key, count in counts.items() if count})


def count_games(tx: Tx) -> None:
    """Count all games and turns, in place of the last count. Reads the whole table of games, so call it seldom."""
    counts = daily_statistics.games_and_turns(tx)
    games = {FigureKey(_GAMES, status): count for status, (count, _) in counts.items()}
    turn_count = sum(turns for _, turns in counts.values())
    daily_statistics.set_figures(tx, {**games, _TURNS: turn_count})


def read_figures(tx: Tx) -> SiteFigures:
    """Return all figures. One statement, which reads a few rows."""
    stored = daily_statistics.all_figures(tx)
    return SiteFigures(
        attempts={
            outcome: stored.get(FigureKey(_ATTEMPTS, outcome), 0) for outcome in ATTEMPT_OUTCOMES
        },
        work=WorkReport(
            sweeps=stored.get(_WORK_KEYS["sweeps"], 0),
            slow_sweeps=stored.get(_WORK_KEYS["slow_sweeps"], 0),
            tasks_done=stored.get(_WORK_KEYS["tasks_done"], 0),
            tasks_failed=stored.get(_WORK_KEYS["tasks_failed"], 0),
        ),
        games={status: stored.get(FigureKey(_GAMES, status), 0) for status in GameStatus}
        if _TURNS in stored
        else None,
        turns=stored.get(_TURNS),
    )


_WORK_KEYS: Final = {
    "sweeps": FigureKey("sweeps"),
    "slow_sweeps": FigureKey("slow-sweeps"),
    "tasks_done": FigureKey("tasks", "done"),
    "tasks_failed": FigureKey("tasks", "failed"),
}
