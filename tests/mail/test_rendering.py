import re
from html import escape, unescape
from html.parser import HTMLParser
from typing import Any

import pytest

from engine.notation import write_action
from engine.text_drawing import draw_mine
from engine.view import view_for
from tests.support.email_contexts import COMPOSER, EMAIL_KINDS, NOW, EmailContexts
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import due_seat
from tests.support.engine.random_players import mostly_digging_action, random_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.fakes import drawn, html_of, parse_message, text_of
from tests.support.rulebook_groups import every_rulebook
from webapp.kernel import urls
from webapp.kernel.i18n import language_for
from webapp.kernel.resources import templates_folder
from webapp.mail import blocks
from webapp.mail.blocks import BulletList, Heading, Paragraph, plain_text, wrap_sentences
from webapp.mail.envelope import EmailContext
from webapp.mail.reply_commands import write_command
from webapp.mail.sections import legend
from webapp.wording.mine import mine_description

_KINDS_THAT_LEAD_HOME = (
    "table-cancelled",
    "ban-lifted",
    "report-decided",
    "player-removed",
    "ready-check-missed",
)
every_kind = pytest.mark.parametrize("kind", EMAIL_KINDS)


class HtmlReader(HTMLParser):
    """Collects what a reader of the HTML sees or hears, piece by piece, and every address in it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text_pieces: list[str] = []
        self.addresses: list[str] = []
        self.sources: list[str] = []
        self.names: set[str] = set()
        self._hidden_depth = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden_depth += tag in {"style", "title"}
        self.names |= {tag, *(name for name, _ in attrs)}
        self.addresses += [value or "" for name, value in attrs if name == "href"]
        self.sources += [value or "" for name, value in attrs if name == "src"]
        self.text_pieces += [
            " ".join((value or "").split()) for name, value in attrs if name == "alt"
        ]

    def handle_endtag(self, tag: str) -> None:
        self._hidden_depth -= tag in {"style", "title"}

    def handle_data(self, data: str) -> None:
        if not self._hidden_depth and data.strip():
            self.text_pieces.append(" ".join(data.split()))


def text_and_html(context: EmailContext) -> tuple[str, str]:
    message = parse_message(drawn(COMPOSER.compose(context, now=NOW)))
    return text_of(message), html_of(message)


@every_kind
def test_html_and_text_of_an_email_contain_the_same_words(
    email_context: EmailContexts, kind: str
) -> None:
    context = email_context(kind)
    text, html = text_and_html(context)
    # The HTML has a picture instead, which needs no legend.
    for view in filter(None, (getattr(context, name, None) for name in ("view", "last_view"))):
        text = text.replace(draw_mine(view).rstrip("\n"), "")
        text = text.replace(legend(language_for(context.envelope.language)).text(), "")
    html_reader = HtmlReader(html)
    shown_text = " ".join(html_reader.text_pieces)
    # Items are numbered by the browser, and addresses stand behind the words.
    missing_words = set(re.findall(r"\w+", text)) - set(
        re.findall(r"\w+", shown_text + str(html_reader.addresses))
    )
    assert {word for word in missing_words if not word.isdecimal()} <= {"https"}
    paragraph_count = 0
    for paragraph in text.split("\n\n"):
        if not re.match(r"[ *-]|\d\.", paragraph) and not re.search(r"\n(  |-)", paragraph):
            assert " ".join(paragraph.split()).partition(": https://")[0] in shown_text
            paragraph_count += 1
    assert paragraph_count >= 3


@every_kind
def test_email_html_loads_no_resources_and_runs_no_scripts(
    email_context: EmailContexts, kind: str
) -> None:
    message = parse_message(drawn(COMPOSER.compose(email_context(kind), now=NOW)))
    html = html_of(message)
    html_reader = HtmlReader(html)
    assert not html_reader.names & {"script", "link", "iframe", "object", "form", "srcset"}
    attached = {f"cid:{str(part['Content-ID']).strip('<>')}" for part in message.walk()}
    assert set(html_reader.sources) == attached - {"cid:None"}
    assert not {name for name in html_reader.names if name.startswith("on")}
    assert "url(" not in html
    assert "@import" not in html
    assert all(address.startswith("https://lodepost.example/") for address in html_reader.addresses)


@every_kind
def test_html_states_language_colours_and_preview(email_context: EmailContexts, kind: str) -> None:
    _, html = text_and_html(email_context(kind))
    assert '<html lang="en">' in html
    assert 'name="color-scheme" content="light dark"' in html
    table_count = html.count('role="presentation"') + html.count('role="table"')
    assert html.count("<table") == table_count
    preview = html.partition("display:none")[2].partition("</div>")[0].partition(">")[2]
    assert preview.strip()
    body = html.partition("<body")[2]
    assert 'bgcolor="#' in body.partition(">")[0]
    assert "background-color:#" in body.partition(">")[0]


@every_kind
def test_email_has_one_link_to_act_on_near_the_top(email_context: EmailContexts, kind: str) -> None:
    context = email_context(kind)
    link = f"https://lodepost.example{path_to_act_on(kind, context)}"
    text, html = text_and_html(context)
    assert text.count(f"{link}\n") == 1
    # After the drawing of the mine, if there is one.
    assert text.index(link) < 2000
    assert HtmlReader(html).addresses[0] == link


def path_to_act_on(kind: str, context: Any) -> str:
    tokens = {
        "sign-in": "/sign-in/link/{0.link_token}",
        "address-change": "/account/address/{0.link_token}",
        "invitation": "/invitations/{0.token}",
        "seat-offer": "/seat-offers/{0.token}",
        "club-invitation": "/club-invitations/{0.token}",
        "warning": "/appeals/{0.appeal_token}",
        "ban": "/appeals/{0.appeal_token}",
        "identity-code": "/account/security",
        "address-requested": "/account/security",
        "address-changed": "/account/security",
        "briefing": "/games/{0.table.slug}/briefing",
        "seat-opened": "/games/{0.table.slug}/open-seat",
        "deadlines-moved": "/next",
        "open-seats": "/games/open-seats",
        "round-over": "/games/{0.table.slug}/rounds/1",
        "club-announcement": "/clubs/{0.slug}",
        "club-act": "/clubs/{0.slug}",
        "club-request": "/clubs/{0.slug}/members",
        "club-admitted": "/clubs/{0.slug}",
        "club-declined": "/clubs/{0.slug}",
        **dict.fromkeys(_KINDS_THAT_LEAD_HOME, "/"),
    }
    return tokens.get(kind, "/games/{0.table.slug}").format(context)


@every_kind
def test_text_lines_are_short_enough_to_be_quoted(email_context: EmailContexts, kind: str) -> None:
    text, _ = text_and_html(email_context(kind))
    long_lines = [line for line in text.split("\n") if len(line) > 72 and "https://" not in line]
    assert [line for line in long_lines if not line.startswith("  ")] == []


@pytest.mark.no_cover
@every_rulebook
def test_turn_email_offers_every_legal_action(email_context: EmailContexts, rulebook: str) -> None:
    rng, game = SeededRng(5), InMemoryGame(rulebook, seats=4)
    kinds = set()
    while len(game.log) < 90 and not game.is_over:
        view = view_for(game.state, due_seat(game.state))
        context = email_context.turn(view)
        text, html = text_and_html(context)
        # Places that continue on a line of their own belong to the line before.
        joined_text = re.sub(r"\n    +", " ", text).replace("\n  ", "\n")
        for action in context.menu:
            kinds.add(type(action))
            assert (
                f'{escape(urls.move(context.envelope.move_token or "", do=write_action(action)))}"'
                in html
            )
            command = write_command(action, view)
            verb_and_card, _, cell = command.removesuffix(" turned").rpartition(" ")
            lines = [line for line in joined_text.split("\n") if line.startswith(verb_and_card)]
            assert any(re.search(rf"(^|[ ,]){re.escape(cell)}\b", line) for line in lines), command
        game.play(random_action(game.state, rng))
    assert len(kinds) >= 6


def test_drawing_has_a_description_for_screen_readers(email_context: EmailContexts) -> None:
    context = email_context("your-turn")
    _, html = text_and_html(context)
    description = mine_description(context.view, language_for("en"))
    assert f'alt="{description}"' in " ".join(html.split())


def test_legend_of_the_drawing_is_in_the_text_alone(email_context: EmailContexts) -> None:
    text, html = text_and_html(email_context("your-turn"))
    assert "x is a dead end" in " ".join(text.split())
    assert "is a dead end" not in " ".join(html.split())


def test_text_keeps_the_empty_rows_of_a_drawing(email_context: EmailContexts) -> None:
    rng, game = SeededRng(5), InMemoryGame("en-2004", seats=3)
    while "\n\n\n" not in (drawing := draw_mine(view_for(game.state, due_seat(game.state)))):
        game.play(mostly_digging_action(game.state, rng))
    context = email_context.turn(view_for(game.state, due_seat(game.state)))
    text, _ = text_and_html(context)
    assert drawing.rstrip("\n") in text


def test_wrapped_list_items_are_indented_under_their_bullets() -> None:
    assert wrap_sentences("word " * 20, bullet="* ").split("\n")[1].startswith("  word")


def test_long_word_is_not_split_across_lines() -> None:
    assert wrap_sentences(f"see {'x' * 90}") == f"see\n{'x' * 90}"


def test_heading_stands_directly_above_its_section() -> None:
    text = plain_text((Heading("Rounds"), BulletList(("one", "two")), Paragraph("End.")))
    assert text == "Rounds\n------\n* one\n* two\n\nEnd.\n\n"


def test_email_templates_use_named_colours_only() -> None:
    for name in ("blocks.html", "email.html"):
        source = (templates_folder() / "email" / name).read_text(encoding="utf-8")
        assert "{{ light." in source
        assert not re.search(r"#[0-9a-f]{3,8}\b|rgba?\(|hsla?\(", source)


def test_every_email_block_class_has_an_html_macro() -> None:
    source = (templates_folder() / "email" / "blocks.html").read_text(encoding="utf-8")
    macros = set(re.findall(r"{% macro (\w+)\(block\) %}", source))
    assert macros == {block.__name__ for block in block_classes()}


def block_classes() -> tuple[Any, ...]:
    classes: tuple[Any, ...] = blocks.Block.__args__  # type: ignore[attr-defined]
    return classes


@every_kind
def test_html_does_not_repeat_the_subject(email_context: EmailContexts, kind: str) -> None:
    message = parse_message(drawn(COMPOSER.compose(email_context(kind), now=NOW)))
    subject, html = str(message["Subject"]), html_of(message)
    title = re.findall(r"<h1[^>]*>(.*)</h1>", html)[0]
    assert HtmlReader(html).text_pieces.count(subject) == (unescape(title) == subject)
