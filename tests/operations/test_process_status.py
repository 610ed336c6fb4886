"""Which workers and beats run: two beats at once are seen, and one that was killed and started again is one."""

from datetime import timedelta

from tests.support.transactions import NOON, read_only, transaction
from webapp.kernel.tx import Database
from webapp.operations import processes
from webapp.operations.processes import ProcessStatus, process_status

SECOND = timedelta(seconds=1)


def record_beat(database: Database, instance: str, *seconds: int) -> None:
    """Record that a beat was seen so many seconds after noon."""
    for second in seconds:
        with transaction(database, NOON + second * SECOND) as tx:
            processes.record_beat(tx, instance, clock_ahead=timedelta(0))


def status_at(database: Database, seconds: int) -> ProcessStatus:
    with read_only(database, NOON + seconds * SECOND) as tx:
        return process_status(tx)


def running_beats(database: Database, seconds: int) -> list[str]:
    return sorted(beat.instance for beat in status_at(database, seconds).running_beats)


def test_two_beats_at_once_are_both_running(database: Database) -> None:
    record_beat(database, "host:1", 0, 10)
    record_beat(database, "host:2", 5)
    assert running_beats(database, 12) == ["host:1", "host:2"]


def test_beat_that_was_killed_and_started_again_counts_once(database: Database) -> None:
    record_beat(database, "host:1", 0, 10)
    record_beat(database, "host:2", 13)
    assert running_beats(database, 14) == ["host:2"]


def test_second_beat_that_was_killed_is_forgotten_soon(database: Database) -> None:
    record_beat(database, "host:1", 0, 10, 60)
    record_beat(database, "host:2", 5, 15)
    assert running_beats(database, 60) == ["host:1", "host:2"]
    assert running_beats(database, 61) == ["host:1"]


def test_beat_that_ends_properly_is_forgotten_at_once(database: Database) -> None:
    record_beat(database, "host:1", 0)
    record_beat(database, "host:2", 5)
    with transaction(database) as tx:
        processes.forget_beat(tx, "host:2")
    assert running_beats(database, 6) == ["host:1"]


def test_beat_does_not_count_as_a_sweep(database: Database) -> None:
    record_beat(database, "host:1", 0)
    status = status_at(database, 6)
    assert (status.beat_seen_at, status.swept_at) == (NOON, None)


def test_difference_of_a_clock_is_stored_but_only_a_large_one_is_wrong(database: Database) -> None:
    for name, difference in (("host:1", 0.2 * SECOND), ("host:2", -31 * SECOND)):
        with transaction(database) as tx:
            processes.record_heartbeat(tx, name, clock_ahead=difference)
    status = status_at(database, 6)
    differences = {worker.instance: worker.clock_ahead for worker in status.running_workers}
    assert differences == {"host:1": 0.2 * SECOND, "host:2": -31 * SECOND}
    assert [worker.instance for worker in status.wrong_clocks] == ["host:2"]
