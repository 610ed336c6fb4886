"""Which volunteers are informed of an open seat: those who may take it, a few at a time, and no one twice in a day."""

from collections.abc import Callable
from datetime import timedelta
from secrets import token_bytes

import pytest
from sqlalchemy import insert, text, update

from tests.support.cast import DAVE, ERIN, Character
from tests.support.clubs import found_club, join_club
from tests.support.factories import DAY, Guest, open_table, sign_in_guest
from tests.support.late_games import set_late_rules, take_seat
from tests.support.lobby_actions import queued_emails
from tests.support.transactions import NOON, transaction, using
from tests.support.turn_ends import store_turn_ends
from tests.support.volunteers import (
    game_with_open_seat,
    inform_all_volunteers,
    sign_in_volunteer,
    want_open_seats,
)
from webapp.accounts.blocks import block_account
from webapp.accounts.schema import Account
from webapp.clock.schema import Absence
from webapp.kernel.tx import Database
from webapp.lobby.volunteers import ANNOUNCED_FOR, MAX_INFORMED_VOLUNTEERS
from webapp.mail.schema import Notification, OptOut
from webapp.play.schema import Game

HOUR = timedelta(hours=1)
Prepare = Callable[[Database, str, Guest, list[Guest]], None]


def informed_accounts(database: Database) -> list[int | None]:
    return [account_id for account_id, _ in queued_emails(database, "open-seats")]


def change_account(database: Database, guest: Guest, **values: object) -> None:
    with transaction(database) as tx:
        tx.execute(update(Account).where(Account.id == guest.person.id).values(values))


def settle_emails(database: Database, status: str, *, hours: float = 0) -> None:
    """Record that all emails were sent, or dropped, so many hours after noon."""
    with transaction(database) as tx:
        values = {"status": status, "settled_at": NOON + hours * HOUR}
        tx.execute(update(Notification).values(values))


def test_only_those_who_have_asked_for_it_are_informed_and_only_once(
    database: Database, guests: list[Guest]
) -> None:
    sign_in_guest(database, ERIN)
    dave = sign_in_volunteer(database, DAVE)
    game_with_open_seat(database, guests)
    inform_all_volunteers(database)
    inform_all_volunteers(database, now=NOON + HOUR)
    settle_emails(database, "sent")
    inform_all_volunteers(database, now=NOON + 3 * DAY)
    assert informed_accounts(database) == [dave.person.id]


def _is_private(database: Database, slug: str, dave: Guest, guests: list[Guest]) -> None:
    with transaction(database) as tx:
        tx.execute(update(Game).values(public=False))


def _goes_to_invited_people(
    database: Database, slug: str, dave: Guest, guests: list[Guest]
) -> None:
    set_late_rules(database, slug, replacement="invitation")


def _is_taken(database: Database, slug: str, dave: Guest, guests: list[Guest]) -> None:
    take_seat(database, slug, sign_in_guest(database, ERIN))


def _asks_for_more_reliability(
    database: Database, slug: str, dave: Guest, guests: list[Guest]
) -> None:
    store_turn_ends(database, DAVE, ["played"] * 10 + ["missed"] * 10)
    set_late_rules(database, slug, lowest_reliability=80)


def _blocked_by_player(database: Database, slug: str, dave: Guest, guests: list[Guest]) -> None:
    _block(database, guests[2], dave)


def _has_blocked_player(database: Database, slug: str, dave: Guest, guests: list[Guest]) -> None:
    _block(database, dave, guests[1])


def _is_away(database: Database, slug: str, dave: Guest, guests: list[Guest]) -> None:
    values = {"account_id": dave.person.id, "kind": "holiday", "declared_at": NOON}
    period = {"from_at": NOON - DAY, "until_at": NOON + DAY}
    with transaction(database) as tx:
        tx.execute(insert(Absence).values(values | period))


def _is_banned(database: Database, slug: str, dave: Guest, guests: list[Guest]) -> None:
    change_account(database, dave, banned_until=NOON + DAY)


def _has_as_many_games_as_possible(
    database: Database, slug: str, dave: Guest, guests: list[Guest]
) -> None:
    for _ in range(3):
        open_table(database, dave)


def _has_stopped_all_email(database: Database, slug: str, dave: Guest, guests: list[Guest]) -> None:
    values = {"address": dave.person.address, "scope": "everything", "at": NOON}
    with transaction(database) as tx:
        tx.execute(insert(OptOut).values(values))


def _changed_their_mind(database: Database, slug: str, dave: Guest, guests: list[Guest]) -> None:
    want_open_seats(database, dave, wants_open_seats=False)


def _block(database: Database, blocker: Guest, blocked: Guest) -> None:
    with transaction(database) as tx:
        block_account(
            using(tx, random_bytes=token_bytes),
            blocker.person,
            blocked.person.id,
            name=blocked.person.name,
        )


