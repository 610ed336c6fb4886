"""The audit that goes over all games day by day: the log is the truth, and what disagrees with it is found.

A snapshot that is not what a whole log folds to is made anew. All else is only noted: while a note stands, the clock and
bots leave the game alone (`webapp.store.play.deadlines`), for nobody may be judged by a position that may be wrong.
"""

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from engine.wire import STATE_FORMAT, encode_state
from webapp.services.operations.consistency import Why, disagreements_in, state_of
from webapp.services.tx import Tx
from webapp.store.operations import audits, logged_games
from webapp.store.operations.audits import Found, Place
from webapp.store.operations.logged_games import Log, LoggedGame
from webapp.store.play import snapshots

EVERY: Final = timedelta(days=1)
"""From the beginning of one walk to that of the next, at least."""
_OF_SNAPSHOT: Final[frozenset[Why]] = frozenset(
    {"snapshot-missing", "snapshot-unreadable", "snapshot-differs"}
)
_OF_LOG: Final[frozenset[Why]] = frozenset({"log-has-gaps", "log-unreadable", "log-impossible"})
_log = logging.getLogger(__name__)


class Walked(msgspec.Struct, frozen=True, kw_only=True):
    """How many games were looked at, which were mended and which disagree; ``more``: the walk is not at its end."""

    looked: int = 0
    mended: tuple[str, ...] = ()
    disagreeing: tuple[str, ...] = ()
    more: bool = False


class Soundness(msgspec.Struct, frozen=True, kw_only=True):
    """What the audit knows; ``walked_at`` is the end of the last whole walk, None before the first."""

    disagreeing: int
    mended: int
    walked_at: datetime | None


def walk(tx: Tx, *, now: datetime, limit: int) -> Walked:
    """Look at the next games of the walk, which begins again a day after it began. Two at once do not do it twice."""
    place = audits.lock_place(tx.connection, now=now)
    if place is None or _is_resting(place, now):
        return Walked()
    if _has_ended(place):
        place = msgspec.structs.replace(place, begun_at=now, position=0)
    games = logged_games.next_games(tx.connection, place.position, limit=limit)
    walked = _look_at(tx, games, now=now)
    audits.keep_place(tx.connection, _after(place, games, walked, limit=limit, now=now))
    return msgspec.structs.replace(walked, more=len(games) == limit)


def soundness(tx: Tx) -> Soundness:
    """What the audit found so far."""
    place = audits.place_of(tx.connection)
    return Soundness(
        disagreeing=audits.count_disagreeing(tx.connection),
        mended=0 if place is None else place.repaired,
        walked_at=None if place is None else place.ended_at,
    )


def _is_resting(place: Place, now: datetime) -> bool:
    return _has_ended(place) and now < place.begun_at + EVERY


def _has_ended(place: Place) -> bool:
    return place.ended_at is not None and place.ended_at >= place.begun_at


def _look_at(tx: Tx, games: Sequence[tuple[LoggedGame, Log]], *, now: datetime) -> Walked:
    found: list[Found] = []
    mended: list[str] = []
    for game, log in games:
        wrong = disagreements_in(game, log)
        if wrong & _OF_SNAPSHOT and not wrong & _OF_LOG and _mend(tx, game, log):
            mended.append(game.slug)
            wrong -= _OF_SNAPSHOT
        found += _noted(game, wrong)
    audits.note(tx.connection, [game.id for game, _ in games], found, now=now)
    slugs = {game.id: game.slug for game, _ in games}
    disagreeing = sorted({slugs[one.game_id] for one in found})
    return Walked(looked=len(games), mended=tuple(mended), disagreeing=tuple(disagreeing))


def _mend(tx: Tx, game: LoggedGame, log: Log) -> bool:
    """Make the snapshot anew, unless the game has gone on meanwhile."""
    state = encode_state(state_of(game, log))
    mended = snapshots.replace_snapshot(
        tx.connection, game.id, seq=game.seq, state=state, state_format=STATE_FORMAT
    )
    if mended:
        _log.error(
            "The snapshot of game %s was not what its log says; it was made anew.", game.slug
        )
    return mended


def _noted(game: LoggedGame, wrong: frozenset[Why]) -> Iterator[Found]:
    for why in sorted(wrong):
        _log.error("Game %s disagrees with itself (%s); see `lodepost audit`.", game.slug, why)
        yield Found(game_id=game.id, why=why)


def _after(
    place: Place,
    games: Sequence[tuple[LoggedGame, Log]],
    walked: Walked,
    *,
    limit: int,
    now: datetime,
) -> Place:
    ended = len(games) < limit
    return msgspec.structs.replace(
        place,
        ended_at=now if ended else place.ended_at,
        position=games[-1][0].id if games else place.position,
        repaired=place.repaired + len(walked.mended),
    )
