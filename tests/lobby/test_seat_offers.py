"""Accepting an offered seat: only that seats a person, once, and only while the seat is open to them."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from engine.view import view_for
from tests.support.acts import (
    HOUR,
    ledger_acts,
    perform_act,
    recipients,
    site_moderator,
    store_peek,
    undo_act,
)
from tests.support.cast import DAVE
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    deal_short_game,
    play_to_end,
    play_turn,
    stored_game,
)
from tests.support.seat_offers import (
    accept_offered_seat,
    offer_outcomes,
    offer_seat,
    open_and_offer,
)
from tests.support.transactions import NOON, seeded_tokens, transaction, using
from webapp.accounts.blocks import block_account
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.offered_seats import seat_offer_page
from webapp.moderation.act_page import OfferLine, act_page
from webapp.moderation.acts.offer_seat import OFFER_LIFETIME
from webapp.operations.consistency import inspect_database
from webapp.play.access import game_for

OFFER, OPEN = GameRight.OFFER_SEAT, GameRight.OPEN_SEAT


def _refusal(database: Database, token: str, guest: Guest | None) -> DenialReason | None:
    with transaction(database) as tx:
        viewer = None if guest is None else guest.person
        refusal = seat_offer_page(tx, token, viewer).refusal
    return None if refusal is None else refusal.reason


def _offers(database: Database, slug: str, viewer: Guest) -> list[OfferLine]:
    with transaction(database) as tx:
        return list(act_page(tx, viewer.person, slug, OFFER, None).offers)


def _block(database: Database, blocker: Guest, blocked: Guest) -> None:
    with transaction(database) as tx:
        block_account(
            using(tx, random_bytes=seeded_tokens(f"{blocker.person.id} blocks")),
            blocker.person,
            blocked.person.id,
            name=blocked.person.name,
        )


def test_offer_seats_the_person_only_after_acceptance(
    database: Database, database_url: str, guests: list[Guest], slug: str, dave: Guest
) -> None:
    earlier_view = view_for(stored_game(database, slug, guests[0]).state, 1)
    token = open_and_offer(database, slug, by=guests[0], address=DAVE.address.upper())
    assert stored_game(database, slug, guests[0]).row.seats[1].account_id is None
    assert _refusal(database, token, dave) is None
    assert accept_offered_seat(database, token, dave) == slug
    game = stored_game(database, slug, dave)
    assert (game.row.seats[1].account_id, game.row.seats[1].name) == (dave.person.id, "Dave")
    later_view = view_for(game.state, 1)
    assert (later_view.hand, later_view.role, later_view.goals) == (
        earlier_view.hand,
        earlier_view.role,
        earlier_view.goals,
    )
    assert ledger_acts(database) == ["open-seat", "offer-seat", "seat-person"]
    assert offer_outcomes(database) == ["accepted"]
    assert inspect_database(database_url).inconsistencies == ()


def test_table_is_informed_who_offered_and_who_accepted(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    mo = site_moderator(database)
    perform_act(database, slug, OPEN, seat=1)
    recipient_count = len(recipients(database))
    token = offer_seat(database, slug, by=mo, address=DAVE.address)
    assert len(recipients(database)) == recipient_count
    accept_offered_seat(database, token, dave)
    new_emails = recipients(database)[recipient_count:]
    assert len(new_emails) == 4
    assert {mo.person.id, dave.person.id} < set(recipients(database))
    with transaction(database) as tx:
        [act, *_] = game_for(tx, slug, dave.cookie).game.row.acts
    assert (act.act, act.actor_name, act.offerer_name, act.reason) == (
        "seat-person",
        "Dave",
        "Mo",
        "asked by email",
    )


def test_seat_on_turn_gets_the_whole_time_and_an_email(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    perform_act(database, slug, OPEN, seat=0)
    token = offer_seat(database, slug, by=None, seat=0, address=DAVE.address)
    now = NOON + DAY - HOUR
    accept_offered_seat(database, token, dave, now=now)
    row = stored_game(database, slug, dave).row
    assert (row.awaiting, row.deadline_at) == (0, now + DAY)
    assert dave.person.id in recipients(database, "your-turn")
    play_turn(database, slug, dave, now=now)


def test_acceptance_pressed_twice_seats_once(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    token = open_and_offer(database, slug, by=guests[0])
    for _ in range(2):
        assert accept_offered_seat(database, token, dave) == slug
    assert ledger_acts(database).count("seat-person") == 1


def test_of_two_people_who_accept_at_once_one_is_seated(
    database: Database, guests: list[Guest], slug: str, dave: Guest, mallory: Guest
) -> None:
    token = open_and_offer(database, slug, by=guests[0])

    def try_to_accept(guest: Guest) -> str | DenialReason:
        try:
            return accept_offered_seat(database, token, guest)
        except NotAllowed as refusal:
            return refusal.reason

    with ThreadPoolExecutor(2) as pool:
        answers = set(pool.map(try_to_accept, (dave, mallory)))
    assert answers == {slug, DenialReason.OFFER_NO_LONGER_OPEN}
    assert ledger_acts(database).count("seat-person") == 1


def test_offer_stays_open_while_the_game_continues(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    token = open_and_offer(database, slug, by=guests[0])
    play_turn(database, slug, guests[0])
    perform_act(database, slug, GameRight.PAUSE)
    accept_offered_seat(database, token, dave)
    assert stored_game(database, slug, dave).row.seats[1].account_id == dave.person.id


@pytest.mark.parametrize("event", ["bot", "reseated", "withdrawn", "replaced", "cancelled"])
def test_offer_ends_when_the_seat_is_open_to_the_person_no_more(
    database: Database, guests: list[Guest], slug: str, dave: Guest, event: str
) -> None:
    opening_entry = perform_act(database, slug, OPEN, seat=1)
    token = offer_seat(database, slug, by=guests[0])
    match event:
        case "bot":
            perform_act(database, slug, GameRight.SEAT_BOT, seat=1)
        case "reseated":
            undo_act(database, slug, OPEN, opening_entry)
            # Open again, but not to those who were asked before.
            perform_act(database, slug, OPEN, seat=1)
        case "withdrawn":
            perform_act(database, slug, GameRight.WITHDRAW_OFFER, by=guests[0], seat=1)
        case "replaced":
            newer_offer = offer_seat(database, slug, by=guests[0])
            assert _refusal(database, newer_offer, dave) is None
        case "cancelled":
            perform_act(database, slug, GameRight.CANCEL_GAME)
    assert _refusal(database, token, dave) == DenialReason.OFFER_NO_LONGER_OPEN
    with pytest.raises(NotAllowed, match=DenialReason.OFFER_NO_LONGER_OPEN.code):
        accept_offered_seat(database, token, dave)
    assert dave.person.id not in {
        seat.account_id for seat in stored_game(database, slug, guests[0]).row.seats
    }


def test_offer_ends_with_the_game(database: Database, guests: list[Guest], dave: Guest) -> None:
    slug = deal_short_game(database, guests, public=True)
    perform_act(database, slug, GameRight.SEAT_BOT, seat=1)
    token = offer_seat(database, slug)
    play_to_end(database, slug, [guests[0], guests[2]])
    with pytest.raises(NotAllowed, match=DenialReason.OFFER_NO_LONGER_OPEN.code):
        accept_offered_seat(database, token, dave)


def test_person_takes_over_a_seat_from_a_bot(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    perform_act(database, slug, GameRight.SEAT_BOT, seat=1)
    accept_offered_seat(database, offer_seat(database, slug, by=guests[0]), dave)
    seat = stored_game(database, slug, dave).row.seats[1]
    assert (seat.account_id, seat.bot_name) == (dave.person.id, None)


def test_expired_offer_is_refused(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    token = open_and_offer(database, slug, by=guests[0])
    with pytest.raises(NotAllowed, match=DenialReason.OFFER_EXPIRED.code):
        accept_offered_seat(database, token, dave, now=NOON + OFFER_LIFETIME)
    with pytest.raises(NotAllowed, match=DenialReason.NO_OPEN_OFFER.code):
        perform_act(database, slug, GameRight.WITHDRAW_OFFER, seat=1, now=NOON + OFFER_LIFETIME)
    accept_offered_seat(database, token, dave, now=NOON + OFFER_LIFETIME - timedelta(seconds=1))


def test_host_and_offerer_never_take_the_seat(
    database: Database, guests: list[Guest], dave: Guest
) -> None:
    mo = site_moderator(database)
    slug = deal_game(database, guests)
    token = open_and_offer(database, slug, by=mo)
    assert _refusal(database, token, mo) == DenialReason.OFFERS_TO_ONESELF
    with pytest.raises(NotAllowed, match=DenialReason.OFFERS_TO_ONESELF.code):
        accept_offered_seat(database, token, mo)
    perform_act(database, slug, OPEN, seat=0)
    offer_by_moderator = offer_seat(database, slug, by=mo, seat=0)
    assert _refusal(database, offer_by_moderator, guests[0]) == DenialReason.OFFERS_TO_ONESELF
    assert _refusal(database, offer_by_moderator, dave) is None


def test_players_former_players_and_peekers_are_refused_with_the_reason(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    store_peek(database, slug, dave)
    token = open_and_offer(database, slug, by=guests[0])
    expected = {
        DenialReason.ALREADY_SEATED: guests[2],
        DenialReason.HAD_SEAT_IN_GAME: guests[1],
        DenialReason.PEEKED_AT_GAME: dave,
    }
    for reason, guest in expected.items():
        assert _refusal(database, token, guest) == reason
        with pytest.raises(NotAllowed, match=reason.code):
            accept_offered_seat(database, token, guest)


def test_offer_by_email_is_for_its_addressee_alone(
    database: Database, guests: list[Guest], slug: str, dave: Guest, mallory: Guest
) -> None:
    token = open_and_offer(database, slug, by=guests[0], address=DAVE.address)
    with pytest.raises(NotAllowed, match=DenialReason.OFFER_FOR_ANOTHER.code):
        accept_offered_seat(database, token, mallory)
    accept_offered_seat(database, token, dave)


def test_person_whom_the_host_has_blocked_gets_no_seat(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    _block(database, guests[0], dave)
    token = open_and_offer(database, slug)
    with pytest.raises(NotAllowed, match=DenialReason.SEAT_REFUSED.code):
        accept_offered_seat(database, token, dave)


@pytest.mark.parametrize("token", ["", "none-such", "\x00", "\ud800", "x" * 4000])
def test_invented_offer_link_is_refused(database: Database, dave: Guest, token: str) -> None:
    with pytest.raises(NotFound):
        accept_offered_seat(database, token, dave)
    with transaction(database) as tx, pytest.raises(NotFound):
        seat_offer_page(tx, token, None)


def test_offer_link_seats_only_in_its_own_game(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    other = deal_game(database, guests)
    perform_act(database, other, OPEN, seat=1)
    accept_offered_seat(database, open_and_offer(database, slug, by=guests[0]), dave)
    assert stored_game(database, other, guests[0]).row.seats[1].account_id is None
