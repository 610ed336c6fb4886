"""Limits on the rate and the size of requests, with Redis and without."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pytest
from flask import Flask

from tests.support.compiled_templates import create_app
from tests.support.fakes import FakeClock
from tests.support.html import Page
from tests.support.ports import free_port
from tests.support.redis import running_redis
from tests.support.transactions import random_bytes_source_for
from tests.support.visitors import Visitor, settings_for
from webapp.kernel import urls
from webapp.kernel.tx import Database
from webapp.serving.listener import listener_at
from webapp.serving.web import WebThread

EMAILS_PER_MINUTE = 10
"""How many sign-in emails one client address may request."""
_TIMEOUT_SECONDS = 240
_FORM_CONTENT_TYPE = "application/x-www-form-urlencoded"


class RestartableRedis:
    """A Redis for one test, which the test stops and starts again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        # A slow machine is no reason to count without Redis; by default that is so after a second.
        limits = f"socket_timeout={_TIMEOUT_SECONDS}&socket_connect_timeout={_TIMEOUT_SECONDS}"
        self.url = f"redis://127.0.0.1:{self._port}/0?{limits}"
        self.start()

    def start(self) -> None:
        self._running_redis = running_redis(self._folder, self._port)
        self._running_redis.__enter__()

    def stop(self) -> None:
        self._running_redis.__exit__(None, None, None)


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RestartableRedis]:
    redis = RestartableRedis(tmp_path)
    yield redis
    redis.stop()


def app_with(database: Database, database_url: str, redis_url: str) -> Flask:
    settings = settings_for(database_url, redis_url=redis_url)
    return create_app(
        settings, database=database, now=FakeClock(), tokens=random_bytes_source_for(database)
    )


def request_emails(app: Flask, times: int) -> list[int]:
    """Request this many sign-in emails, each for another address; return the statuses."""
    visitor = Visitor(app, app.test_client())
    fields = {"csrf_token": visitor.token()}
    return [
        visitor.client.post(
            urls.sign_in(), data={**fields, "address": f"player{number}@example.test"}
        ).status_code
        for number in range(times)
    ]


def test_two_web_processes_share_their_counts_in_redis(
    database: Database, database_url: str, redis: RestartableRedis
) -> None:
    first_app, second_app = (app_with(database, database_url, redis.url) for _ in "ab")
    answers = request_emails(first_app, 6) + request_emails(second_app, 6)
    assert answers == [303] * EMAILS_PER_MINUTE + [429] * 2


def test_web_process_counts_requests_by_itself_when_redis_fails(
    database: Database, database_url: str, redis: RestartableRedis
) -> None:
    app = app_with(database, database_url, redis.url)
    assert request_emails(app, 4) == [303] * 4
    redis.stop()
    answers = request_emails(app, EMAILS_PER_MINUTE + 2)
    assert answers == [303] * EMAILS_PER_MINUTE + [429] * 2


def test_requests_are_counted_in_redis_again_when_it_returns(
    database: Database, database_url: str, redis: RestartableRedis
) -> None:
    app = app_with(database, database_url, redis.url)
    redis.stop()
    assert request_emails(app, EMAILS_PER_MINUTE + 1)[-1] == 429
    redis.start()
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    # Redis has no counts yet: the first request that is accepted was counted there.
    while request_emails(app, 1) != [303]:
        assert time.monotonic() < deadline, "Redis is not used again"
        time.sleep(0.2)


def test_server_starts_and_counts_requests_without_redis(
    database: Database, database_url: str, redis: RestartableRedis
) -> None:
    redis.stop()
    answers = request_emails(app_with(database, database_url, redis.url), EMAILS_PER_MINUTE + 1)
    assert answers == [303] * EMAILS_PER_MINUTE + [429]


def test_pages_and_turns_are_not_limited(database: Database, database_url: str) -> None:
    visitor = app_with(database, database_url, "").test_client()
    assert {visitor.get(urls.home()).status_code for _ in range(120)} == {200}


@pytest.fixture
def server_port(database: Database, database_url: str) -> Iterator[int]:
    """Return the port of a server on a real socket."""
    listener = listener_at("127.0.0.1", 0)
    thread = WebThread(app_with(database, database_url, ""), listener)
    thread.start()
    yield int(listener.getsockname()[1])
    thread.stop()


class Answer(NamedTuple):
    status: int
    headers: Message
    text: str


@contextmanager
def request_sender(port: int) -> Iterator[Callable[..., Answer]]:
    """Yield a function that sends requests on one connection."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_SECONDS)) as connection:

        def send(method: str, path: str, body: bytes | str = b"", **headers: str) -> Answer:
            sent_headers = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body=body, headers=sent_headers)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read().decode())

        yield send


@pytest.mark.parametrize("is_chunked", [False, True])
def test_oversized_body_is_refused_with_a_page(server_port: int, *, is_chunked: bool) -> None:
    body = b"x=" + b"y" * 200_000
    headers = {"Transfer_Encoding": "chunked"} if is_chunked else {}
    body_as_sent = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if is_chunked else body
    with request_sender(server_port) as send:
        answer = send(
            "POST", urls.tables(), body_as_sent, Content_Type=_FORM_CONTENT_TYPE, **headers
        )
    assert answer.status == 413
    assert "too much text" in answer.text
    assert answer.headers["Cache-Control"] == "no-store"


def test_huge_content_length_is_refused_without_reading(server_port: int) -> None:
    with request_sender(server_port) as send:
        answer = send("POST", urls.tables(), Content_Length=str(1 << 40))
    assert answer.status == 413


def test_rate_limit_is_refused_with_a_page_and_retry_after(
    server_port: int,
) -> None:
    with request_sender(server_port) as send:
        page = send("GET", urls.sign_in_code())
        cookie = page.headers["Set-Cookie"].partition(";")[0]
        fields = urlencode(Page(page.text).form(urls.sign_in_code()).fields)
        request_text = f"{fields}&address=player@example.test"
        answers = [
            send(
                "POST", urls.sign_in(), request_text, Content_Type=_FORM_CONTENT_TYPE, Cookie=cookie
            )
            for _ in range(EMAILS_PER_MINUTE + 1)
        ]
    assert [answer.status for answer in answers] == [303] * EMAILS_PER_MINUTE + [429]
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 60
    assert "Too many attempts" in answers[-1].text
