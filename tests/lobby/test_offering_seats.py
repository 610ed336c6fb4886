"""Offering a seat: to whom, how often, and that the offerer learns nothing about the other person."""

import pytest

from tests.support.acts import (
    HOUR,
    act_named,
    limit_of,
    perform_act,
    recipients,
    site_moderator,
    store_peek,
)
from tests.support.cast import DAVE
from tests.support.factories import DAY, Guest, deal_game, sign_in_guest, stored_game
from tests.support.seat_offers import (
    accept_offered_seat,
    offer_outcomes,
    offer_seat,
    open_and_offer,
)
from tests.support.transactions import NOON, seeded_tokens, transaction, using
from webapp.accounts.blocks import block_account
from webapp.kernel.refusals import DenialReason, FieldErrors, LimitReached, NotAllowed, NotFound
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.offered_seats import decline_seat_offer, seat_offer_page
from webapp.moderation.act_page import OfferLine, act_page
from webapp.moderation.peeks import peekable_game
from webapp.moderation.queries import sanctions
from webapp.privacy.deletion import delete_account
from webapp.privacy.retention import apply_retention

OFFER, OPEN = GameRight.OFFER_SEAT, GameRight.OPEN_SEAT


def _offers(database: Database, slug: str, viewer: Guest) -> list[OfferLine]:
    with transaction(database) as tx:
        return list(act_page(tx, viewer.person, slug, act_named(OFFER), None).offers)


def _block(database: Database, blocker: Guest, blocked: Guest) -> None:
    with transaction(database) as tx:
        block_account(
            using(tx, random_bytes=seeded_tokens(f"{blocker.person.id} blocks")),
            blocker.person,
            blocked.person.id,
            name=blocked.person.name,
        )


