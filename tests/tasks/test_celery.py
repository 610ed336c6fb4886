import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tasks.celery import celery_for, is_stopping
from tests.support.redis import settings
from webapp.kernel.nudges import TASKS_BY_NUDGE

ROOT = Path(__file__).parents[2]


def test_celery_settings_that_prevent_loss_are_set() -> None:
    celery_settings = celery_for(settings(REDIS_URL="redis://127.0.0.1:6379/9")).conf
    assert celery_settings.task_acks_late
    assert celery_settings.task_reject_on_worker_lost
    assert celery_settings.worker_prefetch_multiplier == 1
    assert celery_settings.task_ignore_result
    assert celery_settings.accept_content == ["json"]
    assert {
        celery_settings.task_serializer,
        celery_settings.result_serializer,
        celery_settings.event_serializer,
    } == {"json"}
    assert celery_settings.broker_transport_options == {
        "visibility_timeout": 300,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_timeout": 5,
        "socket_connect_timeout": 5,
    }
    assert celery_settings.broker_connection_timeout == 5
    assert celery_settings.result_backend is None


def test_without_redis_the_queue_is_in_memory() -> None:
    celery_settings = celery_for(settings()).conf
    assert celery_settings.broker_url.startswith("memory://")
    assert celery_settings.broker_transport_options == {"polling_interval": 0.05}


def test_beat_starts_every_job_and_missed_starts_expire() -> None:
    celery = celery_for(settings())
    task_names = {name for name in celery.tasks if name.startswith("tasks.")}
    schedule = celery.conf.beat_schedule
    assert {entry["task"] for entry in schedule.values()} == task_names
    assert task_names == {
        "tasks.delivery.deliver",
        "tasks.deadlines.sweep_deadlines",
        "tasks.bot_turns.play_bots",
        "tasks.replies.read_replies",
        "tasks.replies.fetch_emails",
        "tasks.housekeeping.run_audit",
        "tasks.housekeeping.report_delays",
        "tasks.housekeeping.report_wrong_codes",
        "tasks.housekeeping.end_votes",
        "tasks.housekeeping.close_unfilled_tables",
        "tasks.housekeeping.end_ready_checks",
        "tasks.housekeeping.inform_volunteers",
        "tasks.housekeeping.delete_expired",
        "tasks.housekeeping.take_health_sample",
        "tasks.housekeeping.count_games",
        "tasks.housekeeping.count_statistics",
    }
    for name, entry in schedule.items():
        assert entry["options"]["expires"] == entry["schedule"]
        assert entry["schedule"] <= 60 or name in {
            "tasks.housekeeping.end_votes",
            "tasks.housekeeping.close_unfilled_tables",
            "tasks.housekeeping.end_ready_checks",
            "tasks.housekeeping.inform_volunteers",
            "tasks.housekeeping.delete_expired",
            "tasks.housekeeping.count_games",
            "tasks.housekeeping.count_statistics",
            "tasks.housekeeping.run_audit",
        }


def test_every_nudge_names_a_job() -> None:
    celery = celery_for(settings())
    assert set(TASKS_BY_NUDGE.values()) <= set(celery.tasks)


def test_importing_the_module_reads_no_environment_and_loads_no_flask() -> None:
    code = "import sys, tasks.celery; print('flask' in sys.modules, 'sqlalchemy' in sys.modules)"
    environ = {"PATH": os.environ["PATH"]}
    finished_process = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert finished_process.stdout == "False True\n"


def test_unknown_attribute_of_the_module_raises() -> None:
    import tasks.celery

    with pytest.raises(AttributeError):
        _ = tasks.celery.nothing


def test_process_is_stopping_only_after_it_was_asked_to() -> None:
    from celery.worker import state

    assert not is_stopping()
    # As `serve` does; the exit status 0 counts.
    state.should_stop = 0  # type: ignore[assignment]
    try:
        assert is_stopping()
    finally:
        state.should_stop = None


def test_worker_tries_to_reconnect_every_second_for_ever() -> None:
    celery = celery_for(settings(REDIS_URL="redis://127.0.0.1:9/0"))
    pauses: list[float] = []

    def record(_: Exception, pause: float) -> None:
        pauses.append(pause)
        if len(pauses) == 3:
            raise AssertionError

    with celery.connection_for_read() as connection, pytest.raises(AssertionError):
        connection.ensure_connection(record, celery.conf.broker_connection_max_retries)
    assert pauses == [1, 1, 1]
    assert celery.conf.broker_connection_max_retries is None


def test_worker_that_loses_redis_restores_no_messages() -> None:
    # It would do so over the closed connection, and die of the error.
    celery = celery_for(settings(REDIS_URL="redis://127.0.0.1:9/0"))
    with celery.connection_for_read() as connection:
        assert not connection.transport.Channel.do_restore
    with celery_for(settings()).connection_for_read() as connection:
        assert connection.transport.driver_type == "memory"


def test_worker_acknowledges_after_losing_the_connection_without_an_error(redis_url: str) -> None:
    celery = celery_for(settings(REDIS_URL=redis_url))
    with celery.connection_for_read() as connection:
        channel = connection.channel()
        channel.close()
        channel.basic_ack("one")
        channel.basic_reject("another", requeue=True)


def test_beat_logs_one_line_when_the_broker_is_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    celery = celery_for(settings(REDIS_URL="redis://127.0.0.1:9/0"))
    scheduler = celery.conf.beat_scheduler(celery)
    scheduler.apply_entry(scheduler.schedule["tasks.bot_turns.play_bots"])
    assert "The broker did not accept a job" in caplog.text
    assert "127.0.0.1:9" in caplog.text
    assert "Traceback" not in caplog.text


def test_unavailable_database_is_logged_without_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    celery = celery_for(settings())
    job: Any = celery.tasks["tasks.delivery.deliver"]
    job()
    assert "The database does not answer" in caplog.text
    assert "Traceback" not in caplog.text


def test_worker_that_fails_ends_with_an_error_status() -> None:
    command = [sys.executable, "-m", "tests.tasks.broken_worker"]
    worker = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (worker.stdout, worker.returncode) == ("The consumer breaks.", 1)
