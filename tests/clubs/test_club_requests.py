"""Emails about requests to join a club: to those who may answer, at most one a day, and to those who get an answer."""

from datetime import datetime, timedelta

import pytest

from tests.support.cast import CAROL, DAVE, MO
from tests.support.clubs import (
    answer_request,
    ask_to_join,
    club_profile,
    found_club,
    join_club,
    locked_club_access,
    membership_of,
)
from tests.support.factories import Guest, sign_in_guest
from tests.support.outbox_steps import mark_all_sent
from tests.support.transactions import NOON, transaction
from webapp.clubs import joining, members
from webapp.clubs.emails.club_email import ClubContext
from webapp.clubs.emails.club_request import ClubRequestContext
from webapp.kernel.tx import Database
from webapp.mail.envelope import EmailContext
from webapp.mail.outbox import delivery
from webapp.mail.outbox.unsubscribe import resubscribe, unsubscribe
from webapp.mail.preparation import prepare_emails

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@pytest.fixture
def club(database: Database, guests: list[Guest]) -> str:
    """A public club that Alice has founded, with Bob as a member."""
    slug = found_club(database, guests[0], club_profile(is_public=True))
    join_club(database, slug, guests[1])
    return slug


def emails(database: Database, *, now: datetime = NOON) -> list[EmailContext]:
    """Deliver what is due, and return what the emails about requests are built from."""
    with transaction(database) as tx:
        claims = delivery.claim(tx.at(now + timedelta(seconds=1)))
        outgoing = prepare_emails(tx.at(now), claims)
        mark_all_sent(tx.at(now), [email.claim for email in outgoing])
    context_types = (ClubRequestContext, ClubContext)
    return [email.context for email in outgoing if isinstance(email.context, context_types)]


def request_emails(database: Database, *, now: datetime = NOON) -> list[tuple[str, list[str]]]:
    """Deliver what is due, and return who was informed of whose requests."""
    contexts = emails(database, now=now)
    return [
        (context.envelope.name, sorted(context.names))
        for context in contexts
        if isinstance(context, ClubRequestContext)
    ]


def test_founder_and_moderators_are_informed_at_once(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, bob, carol = guests
    answer_request(database, club, alice, bob, "promote")
    ask_to_join(database, club, carol)
    assert sorted(request_emails(database)) == [("Alice", ["Carol"]), ("Bob", ["Carol"])]


def test_further_requests_of_a_day_wait_for_one_email(
    database: Database, guests: list[Guest], club: str
) -> None:
    carol, dave, mo = guests[2], *[sign_in_guest(database, character) for character in (DAVE, MO)]
    ask_to_join(database, club, carol)
    assert request_emails(database) == [("Alice", ["Carol"])]
    ask_to_join(database, club, dave, now=NOON + HOUR)
    ask_to_join(database, club, mo, now=NOON + 2 * HOUR)
    assert request_emails(database, now=NOON + 3 * HOUR) == []
    assert request_emails(database, now=NOON + DAY) == [("Alice", ["Carol", "Dave", "Mo"])]
    assert request_emails(database, now=NOON + 2 * DAY) == []


def test_repeated_request_does_not_flood_the_moderators(
    database: Database, guests: list[Guest], club: str
) -> None:
    informed_count = 0
    for hour in range(30):
        now = NOON + hour * HOUR
        ask_to_join(database, club, guests[2], now=now)
        informed_count += len(request_emails(database, now=now))
        with transaction(database) as tx:
            joining.leave_club(tx, locked_club_access(tx, club, guests[2], now=now))
    assert informed_count == 2


def test_no_email_is_sent_about_a_request_that_was_answered(
    database: Database, guests: list[Guest], club: str
) -> None:
    ask_to_join(database, club, guests[2])
    answer_request(database, club, guests[0], guests[2])
    assert request_emails(database) == []


def test_moderator_who_stopped_emails_about_requests_gets_none(
    database: Database, guests: list[Guest], club: str
) -> None:
    ask_to_join(database, club, guests[2])
    with transaction(database) as tx:
        access = locked_club_access(tx, club, guests[0])
        members.choose_emails(tx, access, announcements=True, requests=False)
    assert request_emails(database) == []
    ask_to_join(database, club, sign_in_guest(database, DAVE), now=NOON + 2 * DAY)
    assert request_emails(database, now=NOON + 2 * DAY) == []


def test_one_click_stops_the_emails_about_requests_alone(
    database: Database, guests: list[Guest], club: str
) -> None:
    ask_to_join(database, club, guests[2])
    [context] = emails(database)
    token = context.envelope.unsubscribe.requests
    assert token is not None
    with transaction(database) as tx:
        assert unsubscribe(tx, token).is_unsubscribed
    membership = membership_of(database, club, guests[0])
    assert (membership.wants_requests, membership.wants_announcements) == (False, True)
    with transaction(database) as tx:
        assert not resubscribe(tx, token).is_unsubscribed
    assert membership_of(database, club, guests[0]).wants_requests


@pytest.mark.parametrize("verb, kind", [("approve", "club-admitted"), ("refuse", "club-declined")])
def test_person_who_asked_gets_the_answer(
    database: Database, guests: list[Guest], club: str, verb: str, kind: str
) -> None:
    for _ in range(2):
        ask_to_join(database, club, guests[2])
        answer_request(database, club, guests[0], guests[2], verb)
        [context] = emails(database)
        assert isinstance(context, ClubContext)
        assert (context.envelope.kind, context.envelope.name) == (kind, CAROL.name)
        if verb == "approve":
            with transaction(database) as tx:
                joining.leave_club(tx, locked_club_access(tx, club, guests[2]))


def test_superseded_answer_to_a_club_request_is_not_sent(
    database: Database, guests: list[Guest], club: str
) -> None:
    ask_to_join(database, club, guests[2])
    answer_request(database, club, guests[0], guests[2], "approve")
    with transaction(database) as tx:
        joining.leave_club(tx, locked_club_access(tx, club, guests[2]))
    assert emails(database) == []


def test_second_press_of_the_join_button_informs_no_one_again(
    database: Database, guests: list[Guest], club: str
) -> None:
    ask_to_join(database, club, guests[2])
    for _ in range(2):
        answer_request(database, club, guests[0], guests[2], "approve")
    assert len(emails(database)) == 1
