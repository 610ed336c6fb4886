"""What a host may do depends on acting as the host, not on sitting at the table; and no act takes time to react from a player."""

from datetime import datetime, timedelta

import pytest

from tests.support.acts import act_preview, perform_act, site_moderator, undo_act
from tests.support.calls import sweep_with_calls_sent
from tests.support.cast import DAVE
from tests.support.factories import (
    DAY,
    Guest,
    deal_game_of_unseated_host,
    play_turn,
    sign_in_guest,
    stored_game,
)
from tests.support.seat_offers import new_link, offer_seat
from tests.support.transactions import NOON, pick_first, transaction
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.rights import (
    OPERATOR,
    GameRight,
    Relation,
    TableKind,
    is_stronger,
    relations_with,
)
from webapp.kernel.tx import Database

EXTEND, PAUSE, RESUME = GameRight.EXTEND, GameRight.PAUSE, GameRight.RESUME
TIME_TO_REACT = DAY / 5
"""Of a turn of a day, after which four fifths a player is reminded."""
LAST_MOMENT = timedelta(seconds=20)


@pytest.fixture
def unseated_host(database: Database, guests: list[Guest]) -> Guest:
    return sign_in_guest(database, DAVE)


@pytest.fixture
def hosted_slug(database: Database, guests: list[Guest], unseated_host: Guest) -> str:
    """A private game of the three guests, whose host has no seat in it."""
    return deal_game_of_unseated_host(database, unseated_host, guests)


def _strikes(database: Database, slug: str, guest: Guest, *, now: datetime) -> tuple[int, ...]:
    with transaction(database) as tx:
        sweep_with_calls_sent(tx, now=now, random_below=pick_first)
    return tuple(seat.strikes for seat in stored_game(database, slug, guest, now=now).row.seats)


def test_unseated_host_takes_no_seat_from_a_player(
    database: Database, unseated_host: Guest, hosted_slug: str
) -> None:
    for number in range(3):
        with pytest.raises(NotAllowed, match=DenialReason.PERSON_HOLDS_SEAT.code):
            perform_act(database, hosted_slug, GameRight.SEAT_BOT, by=unseated_host, seat=number)
        with pytest.raises(NotAllowed, match=DenialReason.PERSON_HOLDS_SEAT.code):
            perform_act(
                database,
                hosted_slug,
                GameRight.OFFER_SEAT,
                by=unseated_host,
                seat=number,
                link=new_link(),
            )


def test_unseated_host_fills_a_seat_that_is_open(
    database: Database, guests: list[Guest], unseated_host: Guest, hosted_slug: str
) -> None:
    perform_act(database, hosted_slug, GameRight.OPEN_SEAT, seat=1)
    perform_act(database, hosted_slug, GameRight.SEAT_BOT, by=unseated_host, seat=1)
    assert stored_game(database, hosted_slug, guests[0]).row.seats[1].is_bot


def test_seated_and_unseated_hosts_get_the_same_answers(
    database: Database, guests: list[Guest], slug: str, unseated_host: Guest, hosted_slug: str
) -> None:
    """On the turn of another player; only their own seat is a seated host's to give away."""
    play_turn(database, slug, guests[0])
    play_turn(database, hosted_slug, guests[0])
    answers = {}
    for host, game in ((guests[0], slug), (unseated_host, hosted_slug)):
        answers[game] = {
            right: _answer(database, game, right, host)
            for right in GameRight
            if Relation.HOST in relations_with(right, TableKind.PRIVATE)
        }
    assert answers[slug] == answers[hosted_slug]
    assert len(answers[slug]) > 5


def _answer(database: Database, slug: str, right: GameRight, host: Guest) -> str | None:
    try:
        act_preview(database, slug, right, by=host, seat=2, extra=DAY, link=new_link())
    except NotAllowed as refusal:
        return refusal.reason.code
    return None


def test_undone_extension_leaves_time_to_react(
    database: Database, guests: list[Guest], slug: str
) -> None:
    host, opponent = guests[0], guests[1]
    play_turn(database, slug, host)
    entry = perform_act(database, slug, EXTEND, by=host, extra=14 * DAY)
    now = NOON + DAY - LAST_MOMENT
    undo_act(database, slug, EXTEND, entry, by=host, now=now)
    assert stored_game(database, slug, opponent, now=now).row.deadline_at == now + TIME_TO_REACT
    assert _strikes(database, slug, opponent, now=NOON + DAY) == (0, 0, 0)
    assert _strikes(database, slug, opponent, now=now + TIME_TO_REACT) == (0, 1, 0)


def test_extension_that_is_undone_soon_leaves_the_whole_time(
    database: Database, guests: list[Guest], slug: str
) -> None:
    entry = perform_act(database, slug, EXTEND, extra=14 * DAY)
    undo_act(database, slug, EXTEND, entry)
    assert stored_game(database, slug, guests[0]).row.deadline_at == NOON + DAY


