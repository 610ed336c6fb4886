"""The email to someone who has taken over a seat: what the seat has seen, and only to them."""

import pytest

from engine.actions import Discard
from tests.support.acts import perform_act
from tests.support.cast import DAVE
from tests.support.factories import DAY, Guest, play_turn, sign_in_guest, stored_game
from tests.support.late_games import make_public, miss_turn, set_late_rules, take_seat
from tests.support.outbox_steps import collect_email, collect_emails, dropped_reasons
from tests.support.transactions import NOON
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.play.emails.briefing import BriefingContext

LATER = NOON + DAY


@pytest.fixture
def dave(database: Database, guests: list[Guest], slug: str) -> Guest:
    """Dave, who has just taken over the seat of Bob; Bob had discarded a card."""
    make_public(database, slug)
    set_late_rules(database, slug)
    play_turn(database, slug, guests[0])
    miss_turn(database, slug, guests[1])
    newcomer = sign_in_guest(database, DAVE)
    take_seat(database, slug, newcomer)
    return newcomer


def test_briefing_is_sent_to_the_substitute_alone_and_holds_what_the_seat_has_seen(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    hand_before_turn = stored_game(database, slug, dave).state.hands[1]
    email = collect_email(database, "briefing", now=LATER)
    assert email.address == dave.person.address
    context = email.context
    assert isinstance(context, BriefingContext)
    game = stored_game(database, slug, dave)
    assert context.view == game.view(1)
    assert context.view.hand == hand_before_turn
    assert len(context.discards) == 1
    assert [seat.number for seat in context.seats if seat.is_me] == [1]
    assert context.deadline_at == game.row.deadline_at


def test_briefing_does_not_tell_what_other_seats_have_discarded(
    database: Database, guests: list[Guest], slug: str
) -> None:
    hand = stored_game(database, slug, guests[0]).state.hands[0]
    play_turn(database, slug, guests[0], Discard(hand[0]))
    newcomer = sign_in_guest(database, DAVE)
    fields = {"name": "Dave", "address": newcomer.person.address}
    perform_act(database, slug, GameRight.SEAT_PERSON, seat=2, **fields)
    context = collect_email(database, "briefing").context
    assert isinstance(context, BriefingContext)
    assert context.discards == ()


def test_player_who_returns_to_their_seat_gets_no_briefing(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug)
    miss_turn(database, slug, guests[0])
    take_seat(database, slug, guests[0])
    assert collect_emails(database, kind="briefing", now=LATER) == []


def test_briefing_is_dropped_if_the_substitute_has_lost_the_seat(
    database: Database, slug: str, dave: Guest
) -> None:
    perform_act(database, slug, GameRight.OPEN_SEAT, seat=1, now=LATER)
    assert collect_emails(database, kind="briefing", now=LATER) == []
    assert dropped_reasons(database, "briefing") == ["not-seated"]
