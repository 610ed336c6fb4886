"""Which processes of the server are running, as their heartbeats show.

Heartbeats are rows, so a second beat is noticed without Redis. A beat that was last seen before another one started was
replaced by it, and is no second one.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, TypeAlias

import msgspec

from webapp.services.operations.clock_difference import is_clock_difference_too_large
from webapp.services.tx import Tx
from webapp.store.operations import heartbeats
from webapp.store.operations.heartbeats import (
    BEAT_PART,
    BOTS_PART,
    SCHEDULE_PART,
    WORKER_PART,
    LastSeen,
)

SeenProcess: TypeAlias = LastSeen
"""A worker or a beat, when it was last seen, and its clock."""
WORKER_SILENT_AFTER: Final = timedelta(minutes=2)
"""A worker writes a heartbeat every 30 seconds; one that has been silent for longer than this is not running."""
KILLED_WORKER_LISTED_FOR: Final = timedelta(minutes=10)
"""A worker that has been silent for longer is listed only while no other is running: it was killed and replaced."""
BOTS_NOTED_AFTER: Final = timedelta(minutes=1)
"""A worker that plays bots has said so by then, in its second heartbeat."""
BEAT_SILENT_AFTER: Final = timedelta(seconds=45)
"""A beat writes one every 10 seconds; shorter than for a worker, because one that was killed must not count as a second for long."""


class ProcessStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Which workers and beats are running, and which workers have not been seen for too long."""

    running_workers: tuple[LastSeen, ...]
    silent_workers: tuple[LastSeen, ...]
    """The last seen first."""
    running_beats: tuple[LastSeen, ...]
    """Exactly one should be: each starts every task."""
    worker_seen_at: datetime | None
    beat_seen_at: datetime | None
    swept_at: datetime | None
    """When a worker last looked for deadlines, which only a beat starts."""
    bots_seen_at: datetime | None
    """When a worker last looked for bots on turn."""

    def lacks_bots(self, now: datetime) -> bool:
        """Return whether workers are running, one of them for long enough to have said that it plays bots, and none has."""
        if self.bots_seen_at is not None and now - self.bots_seen_at <= WORKER_SILENT_AFTER:
            return False
        return any(
            worker.started_at is None or now - worker.started_at > BOTS_NOTED_AFTER
            for worker in self.running_workers
        )

    @property
    def wrong_clocks(self) -> tuple[LastSeen, ...]:
        """The running workers whose clocks are wrong: they do nothing."""
        return tuple(filter(_has_wrong_clock, self.running_workers))

    @property
    def beats_with_wrong_clock(self) -> tuple[LastSeen, ...]:
        """The running beats whose clocks are wrong: what they start counts as expired, or never expires."""
        return tuple(filter(_has_wrong_clock, self.running_beats))


def process_status(tx: Tx) -> ProcessStatus:
    """Return which processes are running. One statement."""
    rows = heartbeats.all_heartbeats(tx.connection)
    workers = [row for row in rows if row.part == WORKER_PART]
    beats = [row for row in rows if row.part == BEAT_PART]
    running_workers = tuple(row for row in workers if tx.now - row.at <= WORKER_SILENT_AFTER)
    return ProcessStatus(
        running_workers=running_workers,
        silent_workers=tuple(
            row
            for row in workers
            if tx.now - row.at > WORKER_SILENT_AFTER
            and (not running_workers or tx.now - row.at <= KILLED_WORKER_LISTED_FOR)
        ),
        running_beats=tuple(
            beat
            for beat in beats
            if tx.now - beat.at <= BEAT_SILENT_AFTER and not _is_replaced(beat, beats)
        ),
        worker_seen_at=_newest_seen_at(rows, WORKER_PART),
        beat_seen_at=_newest_seen_at(rows, BEAT_PART),
        swept_at=_newest_seen_at(rows, SCHEDULE_PART),
        bots_seen_at=_newest_seen_at(rows, BOTS_PART),
    )


def _is_replaced(beat: LastSeen, beats: Sequence[LastSeen]) -> bool:
    """Return whether another beat has started since this one was last seen: it was killed and started again."""
    return any(other.started_at is not None and other.started_at > beat.at for other in beats)


def _has_wrong_clock(row: LastSeen) -> bool:
    return is_clock_difference_too_large(row.clock_ahead)


def _newest_seen_at(rows: Sequence[LastSeen], part: str) -> datetime | None:
    return max((row.at for row in rows if row.part == part), default=None)
