"""A turn that waits for its player through a fault: its time is short, and its player rests."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final, NamedTuple

from tests.chaos.attendance import Attendance
from tests.chaos.deployment import Deployment, wait_until

TIME_LEFT: Final = timedelta(minutes=10)
"""What the player has left when the fault begins."""
_USUAL_TIME: Final = timedelta(hours=2)
_CALL_SECONDS: Final = 60.0


class WaitingTurn(NamedTuple):
    """A turn of a person, known by the number of turns before it."""

    slug: str
    seq: int


def let_turn_wait(deployment: Deployment, attendance: Attendance) -> WaitingTurn:
    """Choose a game that waits for a person who was called, let its players rest, and leave that turn only a short time."""
    _give_usual_time_to_all(deployment)
    found: list[WaitingTurn] = []

    def has_found() -> bool:
        candidates = deployment.execute(_SELECT_CANDIDATES)
        if candidates:
            found.extend(_shortened_turn(deployment, attendance, *candidates[0]))
        return bool(found)

    wait_until(has_found)
    return found[0]


def time_left(deployment: Deployment, turn: WaitingTurn) -> timedelta | None:
    """Return how much time the player has left; None if the turn was played."""
    query = f"SELECT deadline_at - {deployment.now_sql} FROM game WHERE slug = %s AND seq = %s"
    rows = deployment.execute(query, *turn)
    return rows[0][0] if rows else None


def restore_time(deployment: Deployment, turn: WaitingTurn) -> None:
    """Give the player the usual time again."""
    _set_time_left(deployment, turn.slug, _USUAL_TIME, seq=turn.seq)


def _shortened_turn(deployment: Deployment, attendance: Attendance, slug: str) -> list[WaitingTurn]:
    attendance.let_rest(slug)
    _wait(lambda: deployment.execute(_IS_CALLED, slug) == [(True,)])
    rows = _set_time_left(deployment, slug, TIME_LEFT)
    if not rows:
        attendance.resume()
    return [WaitingTurn(slug, seq) for (seq,) in rows]


def _set_time_left(
    deployment: Deployment, slug: str, time: timedelta, *, seq: int | None = None
) -> list[tuple[int]]:
    deadline = f"{deployment.now_sql} + %s"
    rows = deployment.execute(
        f"UPDATE game SET deadline_at = {deadline}, wake_at = {deadline} WHERE slug = %s"
        " AND status = 'running' AND NOT awaiting_bot AND seq = coalesce(%s, seq) RETURNING seq",
        time,
        time,
        slug,
        seq,
    )
    return [(row[0],) for row in rows]


def _give_usual_time_to_all(deployment: Deployment) -> None:
    """Give all players the usual time again: faults of single clocks may have left them less."""
    deadline = f"{deployment.now_sql} + %s"
    deployment.execute(
        f"UPDATE game SET deadline_at = {deadline}, wake_at = {deadline}"
        " WHERE status = 'running' AND NOT awaiting_bot",
        _USUAL_TIME,
        _USUAL_TIME,
    )


def _wait(condition: Callable[[], bool]) -> None:
    """Wait for a condition, for a while."""
    try:
        wait_until(condition, timeout=_CALL_SECONDS)
    except TimeoutError:
        return


_SELECT_CANDIDATES: Final = (
    "SELECT slug FROM game WHERE status = 'running' AND NOT awaiting_bot ORDER BY md5(slug || seq)"
)
_IS_CALLED: Final = (
    "SELECT NOT awaiting_bot AND NOT EXISTS (SELECT FROM notification WHERE game_id = game.id"
    " AND notification.status = 'pending') FROM game WHERE slug = %s AND status = 'running'"
)
