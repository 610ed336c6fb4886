"""Joining and leaving clubs, and what moderators and founders may decide."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.cast import MALLORY
from tests.support.clubs import (
    club_profile,
    found_club,
    join_club,
    locked_club_access,
    membership_of,
)
from tests.support.factories import Guest, sign_in_guest
from tests.support.transactions import KEYS, transaction
from webapp.clubs import joining, members
from webapp.clubs.access import club_for, find_club
from webapp.clubs.founding import close_club
from webapp.clubs.joining import leave_club_once, leave_proof
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound
from webapp.kernel.tx import Database


@pytest.fixture
def club(database: Database, guests: list[Guest]) -> str:
    """A public club that Alice has founded, with Bob as a member."""
    slug = found_club(database, guests[0], club_profile(is_public=True))
    join_club(database, slug, guests[1])
    return slug


def ask_to_join(database: Database, slug: str, guest: Guest) -> None:
    with transaction(database) as tx:
        joining.ask_to_join(tx, locked_club_access(tx, slug, guest), guest.person)


def decide_about_member(
    database: Database, slug: str, actor: Guest, target: Guest, verb: str
) -> None:
    """Press one of the buttons about a member."""
    row = membership_of(database, slug, target)
    with transaction(database) as tx:
        access = locked_club_access(tx, slug, actor)
        members.decide_on_member(tx, access, row, verb)


def denial_of_decision(
    database: Database, slug: str, actor: Guest, target: Guest, verb: str
) -> DenialReason:
    with pytest.raises(NotAllowed) as error_info:
        decide_about_member(database, slug, actor, target, verb)
    return error_info.value.reason


def rank_of(database: Database, slug: str, guest: Guest) -> str | None:
    with transaction(database) as tx:
        membership = find_club(tx, slug, guest.person).membership
    return None if membership is None else f"{membership.rank} {membership.status}"


def test_person_who_asks_is_a_member_once_a_moderator_accepts(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, _, carol = guests
    ask_to_join(database, club, carol)
    ask_to_join(database, club, carol)
    assert rank_of(database, club, carol) == "member asked"
    decide_about_member(database, club, alice, carol, "approve")
    decide_about_member(database, club, alice, carol, "approve")
    assert rank_of(database, club, carol) == "member member"
    with pytest.raises(NotAllowed) as error_info:
        ask_to_join(database, club, carol)
    assert error_info.value.reason is DenialReason.ALREADY_IN_CLUB


def test_refused_person_may_ask_again(database: Database, guests: list[Guest], club: str) -> None:
    ask_to_join(database, club, guests[2])
    decide_about_member(database, club, guests[0], guests[2], "refuse")
    assert rank_of(database, club, guests[2]) is None
    ask_to_join(database, club, guests[2])
    assert rank_of(database, club, guests[2]) == "member asked"


def test_member_may_not_decide_about_others(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, bob, carol = guests
    ask_to_join(database, club, carol)
    for verb in ("approve", "refuse", "remove"):
        assert (
            denial_of_decision(database, club, bob, carol, verb) is DenialReason.NOT_CLUB_MODERATOR
        )
    for verb in ("promote", "demote", "hand-over"):
        assert denial_of_decision(database, club, bob, alice, verb) is DenialReason.NOT_CLUB_FOUNDER
    assert rank_of(database, club, carol) == "member asked"


def test_moderator_removes_members_but_neither_moderators_nor_the_founder(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, bob, carol = guests
    mallory = sign_in_guest(database, MALLORY)
    join_club(database, club, carol, mallory)
    decide_about_member(database, club, alice, bob, "promote")
    decide_about_member(database, club, alice, carol, "promote")
    assert denial_of_decision(database, club, bob, carol, "remove") is DenialReason.NOT_CLUB_FOUNDER
    assert (
        denial_of_decision(database, club, bob, alice, "remove")
        is DenialReason.FOUNDER_CANNOT_BE_REMOVED
    )
    assert denial_of_decision(database, club, bob, bob, "remove") is DenialReason.REMOVES_ONESELF
    decide_about_member(database, club, bob, mallory, "remove")
    assert rank_of(database, club, mallory) is None
    decide_about_member(database, club, alice, carol, "demote")
    decide_about_member(database, club, bob, carol, "remove")
    assert rank_of(database, club, carol) is None


def test_handed_over_club_has_one_founder(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, bob, _ = guests
    decide_about_member(database, club, alice, bob, "hand-over")
    assert rank_of(database, club, alice) == "moderator member"
    assert rank_of(database, club, bob) == "founder member"
    decide_about_member(database, club, alice, bob, "hand-over")
    assert rank_of(database, club, bob) == "founder member"
    assert (
        denial_of_decision(database, club, alice, alice, "hand-over")
        is DenialReason.NOT_CLUB_FOUNDER
    )


def test_club_is_not_handed_over_to_someone_who_only_asks(
    database: Database, guests: list[Guest], club: str
) -> None:
    ask_to_join(database, club, guests[2])
    assert (
        denial_of_decision(database, club, guests[0], guests[2], "hand-over")
        is DenialReason.NOT_YET_IN_CLUB
    )
    assert (
        denial_of_decision(database, club, guests[0], guests[2], "promote")
        is DenialReason.NOT_YET_IN_CLUB
    )


def test_founder_leaves_only_after_handing_over_or_closing(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, bob, _ = guests
    with pytest.raises(NotAllowed) as error_info, transaction(database) as tx:
        joining.leave_club(tx, locked_club_access(tx, club, alice))
    assert error_info.value.reason is DenialReason.FOUNDER_MUST_HAND_OVER
    decide_about_member(database, club, alice, bob, "hand-over")
    with transaction(database) as tx:
        joining.leave_club(tx, locked_club_access(tx, club, alice))
    assert rank_of(database, club, alice) is None
    with transaction(database) as tx:
        close_club(tx, locked_club_access(tx, club, bob))
    with transaction(database) as tx:
        joining.leave_club(tx, locked_club_access(tx, club, bob))
    assert rank_of(database, club, bob) is None


def test_leaving_a_private_club_twice_gives_the_same_answer(
    database: Database, guests: list[Guest]
) -> None:
    alice, bob, carol = guests
    slug = found_club(database, alice)
    join_club(database, slug, bob)
    proof = leave_proof(slug, bob.person, KEYS)
    for _ in range(2):
        with transaction(database) as tx:
            assert not leave_club_once(tx, slug, bob.cookie, proof=proof)
    assert rank_of(database, slug, bob) is None
    with pytest.raises(NotFound), transaction(database) as tx:
        leave_club_once(tx, slug, carol.cookie, proof=proof)


def test_private_club_is_found_by_members_only(database: Database, guests: list[Guest]) -> None:
    slug = found_club(database, guests[0])
    with transaction(database) as tx:
        assert club_for(tx, slug, guests[0].person).is_member
        for viewer in (guests[1].person, None):
            with pytest.raises(NotFound):
                club_for(tx, slug, viewer)


def test_member_of_another_club_is_not_found(
    database: Database, guests: list[Guest], club: str
) -> None:
    other_club = found_club(database, guests[1], club_profile(name="Elsewhere"))
    stranger = membership_of(database, other_club, guests[1])
    with transaction(database) as tx:
        access = locked_club_access(tx, club, guests[0])
        with pytest.raises(NotFound):
            members.find_member(tx, access, stranger.id, "")


def test_form_about_a_member_who_has_gone_says_so(
    database: Database, guests: list[Guest], club: str
) -> None:
    row = membership_of(database, club, guests[1])
    decide_about_member(database, club, guests[0], guests[1], "remove")
    with transaction(database) as tx:
        access = locked_club_access(tx, club, guests[0])
        proof = members.member_proof(access, row.id, KEYS)
        with pytest.raises(NotAllowed) as error_info:
            members.find_member(tx, access, row.id, proof)
    assert error_info.value.reason is DenialReason.MEMBER_GONE


def test_two_moderators_at_once_leave_a_correct_state(
    database: Database, guests: list[Guest], club: str
) -> None:
    """One accepts and one declines the same request: the one who comes second learns that it has been answered."""
    alice, bob, carol = guests
    decide_about_member(database, club, alice, bob, "promote")
    ask_to_join(database, club, carol)
    row = membership_of(database, club, carol)

    def try_to_decide(actor: Guest, verb: str) -> str | DenialReason:
        try:
            with transaction(database) as tx:
                access = locked_club_access(tx, club, actor)
                proof = members.member_proof(access, row.id, KEYS)
                target = members.find_member(tx, access, row.id, proof)
                members.decide_on_member(tx, access, target, verb)
        except NotAllowed as refusal:
            return refusal.reason
        return "done"

    with ThreadPoolExecutor() as pool:
        outcomes = list(pool.map(try_to_decide, (alice, bob), ("approve", "refuse")))
    assert set(outcomes) == {"done", DenialReason.MEMBER_GONE}
    expected = "member member" if outcomes[0] == "done" else None
    assert rank_of(database, club, carol) == expected


def test_closed_club_takes_no_members_and_is_seen_by_members_only(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, bob, carol = guests
    ask_to_join(database, club, carol)
    for _ in range(2):
        with transaction(database) as tx:
            close_club(tx, locked_club_access(tx, club, alice))
    assert rank_of(database, club, carol) is None
    assert denial_of_decision(database, club, alice, bob, "remove") is DenialReason.CLUB_CLOSED
    with transaction(database) as tx, pytest.raises(NotFound):
        club_for(tx, club, carol.person)
