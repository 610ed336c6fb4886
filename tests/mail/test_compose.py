from typing import Any

import pytest
from msgspec.structs import replace

from engine.view import view_for
from tests.mail.conftest import ComposeEmail
from tests.support.cast import ALICE
from tests.support.email_contexts import (
    CLUB_KINDS,
    COMPOSER,
    EMAIL_KINDS,
    GAME_KINDS,
    NOW,
    EmailContexts,
)
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import due_seat
from tests.support.engine.random_players import random_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.fakes import drawn, html_of, parse_message, text_of
from webapp.kernel.config import settings_from
from webapp.kernel.rights import Relation
from webapp.mail.compose import Composer
from webapp.mail.envelope import UnsubscribeTokens
from webapp.mail.mime import BadHeader

KINDS_WITHOUT_SEATS = {
    *("moderator-act", "player-left", "seat-opened", "table-cancelled"),
    *("player-removed", "ready-check-missed", "dealt"),
}
KINDS_WITH_ONE_LINK = {"invitation", "seat-offer"}
HOSTILE_NAME = "Eve</title><script>alert(1)</script> \"'&amp; {{ 7*7 }} %(x)s\r\nBcc: mallory@example.org\r\n\r\nhello"
every_kind = pytest.mark.parametrize("kind", EMAIL_KINDS)
every_kind_of_a_game = pytest.mark.parametrize("kind", GAME_KINDS)


@every_kind
def test_message_has_text_first_and_then_html(compose_email: ComposeEmail, kind: str) -> None:
    message = compose_email(kind)
    if message.get_content_type() == "multipart/mixed":
        message, *files = message.iter_parts()
        assert {file.get_content_disposition() for file in files} == {"attachment"}
    assert message.get_content_type() == "multipart/alternative"
    parts = list(message.iter_parts())
    types = [part.get_content_type() for part in parts]
    if types[-1] == "multipart/related":
        related = list(parts[-1].iter_parts())
        types[-1] = related[0].get_content_type()
        assert {part.get_content_type() for part in related[1:]} == {"image/png"}
    assert types == ["text/plain", "text/html"]
    assert not any(part.defects for part in message.walk())


@every_kind
def test_message_is_ascii_with_crlf_lines_of_at_most_998_bytes(
    email_context: EmailContexts, kind: str
) -> None:
    message = drawn(COMPOSER.compose(email_context(kind), now=NOW))
    assert message.isascii()
    lines = message.split(b"\r\n")
    assert b"\n" not in b"".join(lines)
    assert max(map(len, lines)) <= 998


@every_kind
def test_same_context_gives_the_same_bytes(email_context: EmailContexts, kind: str) -> None:
    other = Composer(
        base_url="https://lodepost.example",
        mail_from="lodepost@lodepost.example",
    )
    context = email_context(kind)
    assert drawn(COMPOSER.compose(context, now=NOW)) == drawn(other.compose(context, now=NOW))


@every_kind
def test_message_has_one_sender_and_one_recipient(
    email_context: EmailContexts, compose_email: ComposeEmail, kind: str
) -> None:
    message = compose_email(kind)
    assert [address.addr_spec for address in message["From"].addresses] == [
        "lodepost@lodepost.example"
    ]
    assert [address.addr_spec for address in message["To"].addresses] == [
        email_context(kind).envelope.address
    ]
    assert message["Cc"] is message["Bcc"] is None


@every_kind
def test_only_emails_about_a_turn_can_be_answered(
    email_context: EmailContexts, compose_email: ComposeEmail, kind: str
) -> None:
    reply_to = email_context(kind).envelope.reply_to
    is_answerable = kind in {"your-turn", "reminder", "nudge", "reply-answered"}
    assert (reply_to is not None) is is_answerable
    text = text_of(compose_email(kind))
    assert text.startswith("--- Reply above this line ---\n") is is_answerable
    assert ("can't read replies" in " ".join(text.split())) <= (not is_answerable)
    if is_answerable:
        assert compose_email(kind)["Reply-To"].addresses[0].addr_spec == reply_to
    else:
        assert compose_email(kind)["Reply-To"] is None


@every_kind
def test_header_marks_the_message_as_automatic(
    email_context: EmailContexts, compose_email: ComposeEmail, kind: str
) -> None:
    message = compose_email(kind)
    is_answer = kind == "reply-answered"
    assert message["Auto-Submitted"] == ("auto-replied" if is_answer else "auto-generated")
    assert message["X-Auto-Response-Suppress"] == "All"
    assert message["Feedback-ID"] == f"{kind}:emails:lodepost"
    assert message["MIME-Version"] == "1.0"
    assert message["Content-Language"] == "en"
    assert message["Date"].datetime == NOW
    assert message["Message-ID"] == email_context(kind).envelope.message_id