def test_seat_of_a_person_is_not_offered(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with pytest.raises(NotAllowed, match=DenialReason.PERSON_HOLDS_SEAT.code):
        offer_seat(database, slug, by=guests[0])


def test_every_address_gets_the_same_answer_and_only_some_an_email(
    database: Database, guests: list[Guest], slug: str, dave: Guest, mallory: Guest
) -> None:
    """Unknown, blocking, seated, former and peeking people all look like an offer that isn't answered."""
    alice, bob, carol = guests
    mo = site_moderator(database)
    store_peek(database, slug, mo)
    _block(database, dave, carol)
    _block(database, mallory, alice)
    perform_act(database, slug, OPEN, seat=1)
    addresses = {
        "unknown@example.test": 1,
        dave.person.address: 0,
        mallory.person.address: 0,
        carol.person.address: 0,
        bob.person.address: 0,
        mo.person.address: 0,
    }
    email_count = 0
    for number, (address, emails) in enumerate(addresses.items()):
        # By moderators and on different days, because of the limits.
        now = NOON + number * DAY
        offer_seat(database, slug, by=alice, address=address, now=now)
        email_count += emails
        assert len(recipients(database, "seat-offer")) == email_count, address
    lines = _offers(database, slug, alice)
    assert [line.name for line in lines] == list(reversed(addresses))
    assert {line.outcome for line in lines[1:]} == {"replaced"}
    assert lines[0].outcome == "open"
    assert recipients(database, "seat-offer") == [None]


def test_name_finds_only_one_person_whom_the_offerer_has_met(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    perform_act(database, slug, OPEN, seat=1)
    offer_seat(database, slug, by=guests[0], name="dave")
    assert recipients(database, "seat-offer") == []
    offer_seat(database, slug, by=guests[0], name="No One")
    deal_game(database, [guests[0], guests[2], dave])
    token = offer_seat(database, slug, by=guests[0], name="dave")
    assert len(recipients(database, "seat-offer")) == 1
    assert _offers(database, slug, guests[0])[0].name == "dave"
    accept_offered_seat(database, token, dave)


def test_site_moderators_name_anyone_but_no_one_of_two(
    database: Database, slug: str, dave: Guest
) -> None:
    mo = site_moderator(database)
    perform_act(database, slug, OPEN, seat=1)
    offer_seat(database, slug, by=mo, name="Dave")
    assert len(recipients(database, "seat-offer")) == 1
    sign_in_guest(database, DAVE._replace(address="other-dave@example.test"))
    offer_seat(database, slug, by=mo, name="Dave")
    assert len(recipients(database, "seat-offer")) == 1


def test_others_do_not_see_to_whom_a_seat_is_offered(
    database: Database, guests: list[Guest], slug: str
) -> None:
    mo = site_moderator(database)
    open_and_offer(database, slug, by=guests[0], address=DAVE.address)
    [line] = _offers(database, slug, mo)
    assert (line.name, line.nonce) == ("", None)
    offer_seat(database, slug, by=guests[0])
    assert _offers(database, slug, mo)[0].nonce is None
    assert _offers(database, slug, guests[0])[0].nonce is not None


@pytest.mark.parametrize(
    "to",
    [
        {"address": "not an address"},
        {"address": "a@b" + "c" * 300 + ".test"},
        {"address": "dave@example.test", "name": "Dave"},
    ],
)
def test_impossible_addressee_is_refused(
    database: Database, guests: list[Guest], slug: str, to: dict[str, str]
) -> None:
    perform_act(database, slug, OPEN, seat=1)
    with pytest.raises(FieldErrors):
        offer_seat(database, slug, by=guests[0], **to)
    assert offer_outcomes(database) == []


def test_offers_are_limited_by_game_and_by_person(
    database: Database, guests: list[Guest], slug: str
) -> None:
    limit = limit_of(OFFER)
    perform_act(database, slug, OPEN, seat=1)
    for _ in range(limit.per_game):
        offer_seat(database, slug, by=guests[0])
    with pytest.raises(LimitReached, match=DenialReason.ACT_LIMIT_OF_GAME_REACHED.code):
        offer_seat(database, slug, by=guests[0])
    for _ in range(limit.per_actor // limit.per_game - 1):
        other = deal_game(database, guests)
        perform_act(database, other, OPEN, seat=1)
        for _ in range(limit.per_game):
            offer_seat(database, other, by=guests[0])
    last_slug = deal_game(database, guests)
    perform_act(database, last_slug, OPEN, seat=1)
    with pytest.raises(LimitReached, match=DenialReason.ACT_LIMIT_OF_ACTOR_REACHED.code):
        offer_seat(database, last_slug, by=guests[0])


def test_moderator_who_is_offered_the_seat_gets_no_peek(
    database: Database, guests: list[Guest], slug: str
) -> None:
    mo = site_moderator(database)
    open_and_offer(database, slug, by=guests[0], address=mo.person.address)
    with (
        transaction(database) as tx,
        pytest.raises(NotAllowed, match=DenialReason.VIEWER_MAY_PLAY.code),
    ):
        peekable_game(tx, mo.person, slug)


def test_only_the_operator_seats_someone_without_asking(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    mo = site_moderator(database)
    perform_act(database, slug, OPEN, seat=1)
    offer_fields = {"seat": 1, "name": DAVE.name, "address": DAVE.address}
    for by in (guests[0], mo):
        with pytest.raises(NotFound):
            perform_act(database, slug, GameRight.SEAT_PERSON, by=by, **offer_fields)
    perform_act(database, slug, GameRight.SEAT_PERSON, **offer_fields)
    assert stored_game(database, slug, dave).row.seats[1].account_id == dave.person.id


def test_banned_person_is_not_seated_by_an_offer_of_the_operator(
    database: Database, slug: str, dave: Guest
) -> None:
    open_and_offer(database, slug, address=DAVE.address)
    with transaction(database) as tx:
        sanctions.set_ban(tx, dave.person.id, NOON + HOUR)
    with pytest.raises(NotAllowed, match=DenialReason.NO_SUCH_SUBSTITUTE.code):
        perform_act(
            database,
            slug,
            GameRight.SEAT_PERSON,
            seat=1,
            name=DAVE.name,
            address=DAVE.address,
        )


def test_deleted_account_leaves_no_offer_behind(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    token = open_and_offer(database, slug, by=guests[0], address=DAVE.address)
    with transaction(database) as tx:
        delete_account(tx, dave.person, typed_address=DAVE.address)
    assert offer_outcomes(database) == []
    with transaction(database) as tx, pytest.raises(NotFound):
        seat_offer_page(tx, token, None)


def test_offers_are_deleted_a_month_after_they_expire(
    database: Database, guests: list[Guest], slug: str
) -> None:
    open_and_offer(database, slug, by=guests[0], address=DAVE.address)
    for days, offers_left in ((36, 1), (38, 0)):
        with transaction(database, NOON + days * DAY) as tx:
            apply_retention(tx)
        assert len(offer_outcomes(database)) == offers_left


def test_declined_offer_is_over_and_says_so(
    database: Database, guests: list[Guest], slug: str, dave: Guest
) -> None:
    token = open_and_offer(database, slug, by=guests[0], address=DAVE.address)
    for _ in range(2):
        with transaction(database) as tx:
            decline_seat_offer(tx, token)
    assert _offers(database, slug, guests[0])[0].outcome == "declined"
    with pytest.raises(NotAllowed, match=DenialReason.OFFER_NO_LONGER_OPEN.code):
        accept_offered_seat(database, token, dave)


def test_link_for_many_is_not_declined(database: Database, guests: list[Guest], slug: str) -> None:
    token = open_and_offer(database, slug, by=guests[0])
    with transaction(database) as tx, pytest.raises(NotAllowed):
        decline_seat_offer(tx, token)
    assert offer_outcomes(database) == [None]
