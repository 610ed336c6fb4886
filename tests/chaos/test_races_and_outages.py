"""Races and outages with two web servers, two workers, one beat, the system's Postgres and a real Redis.

The usual run has each of them without processes: of turns in ``tests/play/test_turns.py`` and
``test_deadlines.py``, of Redis and workers in ``tests/tasks/test_celery_processes.py`` and ``test_celery.py``.
"""

import operator
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import NamedTuple

import pytest

from tasks import deadlines
from tasks.context import WorkerContext, worker_context_for
from tests.chaos.attendance import Attendance
from tests.chaos.deployment import Deployment, wait_until
from tests.chaos.http_browser import HttpBrowser, Response, UnexpectedResponse
from tests.chaos.inbox import RelayInbox, count_message_ids
from tests.chaos.mail_program import MailProgram
from tests.chaos.managed_process import ManagedProcess
from tests.chaos.player_log import PlayerLog
from tests.chaos.players import Player, create_players
from tests.support.html import Form
from tests.support.page_robot import NotAwaited, decide, seeded_random_below
from tests.support.smtp_sink import HANG
from webapp.kernel.config import settings_from

pytestmark = pytest.mark.full_run
_REQUEST_COUNT = 8
_RACE_COUNT = 15


@pytest.fixture(scope="module")
def people(deployment: Deployment) -> list[Player]:
    """Return three people who are signed in and play at one table."""
    log, inbox = PlayerLog(), RelayInbox(deployment.relay)
    players = create_players(
        lambda: HttpBrowser(deployment.addresses, log),
        log,
        tables=1,
        random_below_for=seeded_random_below,
        attendance=Attendance(),
        mail_program=MailProgram(deployment.mail_port, inbox),
    )
    for player in players:
        player.sign_in(inbox)
    return players


@pytest.fixture
def context(deployment: Deployment) -> Iterator[WorkerContext]:
    """Return the context of one more worker, in this process."""
    settings = settings_from(deployment.workers[0].environ)
    worker_context = worker_context_for(settings, is_stopping=lambda: False, nudge=lambda _: None)
    yield worker_context
    worker_context.close()


def next_turn(people: list[Player]) -> tuple[Player, Form]:
    """Return the player to play with the form of their turn; let the players start a game if none is in progress."""
    players_on_turn: list[tuple[Player, Form]] = []

    def has_turn() -> bool:
        for player in people:
            try:
                form = decide(player.browser, player.table.slug, player.random_below)
            except (NotAwaited, UnexpectedResponse):
                player.take_step()
            else:
                players_on_turn.append((player, form))
                return True
        return False

    wait_until(has_turn)
    return players_on_turn[0]


def sources_of_turn(deployment: Deployment, slug: str, seq: int) -> list[str]:
    """Return how the turn after ``seq`` was played: by one player or clock, or not at all."""
    rows = deployment.execute(
        "SELECT by FROM turn JOIN game ON game.id = game_id WHERE slug = %s AND turn.seq = %s",
        slug,
        seq + 1,
    )
    return [row[0] for row in rows]


def seq_of(form: Form) -> int:
    return int(form.fields["seq"])


def test_one_of_eight_concurrent_requests_plays_the_turn(
    deployment: Deployment, people: list[Player]
) -> None:
    player, form = next_turn(people)
    barrier = Barrier(_REQUEST_COUNT)

    def submit(browser: HttpBrowser) -> Response:
        barrier.wait()
        return browser.send(form)

    with ThreadPoolExecutor(_REQUEST_COUNT) as pool:
        responses = list(pool.map(submit, player.browser.copies_for_servers(_REQUEST_COUNT)))
    assert Counter(response.status for response in responses) == {303: 1, 409: 7}
    refusals = [response.text for response in responses if response.status == 409]
    assert all("Nothing was played twice" in text for text in refusals)
    assert sources_of_turn(deployment, player.table.slug, seq_of(form)) == ["player"]


