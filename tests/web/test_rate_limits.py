"""How often and how much: what is over the limit is refused in words, and a lost Redis neither opens the door nor bolts it."""

import shutil
import socket
import subprocess
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
from tests.support.factories import rng_for
from tests.support.fakes import FakeClock
from tests.support.html import Page
from tests.support.visitors import Visitor, settings_for
from webapp import urls
from webapp.services.tx import Database
from webapp.serving.web import WebThread, listener_at

ASKED = 10
"""How often one address may ask for a letter within a minute."""
_PATIENCE = 30
_FORM = "application/x-www-form-urlencoded"


class Redis:
    """A real one of this test alone, that can be lost and come back."""

    def __init__(self, program: str, folder: Path) -> None:
        self._words = [program, "--save", "", "--bind", "127.0.0.1", "--dir", str(folder)]
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.begin()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def begin(self) -> None:
        words = [*self._words, "--port", str(self.port)]
        self._process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        until = time.monotonic() + _PATIENCE
        while not self._answers():
            assert time.monotonic() < until, "Redis does not answer"
            time.sleep(0.02)

    def lose(self) -> None:
        self._process.kill()
        self._process.wait()

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no Redis here: apt-get install redis-server")
    running = Redis(program, tmp_path)
    yield running
    running.lose()


def app_with(database: Database, database_url: str, redis_url: str) -> Flask:
    settings = settings_for(database_url, redis_url=redis_url)
    return create_app(settings, database=database, now=FakeClock(), tokens=rng_for(database))


def asks(app: Flask, times: int) -> list[int]:
    """Ask for a letter again and again, each time for another address; what is answered."""
    visitor = Visitor(app, app.test_client())
    fields = {"csrf_token": visitor.token()}
    return [
        visitor.client.post(
            urls.sign_in(), data={**fields, "address": f"somebody{number}@example.test"}
        ).status_code
        for number in range(times)
    ]


def test_two_web_processes_share_their_counts_in_redis(
    database: Database, database_url: str, redis: Redis
) -> None:
    one, other = (app_with(database, database_url, redis.url) for _ in "ab")
    answers = asks(one, 6) + asks(other, 6)
    assert answers == [303] * ASKED + [429] * 2


def test_process_counts_by_itself_when_redis_fails(
    database: Database, database_url: str, redis: Redis
) -> None:
    app = app_with(database, database_url, redis.url)
    assert asks(app, 4) == [303] * 4
    redis.lose()
    answers = asks(app, ASKED + 2)
    assert answers == [303] * ASKED + [429] * 2


def test_redis_counts_again_when_it_returns(
    database: Database, database_url: str, redis: Redis
) -> None:
    app = app_with(database, database_url, redis.url)
    redis.lose()
    assert asks(app, ASKED + 1)[-1] == 429
    redis.begin()
    until = time.monotonic() + _PATIENCE
    # In Redis nothing is counted yet: the first answer that is no refusal comes from there.
    while asks(app, 1) != [303]:
        assert time.monotonic() < until, "Redis is not asked any more"
        time.sleep(0.2)


def test_server_starts_and_counts_without_redis(
    database: Database, database_url: str, redis: Redis
) -> None:
    redis.lose()
    answers = asks(app_with(database, database_url, redis.url), ASKED + 1)
    assert answers == [303] * ASKED + [429]


def test_pages_and_turns_are_not_limited(database: Database, database_url: str) -> None:
    visitor = app_with(database, database_url, "").test_client()
    assert {visitor.get(urls.home()).status_code for _ in range(120)} == {200}


@pytest.fixture
def served(database: Database, database_url: str) -> Iterator[int]:
    """The port of the whole server, as it is asked over the wire."""
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
def connected(port: int) -> Iterator[Callable[..., Answer]]:
    """One connection, on which one request after another is made."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)) as connection:

        def ask(method: str, path: str, body: bytes | str = b"", **headers: str) -> Answer:
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body=body, headers=given)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read().decode())

        yield ask


@pytest.mark.parametrize("in_pieces", [False, True])
def test_oversized_body_is_refused_with_a_page(served: int, *, in_pieces: bool) -> None:
    body = b"x=" + b"y" * 200_000
    headers = {"Transfer_Encoding": "chunked"} if in_pieces else {}
    wired = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if in_pieces else body
    with connected(served) as ask:
        answer = ask("POST", urls.tables(), wired, Content_Type=_FORM, **headers)
    assert answer.status == 413
    assert "more than this site reads" in answer.text
    assert answer.headers["Cache-Control"] == "no-store"


def test_huge_content_length_is_refused_without_reading(served: int) -> None:
    with connected(served) as ask:
        answer = ask("POST", urls.tables(), Content_Length=str(1 << 40))
    assert answer.status == 413


def test_rate_limit_is_refused_with_a_page_and_retry_after(
    served: int,
) -> None:
    with connected(served) as ask:
        page = ask("GET", urls.sign_in_code())
        worn = page.headers["Set-Cookie"].partition(";")[0]
        fields = urlencode(Page(page.text).form(urls.sign_in_code()).fields)
        wanted = f"{fields}&address=somebody@example.test"
        answers = [
            ask("POST", urls.sign_in(), wanted, Content_Type=_FORM, Cookie=worn)
            for _ in range(ASKED + 1)
        ]
    assert [answer.status for answer in answers] == [303] * ASKED + [429]
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 60
    assert "too often" in answers[-1].text