def test_all_emails_of_a_game_are_in_one_mail_thread(email_context: EmailContexts) -> None:
    envelope = email_context("your-turn").envelope
    contexts = [email_context(kind) for kind in GAME_KINDS]
    messages = [
        parse_message(drawn(COMPOSER.compose(context, now=NOW)))
        for context in contexts
        if context.table.slug == email_context.table().slug
    ]
    assert len({message["Subject"] for message in messages}) >= 7
    assert {message["References"] for message in messages} == {envelope.root_id}
    assert {message["In-Reply-To"] for message in messages} == {envelope.root_id}
    assert {message["List-Id"] for message in messages} == {f"<{envelope.list_id}>"}


@pytest.mark.parametrize(
    "name",
    ["In-Reply-To", "References", "List-Id", "List-Unsubscribe", "List-Unsubscribe-Post"],
)
def test_sign_in_email_has_no_thread_or_mailing_list_headers(
    compose_email: ComposeEmail, name: str
) -> None:
    assert compose_email("sign-in")[name] is None


def links_that_stop(token: str | None) -> str:
    """Return what List-Unsubscribe says: by one click, or by email where answers are read."""
    link = f"https://lodepost.example/u/{token}"
    return f"<{link}>, <mailto:reply+{token}@lodepost.test?subject=unsubscribe>"


def test_emails_are_stopped_by_one_click_alone_where_answers_are_not_read(
    email_context: EmailContexts, compose_email: ComposeEmail
) -> None:
    envelope = email_context.envelope("your-turn", reply_address="", reply_to=None)
    message = compose_email("your-turn", envelope=envelope)
    assert (
        message["List-Unsubscribe"] == f"<https://lodepost.example/u/{envelope.unsubscribe.game}>"
    )


@every_kind_of_a_game
def test_one_click_unsubscribes_from_reminders_the_game_or_everything(
    email_context: EmailContexts, compose_email: ComposeEmail, kind: str
) -> None:
    message = compose_email(kind)
    tokens = email_context(kind).envelope.unsubscribe
    one_click_token = tokens.reminders if kind == "reminder" else tokens.game or tokens.everything
    assert message["List-Unsubscribe"] == links_that_stop(one_click_token)
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    stopping_tokens = {tokens.game, tokens.reminders, tokens.everything} - {None}
    assert len(stopping_tokens) == (1 if kind in KINDS_WITH_ONE_LINK else 3)
    for token in stopping_tokens:
        assert text_of(message).count(f"https://lodepost.example/u/{token}\n") == 1


def test_unsubscribe_address_is_never_encoded_or_folded(email_context: EmailContexts) -> None:
    token = "t" * 300
    envelope = email_context.envelope("your-turn", unsubscribe=UnsubscribeTokens(everything=token))
    message = drawn(COMPOSER.compose(email_context("your-turn", envelope=envelope), now=NOW))
    assert f"\r\nList-Unsubscribe: {links_that_stop(token)}\r\n".encode() in message


def test_longest_turn_emails_stay_below_the_size_at_which_mail_programs_cut(
    email_context: EmailContexts,
) -> None:
    rng, game = SeededRng(0), InMemoryGame("en-2004", seats=3)
    longest_line_length = 0
    while len(game.log) < 170:
        longest_line_length = max(
            longest_line_length,
            len(
                drawn(
                    COMPOSER.compose(
                        email_context.turn(view_for(game.state, due_seat(game.state))), now=NOW
                    )
                )
            ),
        )
        game.play(random_action(game.state, rng))
    assert 20_000 < longest_line_length < 60_000


@pytest.mark.parametrize("kind", CLUB_KINDS)
def test_hostile_club_is_shown_as_text_only(compose_email: ComposeEmail, kind: str) -> None:
    hostile_fields: dict[str, Any] = {"club": HOSTILE_NAME}
    people = {"club-invitation": "inviter", "club-announcement": "author"}
    if kind in people:
        hostile_fields[people[kind]] = HOSTILE_NAME
    if kind == "club-request":
        hostile_fields["names"] = (HOSTILE_NAME,)
    message = compose_email(kind, **hostile_fields)
    assert set(message.keys()) == set(compose_email(kind).keys())
    assert message["Bcc"] is None
    assert "<script" not in html_of(message)
    assert "alert(1)" in html_of(message)
    assert "\nBcc:" not in text_of(message)


def test_announcement_of_a_club_can_be_stopped_with_one_click(
    email_context: EmailContexts, compose_email: ComposeEmail
) -> None:
    message = compose_email("club-announcement")
    envelope = email_context("club-announcement").envelope
    assert message["List-Unsubscribe"] == links_that_stop(envelope.unsubscribe.club)
    assert message["List-Id"] == f"<{envelope.list_id}>"


