import re
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.cards import GOAL_SHAPES
from engine.view import Awaiting, view_for
from tests.mail.conftest import ComposeEmail, TextFor
from tests.support.email_contexts import COMPOSER, EMAIL_KINDS, NAMES, NOW, EmailContexts
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import due_seat
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.fakes import drawn, html_of, text_of
from tests.support.golden import equals_golden_file
from tests.support.views import view_of
from webapp.kernel.i18n import language_for
from webapp.kernel.public_acts import ServerReason
from webapp.kernel.rights import SERVER, GameRight
from webapp.mail.sections import finished_mine_drawing
from webapp.play.emails.game_news import MAX_LISTED_TURNS
from webapp.play.emails.round_over import RoundOverContext
from webapp.play.emails.turn_email import TurnContext
from webapp.play.plans import PlanEnd
from webapp.wording.actions import action_name
from webapp.wording.cards import card_name
from webapp.wording.game_files import short_head
from webapp.wording.history import narrate
from webapp.wording.perspective import Perspective
from webapp.wording.turns import late_sentence

ENGLISH = language_for("en")
PERSPECTIVE = Perspective(language=ENGLISH, names=NAMES, me=0)
GOLDEN_FOLDER = Path(__file__).with_name("golden")


def on_one_line(text: str) -> str:
    return " ".join(text.split())


def masked(text: str) -> str:
    """Return the text of an email without tokens and slugs, which change with everything that is stored before them."""
    text = re.sub(r"(?m)/[\w-]{32,}$", "/TOKEN", text)
    return re.sub(r"/(games|clubs)/[a-z0-9]{12}\b", r"/\1/SLUG", text)


def test_sign_in_email_shows_the_code_and_when_it_expires(
    email_context: EmailContexts, text_for: TextFor
) -> None:
    text = text_for("sign-in")
    assert f"\n    {email_context('sign-in').code}\n" in text
    assert "expire in 10 minutes, on Mon 2 Mar, 14:10" in on_one_line(text)


def test_turn_email_contains_all_that_is_needed_to_play(
    email_context: EmailContexts, text_for: TextFor
) -> None:
    context = email_context("your-turn")
    text = on_one_line(text_for("your-turn"))
    assert "Tue 3 Mar, 14:00" in text
    sentences = [
        sentence for entry in context.latest_entries for sentence in narrate(entry, PERSPECTIVE)
    ]
    assert sentences
    assert all(sentence in text for sentence in sentences)
    numbered_hand = enumerate(context.view.hand, 1)
    assert all(f"{number}. {card_name(card, ENGLISH)}" in text for number, card in numbered_hand)
    assert "You're a gold-digger" in text
    assert re.search(r"Bob \(\d cards in hand", text)


def test_actions_without_a_card_heading_are_worded_as_on_pages(
    email_context: EmailContexts,
) -> None:
    rng, game = SeededRng(1), InMemoryGame("en-2004", seats=5)
    while (view := view_for(game.state, due_seat(game.state))).awaiting.kind == "turn":
        game.play(mostly_digging_action(game.state, rng))
    context = email_context.turn(view)
    names = tuple(seat.name for seat in context.seats)
    perspective = Perspective(language=ENGLISH, names=names, me=view.seat)
    text = text_of(drawn(COMPOSER.compose(context, now=NOW)))
    for action in context.menu:
        assert action_name(action, perspective, view=view) in text


def test_long_history_is_truncated_with_a_hint_to_the_page(
    email_context: EmailContexts, text_for: TextFor
) -> None:
    entry = email_context("game-over").latest_entries[0]
    text = text_for("game-over", latest_entries=(entry,) * (MAX_LISTED_TURNS + 5))
    assert "Earlier turns are on the table's page." in text
    first_line = next(line for line in text.splitlines() if line.startswith("* ["))
    assert text.splitlines().count(first_line) == MAX_LISTED_TURNS


@pytest.mark.parametrize(
    "zone, shown_deadline", [("UTC", "12:00"), ("Asia/Tokyo", "21:00"), ("Mars/Base", "12:00")]
)
def test_deadline_is_shown_in_the_time_zone_of_the_recipient(
    email_context: EmailContexts, text_for: TextFor, zone: str, shown_deadline: str
) -> None:
    assert shown_deadline in text_for(
        "your-turn", envelope=email_context.envelope("your-turn", zone=zone)
    )


def test_late_reminder_says_that_time_ran_out(text_for: TextFor) -> None:
    assert "Time ran out" in text_for("reminder", deadline_at=NOW - timedelta(minutes=5))


def test_turn_email_says_once_that_it_is_the_player_s_turn(text_for: TextFor) -> None:
    assert text_for("your-turn").count("your turn") == 1
    assert "Lay a path card" in text_for("your-turn")


def test_reminder_says_how_to_play_the_turn(text_for: TextFor) -> None:
    assert "Lay a path card" in text_for("reminder")


