"""Whether the log of every game still leads to what is stored beside it. Nothing is mended here.

The log is the truth and the rest a cache; but what disagrees is told, for it says that something went wrong.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias, TypeVar

import msgspec
from psycopg import Connection

from engine.evolve import fold, initial_state
from engine.fairness import Secrets, commitments
from engine.rulebook import HouseRules
from engine.state import State
from engine.view import awaiting
from engine.wire import STATE_FORMAT, decode_events, decode_state
from webapp.game_status import GameStatus
from webapp.store.operations import migrate
from webapp.store.operations.copying import Away, instant_of
from webapp.store.operations.logged_games import Log, LoggedGame, count_strays, games_of, log_of

Why: TypeAlias = Literal[
    "no-secrets",
    "commitments",
    "log-has-gaps",
    "log-unreadable",
    "log-impossible",
    "snapshot-missing",
    "snapshot-unreadable",
    "snapshot-differs",
    "awaiting-differs",
    "round-differs",
    "status-differs",
    "strays",
]
__all__ = [
    "Away",
    "Disagreement",
    "Inspected",
    "NotThisSchema",
    "Why",
    "disagreements_in",
    "inspect",
    "inspect_at",
    "state_of",
]

T = TypeVar("T")


class NotThisSchema(Exception):
    """The database is of another release; the sentence says which, and what would be right."""


class Disagreement(msgspec.Struct, frozen=True, order=True):
    """Something that is stored contradicts something else. ``slug`` is empty for turns of no game."""

    slug: str
    why: Why


class Inspected(msgspec.Struct, frozen=True, kw_only=True):
    """What was looked at, and what disagrees."""

    games: int
    turns: int
    disagreements: tuple[Disagreement, ...]


class _Inspection:
    """Goes through the games of one instant."""

    def __init__(self) -> None:
        self._games = 0
        self._turns = 0
        self._found: list[Disagreement] = []

    def look_at(self, game: LoggedGame, log: Log) -> None:
        """Fold one game's log and compare."""
        self._games += 1
        self._turns += len(log)
        self._look_at_secrets(game)
        self._note(game, "status-differs", GameStatus(game.status).is_dealt != (game.seq >= 0))
        if [seq for seq, _ in log] != list(range(game.seq + 1)):
            self._found.append(Disagreement(game.slug, "log-has-gaps"))
        elif log and (state := self._folded(game, log)) is not None:
            self._compare(game, state)

    def note_strays(self, count: int) -> None:
        if count:
            self._found.append(Disagreement("", "strays"))

    def outcome(self) -> Inspected:
        return Inspected(
            games=self._games, turns=self._turns, disagreements=tuple(sorted(set(self._found)))
        )

    def _tried(self, game: LoggedGame, why: Why, step: Callable[[], T]) -> T | None:
        """Whatever the rows hold, the next game is looked at as well."""
        try:
            return step()
        except Exception:  # noqa: BLE001 - damaged rows may fail in any way
            self._found.append(Disagreement(game.slug, why))
            return None

    def _note(self, game: LoggedGame, why: Why, wrong: object) -> None:
        if wrong:
            self._found.append(Disagreement(game.slug, why))

    def _look_at_secrets(self, game: LoggedGame) -> None:
        if game.gold is None:
            self._found.append(Disagreement(game.slug, "no-secrets"))
            return
        given = self._tried(game, "commitments", lambda: commitments(game.slug, _secrets_of(game)))
        self._note(game, "commitments", given and " ".join(given) != game.commitments)

    def _folded(self, game: LoggedGame, log: Log) -> State | None:
        turns = self._tried(
            game, "log-unreadable", lambda: [decode_events(events) for _, events in log]
        )
        if turns is None:
            return None
        return self._tried(game, "log-impossible", lambda: fold(_blank_table(game), turns))

    def _compare(self, game: LoggedGame, state: State) -> None:
        self._compare_snapshot(game, state)
        due = awaiting(state)
        self._note(game, "awaiting-differs", game.awaiting != (None if due is None else due.seat))
        self._note(game, "round-differs", game.round != state.round)
        self._note(game, "status-differs", (game.status == GameStatus.FINISHED) != (due is None))

    def _compare_snapshot(self, game: LoggedGame, state: State) -> None:
        if game.state is None:
            self._found.append(Disagreement(game.slug, "snapshot-missing"))
        elif game.state_format == STATE_FORMAT:
            text = game.state
            kept = self._tried(game, "snapshot-unreadable", lambda: decode_state(text))
            self._note(game, "snapshot-differs", kept is not None and kept != state)


def disagreements_in(game: LoggedGame, log: Log) -> frozenset[Why]:
    """What disagrees in one game with its log up to its present turn."""
    looked = _Inspection()
    looked.look_at(game, log)
    return frozenset(one.why for one in looked.outcome().disagreements)


def state_of(game: LoggedGame, log: Log) -> State:
    """The position to which a log leads in which nothing disagrees with itself."""
    return fold(_blank_table(game), [decode_events(events) for _, events in log])


def inspect(url: str) -> Inspected:
    """Look at every game of a database, as all of them stood at one instant. Raises Away and NotThisSchema."""
    require_this_schema(url)
    with instant_of(url) as instant:
        return inspect_at(instant.connection)


def require_this_schema(url: str) -> None:
    """Raise NotThisSchema where another release has written, or none; Misconfigured where nothing answers."""
    found, ours = migrate.revision_of(url), migrate.newest_revision()
    if found != ours:
        raise NotThisSchema(
            f"The database stands at {found or 'no schema at all'}, and this release is at {ours}. "
            "Do this with the release that the server runs, or run `lodepost migrate` first."
        )


def inspect_at(connection: Connection) -> Inspected:
    """Look at every game that a transaction sees; one game at a time is in memory."""
    looked = _Inspection()
    for game in games_of(connection):
        looked.look_at(game, log_of(connection, game.id))
    looked.note_strays(count_strays(connection))
    return looked.outcome()


def _blank_table(game: LoggedGame) -> State:
    return initial_state(game.rulebook, msgspec.convert(game.house, HouseRules), game.seats)


def _secrets_of(game: LoggedGame) -> Secrets:
    assert game.gold is not None
    assert game.round_1 is not None
    assert game.round_2 is not None
    assert game.round_3 is not None
    return Secrets(gold=game.gold, round_1=game.round_1, round_2=game.round_2, round_3=game.round_3)
