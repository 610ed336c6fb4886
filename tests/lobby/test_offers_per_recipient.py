"""Offers of seats and invitations to clubs count as invitations of a mailbox: what is over its limits is accepted and not sent."""

import secrets
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import func, select, update

from tests.lobby.test_recipient_limits import VICTIM, email_count, send
from tests.support.acts import perform_act
from tests.support.cast import ALICE, BOB, CAROL, DAVE, MALLORY
from tests.support.clubs import club_profile, found_club, locked_club_access
from tests.support.factories import DAY, Guest, deal_game, open_table, sign_in_guests
from tests.support.lobby_actions import queued_emails
from tests.support.seat_offers import offer_outcomes, offer_seat
from tests.support.transactions import KEYS, NOON, transaction, using
from webapp.clubs.invitations import invite_to_club
from webapp.clubs.schema import ClubInvitation
from webapp.kernel.keyring import TokenSource
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.schema import SeatOffer


def game_with_open_seat(database: Database, guests: list[Guest]) -> str:
    """Deal a game and open its second seat; the first guest is the host."""
    slug = deal_game(database, guests)
    perform_act(database, slug, GameRight.OPEN_SEAT, seat=1)
    return slug


def invite_to_new_club(database: Database, founder: Guest, address: str) -> None:
    slug = found_club(database, founder, club_profile(name=f"Club of {founder.person.name}"))
    with transaction(database) as tx:
        club = locked_club_access(tx, slug, founder)
        source = TokenSource(KEYS, secrets.token_bytes)
        invite_to_club(using(tx, source=source), club, address=address)


def test_offers_and_invitations_of_all_kinds_count_together(database: Database) -> None:
    alice, bob, carol, dave, mallory = sign_in_guests(database, ALICE, BOB, CAROL, DAVE, MALLORY)
    slugs = [game_with_open_seat(database, [host, bob, carol]) for host in (alice, dave, mallory)]
    send(database, open_table(database, bob), bob, VICTIM)
    invite_to_new_club(database, carol, "Victim+club@example.org")
    for slug, host in zip(slugs, (alice, dave, mallory), strict=True):
        offer_seat(database, slug, by=host, address="victim+seat@example.org")
    assert (email_count(database), len(queued_emails(database, "club-invitation"))) == (1, 1)
    assert len(queued_emails(database, "seat-offer")) == 1
    assert offer_outcomes(database) == [None] * 3
    invite_to_new_club(database, mallory, VICTIM)
    assert len(queued_emails(database, "club-invitation")) == 1
    with transaction(database) as tx:
        invited = select(func.count()).select_from(ClubInvitation)
        assert tx.execute(invited.where(ClubInvitation.address.is_not(None))).scalar_one() == 2
    offer_seat(database, slugs[2], by=mallory, address=VICTIM, now=NOON + DAY + DAY / 24)
    assert len(queued_emails(database, "seat-offer")) == 2


def test_one_person_has_one_emailed_offer_open_for_a_mailbox(database: Database) -> None:
    alice, bob, carol = sign_in_guests(database, ALICE, BOB, CAROL)
    first, second = (game_with_open_seat(database, [alice, bob, carol]) for _ in range(2))
    offer_seat(database, first, by=alice, address=VICTIM)
    offer_seat(database, second, by=alice, address="victim+2@example.org")
    assert len(queued_emails(database, "seat-offer")) == 1
    # An offer that takes the place of the one before is the only one that can be accepted.
    offer_seat(database, first, by=alice, address=VICTIM)
    assert len(queued_emails(database, "seat-offer")) == 2
    with transaction(database) as tx:
        tx.execute(
            update(SeatOffer)
            .where(SeatOffer.ended_as.is_(None))
            .values(ended_as="declined", ended_at=NOON)
        )
    offer_seat(database, second, by=alice, address=VICTIM)
    assert len(queued_emails(database, "seat-offer")) == 3


def test_offers_at_the_same_time_count_one_by_one(database: Database) -> None:
    guests = sign_in_guests(database, ALICE, BOB, CAROL, DAVE, MALLORY)
    hosts = [guest for guest in guests if guest.person.name not in {BOB.name, CAROL.name}]
    slugs = [game_with_open_seat(database, [host, *guests[1:3]]) for host in hosts]
    slugs += [game_with_open_seat(database, [guest, *guests[3:]]) for guest in guests[1:3]]
    pairs = list(zip(slugs, [*hosts, *guests[1:3]], strict=True))
    with ThreadPoolExecutor(len(pairs)) as pool:
        list(
            pool.map(lambda pair: offer_seat(database, pair[0], by=pair[1], address=VICTIM), pairs)
        )
    assert len(queued_emails(database, "seat-offer")) == 3
