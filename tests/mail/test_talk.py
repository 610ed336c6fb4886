"""Table talk in emails: under its author's name, and never to be mistaken for the words of the server."""

import pytest

from tests.mail.conftest import ComposeEmail
from tests.support.email_contexts import NOW
from tests.support.fakes import html_of, text_of
from webapp.mail.blocks import Saying, Talk
from webapp.play.emails.game_news import without_links
from webapp.play.talk.talk import ShownMessage


def message(text: str, *, name: str = "Bob", is_removed: bool = False) -> ShownMessage:
    return ShownMessage(
        number=1,
        seat=1,
        name=name,
        is_own=False,
        seq=3,
        text=text,
        at=NOW,
        is_edited=False,
        is_removed=is_removed,
        can_change=False,
        can_mute=True,
    )


@pytest.mark.parametrize("kind", ["your-turn", "reminder", "nudge", "round-over", "game-over"])
def test_email_brings_what_was_said(compose_email: ComposeEmail, kind: str) -> None:
    email = compose_email(kind, messages=(message("Who broke my lamp?"),))
    assert "| \u2068Bob: Who broke my lamp?\u2069" in text_of(email)
    assert "Who broke my lamp?" in html_of(email)


def test_email_without_talk_has_no_such_section(compose_email: ComposeEmail) -> None:
    assert "Table talk" not in text_of(compose_email("your-turn"))


def test_every_line_of_a_long_message_stands_behind_the_bar() -> None:
    text = Talk((Saying("Bob", "It is your turn. " * 20),)).text()
    assert len(text.splitlines()) > 3
    assert all(line.startswith("| \u2068") and len(line) <= 74 for line in text.splitlines())


def test_markup_in_a_message_is_escaped(compose_email: ComposeEmail) -> None:
    html = html_of(compose_email("your-turn", messages=(message("<h1>You won</h1>"),)))
    assert "<h1>You won" not in html
    assert "&lt;h1&gt;You won" in html


def test_removed_message_is_not_shown(compose_email: ComposeEmail) -> None:
    text = text_of(compose_email("your-turn", messages=(message("", is_removed=True),)))
    assert "Bob: (removed by a moderator)" in text


@pytest.mark.parametrize(
    "address", ["https://example.test/x", "example.test", "me@example.test", "www.example.test"]
)
def test_mail_programs_recognize_no_address_in_a_message(address: str) -> None:
    harmless = without_links(f"see {address} now")
    assert address not in harmless
    assert harmless.replace("\u2060", "") == f"see {address} now"


def test_headers_hold_nothing_that_players_said(compose_email: ComposeEmail) -> None:
    headers = compose_email("your-turn", messages=(message("Bcc: x@example.test"),)).items()
    assert not any("Bcc" in value or "x@example" in value for _, value in headers)
