"""Logs are readable by machines and contain no secret."""

import io
import json
import logging
from collections.abc import Callable, Iterator

import pytest

from webapp.kernel.config import settings_from
from webapp.logs.fields import event_fields
from webapp.logs.lines import masking_handler
from webapp.logs.masks import LogMask, Mask, secrets_of

SETTINGS = {
    "DATABASE_URL": "postgresql://lode:pass%2Fword1@127.0.0.1/lode",
    "REDIS_URL": "redis://:redis-hush@127.0.0.1/0",
    "SMTP_URL": "smtp://post:smtp-hush@127.0.0.1",
    "SECRET_KEY": "key-" * 10,
    "METRICS_TOKEN": "token-" * 6,
}


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def logger_to() -> Iterator[Callable[[io.StringIO], logging.Logger]]:
    """Return a function that sets up logging to a stream as a server process does."""
    log = logging.getLogger("lodepost.test")
    log.setLevel(logging.INFO)

    def log_to(stream: io.StringIO) -> logging.Logger:
        log.handlers = [masking_handler(stream, secrets=secrets_of(settings_from(SETTINGS)))]
        return log

    yield log_to
    log.handlers = []


def fail_with_traceback() -> None:
    raise ValueError("no\nsuch /invitations/tok-1 here")


def test_log_line_outside_a_terminal_is_one_json_object(
    logger_to: Callable[[io.StringIO], logging.Logger],
) -> None:
    stream = io.StringIO()
    log = logger_to(stream)
    log.info("Two\nlines of %s", "ąž")
    try:
        fail_with_traceback()
    except ValueError:
        log.exception("Exception on /u/tok-2/resubscribe [POST]")
    log.debug("not logged")
    first_line, second_line = map(json.loads, stream.getvalue().splitlines())
    assert first_line["message"] == "Two\nlines of ąž"
    assert (first_line["level"], first_line["logger"]) == ("info", "lodepost.test")
    assert first_line["at"].endswith("+00:00")
    assert second_line["message"] == "Exception on /u/[hidden]/resubscribe [POST]"
    assert "ValueError: no\nsuch /invitations/[hidden] here" in second_line["error"]


def test_log_line_in_a_terminal_is_text(logger_to: Callable[[io.StringIO], logging.Logger]) -> None:
    stream = FakeTerminal()
    logger_to(stream).warning("Look at /sign-in/link/abc-1_= now")
    assert stream.getvalue().endswith(
        " WARNING lodepost.test: Look at /sign-in/link/[hidden] now\n"
    )


@pytest.mark.parametrize(
    "secret",
    ["pass%2Fword1", "pass/word1", "redis-hush", "smtp-hush", "key-" * 10, "token-" * 6],
)
def test_secrets_of_the_settings_are_masked(
    secret: str, logger_to: Callable[[io.StringIO], logging.Logger]
) -> None:
    stream = io.StringIO()
    logger_to(stream).error("It was %s, I think.", secret)
    assert secret not in stream.getvalue()
    assert "It was [hidden], I think." in stream.getvalue()


@pytest.mark.parametrize(
    "text, masked_text",
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
def test_tokens_and_passwords_are_masked_and_other_text_is_kept(
    text: str, masked_text: str
) -> None:
    assert Mask()(text) == masked_text


@pytest.mark.parametrize(
    "text, masked_text",
    [
        ("550 <dave+x@mail.example.org> unknown", "550 <[hidden]> unknown"),
        ("to dāvis@bērni.example.", "to [hidden]."),
        ("postgresql://lode@db.example.org/lode", "postgresql://lode@db.example.org/lode"),
        ("celery@vm is ready @ once", "celery@vm is ready @ once"),
    ],
)
def test_email_addresses_are_masked_in_logs(text: str, masked_text: str) -> None:
    assert LogMask()(text) == masked_text


def test_fields_of_an_event_stand_beside_its_message_and_are_masked(
    logger_to: Callable[[io.StringIO], logging.Logger],
) -> None:
    stream = io.StringIO()
    extra = event_fields("part-died", part="smtp-hush", name="of /u/abc", count=3, none=None)
    logger_to(stream).warning("Odd", extra=extra)
    fields = json.loads(stream.getvalue())
    assert fields["event"] == "part-died"
    assert (fields["part"], fields["name"]) == ("[hidden]", "of /u/[hidden]")
    assert (fields["count"], fields["none"]) == (3, None)


def test_short_password_is_not_masked() -> None:
    assert Mask(["e", ""])("every turn") == "every turn"