@pytest.mark.parametrize(
    "prepare",
    [
        _is_private,
        _goes_to_invited_people,
        _is_taken,
        _asks_for_more_reliability,
        _blocked_by_player,
        _has_blocked_player,
        _is_away,
        _is_banned,
        _has_as_many_games_as_possible,
        _has_stopped_all_email,
        _changed_their_mind,
    ],
)
def test_volunteer_is_not_informed_of_a_seat_that_they_may_or_should_not_take(
    database: Database, guests: list[Guest], prepare: Prepare
) -> None:
    dave = sign_in_volunteer(database, DAVE)
    slug = game_with_open_seat(database, guests)
    prepare(database, slug, dave, guests)
    inform_all_volunteers(database)
    assert informed_accounts(database) == []


def test_people_who_have_or_had_a_seat_in_the_game_are_not_informed(
    database: Database, guests: list[Guest]
) -> None:
    for guest in guests:
        want_open_seats(database, guest)
    game_with_open_seat(database, guests)
    inform_all_volunteers(database)
    assert informed_accounts(database) == []


def test_members_of_a_club_are_informed_of_its_seats(
    database: Database, guests: list[Guest]
) -> None:
    dave = sign_in_volunteer(database, DAVE)
    sign_in_volunteer(database, ERIN)
    slug = game_with_open_seat(database, guests)
    _is_private(database, slug, dave, guests)
    club = found_club(database, guests[1])
    join_club(database, club, dave)
    with transaction(database) as tx:
        tx.execute(text("UPDATE game SET club_id = (SELECT id FROM club)"))
    inform_all_volunteers(database)
    assert informed_accounts(database) == [dave.person.id]


def test_reliable_and_new_people_are_informed_of_a_table_that_asks_for_it(
    database: Database, guests: list[Guest]
) -> None:
    dave, erin = (sign_in_volunteer(database, character) for character in (DAVE, ERIN))
    store_turn_ends(database, DAVE, ["played"] * 20)
    game_with_open_seat(database, guests, lowest_reliability=80)
    inform_all_volunteers(database)
    assert informed_accounts(database) == [dave.person.id, erin.person.id]


def test_few_are_informed_of_one_opening_and_who_was_informed_longest_ago_comes_first(
    database: Database, guests: list[Guest]
) -> None:
    volunteers = [
        sign_in_volunteer(database, Character(f"Vera{number}", f"vera{number}@example.test"))
        for number in range(MAX_INFORMED_VOLUNTEERS + 2)
    ]
    change_account(database, volunteers[0], informed_of_seats_at=NOON - 2 * DAY)
    change_account(database, volunteers[1], informed_of_seats_at=NOON - 3 * DAY)
    change_account(database, volunteers[2], informed_of_seats_at=NOON - 4 * DAY)
    game_with_open_seat(database, guests)
    for _ in range(2):
        inform_all_volunteers(database)
    expected = [*volunteers[3:], volunteers[2]]
    assert sorted(filter(None, informed_accounts(database))) == sorted(
        guest.person.id for guest in expected
    )
    game_with_open_seat(database, guests, now=NOON + HOUR)
    inform_all_volunteers(database, now=NOON + HOUR)
    assert {*informed_accounts(database)[MAX_INFORMED_VOLUNTEERS:]} == {
        volunteers[0].person.id,
        volunteers[1].person.id,
    }


def test_no_second_email_waits_or_follows_within_a_day(
    database: Database, guests: list[Guest]
) -> None:
    sign_in_volunteer(database, DAVE)
    game_with_open_seat(database, guests)
    inform_all_volunteers(database)
    game_with_open_seat(database, guests, now=NOON + HOUR)
    inform_all_volunteers(database, now=NOON + 2 * DAY)
    assert len(informed_accounts(database)) == 1, "the first is still to be sent"
    settle_emails(database, "sent", hours=48)
    inform_all_volunteers(database, now=NOON + 2 * DAY + 23 * HOUR)
    assert len(informed_accounts(database)) == 1
    inform_all_volunteers(database, now=NOON + 3 * DAY)
    assert len(informed_accounts(database)) == 2


def test_email_that_was_not_needed_does_not_use_up_the_day(
    database: Database, guests: list[Guest]
) -> None:
    sign_in_volunteer(database, DAVE)
    game_with_open_seat(database, guests)
    inform_all_volunteers(database)
    settle_emails(database, "dropped")
    game_with_open_seat(database, guests, now=NOON + HOUR)
    inform_all_volunteers(database, now=NOON + HOUR)
    assert len(informed_accounts(database)) == 2


def test_seat_that_opens_again_is_informed_again(database: Database, guests: list[Guest]) -> None:
    dave = sign_in_volunteer(database, DAVE)
    slug = game_with_open_seat(database, guests)
    inform_all_volunteers(database)
    settle_emails(database, "sent")
    take_seat(database, slug, guests[0], now=NOON + HOUR)
    with transaction(database) as tx:
        counts = tx.execute(text("SELECT DISTINCT informed_volunteers FROM seat")).scalars()
        assert list(counts) == [0]
    assert informed_accounts(database) == [dave.person.id]


def test_seat_that_has_been_open_for_long_is_informed_no_more(
    database: Database, guests: list[Guest]
) -> None:
    game_with_open_seat(database, guests)
    sign_in_volunteer(database, DAVE)
    inform_all_volunteers(database, now=NOON + ANNOUNCED_FOR)
    assert informed_accounts(database) == []
