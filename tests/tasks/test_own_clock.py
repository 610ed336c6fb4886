"""Workers start jobs themselves while the broker is silent."""

from dataclasses import dataclass

from tasks.broker import QUIET_SECONDS, OwnClock, _seconds_by_job
from tasks.celery import celery_for
from tests.support.redis import settings


@dataclass
class Seconds:
    """A clock that stands still until it is set."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def clock_at(seconds: Seconds) -> OwnClock:
    return OwnClock({"deliver": 5.0, "audit": 300.0}, seconds=seconds)


def test_nothing_is_started_while_the_broker_brings_jobs() -> None:
    seconds = Seconds()
    clock = clock_at(seconds)
    for _ in range(100):
        seconds.now += QUIET_SECONDS - 1
        assert clock.start_due_jobs() == []
        clock.note_message()


def test_a_silent_broker_is_replaced_at_the_intervals_of_the_schedule() -> None:
    seconds = Seconds()
    clock = clock_at(seconds)
    starts: dict[str, list[float]] = {"deliver": [], "audit": []}
    for _ in range(601):
        for job in clock.start_due_jobs():
            starts[job].append(seconds.now - 1000)
            clock.note_end(job)
        seconds.now += 1
    assert starts == {"deliver": list(range(10, 601, 5)), "audit": [300, 600]}


def test_a_job_that_is_running_is_not_started_again() -> None:
    seconds = Seconds()
    clock = clock_at(seconds)
    seconds.now += QUIET_SECONDS
    assert clock.start_due_jobs() == ["deliver"]
    seconds.now += 60
    assert clock.start_due_jobs() == []
    clock.note_end("deliver")
    assert clock.start_due_jobs() == ["deliver"]


def test_a_worker_starts_only_jobs_of_its_queues() -> None:
    celery = celery_for(settings())
    assert set(_seconds_by_job(celery)) == {
        name for name in celery.tasks if name.startswith("tasks.")
    }
    celery.amqp.queues.select(["lodepost-bots"])
    assert set(_seconds_by_job(celery)) == {"tasks.bot_turns.play_bots"}
