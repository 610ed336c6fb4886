"""The daily audit: compare every game with its log, batch by batch. The log is the source of truth.

A snapshot or a result that differs from what a complete log folds to is rebuilt. Every other inconsistency is only stored: while
there is one, deadlines and bots leave the game alone (`webapp.play.queries.clocks`), because its position may be wrong. People may
still play. Folding the log at every deadline would be safer, but a default turn would then cost more the longer a game gets.
"""

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from engine.wire import STATE_FORMAT, encode_state
from webapp.kernel.tx import Tx
from webapp.operations.consistency import InconsistencyKind, inconsistencies_in, state_from_log
from webapp.operations.queries import audit_progress, logged_games
from webapp.operations.queries.audit_progress import AuditCursor, FoundInconsistency
from webapp.operations.queries.logged_games import Log, LoggedGame
from webapp.play.queries import turns
from webapp.play.queries.results import replace_results
from webapp.play.turns.turns import results_of

AUDIT_INTERVAL: Final = timedelta(days=1)
"""The least time from the start of one audit to the start of the next."""
_SNAPSHOT_KINDS: Final[frozenset[InconsistencyKind]] = frozenset(
    {"snapshot-missing", "snapshot-unreadable", "snapshot-differs", "head-differs"}
)
_LOG_KINDS: Final[frozenset[InconsistencyKind]] = frozenset(
    {"log-has-gaps", "log-unreadable", "log-impossible"}
)
_log = logging.getLogger(__name__)


class BatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one batch; ``has_more`` is true until the audit has reached the last game."""

    checked_count: int = 0
    repaired_slugs: tuple[str, ...] = ()
    """Slugs of the games whose snapshot was rebuilt."""
    inconsistent_slugs: tuple[str, ...] = ()
    """Slugs of the games in which an inconsistency remains."""
    has_more: bool = False


class AuditStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What all audits so far have found; ``completed_at`` is None before the first complete one."""

    inconsistent_games: int
    repaired_snapshots: int
    completed_at: datetime | None


def run_batch(tx: Tx, *, limit: int) -> BatchResult:
    """Check the next games; start a new audit one day after the last one started.

    The cursor is locked, so two workers never check the same batch.
    """
    cursor = audit_progress.lock_cursor(tx)
    if cursor is None or _is_waiting(cursor, tx.now):
        return BatchResult()
    if _is_pass_complete(cursor):
        cursor = msgspec.structs.replace(cursor, started_at=tx.now, last_game_id=0)
    games = logged_games.next_games(tx, cursor.last_game_id, limit=limit)
    result = _check_games(tx, games)
    result = msgspec.structs.replace(result, has_more=len(games) == limit)
    last_game_id = games[-1][0].id if games else cursor.last_game_id
    audit_progress.save_cursor(tx, _advanced_cursor(cursor, last_game_id, result, now=tx.now))
    return result


def audit_status(tx: Tx) -> AuditStatus:
    """Return what the audits have found so far."""
    cursor = audit_progress.read_cursor(tx)
    return AuditStatus(
        inconsistent_games=audit_progress.count_inconsistent_games(tx),
        repaired_snapshots=0 if cursor is None else cursor.repaired_snapshots,
        completed_at=None if cursor is None else cursor.completed_at,
    )


def _is_waiting(cursor: AuditCursor, now: datetime) -> bool:
    return _is_pass_complete(cursor) and now < cursor.started_at + AUDIT_INTERVAL


def _is_pass_complete(cursor: AuditCursor) -> bool:
    return cursor.completed_at is not None and cursor.completed_at >= cursor.started_at


def _check_games(tx: Tx, games: Sequence[tuple[LoggedGame, Log]]) -> BatchResult:
    inconsistencies: list[FoundInconsistency] = []
    repaired_slugs: list[str] = []
    for game, log in games:
        kinds = inconsistencies_in(game, log)
        if kinds & _SNAPSHOT_KINDS and not kinds & _LOG_KINDS and _rebuild_snapshot(tx, game, log):
            repaired_slugs.append(game.slug)
            kinds -= _SNAPSHOT_KINDS
        if "result-differs" in kinds and not kinds & _LOG_KINDS:
            _rebuild_results(tx, game, log)
            kinds -= {"result-differs"}
        inconsistencies += _logged_inconsistencies(game, kinds)
    ids, checked_count = [game.id for game, _ in games], len(games)
    audit_progress.replace_inconsistencies(tx, ids, inconsistencies)
    slugs = {game.id: game.slug for game, _ in games}
    inconsistent_slugs = sorted({slugs[inconsistency.game_id] for inconsistency in inconsistencies})
    return BatchResult(
        checked_count=checked_count,
        repaired_slugs=tuple(repaired_slugs),
        inconsistent_slugs=tuple(inconsistent_slugs),
    )


def _rebuild_snapshot(tx: Tx, game: LoggedGame, log: Log) -> bool:
    """Rebuild the snapshot from the log; return False if a turn was played in the meantime."""
    state = encode_state(state_from_log(game, log))
    is_replaced = turns.replace_snapshot(
        tx,
        game.id,
        seq=game.seq,
        state=state,
        state_format=STATE_FORMAT,
        head=log[-1].head,
    )
    if is_replaced:
        _log.error(
            "The snapshot of game %s did not match its log; it was rebuilt from the log.", game.slug
        )
    return is_replaced


def _rebuild_results(tx: Tx, game: LoggedGame, log: Log) -> None:
    """Rebuild the public result of a game that has ended, or delete that of a game that has not."""
    if not turns.lock_at(tx, game.id, seq=game.seq):
        return
    replace_results(tx, game.id, results_of(state_from_log(game, log)))
    _log.error(
        "The result of game %s did not match its log; it was rebuilt from the log.", game.slug
    )


def _logged_inconsistencies(
    game: LoggedGame, kinds: frozenset[InconsistencyKind]
) -> Iterator[FoundInconsistency]:
    for kind in sorted(kinds):
        _log.error("Game %s is inconsistent (%s); run `lodepost audit`.", game.slug, kind)
        yield FoundInconsistency(game_id=game.id, kind=kind)


def _advanced_cursor(
    cursor: AuditCursor, last_game_id: int, result: BatchResult, *, now: datetime
) -> AuditCursor:
    return msgspec.structs.replace(
        cursor,
        completed_at=cursor.completed_at if result.has_more else now,
        last_game_id=last_game_id,
        repaired_snapshots=cursor.repaired_snapshots + len(result.repaired_slugs),
    )