def test_player_and_clock_never_both_play_a_turn(
    deployment: Deployment, people: list[Player], context: WorkerContext
) -> None:
    with ThreadPoolExecutor(1) as pool:
        for number in range(_RACE_COUNT):
            player, form = next_turn(people)
            deployment.execute(_MARK_CALL_SENT, player.table.slug)
            deployment.execute(_EXPIRE_TURN, player.table.slug)
            submission = pool.submit(player.browser.send, form)
            # Sometimes the player is earlier, sometimes the clock.
            time.sleep(number / 1000)
            deadlines.sweep_deadlines(context)
            winner = {303: "player", 409: "clock"}[submission.result().status]
            assert sources_of_turn(deployment, player.table.slug, seq_of(form)) == [winner]


_MARK_CALL_SENT = """
UPDATE notification SET status = 'sent', settled_at = now(), lease_until = NULL
FROM game WHERE slug = %s AND game_id = game.id AND notification.status = 'pending'
"""
_EXPIRE_TURN = """
UPDATE game SET deadline_at = now(), wake_at = now() WHERE slug = %s AND status = 'running'
"""


class TurnEmail(NamedTuple):
    """The stored notification of a turn."""

    id: int
    status: str
    message_id: str | None


def emails_of(deployment: Deployment, slug: str, seq: int) -> list[TurnEmail]:
    """Return the notifications queued by the turn after ``seq``."""
    rows = deployment.execute(
        "SELECT notification.id, notification.status, message_id FROM notification"
        " JOIN game ON game.id = notification.game_id"
        " WHERE slug = %s AND notification.seq > %s ORDER BY notification.id",
        slug,
        seq,
    )
    return [TurnEmail(*row) for row in rows]


def play_until_emails(deployment: Deployment, people: list[Player]) -> list[TurnEmail]:
    """Play turns until one queues emails, which a choice within a turn does not; return them."""
    while True:
        player, form = next_turn(people)
        assert player.browser.send(form).status == 303
        emails = emails_of(deployment, player.table.slug, seq_of(form))
        if emails:
            return emails


def wait_until_sent(deployment: Deployment, emails: list[TurnEmail]) -> None:
    ids = [email.id for email in emails]
    query = "SELECT id, status, message_id FROM notification WHERE id = ANY(%s)"
    wait_until(lambda: {row[1] for row in deployment.execute(query, ids)} == {"sent"})
    accepted_counts = count_message_ids(list(deployment.relay.accepted_messages))
    assert all(row[2] in accepted_counts for row in deployment.execute(query, ids))


def test_busy_workers_survive_an_outage_of_redis(
    deployment: Deployment, people: list[Player]
) -> None:
    deployment.relay.answers["DATA"] = HANG
    emails = play_until_emails(deployment, people)
    ids = [email.id for email in emails]
    all_claimed_query = (
        "SELECT bool_and(lease_until IS NOT NULL) FROM notification WHERE id = ANY(%s)"
    )
    wait_until(lambda: deployment.execute(all_claimed_query, ids) == [(True,)])
    earlier_error_counts = [connection_error_count(worker) for worker in deployment.workers]
    deployment.redis_server.kill()
    wait_until(
        lambda: all(
            map(operator.gt, map(connection_error_count, deployment.workers), earlier_error_counts)
        )
    )
    deployment.relay.answers.clear()
    deployment.start_redis()
    wait_until_sent(deployment, emails)
    assert [worker.name for worker in deployment.workers if not worker.is_running()] == []


def test_emails_are_sent_when_redis_loses_the_nudge(
    deployment: Deployment, people: list[Player]
) -> None:
    processes = [*deployment.workers, deployment.beat]
    for process in processes:
        process.stop()
    deployment.redis_client().flushall()
    emails = play_until_emails(deployment, people)
    wait_until(lambda: deployment.redis_client().llen("lodepost") > 0)
    deployment.redis_client().flushall()
    assert {email.status for email in emails} == {"pending"}
    for process in processes:
        process.start()
    wait_until_sent(deployment, emails)


def test_turns_continue_without_redis_and_emails_follow_its_return(
    deployment: Deployment, people: list[Player]
) -> None:
    deployment.redis_server.kill()
    emails = play_until_emails(deployment, people)
    deployment.start_redis()
    wait_until_sent(deployment, emails)


def connection_error_count(worker: ManagedProcess) -> int:
    """Return how often the worker logged that it could not reach the broker."""
    log = worker.log.read_bytes()
    return log.count(b"Cannot connect to") + log.count(b"Unrecoverable")
