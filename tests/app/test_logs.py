"""What is written down can be read by machines, and by everybody."""

import io
import json
import logging
from collections.abc import Callable, Iterator

import pytest

from webapp.config import settings_from
from webapp.logs import Mask, secrets_of, writing_to

SETTINGS = {
    "DATABASE_URL": "postgresql://lode:pass%2Fword1@127.0.0.1/lode",
    "REDIS_URL": "redis://:redis-hush@127.0.0.1/0",
    "SMTP_URL": "smtp://post:smtp-hush@127.0.0.1",
    "SECRET_KEY": "key-" * 10,
    "METRICS_TOKEN": "token-" * 6,
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def journal() -> Iterator[Callable[[io.StringIO], logging.Logger]]:
    """A logger that writes to a stream as a process of its own would write everything."""
    log = logging.getLogger("lodepost.test")
    log.setLevel(logging.INFO)

    def keep(stream: io.StringIO) -> logging.Logger:
        log.handlers = [writing_to(stream, secrets=secrets_of(settings_from(SETTINGS)))]
        return log

    yield keep
    log.handlers = []


def fail() -> None:
    raise ValueError("no\nsuch /invitations/tok-1 here")


def test_outside_a_terminal_a_line_is_one_json_object(
    journal: Callable[[io.StringIO], logging.Logger],
) -> None:
    stream = io.StringIO()
    log = journal(stream)
    log.info("Two\nlines of %s", "ąž")
    try:
        fail()
    except ValueError:
        log.exception("Exception on /u/tok-2/back [POST]")
    log.debug("not told")
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert first["message"] == "Two\nlines of ąž"
    assert (first["level"], first["logger"]) == ("info", "lodepost.test")
    assert first["at"].endswith("+00:00")
    assert second["message"] == "Exception on /u/[hidden]/back [POST]"
    assert "ValueError: no\nsuch /invitations/[hidden] here" in second["error"]


def test_in_a_terminal_it_is_words(journal: Callable[[io.StringIO], logging.Logger]) -> None:
    stream = Terminal()
    journal(stream).warning("Look at /sign-in/link/abc-1_= now")
    assert stream.getvalue().endswith(
        " WARNING lodepost.test: Look at /sign-in/link/[hidden] now\n"
    )


@pytest.mark.parametrize(
    "secret",
    ["pass%2Fword1", "pass/word1", "redis-hush", "smtp-hush", "key-" * 10, "token-" * 6],
)
def test_no_secret_of_the_settings_is_written(
    secret: str, journal: Callable[[io.StringIO], logging.Logger]
) -> None:
    stream = io.StringIO()
    journal(stream).error("It was %s, I think.", secret)
    assert secret not in stream.getvalue()
    assert "It was [hidden], I think." in stream.getvalue()


@pytest.mark.parametrize(
    "told, written",
    [
        ("GET /sign-in/link/a%3Db?x=1", "GET /sign-in/link/[hidden]?x=1"),
        ("'/u/abc'", "'/u/[hidden]'"),
        ("/mailbox?key=abc&to=x", "/mailbox?key=[hidden]&to=x"),
        ("smtp://me:hush@mail.example", "smtp://me:[hidden]@mail.example"),
        ("redis://:hush@10.0.0.1:6379/0", "redis://:[hidden]@10.0.0.1:6379/0"),
        ("Authorization: Bearer abcdefgh12", "Authorization: Bearer [hidden]"),
        ("Cookie: lodepost=abc; other=d", "Cookie: [hidden]"),
        ("DETAIL:  Failing row contains (x).\nmore", "DETAIL:  [hidden]\nmore"),
        ("/games/abcdefgh/turns", "/games/abcdefgh/turns"),
        ("postgresql://lode@127.0.0.1/lode at 12:30", "postgresql://lode@127.0.0.1/lode at 12:30"),
        ("The code of conduct, Bearer of news", "The code of conduct, Bearer of news"),
    ],
)
def test_what_opens_a_door_is_hidden_and_the_rest_stays(told: str, written: str) -> None:
    assert Mask()(told) == written


def test_a_short_password_does_not_blacken_every_word() -> None:
    assert Mask(["e", ""])("every letter") == "every letter"
