"""Clubs at their limits: full, left, handed over at the same moment, and described with hostile texts."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.blocked_requests import wait_until_blocked_or_done
from tests.support.cast import DAVE
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
from tests.support.transactions import NOON, transaction
from webapp.accounts.schema import Account
from webapp.clubs import founding, joining, members
from webapp.clubs.access import club_for
from webapp.clubs.announcements import announce
from webapp.clubs.joining import MOST_MEMBERS
from webapp.clubs.queries import members as stored_members
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, NotFound
from webapp.kernel.tx import Database
from webapp.privacy.deletion import delete_account


@pytest.fixture
def club(database: Database, guests: list[Guest]) -> str:
    """A public club that Alice has founded, with Bob as a member."""
    slug = found_club(database, guests[0], club_profile(is_public=True))
    join_club(database, slug, guests[1])
    return slug


def fill_club(database: Database, slug: str, founder: Guest) -> None:
    """Add members until no one else has room."""
    with transaction(database) as tx:
        access = locked_club_access(tx, slug, founder)
        for number in range(access.club.member_count, MOST_MEMBERS):
            account = Account(
                address=f"m{number}@example.test",
                name=f"Miner {number}",
                language="en",
                zone="UTC",
                created_at=NOON,
            )
            values = {
                name: getattr(account, name)
                for name in ("address", "name", "language", "zone", "created_at")
            }
            account_id = tx.execute(
                Account.__table__.insert().values(values).returning(Account.id)  # type: ignore[attr-defined]
            ).scalar_one()
            stored_members.add(tx.at(NOON), access.club.id, account_id)


def test_full_club_admits_no_one_by_link_or_request(
    database: Database, guests: list[Guest], club: str
) -> None:
    ask_to_join(database, club, guests[2])
    fill_club(database, club, guests[0])
    with pytest.raises(NotAllowed) as error_info:
        answer_request(database, club, guests[0], guests[2])
    assert error_info.value.reason == DenialReason.CLUB_FULL
    with pytest.raises(NotAllowed) as error_info:
        join_club(database, club, sign_in_guest(database, DAVE))
    assert error_info.value.reason == DenialReason.CLUB_FULL


def test_club_is_not_handed_over_to_a_member_who_has_just_left(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, bob, _ = guests
    target = membership_of(database, club, bob)
    with transaction(database) as tx:
        joining.leave_club(tx, locked_club_access(tx, club, bob))
    with transaction(database) as tx:
        access = locked_club_access(tx, club, alice)
        with pytest.raises(NotFound):
            members.find_member(tx, access, target.id, "")
    assert membership_of(database, club, alice).rank == "founder"


def test_hand_over_and_deletion_of_the_new_founder_leave_one_founder(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, bob, _ = guests
    target = membership_of(database, club, bob)
    refusals: list[Exception] = []

    def delete_bob() -> None:
        try:
            with transaction(database) as tx:
                delete_account(tx, bob.person, typed_address=bob.person.address)
        except NotAllowed as refusal:
            refusals.append(refusal)

    with ThreadPoolExecutor(1) as pool:
        with transaction(database) as tx:
            access = locked_club_access(tx, club, alice)
            deletion = pool.submit(delete_bob)
            wait_until_blocked_or_done(database, deletion)
            assert not deletion.done()
            members.decide_on_member(tx, access, target, "hand-over")
        deletion.result()
    assert len(refusals) == 1
    assert membership_of(database, club, bob).rank == "founder"


@pytest.mark.parametrize(
    "text", ["\u202egnalp", "a\u200bb\u2066c", "x" * 10_000, "\n".join("x" * 60), "a\x00b"]
)
def test_hostile_texts_are_refused(
    database: Database, guests: list[Guest], club: str, text: str
) -> None:
    with pytest.raises(FieldErrors), transaction(database) as tx:
        founding.change_club(
            tx, locked_club_access(tx, club, guests[0]), club_profile(description=text)
        )
    with pytest.raises(FieldErrors), transaction(database) as tx:
        founding.change_club(tx, locked_club_access(tx, club, guests[0]), club_profile(name=text))
    if len(text) < 1000 or "x" * 3 in text:
        with pytest.raises(FieldErrors), transaction(database) as tx:
            announce(tx, locked_club_access(tx, club, guests[0]), text=text)


def test_emoji_are_welcome(database: Database, guests: list[Guest], club: str) -> None:
    with transaction(database) as tx:
        access = locked_club_access(tx, club, guests[0])
        founding.change_club(tx, access, club_profile(description="We dig ⛏️ on Tuesdays 👩‍🚒"))
        announce(tx, access, text="Gold! 🥇")


def test_private_club_is_not_found_by_strangers_and_visitors(
    database: Database, guests: list[Guest]
) -> None:
    slug = found_club(database, guests[0])
    for viewer in (guests[2].person, None):
        with pytest.raises(NotFound), transaction(database) as tx:
            club_for(tx, slug, viewer, mode="show")