@pytest.mark.parametrize("kind", ["turn", "goal", "way-round", "gold"])
def test_reminder_says_what_happens_without_a_move(
    email_context: EmailContexts, compose_email: ComposeEmail, kind: str
) -> None:
    context = email_context("reminder")
    assert isinstance(context, TurnContext)
    awaiting = Awaiting(seat=context.view.seat, kind=kind)  # type: ignore[arg-type]
    view = replace(context.view, awaiting=awaiting)
    message = compose_email("reminder", view=view)
    expected = late_sentence(view, ENGLISH)
    assert expected
    assert expected in on_one_line(text_of(message))
    assert expected.split(",")[-1] in on_one_line(html_of(message))


def test_round_over_email_announces_the_next_round_unless_it_has_ended(
    email_context: EmailContexts, text_for: TextFor
) -> None:
    context = email_context("round-over")
    assert isinstance(context, RoundOverContext)
    assert "Round 2 has been dealt." in text_for("round-over")
    view = context.view
    awaiting = Awaiting(seat=view.seat, kind="gold")
    results = (*view.results, replace(view.results[0], round=2))
    text = text_for("round-over", view=replace(view, awaiting=awaiting, results=results))
    assert "has been dealt" not in text
    assert "gold" in text.partition("Go to the table")[0].rpartition("\n\n")[0]


def test_round_over_email_shows_the_winning_path(
    email_context: EmailContexts, compose_email: ComposeEmail
) -> None:
    tunnel = {f"{column}5": "path-rl" for column in "BCDEFGH"}
    won = view_of(tunnel | {"I5": GOAL_SHAPES["treasure"][0]}, seat=None, role=None, hand=())
    sentence = "The winning path has 9 cards: A5, B5, C5, D5, E5, F5, G5, H5, I5."
    message = compose_email("round-over", last_view=won)
    assert sentence in on_one_line(text_of(message))
    assert f'alt="{sentence}' in html_of(message)
    lost = email_context("round-over").last_view
    assert 'class="golden-path"' in finished_mine_drawing(won, ENGLISH).svg
    assert 'class="golden-path"' not in finished_mine_drawing(lost, ENGLISH).svg


def test_turn_played_by_the_clock_is_marked_as_such(
    email_context: EmailContexts, text_for: TextFor
) -> None:
    entries = email_context("round-over").latest_entries
    late_entries = tuple(replace(entry, by="clock") for entry in entries)
    assert "time ran out" in on_one_line(text_for("round-over", latest_entries=late_entries))


def test_turn_email_says_why_the_plan_was_not_followed(text_for: TextFor) -> None:
    text = on_one_line(text_for("your-turn", plan_end=PlanEnd.GOAL_REVEALED))
    assert "Your plan was cancelled because a goal was revealed." in text


def test_recap_marks_only_the_turn_played_by_the_plan_of_the_recipient(
    email_context: EmailContexts, text_for: TextFor
) -> None:
    first_turn, *other_turns = email_context("your-turn").latest_entries
    assert other_turns
    own_turn = replace(first_turn, seat=0, by="plan")
    entries = (own_turn, *(replace(turn, by="plan") for turn in other_turns))
    text = on_one_line(text_for("your-turn", latest_entries=entries))
    assert text.count("Your plan was followed:") == 1
    assert f"Your plan was followed: {narrate(own_turn, PERSPECTIVE)[0]}" in text


def test_player_who_left_is_shown_as_such(email_context: EmailContexts, text_for: TextFor) -> None:
    *seats, last_seat = email_context("your-turn").seats
    text = text_for("your-turn", seats=(*seats, replace(last_seat, is_gone=True)))
    assert "Dāvis (left the game)" in text


def test_deal_email_contains_the_whole_frozen_record(
    email_context: EmailContexts, compose_email: ComposeEmail
) -> None:
    deal = email_context("dealt").deal
    for message in (compose_email("dealt"), compose_email("your-turn", deal=deal)):
        [file] = message.iter_attachments()
        assert file.get_filename() == "deal-record.txt"
        assert bytes.fromhex("".join(file.get_content().split())) == deal.record
        text = on_one_line(text_of(message))
        assert f"Its fingerprint begins with {short_head(deal.digest)}." in text
        assert text.count("/fairness") == 1


def test_first_turn_email_leaves_settings_and_commitments_to_the_site_and_the_record(
    email_context: EmailContexts, text_for: TextFor
) -> None:
    first_text = text_for("your-turn", deal=email_context("dealt").deal)
    assert len(first_text.splitlines()) <= len(text_for("your-turn").splitlines()) + 10
    for text in (first_text, text_for("dealt")):
        assert "Game settings" not in text
        assert not re.search(r"[0-9a-f]{64}", text)


