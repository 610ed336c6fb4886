"""Compare the log of every game with what is stored beside it. Nothing is repaired here.

The log is the source of truth and the rest is a cache; still, every difference is reported, because it means that
something went wrong.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias, TypeVar

import msgspec
from psycopg import Connection

from engine.commitments import Secrets, commitments
from engine.evolve import fold, initial_state
from engine.record import RecordedTurn, TurnChain
from engine.rulebook import HouseRules
from engine.state import State
from engine.view import awaiting
from engine.wire import STATE_FORMAT, decode_action, decode_events, decode_state
from webapp.kernel.game_status import GameStatus
from webapp.kernel.operator_errors import SchemaMismatch
from webapp.operations.queries import migrate
from webapp.operations.queries.logged_games import (
    Log,
    LoggedGame,
    all_games,
    count_stray_turns,
    log_of,
)
from webapp.operations.queries.table_copy import read_transaction
from webapp.play.turns.turns import results_of

InconsistencyKind: TypeAlias = Literal[
    "no-secrets",
    "commitments",
    "log-has-gaps",
    "log-unreadable",
    "log-impossible",
    "chain-differs",
    "snapshot-missing",
    "snapshot-unreadable",
    "snapshot-differs",
    "head-differs",
    "awaiting-differs",
    "round-differs",
    "status-differs",
    "result-differs",
    "stray-turns",
]
T = TypeVar("T")


class Inconsistency(msgspec.Struct, frozen=True, order=True):
    """Stored data that contradicts other stored data. ``slug`` is empty for turns without a game."""

    slug: str
    kind: InconsistencyKind


class InspectionResult(msgspec.Struct, frozen=True, kw_only=True):
    """How much was checked, and which inconsistencies were found."""

    games: int
    turns: int
    inconsistencies: tuple[Inconsistency, ...]


class _Inspection:
    """Collects the inconsistencies of the games given to ``check``."""

    def __init__(self) -> None:
        self._game_count = 0
        self._turn_count = 0
        self._inconsistencies: list[Inconsistency] = []

    def check(self, game: LoggedGame, log: Log) -> None:
        """Fold the log of one game and compare the result with what is stored."""
        self._game_count += 1
        self._turn_count += len(log)
        self._check_secrets(game)
        self._add_if_different(
            game, "status-differs", not _is_possible(GameStatus(game.status), game.seq)
        )
        if [turn.seq for turn in log] != list(range(game.seq + 1)):
            self._inconsistencies.append(Inconsistency(game.slug, "log-has-gaps"))
        elif log and (state := self._folded_state(game, log)) is not None:
            self._compare_row(game, state)
            self._check_chain(game, log)

    def add_stray_turns(self, count: int) -> None:
        if count:
            self._inconsistencies.append(Inconsistency("", "stray-turns"))

    def result(self) -> InspectionResult:
        return InspectionResult(
            games=self._game_count,
            turns=self._turn_count,
            inconsistencies=tuple(sorted(set(self._inconsistencies))),
        )

    def _record_failure_of(
        self, game: LoggedGame, kind: InconsistencyKind, step: Callable[[], T]
    ) -> T | None:
        """Run a step; an exception becomes an inconsistency, so that the next game is checked too."""
        try:
            return step()
        except Exception:  # noqa: BLE001 - damaged rows may fail in any way
            self._inconsistencies.append(Inconsistency(game.slug, kind))
            return None

    def _add_if_different(
        self, game: LoggedGame, kind: InconsistencyKind, is_different: object
    ) -> None:
        if is_different:
            self._inconsistencies.append(Inconsistency(game.slug, kind))

    def _check_secrets(self, game: LoggedGame) -> None:
        if game.gold is None:
            self._inconsistencies.append(Inconsistency(game.slug, "no-secrets"))
            return
        expected = self._record_failure_of(
            game, "commitments", lambda: commitments(game.slug, _secrets_of(game))
        )
        self._add_if_different(
            game, "commitments", expected and " ".join(expected) != game.commitments
        )

    def _folded_state(self, game: LoggedGame, log: Log) -> State | None:
        turns = self._record_failure_of(
            game, "log-unreadable", lambda: [decode_events(turn.events) for turn in log]
        )
        if turns is None:
            return None
        return self._record_failure_of(
            game, "log-impossible", lambda: fold(_initial_state(game), turns)
        )

    def _check_chain(self, game: LoggedGame, log: Log) -> None:
        """Compute the chain of turns again, if the secrets for it are there."""
        self._add_if_different(game, "head-differs", game.head != log[-1].head)
        if game.gold is None:
            return
        heads = self._record_failure_of(game, "chain-differs", lambda: _computed_heads(game, log))
        self._add_if_different(
            game, "chain-differs", heads is not None and heads != [turn.head for turn in log]
        )

    def _compare_row(self, game: LoggedGame, state: State) -> None:
        self._compare_snapshot(game, state)
        awaited = awaiting(state)
        self._add_if_different(
            game, "awaiting-differs", game.awaiting != (None if awaited is None else awaited.seat)
        )
        self._add_if_different(game, "round-differs", game.round != state.round)
        self._add_if_different(
            game, "status-differs", (game.status == GameStatus.FINISHED) != (awaited is None)
        )
        self._add_if_different(
            game, "result-differs", game.results != msgspec.to_builtins(list(results_of(state)))
        )

    def _compare_snapshot(self, game: LoggedGame, state: State) -> None:
        if game.state is None:
            self._inconsistencies.append(Inconsistency(game.slug, "snapshot-missing"))
        elif game.state_format == STATE_FORMAT:
            encoded = game.state
            stored_state = self._record_failure_of(
                game, "snapshot-unreadable", lambda: decode_state(encoded)
            )
            self._add_if_different(
                game, "snapshot-differs", stored_state is not None and stored_state != state
            )


def inconsistencies_in(game: LoggedGame, log: Log) -> frozenset[InconsistencyKind]:
    """Return how one game differs from its log up to its current turn."""
    inspection = _Inspection()
    inspection.check(game, log)
    return frozenset(inconsistency.kind for inconsistency in inspection.result().inconsistencies)


def state_from_log(game: LoggedGame, log: Log) -> State:
    """Return the state to which a consistent log folds."""
    return fold(_initial_state(game), [decode_events(turn.events) for turn in log])


def inspect_database(url: str) -> InspectionResult:
    """Check every game of a database as of one instant. Raises DatabaseFailure and SchemaMismatch."""
    require_current_schema(url)
    with read_transaction(url) as transaction:
        return inspect_games(transaction.connection)


def require_current_schema(url: str) -> None:
    """Raise SchemaMismatch for the schema of another release or none, Misconfigured if the database is unreachable."""
    found_revision, newest_revision = migrate.revision_of(url), migrate.newest_revision()
    if found_revision != newest_revision:
        raise SchemaMismatch(
            f"The database has schema {found_revision or 'none'}; this release needs {newest_revision}. "
            "Run this command with the release that the server runs, or run `lodepost migrate` first."
        )


def inspect_games(connection: Connection) -> InspectionResult:
    """Check every game that the transaction sees, with one game in memory at a time."""
    inspection = _Inspection()
    for game in all_games(connection):
        inspection.check(game, log_of(connection, game.id))
    inspection.add_stray_turns(count_stray_turns(connection))
    return inspection.result()


def _is_possible(status: GameStatus, seq: int) -> bool:
    """Return whether a game at this stage can stand at this turn, -1 being before the deal."""
    if status == GameStatus.CANCELLED:
        return True
    return status.is_before_deal == (seq < 0)


def _initial_state(game: LoggedGame) -> State:
    return initial_state(game.rulebook, msgspec.convert(game.house, HouseRules), game.seat_count)


def _computed_heads(game: LoggedGame, log: Log) -> list[bytes]:
    assert game.freeze_record is not None
    turns = (
        RecordedTurn(
            seat=turn.seat,
            by=turn.by,
            action=None if turn.action is None else decode_action(turn.action),
            events=decode_events(turn.events),
        )
        for turn in log
    )
    return list(TurnChain(_secrets_of(game), game.freeze_record).heads(turns))


def _secrets_of(game: LoggedGame) -> Secrets:
    assert game.gold is not None
    assert game.round_1 is not None
    assert game.round_2 is not None
    assert game.round_3 is not None
    return Secrets(gold=game.gold, round_1=game.round_1, round_2=game.round_2, round_3=game.round_3)