def test_email_about_open_seats_can_be_stopped_and_shows_hostile_names_as_text(
    email_context: EmailContexts, compose_email: ComposeEmail
) -> None:
    context = email_context("open-seats")
    hostile_seat = replace(context.seats[0], host_name=HOSTILE_NAME)
    message = compose_email("open-seats", seats=(hostile_seat,))
    token = context.envelope.unsubscribe.seats
    assert message["List-Unsubscribe"] == links_that_stop(token)
    assert message["Bcc"] is None
    assert message["Subject"] == "1 game needs a player"
    assert "<script" not in html_of(message)
    assert "alert(1)" in html_of(message)


def test_language_without_a_catalogue_falls_back_to_english(
    email_context: EmailContexts, compose_email: ComposeEmail
) -> None:
    message = compose_email(
        "your-turn", envelope=email_context.envelope("your-turn", language="xx")
    )
    assert message["Content-Language"] == "en"
    assert f"\nIt's your turn, {ALICE.name}\n" in text_of(message)


@every_kind_of_a_game
def test_hostile_name_is_shown_as_text_only(
    email_context: EmailContexts, compose_email: ComposeEmail, kind: str
) -> None:
    hostile_fields: dict[str, Any] = {
        "envelope": email_context.envelope(kind, name=HOSTILE_NAME),
        "table": replace(email_context(kind).table, host=HOSTILE_NAME),
    }
    if kind in {"moderator-act", "nudge"}:
        act = email_context(kind).act
        hostile_fields["act"] = replace(
            act, actor_name=HOSTILE_NAME, acted_as=Relation.SITE_MODERATOR
        )
    if kind not in KINDS_WITHOUT_SEATS:
        seats = email_context(kind).seats
        hostile_fields["seats"] = tuple(replace(seat, name=HOSTILE_NAME) for seat in seats)
    if kind == "invitation":
        hostile_fields["host"] = HOSTILE_NAME
    if kind == "seat-offer":
        hostile_fields["offerer"] = HOSTILE_NAME
    message = compose_email(kind, **hostile_fields)
    assert set(message.keys()) == set(compose_email(kind).keys())
    assert message["Bcc"] is None
    html = html_of(message)
    assert "<script" not in html
    assert "alert(1)" in html
    assert "49" not in message["Subject"]
    # A line may begin with any word of a name that is too long for it, but never with a line of its own.
    assert "Bcc: mallory@example.org" not in text_of(message).splitlines()


@every_kind
def test_text_has_the_line_ends_of_mail(compose_email: ComposeEmail, kind: str) -> None:
    part = compose_email(kind).get_body(("plain",))
    assert part is not None
    data = part.get_payload(decode=True)
    assert isinstance(data, bytes)
    assert b"\n" not in data.replace(b"\r\n", b"")


def test_site_name_may_be_in_any_script(email_context: EmailContexts) -> None:
    site_settings = settings_from(
        {"BASE_URL": "https://žaidimai.lt", "MAIL_FROM": "dwarfs@žaidimai.lt"}
    )
    composer = Composer(base_url=site_settings.base_url, mail_from=site_settings.mail_from)
    message = parse_message(drawn(composer.compose(email_context("your-turn"), now=NOW)))
    assert message["From"].addresses[0].domain == "xn--aidimai-cxb.lt"
    assert message["List-Unsubscribe"].startswith("<https://xn--aidimai-cxb.lt/")
    assert "https://xn--aidimai-cxb.lt/" in text_of(message)


@pytest.mark.parametrize("field", ["message_id", "root_id", "list_id", "address"])
def test_envelope_value_with_a_line_end_is_rejected(
    email_context: EmailContexts, compose_email: ComposeEmail, field: str
) -> None:
    envelope = email_context.envelope("your-turn", **{field: "<a@b>\r\nBcc: mallory@example.org"})
    with pytest.raises(BadHeader):
        compose_email("your-turn", envelope=envelope)


def test_player_name_cannot_imitate_the_mime_boundary(
    email_context: EmailContexts, compose_email: ComposeEmail
) -> None:
    original_email = compose_email("your-turn")
    boundary = f"--{original_email.get_boundary()}--"
    boundary_guesses = ("--=_lodepost--", "--", "--=_", "\n.\n", boundary[:20])
    seat = email_context("your-turn").seats[0]
    seats = tuple(replace(seat, name=guess) for guess in boundary_guesses)
    message = compose_email("your-turn", seats=seats)
    assert message.defects == []
    assert len(list(message.iter_parts())) == 2
    assert html_of(message).rstrip().endswith("</html>")
    other = compose_email(
        "your-turn", envelope=email_context.envelope("your-turn", message_id="<ab12@x.test>")
    )
    assert other.get_boundary() != original_email.get_boundary()
