import os
import re
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from engine.drawing import draw
from engine.notation import write_action
from engine.view import Awaiting
from tests.support.email_contexts import (
    KINDS,
    NAMES,
    NOW,
    envelope_for,
    game_after,
    letter,
    seats_of,
    table_of,
    turn_of,
)
from tests.support.engine.logged_game import LoggedGame
from tests.support.engine.random_players import random_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.rulebook_groups import every_rulebook
from webapp.config import settings_from
from webapp.i18n import language_for
from webapp.mail.compose import Composer
from webapp.mail.contents import MOST_TURNS
from webapp.mail.headers import BadHeader
from webapp.services.email_kinds import NotificationKind
from webapp.services.notifications.email_context import (
    RoundOverContext,
    TurnContext,
    Unsubscribe,
)
from webapp.wording.actions import action_name
from webapp.wording.cards import card_name
from webapp.wording.history import sentence
from webapp.wording.mine import mine_in_words
from webapp.wording.perspective import Perspective

COMPOSER = Composer(base_url="https://lodepost.example", mail_from="lodepost@lodepost.example")
GOLDEN = Path(__file__).with_name("golden")
GAME_KINDS = [kind for kind in KINDS if kind != "sign-in"]
every_kind = pytest.mark.parametrize("kind", KINDS)
every_kind_of_a_game = pytest.mark.parametrize("kind", GAME_KINDS)


def composed(kind: NotificationKind, *, now: datetime = NOW, **changed: Any) -> EmailMessage:
    return read(COMPOSER.compose(letter(kind, **changed), now=now))


def read(message: bytes) -> EmailMessage:
    return cast("EmailMessage", message_from_bytes(message, policy=policy.default))


def text_of(message: EmailMessage) -> str:
    return str(message.get_payload(0).get_content()).replace("\r\n", "\n")  # type: ignore[union-attr]


def html_of(message: EmailMessage) -> str:
    return str(message.get_payload(1).get_content())  # type: ignore[union-attr]


