import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from celery import Celery

from tasks.broker import Clock
from tasks.celery import celery_for, is_stopping, nudging_with
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import ask, deal, sign_in_guest
from tests.support.fakes import Outbox
from tests.support.redis import SECRET_KEY, eventually, settings
from tests.support.smtp_sink import Sink, running_sink
from webapp.clock import utc_now
from webapp.services.tx import Database, transaction
from webapp.web import nudges

ROOT = Path(__file__).parents[2]


@contextmanager
def celery_process(*words: str, **environ: str) -> Iterator[subprocess.Popen[str]]:
    """``celery -A tasks ...`` as an operator starts it."""
    clean = {name: os.environ[name] for name in os.environ if name not in {"CI", "REDIS_URL"}}
    given = {"SECRET_KEY": SECRET_KEY, "BASE_URL": "https://lodepost.test", **environ}
    command = [sys.executable, "-m", "celery", "-A", "tasks", *words]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**clean, **given},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            # A worker that was killed leaves the clock behind that it started.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def test_the_settings_are_those_that_were_measured_to_matter() -> None:
    conf = celery_for(settings(REDIS_URL="redis://127.0.0.1:6379/9")).conf
    assert conf.task_acks_late
    assert conf.task_reject_on_worker_lost
    assert conf.worker_prefetch_multiplier == 1
    assert conf.task_ignore_result
    assert conf.accept_content == ["json"]
    assert {conf.task_serializer, conf.result_serializer, conf.event_serializer} == {"json"}
    assert conf.broker_transport_options == {
        "visibility_timeout": 300,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_timeout": 5,
        "socket_connect_timeout": 5,
    }
    assert conf.result_backend is None


def test_without_redis_the_queue_is_the_memory_of_the_process() -> None:
    conf = celery_for(settings()).conf
    assert conf.broker_url.startswith("memory://")
    assert conf.broker_transport_options == {"polling_interval": 0.05}


def test_the_clock_starts_every_job_and_makes_up_for_nothing() -> None:
    celery = celery_for(settings())
    ours = {name for name in celery.tasks if name.startswith("tasks.")}
    schedule = celery.conf.beat_schedule
    assert {entry["task"] for entry in schedule.values()} == ours
    assert ours == {
        "tasks.delivery.deliver",
        "tasks.deadlines.sweep",
        "tasks.bots.play",
        "tasks.audit.run",
        "tasks.housekeeping.report_delays",
        "tasks.housekeeping.delete_expired",
    }
    for name, entry in schedule.items():
        assert entry["options"]["expires"] == entry["schedule"]
        assert entry["schedule"] <= 60 or name in {
            "tasks.housekeeping.delete_expired",
            "tasks.audit.run",
        }


def test_every_nudge_of_a_page_names_a_job() -> None:
    celery = celery_for(settings())
    assert set(nudges._TASKS.values()) <= set(celery.tasks)


def test_looking_at_the_module_reads_no_environment_and_loads_no_flask() -> None:
    code = "import sys, tasks.celery; print('flask' in sys.modules, 'sqlalchemy' in sys.modules)"
    environ = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False True\n"


def test_a_worker_without_a_database_is_told_so() -> None:
    with celery_process("report", DATABASE_URL="") as process:
        assert process.stdout
        assert "DATABASE_URL is missing" in process.stdout.read()
        assert process.wait() != 0


def test_other_names_are_looked_for_in_vain() -> None:
    import tasks.celery

    with pytest.raises(AttributeError):
        _ = tasks.celery.nothing


def test_nobody_is_stopping_while_nobody_was_told_to() -> None:
    from celery.worker import state

    assert not is_stopping()
    # As `serve` does; 0 is an exit status, and it counts.
    state.should_stop = 0  # type: ignore[assignment]
    try:
        assert is_stopping()
    finally:
        state.should_stop = None


def test_a_broker_that_is_away_is_looked_for_every_second_and_for_ever() -> None:
    celery = celery_for(settings(REDIS_URL="redis://127.0.0.1:9/0"))
    pauses: list[float] = []

    def note(_: Exception, pause: float) -> None:
        pauses.append(pause)
        if len(pauses) == 3:
            raise AssertionError

    with celery.connection_for_read() as connection, pytest.raises(AssertionError):
        connection.ensure_connection(note, celery.conf.broker_connection_max_retries)
    assert pauses == [1, 1, 1]
    assert celery.conf.broker_connection_max_retries is None


def test_a_worker_that_loses_redis_gives_nothing_back() -> None:
    # It would do so over a connection that is closed already, and die.
    celery = celery_for(settings(REDIS_URL="redis://127.0.0.1:9/0"))
    with celery.connection_for_read() as connection:
        assert not connection.transport.Channel.do_restore
    with celery_for(settings()).connection_for_read() as connection:
        assert connection.transport.driver_type == "memory"