def test_game_over_email_shows_the_gold_of_every_player(
    email_context: EmailContexts, text_for: TextFor
) -> None:
    view = email_context("game-over").view
    text = text_for("game-over")
    for name, cards in zip(NAMES, view.gold, strict=True):
        assert re.search(rf"^\d  +{re.escape(name)} +{sum(cards)} nugget", text, re.MULTILINE)


def test_email_about_a_cancelled_game_discloses_peeks(
    email_context: EmailContexts, text_for: TextFor
) -> None:
    act = email_context("moderator-act").act
    peek = replace(act, act=GameRight.PEEK, reason="Alice disputes a turn.")
    cancel = replace(act, act=GameRight.CANCEL_GAME, reason="No one plays any more.")
    text = text_for("moderator-act", act=cancel, peeks=(peek,))
    assert equals_golden_file(GOLDEN_FOLDER / "moderator-act-cancelled.txt", masked(text))


def test_email_to_a_former_player_has_no_link_to_the_game(
    email_context: EmailContexts, text_for: TextFor
) -> None:
    act = replace(email_context("moderator-act").act, act=GameRight.OPEN_SEAT)
    assert "Go to the table" in text_for("moderator-act", act=act)
    text = text_for("moderator-act", act=act, may_see_game=False)
    assert "Go to the table" not in text
    assert "You no longer have a seat in this game" in text
    assert "because you played at this table" in text


def test_email_about_a_host_who_left_names_the_new_host(
    email_context: EmailContexts, text_for: TextFor
) -> None:
    act = email_context("moderator-act").act
    new_host = replace(act, act=GameRight.HAND_OVER_TABLE, name="Bob", acted_as=SERVER)
    assert "Bob becomes the host of this table." in text_for("player-left", new_host=new_host)


def test_email_about_an_act_of_the_server_names_no_person(
    email_context: EmailContexts, text_for: TextFor
) -> None:
    act = replace(
        email_context("moderator-act").act,
        act=GameRight.HAND_OVER_TABLE,
        name="Bob",
        seat=1,
        actor_name=None,
        acted_as=SERVER,
        reason=ServerReason.HOST_LEFT,
    )
    text = text_for("moderator-act", act=act)
    assert "By: The server, by itself" in text
    assert f"Reason: {ServerReason.HOST_LEFT}" in text


def test_email_about_a_cancelled_table_says_what_it_means_for_the_recipient(
    text_for: TextFor,
) -> None:
    assert "Your seat is gone." in text_for("table-cancelled", is_seated=True)
    assert "Your invitation doesn't work" in text_for("table-cancelled", is_seated=False)
    assert "The host has cancelled" in text_for("table-cancelled", is_unfilled=False)
    unfilled_text = text_for("table-cancelled", is_unfilled=True)
    assert "its seats weren't all taken" in unfilled_text
    assert "The host" not in unfilled_text


@pytest.mark.parametrize("kind", EMAIL_KINDS)
def test_email_text_equals_its_golden_file(text_for: TextFor, kind: str) -> None:
    assert equals_golden_file(GOLDEN_FOLDER / f"{kind}.txt", masked(text_for(kind)))


def test_email_about_a_lost_seat_offers_a_way_back_before_the_deal_only(text_for: TextFor) -> None:
    assert "take a seat again" in text_for("player-removed", may_see_table=True)
    assert "use your invitation" in text_for("player-removed", may_see_table=False)
    for may_see_table in (True, False):
        text = text_for("player-removed", may_see_table=may_see_table, can_return=False)
        assert "If you'd still like to play there" not in text
        assert ("Go to the table" in text) is may_see_table


def test_role_is_in_one_short_line_beside_the_hand(
    email_context: EmailContexts, text_for: TextFor
) -> None:
    view = email_context("your-turn").view
    for role, line in (
        ("digger", "You're a gold-digger: find the gold."),
        ("saboteur", "You're a saboteur: stop the diggers."),
    ):
        text = text_for("your-turn", view=replace(view, role=role))
        assert f"Your hand\n---------\n{line}\n" in text
        assert "Your role" not in text


def test_discards_and_breaking_own_tools_are_listed_last(
    email_context: EmailContexts,
) -> None:
    view = replace(
        email_context("your-turn").view,
        hand=("break-cart", "path-tb", "path-tb", "map"),
        broken=((), (), ()),
    )
    text = text_of(drawn(COMPOSER.compose(email_context.turn(view), now=NOW)))
    menu = text.partition("What you can do")[2].partition("Since your last turn")[0]
    titles = [line for line in menu.splitlines() if line and not line.startswith((" ", "-"))]
    assert titles[-5:] == [
        "1. broken cart",
        "2, 3. straight tunnel (up, down)",
        "4. map",
        "Discard a card face down",
        "Break your own tool",
    ]
    assert "\n  discard 1, 2, 3, 4\n" in menu
    assert menu.index("break 1 seat 2") < menu.index("  lay 2") < menu.index("break 1 seat 1")