class Words(HTMLParser):
    """What a reader of the HTML sees, piece by piece, and every address in it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.addresses: list[str] = []
        self.names: set[str] = set()
        self._unseen = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in {"style", "title"}
        self.names |= {tag, *(name for name, _ in attrs)}
        self.addresses += [value or "" for name, value in attrs if name in {"href", "src", "cid"}]

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in {"style", "title"}

    def handle_data(self, data: str) -> None:
        if not self._unseen and data.strip():
            self.pieces.append(" ".join(data.split()))


@every_kind
def test_a_letter_is_text_first_and_then_html(kind: NotificationKind) -> None:
    message = composed(kind)
    assert message.get_content_type() == "multipart/alternative"
    parts = list(message.iter_parts())
    assert [part.get_content_type() for part in parts] == ["text/plain", "text/html"]
    assert not message.defects
    assert not any(part.defects for part in parts)


@every_kind
def test_bytes_on_the_wire_are_ascii_with_lines_that_every_relay_takes(
    kind: NotificationKind,
) -> None:
    message = COMPOSER.compose(letter(kind), now=NOW)
    assert message.isascii()
    lines = message.split(b"\r\n")
    assert b"\n" not in b"".join(lines)
    assert max(map(len, lines)) <= 998


@every_kind
def test_the_same_digest_gives_the_same_bytes(kind: NotificationKind) -> None:
    other = Composer(base_url="https://lodepost.example", mail_from="lodepost@lodepost.example")
    assert COMPOSER.compose(letter(kind), now=NOW) == other.compose(letter(kind), now=NOW)


@every_kind
def test_the_html_says_the_same_words(kind: NotificationKind) -> None:
    message = composed(kind)
    seen = Words(html_of(message))
    shown = " ".join(seen.pieces)
    said = text_of(message)
    # Items are numbered by the browser, and addresses stand behind the words.
    missing = set(re.findall(r"\w+", said)) - set(re.findall(r"\w+", shown + str(seen.addresses)))
    assert {word for word in missing if not word.isdecimal()} <= {"https"}
    for paragraph in said.split("\n\n"):
        if not re.match(r"[ *-]|\d\.", paragraph) and not re.search(r"\n(  |-)", paragraph):
            assert " ".join(paragraph.split()).partition(": https://")[0] in shown


@every_kind
def test_nothing_in_the_html_is_fetched_and_nothing_runs(kind: NotificationKind) -> None:
    html = html_of(composed(kind))
    seen = Words(html)
    assert not seen.names & {"img", "script", "link", "iframe", "object", "form", "src", "srcset"}
    assert not {name for name in seen.names if name.startswith("on")}
    assert "url(" not in html
    assert "@import" not in html
    assert all(address.startswith("https://lodepost.example/") for address in seen.addresses)


@every_kind
def test_the_html_fits_every_mail_program(kind: NotificationKind) -> None:
    html = html_of(composed(kind))
    assert '<html lang="en">' in html
    assert 'name="color-scheme" content="light dark"' in html
    assert html.count("<table") == html.count('role="presentation"')
    assert "display:none" in html, "a preheader"
    body = html.partition("<body")[2]
    assert 'bgcolor="#' in body.partition(">")[0]
    assert "background-color:#" in body.partition(">")[0]


@every_kind
def test_a_letter_is_from_one_address_to_one_address(kind: NotificationKind) -> None:
    message = composed(kind)
    assert [address.addr_spec for address in message["From"].addresses] == [
        "lodepost@lodepost.example"
    ]
    assert [address.addr_spec for address in message["To"].addresses] == ["anna@example.org"]
    assert message["Cc"] is message["Bcc"] is message["Reply-To"] is None


@every_kind
def test_every_letter_says_that_a_machine_wrote_it(kind: NotificationKind) -> None:
    message = composed(kind)
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["X-Auto-Response-Suppress"] == "All"
    assert message["Feedback-ID"] == f"{kind}:letters:lodepost"
    assert message["MIME-Version"] == "1.0"
    assert message["Content-Language"] == "en"
    assert message["Date"].datetime == NOW
    assert message["Message-ID"] == "<0123456789abcdef0123456789abcdef@lodepost.example>"


def test_all_letters_of_a_game_are_one_thread() -> None:
    messages = [composed(kind) for kind in GAME_KINDS]
    assert len({message["Subject"] for message in messages}) == 1
    assert {message["References"] for message in messages} == {
        "<fedcba9876543210fedcba9876543210@lodepost.example>"
    }
    assert {message["In-Reply-To"] for message in messages} == {messages[0]["References"]}
    assert {message["List-Id"] for message in messages} == {"<k7h2m.lodepost.example>"}


def test_a_sign_in_stands_in_no_thread_and_on_no_list() -> None:
    message = composed("sign-in")
    for name in (
        "In-Reply-To",
        "References",
        "List-Id",
        "List-Unsubscribe",
        "List-Unsubscribe-Post",
    ):
        assert message[name] is None


@every_kind_of_a_game
def test_one_press_ends_the_letters_of_the_game(kind: NotificationKind) -> None:
    message = composed(kind)
    scope = "reminder" if kind == "reminder" else "game"
    assert message["List-Unsubscribe"] == f"<https://lodepost.example/u/{scope}-token>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    for token in ("game-token", "reminder-token", "all-token"):
        assert text_of(message).count(f"https://lodepost.example/u/{token}\n") == 1


def test_an_unsubscribe_address_is_never_encoded_or_folded() -> None:
    token = "t" * 500
    envelope = envelope_for("your-turn", unsubscribe=Unsubscribe(everything=token))
    message = COMPOSER.compose(letter("your-turn", envelope=envelope), now=NOW)
    assert f"\r\nList-Unsubscribe: <https://lodepost.example/u/{token}>\r\n".encode() in message


@every_kind
def test_there_is_one_link_to_act_on_and_it_is_early(kind: NotificationKind) -> None:
    paths = {
        "sign-in": "/sign-in/link/link-token",
        "invitation": "/invitations/invitation-token",
    }
    text = text_of(composed(kind))
    link = f"https://lodepost.example{paths.get(kind, '/games/k7h2m')}"
    assert text.count(link) == 1
    assert text.index(link) < 700
    assert Words(html_of(composed(kind))).addresses[0] == link


@every_kind
def test_text_is_short_enough_to_be_quoted(kind: NotificationKind) -> None:
    lines = text_of(composed(kind)).split("\n")
    long = [line for line in lines if len(line) > 72 and "https://" not in line]
    assert [line for line in long if not line.startswith("  ")] == []


def test_a_sign_in_letter_has_the_code_and_says_until_when() -> None:
    text = text_of(composed("sign-in"))
    assert "\n    042137\n" in text
    assert "until Tue 5 May, 15:40 (EEST), in 10" in " ".join(text.split())


def test_a_turn_letter_says_all_that_is_needed_to_play() -> None:
    digest = turn_of(game_after(20))
    language = language_for("en")
    perspective = Perspective(language=language, names=NAMES[:5], me=digest.seat)
    text = " ".join(text_of(read(COMPOSER.compose(digest, now=NOW))).split())
    assert "Time until Thu 7 May, 15:30 (EEST), in 2 days." in text
    for told in digest.since:
        assert all(sentence(line, perspective) in text for line in told.lines)
    assert all(f"* {card_name(card, language)}" in text for card in digest.view.hand)
    assert "You are a gold-digger" in text
    assert "Bob (6 cards in hand, cart broken)" in text


@pytest.mark.no_cover
@every_rulebook
def test_every_action_stands_in_a_turn_letter(rulebook: str) -> None:
    rng, game = SeededRng(5), LoggedGame(rulebook, seats=4)
    kinds = set()
    while len(game.log) < 90 and not game.is_over:
        digest = turn_of(game)
        message = read(COMPOSER.compose(digest, now=NOW))
        html = html_of(message)
        for action in digest.menu:
            kinds.add(type(action))
            notation = write_action(action)
            assert re.search(rf"^  {notation}  +\S", text_of(message), re.MULTILINE)
            assert f"<code>{notation}</code>" in html
        game.play(random_action(game.state, rng))
    assert len(kinds) >= 6


def test_the_words_of_an_action_are_those_of_the_pages_where_no_card_says_half_of_them() -> None:
    digest = turn_of(game_after(26))
    perspective = Perspective(language=language_for("en"), names=NAMES[:5], me=digest.seat)
    text = text_of(read(COMPOSER.compose(digest, now=NOW)))
    for action in digest.menu:
        assert action_name(action, perspective, view=digest.view) in text


def test_who_cannot_see_the_mine_is_told_it() -> None:
    digest = turn_of(game_after(20))
    html = " ".join(html_of(read(COMPOSER.compose(digest, now=NOW))).split())
    assert f'aria-label="{mine_in_words(digest.view, language_for("en"))}"' in html


def test_much_news_is_cut_and_a_letter_says_so() -> None:
    game = game_after(1000)
    digest = letter("game-over")
    told = tuple(digest.since[0] for _ in range(MOST_TURNS + 5))  # type: ignore[union-attr]
    text = text_of(composed("game-over", since=told))
    assert "The page of the table tells what happened before that." in text
    assert text.count("* Carol mended the pickaxe of") <= MOST_TURNS
    assert len(game.log) > MOST_TURNS


def test_the_longest_letters_stay_far_below_what_mail_programs_cut() -> None:
    rng, game = SeededRng(0), LoggedGame("en-2004", seats=3)
    longest = 0
    while len(game.log) < 170:
        longest = max(longest, len(COMPOSER.compose(turn_of(game), now=NOW)))
        game.play(random_action(game.state, rng))
    assert 20_000 < longest < 60_000


@pytest.mark.parametrize(
    "zone, said", [("UTC", "12:30 (UTC)"), ("Asia/Tokyo", "21:30 (JST)"), ("Mars/Base", "(UTC)")]
)
def test_instants_are_said_in_the_zone_of_the_reader(zone: str, said: str) -> None:
    envelope = envelope_for("your-turn", zone=zone)
    assert said in text_of(composed("your-turn", envelope=envelope))


def test_a_language_without_a_catalogue_is_answered_in_english_and_says_so() -> None:
    message = composed("your-turn", envelope=envelope_for("your-turn", language="xx"))
    assert message["Content-Language"] == "en"
    assert "It is your turn" in text_of(message)


HOSTILE = "Eve</title><script>alert(1)</script> \"'&amp; {{ 7*7 }} %(x)s\r\nBcc: mallory@example.org\r\n\r\nhello"


@every_kind_of_a_game
def test_a_hostile_name_is_words_and_nothing_else(kind: NotificationKind) -> None:
    changed: dict[str, Any] = {"envelope": envelope_for(kind, name=HOSTILE)}
    digest = letter(kind)
    changed["table"] = table_of(host=HOSTILE)
    changed["seats"] = tuple(
        type(seat)(
            **{name: getattr(seat, name) for name in seat.__struct_fields__} | {"name": HOSTILE}
        )
        for seat in digest.seats  # type: ignore[union-attr]
    )
    if kind == "invitation":
        changed["host"] = HOSTILE
    message = composed(kind, **changed)
    assert set(message.keys()) == set(composed(kind).keys())
    assert message["Bcc"] is None
    html = html_of(message)
    assert "<script" not in html
    assert "alert(1)" in html
    assert "49" not in message["Subject"]
    assert "\nBcc:" not in text_of(message)


@pytest.mark.parametrize("turns", [35, 40])
def test_a_drawing_stands_in_the_text_as_it_was_drawn(turns: int) -> None:
    digest = turn_of(game_after(turns, seats=3, seed=5))
    drawn = draw(digest.view)
    assert "\n\n\n" in drawn, "rows without a card"
    assert drawn in text_of(read(COMPOSER.compose(digest, now=NOW)))


@every_kind
def test_lines_of_text_end_as_those_of_mail_do(kind: NotificationKind) -> None:
    part = composed(kind).get_payload(0)
    data = part.get_payload(decode=True)  # type: ignore[union-attr]
    assert isinstance(data, bytes)
    assert b"\n" not in data.replace(b"\r\n", b"")


def test_a_site_with_a_name_in_any_script_writes_letters() -> None:
    site = settings_from({"BASE_URL": "https://žaidimai.lt", "MAIL_FROM": "dwarfs@žaidimai.lt"})
    composer = Composer(base_url=site.base_url, mail_from=site.mail_from)
    message = read(composer.compose(letter("your-turn"), now=NOW))
    assert message["From"].addresses[0].domain == "xn--aidimai-cxb.lt"
    assert message["List-Unsubscribe"].startswith("<https://xn--aidimai-cxb.lt/")
    assert "https://xn--aidimai-cxb.lt/" in text_of(message)


@pytest.mark.parametrize("field", ["message_id", "root_id", "list_id", "address"])
def test_an_id_that_breaks_its_line_is_refused(field: str) -> None:
    envelope = envelope_for("your-turn", **{field: "<a@b>\r\nBcc: mallory@example.org"})
    with pytest.raises(BadHeader):
        composed("your-turn", envelope=envelope)


def test_a_name_that_looks_like_the_end_of_a_body_ends_nothing() -> None:
    whole = composed("your-turn")
    boundary = f"--{whole.get_boundary()}--"
    seats = tuple(
        type(seat)(
            **{name: getattr(seat, name) for name in seat.__struct_fields__} | {"name": guess}
        )
        for seat, guess in zip(
            seats_of(5),
            ("--=_lodepost_letter--", "--", "--=_", "\n.\n", boundary[:20]),
            strict=True,
        )
    )
    message = composed("your-turn", seats=seats)
    assert message.defects == []
    assert len(list(message.iter_parts())) == 2
    assert html_of(message).rstrip().endswith("</html>")
    other = composed("your-turn", envelope=envelope_for("your-turn", message_id="<ab12@x.test>"))
    assert other.get_boundary() != whole.get_boundary()


def test_a_very_long_line_is_encoded_rather_than_sent() -> None:
    from webapp.mail import bodies

    written = bodies.alternatives("short\n", f"<p>{'x' * 2000}</p>\n", boundary="=_b")
    assert max(map(len, written.split(b"\r\n"))) <= 998
    assert b"quoted-printable" in written


def test_a_reminder_that_comes_late_says_that_time_ran_out() -> None:
    late = composed("reminder", deadline_at=NOW - timedelta(minutes=5))
    assert "Time ran out" in text_of(late)


@pytest.mark.parametrize(
    "kind, done",
    [
        ("turn", "a turn is played for you that helps nobody."),
        ("goal", "chance says which goal is turned over."),
        ("way-round", "the stone is turned so that it joins the card just laid."),
        ("gold", "you get the most valuable gold card that is left."),
    ],
)
def test_a_reminder_says_what_is_done_for_whoever_is_late(kind: str, done: str) -> None:
    digest = letter("reminder")
    assert isinstance(digest, TurnContext)
    due = Awaiting(seat=digest.seat, kind=kind)  # type: ignore[arg-type]
    message = composed("reminder", view=replace(digest.view, awaiting=due))
    said = f"The game still waits for you. When the time is over, {done}"
    assert said in " ".join(text_of(message).split())
    assert said in Words(html_of(message)).pieces


def test_a_round_is_dealt_until_it_is_over_as_well() -> None:
    digest = letter("round-over")
    assert isinstance(digest, RoundOverContext)
    view = digest.view
    assert "Round 2 is dealt." in text_of(composed("round-over"))
    due = Awaiting(seat=digest.seat, kind="gold")
    over = replace(view, awaiting=due, results=(*view.results, replace(view.results[0], round=2)))
    message = composed("round-over", view=over)
    for words in (text_of(message), html_of(message)):
        assert "is dealt" not in words
        assert "The gold is shared: pick the gold card that you keep." in words


def test_a_late_turn_that_the_clock_played_is_told_as_such() -> None:
    digest = letter("round-over")
    assert any(told.by == "clock" for told in digest.since)  # type: ignore[union-attr]
    assert "Ēriks took a gold card. (Time had run out.)" in text_of(composed("round-over"))


def test_a_seat_given_up_is_shown_as_such() -> None:
    text = text_of(composed("your-turn", seats=seats_of(5, gone=(3,), awaited=0)))
    assert "Dāvis (seat given up)" in text


def test_the_record_stands_whole_in_the_letter_of_the_deal() -> None:
    text = text_of(composed("dealt"))
    found = "".join(re.findall(r"^([0-9a-f]+)$", text, re.MULTILINE))
    assert bytes(range(256)).hex() in found
    assert letter("dealt").record_digest in text  # type: ignore[union-attr]


def test_everything_is_open_in_the_last_letter() -> None:
    digest = letter("game-over")
    view = digest.view  # type: ignore[union-attr]
    text = text_of(composed("game-over"))
    for name, cards in zip(NAMES[:5], view.gold, strict=True):
        assert f"* {name}: {sum(cards)} nugget" in text


@every_kind
def test_the_words_are_those_that_were_agreed_on(kind: NotificationKind) -> None:
    """Rewritten with LODEPOST_TEST_REWRITE=1; read the difference before it is committed."""
    file = GOLDEN / f"{kind}.txt"
    text = text_of(composed(kind))
    if os.environ.get("LODEPOST_TEST_REWRITE"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