def test_a_worker_may_finish_what_came_over_a_connection_that_is_gone(redis_url: str) -> None:
    celery = celery_for(settings(REDIS_URL=redis_url))
    with celery.connection_for_read() as connection:
        channel = connection.channel()
        channel.close()
        channel.basic_ack("one")
        channel.basic_reject("another", requeue=True)


def test_the_clock_says_in_one_line_that_the_broker_is_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = Clock(celery_for(settings(REDIS_URL="redis://127.0.0.1:9/0")))
    clock.apply_entry(clock.schedule["tasks.bots.play"])
    assert "The broker took nothing from the clock" in caplog.text
    assert "tasks.bots.play" in caplog.text
    assert "Traceback" not in caplog.text


def test_a_nudge_holds_nobody_up_when_the_broker_hangs() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        url = f"redis://127.0.0.1:{deaf.getsockname()[1]}/0"
        send = nudging_with(celery_for(settings(REDIS_URL=url)))
        began = time.monotonic()
        with pytest.raises(Exception, match=r"(?i)time"):
            send("tasks.delivery.deliver")
        assert time.monotonic() - began < 120


@pytest.fixture
def sink() -> Iterator[Sink]:
    with running_sink() as running:
        yield running


def places(database_url: str, redis_url: str, sink: Sink) -> dict[str, str]:
    return {
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        "SMTP_URL": f"smtp://127.0.0.1:{sink.port}",
    }


def owe_a_letter(database: Database) -> None:
    with transaction(database) as tx:
        ask(tx, DAVE, now=utc_now())


def publisher(redis_url: str) -> Celery:
    return celery_for(settings(REDIS_URL=redis_url))


def test_a_nudge_through_redis_brings_a_letter_to_the_relay_at_once(
    database: Database, database_url: str, redis_url: str, sink: Sink
) -> None:
    with celery_process(
        "worker", "--loglevel=INFO", **places(database_url, redis_url, sink)
    ) as worker:
        assert worker.stdout
        for line in worker.stdout:
            if "ready." in line:
                break
        nudge = nudging_with(publisher(redis_url))
        owe_a_letter(database)
        nudge("tasks.delivery.deliver")
        eventually(lambda: len(sink.taken) == 1)
        owe_a_letter(database)
        nudge("tasks.delivery.deliver")
        eventually(lambda: len(sink.taken) == 2)
        worker.send_signal(signal.SIGTERM)
        rest = worker.stdout.read()
        assert worker.wait(120) == 0
        assert "Traceback" not in rest
        assert DAVE.address not in rest


def test_the_clock_alone_brings_letters_and_turns_when_every_nudge_is_lost(
    database: Database, database_url: str, redis_url: str, sink: Sink, outbox: Outbox
) -> None:
    guests = [sign_in_guest(database, each, now=utc_now()) for each in (ALICE, BOB, CAROL)]
    slug = deal(database, guests, now=utc_now())
    outbox.say("UPDATE game SET wake_at = now(), deadline_at = now() WHERE slug = :slug", slug=slug)
    here = places(database_url, redis_url, sink)
    with celery_process("worker", **here) as worker, celery_process("beat", **here) as beat:
        eventually(lambda: any(BOB.address in taken.recipients for taken in sink.taken))
        eventually(lambda: "your-turn" in {row.kind for row in outbox.rows()})
        eventually(
            lambda: (
                outbox.rows("your-turn")[-1].status == "sent" and len(outbox.rows("your-turn")) == 2
            ),
        )
        for process in (beat, worker):
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=120)
            assert process.returncode == 0


def test_nothing_is_lost_when_the_worker_is_killed_and_redis_forgets_everything(
    database: Database, database_url: str, redis_url: str, sink: Sink, outbox: Outbox
) -> None:
    here = places(database_url, redis_url, sink)
    sink.answers["DATA"] = "451 4.3.0 not now"
    owe_a_letter(database)
    with celery_process("worker", "-B", **here) as worker:
        eventually(lambda: outbox.rows()[0].attempts > 0)
        worker.kill()
    sink.answers.clear()
    outbox.say("UPDATE notification SET due_at = now(), lease_until = NULL")
    subprocess.run(
        [shutil.which("redis-cli") or "redis-cli", "-u", redis_url, "flushall"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    with celery_process("worker", "-B", **here):
        eventually(lambda: outbox.statuses() == {"sent"})
    assert len({taken.message for taken in sink.taken}) == 1


def test_a_database_that_is_away_is_said_in_a_line_without_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    celery = celery_for(settings())
    job: Any = celery.tasks["tasks.delivery.deliver"]
    job()
    assert "The database does not answer" in caplog.text
    assert "Traceback" not in caplog.text