@pytest.mark.parametrize("is_undone", [False, True])
def test_resumed_game_leaves_time_to_react(
    database: Database, guests: list[Guest], slug: str, *, is_undone: bool
) -> None:
    host, opponent, resumed_at = guests[0], guests[1], NOON + 5 * DAY
    play_turn(database, slug, host)
    entry = perform_act(database, slug, PAUSE, by=host, now=NOON + DAY - LAST_MOMENT)
    if is_undone:
        undo_act(database, slug, PAUSE, entry, by=host, now=resumed_at)
    else:
        perform_act(database, slug, RESUME, by=host, now=resumed_at)
    row = stored_game(database, slug, opponent, now=resumed_at).row
    assert row.deadline_at == resumed_at + TIME_TO_REACT
    assert _strikes(database, slug, opponent, now=resumed_at + LAST_MOMENT) == (0, 0, 0)
    assert _strikes(database, slug, opponent, now=resumed_at + TIME_TO_REACT) == (0, 1, 0)


def test_host_who_resumes_in_their_own_turn_has_as_much_time_as_before(
    database: Database, guests: list[Guest], slug: str
) -> None:
    host = guests[0]
    perform_act(database, slug, PAUSE, by=host, now=NOON + DAY - LAST_MOMENT)
    perform_act(database, slug, RESUME, by=host, now=NOON + 5 * DAY)
    row = stored_game(database, slug, host, now=NOON + 5 * DAY).row
    assert row.deadline_at == NOON + 5 * DAY + LAST_MOMENT


def test_seat_that_is_given_back_on_turn_leaves_time_to_react(
    database: Database, guests: list[Guest], slug: str
) -> None:
    now = NOON + DAY - LAST_MOMENT
    entry = perform_act(database, slug, GameRight.OPEN_SEAT, seat=0)
    undo_act(database, slug, GameRight.OPEN_SEAT, entry, now=now)
    row = stored_game(database, slug, guests[0], now=now).row
    assert row.deadline_at == now + TIME_TO_REACT
    assert _strikes(database, slug, guests[0], now=NOON + DAY) == (0, 0, 0)


def test_host_does_not_extend_their_own_turn(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with pytest.raises(NotAllowed, match=DenialReason.EXTENDS_OWN_TURN.code):
        perform_act(database, slug, EXTEND, by=guests[0], extra=DAY)
    play_turn(database, slug, guests[0])
    perform_act(database, slug, EXTEND, by=guests[0], extra=DAY)


def test_host_does_not_undo_what_a_moderator_did(
    database: Database, guests: list[Guest], slug: str
) -> None:
    mo, host = site_moderator(database), guests[0]
    play_turn(database, slug, host)
    entry = perform_act(database, slug, EXTEND, by=mo, extra=DAY)
    with pytest.raises(NotAllowed, match=DenialReason.STRONGER_ACTED.code):
        undo_act(database, slug, EXTEND, entry, by=host)
    entry = perform_act(database, slug, PAUSE, by=mo)
    with pytest.raises(NotAllowed, match=DenialReason.STRONGER_ACTED.code):
        undo_act(database, slug, PAUSE, entry, by=host)
    with pytest.raises(NotAllowed, match=DenialReason.STRONGER_ACTED.code):
        perform_act(database, slug, RESUME, by=host)
    with pytest.raises(NotAllowed, match=DenialReason.STRONGER_ACTED.code):
        act_preview(database, slug, RESUME, by=host)
    perform_act(database, slug, RESUME, by=mo)


def test_host_neither_withdraws_nor_replaces_the_offer_of_a_moderator(
    database: Database, guests: list[Guest], slug: str
) -> None:
    mo, host = site_moderator(database), guests[0]
    perform_act(database, slug, GameRight.OPEN_SEAT, by=mo, seat=1)
    offer_seat(database, slug, by=mo)
    with pytest.raises(NotAllowed, match=DenialReason.STRONGER_ACTED.code):
        perform_act(database, slug, GameRight.WITHDRAW_OFFER, by=host, seat=1)
    with pytest.raises(NotAllowed, match=DenialReason.STRONGER_ACTED.code):
        offer_seat(database, slug, by=host)
    perform_act(database, slug, GameRight.WITHDRAW_OFFER, by=mo, seat=1)
    offer_seat(database, slug, by=host)


def test_moderator_undoes_what_a_host_did(
    database: Database, guests: list[Guest], slug: str
) -> None:
    mo, host = site_moderator(database), guests[0]
    play_turn(database, slug, host)
    entry = perform_act(database, slug, EXTEND, by=host, extra=DAY)
    undo_act(database, slug, EXTEND, entry, by=mo)
    entry = perform_act(database, slug, PAUSE, by=host)
    undo_act(database, slug, PAUSE, entry, by=mo)


def test_everyone_overrules_only_those_who_act_as_less() -> None:
    by_strength = (
        Relation.HOST,
        Relation.CLUB_MODERATOR,
        Relation.CLUB_FOUNDER,
        Relation.SITE_MODERATOR,
        OPERATOR,
    )
    for number, acted_as in enumerate(by_strength):
        assert not is_stronger(acted_as, acted_as)
        assert all(is_stronger(acted_as, weaker) for weaker in by_strength[:number])
        assert not any(is_stronger(acted_as, stronger) for stronger in by_strength[number:])
