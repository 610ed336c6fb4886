"""Workers and beat as processes of their own, started as operators start them."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from celery import Celery
from kombu import Connection

from tasks.celery import celery_for
from tasks.nudging import nudge_sender
from tasks.redis_transport import Transport
from tests.support.calls import mark_calls_sent
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import deal_game, request_sign_in_email, sign_in_guest
from tests.support.fakes import Outbox
from tests.support.redis import SECRET_KEY, running_redis, settings, wait_until
from tests.support.smtp_sink import Sink
from tests.support.transactions import read_only, transaction
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database
from webapp.operations.processes import process_status

ROOT = Path(__file__).parents[2]


@contextmanager
def celery_process(*arguments: str, **environ: str) -> Iterator[subprocess.Popen[str]]:
    """Run ``celery -A tasks ...`` as an operator does."""
    clean_environ = {
        name: os.environ[name] for name in os.environ if name not in {"CI", "REDIS_URL"}
    }
    process_environ = {"SECRET_KEY": SECRET_KEY, "BASE_URL": "https://lodepost.test", **environ}
    command = [sys.executable, "-m", "celery", "-A", "tasks", *arguments]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**clean_environ, **process_environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            # Killing a worker does not kill the beat process that it started.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def test_worker_without_a_database_url_ends_with_a_message() -> None:
    with celery_process("report", DATABASE_URL="") as process:
        assert process.stdout
        assert "DATABASE_URL is missing" in process.stdout.read()
        assert process.wait() != 0


def environment(database_url: str, redis_url: str, sink: Sink) -> dict[str, str]:
    return {
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        "SMTP_URL": f"smtp://127.0.0.1:{sink.port}",
    }


def queue_an_email(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, DAVE, now=utc_now())


def count_beats(database: Database) -> int:
    with read_only(database) as tx:
        return len(process_status(tx.at(utc_now())).running_beats)


def publisher(redis_url: str) -> Celery:
    return celery_for(settings(REDIS_URL=redis_url))


def test_nudge_through_redis_delivers_an_email_at_once(
    database: Database, database_url: str, redis_url: str, sink: Sink
) -> None:
    with celery_process(
        "worker", "--loglevel=INFO", **environment(database_url, redis_url, sink)
    ) as worker:
        assert worker.stdout
        for line in worker.stdout:
            if "ready." in line:
                break
        nudge = nudge_sender(publisher(redis_url))
        queue_an_email(database)
        nudge("tasks.delivery.deliver")
        wait_until(lambda: len(sink.accepted_messages) == 1)
        queue_an_email(database)
        nudge("tasks.delivery.deliver")
        wait_until(lambda: len(sink.accepted_messages) == 2)
        worker.send_signal(signal.SIGTERM)
        remaining_output = worker.stdout.read()
        assert worker.wait(600) == 0
        assert "Traceback" not in remaining_output
        assert DAVE.address not in remaining_output


def test_beat_alone_delivers_emails_and_plays_late_turns(
    database: Database, database_url: str, redis_url: str, sink: Sink, outbox: Outbox
) -> None:
    guests = [
        sign_in_guest(database, character, now=utc_now()) for character in (ALICE, BOB, CAROL)
    ]
    slug = deal_game(database, guests, now=utc_now())
    mark_calls_sent(database)
    outbox.execute(
        "UPDATE game SET wake_at = now(), deadline_at = now() WHERE slug = :slug", slug=slug
    )
    process_environ = environment(database_url, redis_url, sink)
    with (
        celery_process("worker", **process_environ) as worker,
        celery_process("beat", **process_environ) as beat,
    ):
        wait_until(
            lambda: any(
                BOB.address in accepted_message.recipients
                for accepted_message in sink.accepted_messages
            )
        )
        wait_until(lambda: "your-turn" in {row.kind for row in outbox.rows()})
        wait_until(
            lambda: (
                outbox.rows("your-turn")[-1].status == "sent" and len(outbox.rows("your-turn")) == 2
            ),
        )
        wait_until(lambda: count_beats(database) == 1)
        for process in (beat, worker):
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=600)
            assert process.returncode == 0
        assert count_beats(database) == 0


def test_email_survives_a_killed_worker_and_an_emptied_redis(
    database: Database, database_url: str, redis_url: str, sink: Sink, outbox: Outbox
) -> None:
    process_environ = environment(database_url, redis_url, sink)
    sink.answers["DATA"] = "451 4.3.0 not now"
    queue_an_email(database)
    with celery_process("worker", "-B", **process_environ) as worker:
        wait_until(lambda: outbox.rows()[0].attempts > 0)
        worker.kill()
    sink.answers.clear()
    outbox.execute("UPDATE notification SET due_at = now(), lease_until = NULL")
    subprocess.run(
        [shutil.which("redis-cli") or "redis-cli", "-u", redis_url, "flushall"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    with celery_process("worker", "-B", **process_environ):
        wait_until(lambda: outbox.statuses() == {"sent"})
    assert len({accepted_message.message for accepted_message in sink.accepted_messages}) == 1


def redis_command(redis_url: str, *arguments: str) -> None:
    program = shutil.which("redis-cli") or "redis-cli"
    subprocess.run([program, "-u", redis_url, *arguments], check=True, stdout=subprocess.DEVNULL)


def test_message_that_a_full_redis_keeps_is_no_error(redis_url: str) -> None:
    with (
        Connection(redis_url, transport=Transport) as connection,
        connection.SimpleQueue("jobs") as queue,
    ):
        queue.put("a job")
        message = queue.get(timeout=600)
        redis_command(redis_url, "config", "set", "maxmemory", "1")
        message.ack()
        redis_command(redis_url, "config", "set", "maxmemory", "0")
        # So it is delivered once more.
        assert connection.default_channel.client.hlen("unacked") == 1


def test_redis_without_memory_stops_neither_emails_nor_processes(
    database: Database, database_url: str, redis_url: str, sink: Sink, outbox: Outbox
) -> None:
    process_environ = environment(database_url, redis_url, sink)
    with (
        celery_process("worker", **process_environ) as worker,
        celery_process("beat", **process_environ) as beat,
    ):
        wait_until(lambda: count_beats(database) == 1)
        queue_an_email(database)
        wait_until(lambda: outbox.statuses() == {"sent"})
        redis_command(redis_url, "config", "set", "maxmemory", "1")
        for count in (2, 3):
            queue_an_email(database)
            wait_until(lambda count=count: len(sink.accepted_messages) == count)
        assert worker.poll() is None
        assert beat.poll() is None
        redis_command(redis_url, "config", "set", "maxmemory", "0")
        for process in (beat, worker):
            process.send_signal(signal.SIGTERM)
            output, _ = process.communicate(timeout=600)
            assert process.returncode == 0, output
            assert "Traceback" not in output


def test_stopped_redis_stops_neither_emails_nor_the_worker(
    database: Database, database_url: str, tmp_path: Path, sink: Sink
) -> None:
    with running_redis(tmp_path) as redis_url:
        port = int(redis_url.rpartition(":")[2].partition("/")[0])
        process_environ = environment(database_url, redis_url, sink)
    with celery_process("worker", "-B", "--loglevel=INFO", **process_environ) as worker:
        queue_an_email(database)
        wait_until(lambda: len(sink.accepted_messages) == 1)
        with running_redis(tmp_path, port):
            worker_log_until(worker, "The broker brings jobs again.")
        queue_an_email(database)
        wait_until(lambda: len(sink.accepted_messages) == 2)
        worker.send_signal(signal.SIGTERM)
        output, _ = worker.communicate(timeout=600)
        assert worker.returncode == 0, output


def worker_log_until(worker: subprocess.Popen[str], text: str) -> None:
    assert worker.stdout
    assert any(text in line for line in worker.stdout)
