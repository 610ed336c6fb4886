import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from tests.support.cast import ALICE, BOB, CAROL, DAVE, MALLORY
from tests.support.experience import finish_games
from tests.support.factories import Guest, open_table, sign_in_guest, sign_in_guests, table_settings
from tests.support.lobby_actions import lobby_of
from tests.support.transactions import KEYS, NOON, read_only, transaction, using
from webapp.kernel.keyring import TokenSource
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, NotFound
from webapp.kernel.site_settings import SiteSettings
from webapp.kernel.tx import Database
from webapp.lobby.invitations import (
    InvitationPage,
    accept_invitation,
    invitation_page,
    invitation_token,
    invite,
)
from webapp.lobby.schema import Invitation
from webapp.mail.schema import Notification
from webapp.play import access


def _invite(database: Database, slug: str, guest: Guest, address: str) -> None:
    with transaction(database) as tx:
        game = access.game_for(tx, slug, guest.cookie, mode="change").game
        source = TokenSource(KEYS, secrets.token_bytes)
        invite(using(tx, source=source), game, guest.person, address=address)


def _token(database: Database, address: str | None) -> str:
    """Return the token in the email to this address, or with None that of the table link."""
    with transaction(database) as tx:
        query = select(Invitation.nonce).where(Invitation.address.is_not_distinct_from(address))
        return invitation_token(tx.execute(query).scalar_one(), KEYS)


def _accept(database: Database, token: str, guest: Guest) -> str:
    with transaction(database) as tx:
        return accept_invitation(tx, token, guest.person)


def test_accepting_an_invitation_gives_a_seat(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice)
    _invite(database, slug, alice, BOB.address)
    token = _token(database, BOB.address)
    with read_only(database) as tx:
        page = invitation_page(tx, token, bob.cookie)
    assert isinstance(page, InvitationPage)
    assert (page.table.slug, page.is_used, page.is_seated) == (slug, False, False)
    assert _accept(database, token, bob) == slug
    assert lobby_of(database, slug, bob).seat == 1


def test_invitation_queues_one_email(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice)
    _invite(database, slug, alice, BOB.address)
    with transaction(database) as tx:
        query = select(Notification.kind).where(Notification.kind == "invitation")
        assert tx.execute(query).scalars().all() == ["invitation"]


def test_opening_an_invitation_gives_no_seat(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice)
    _invite(database, slug, alice, BOB.address)
    for viewer in (None, bob.cookie):
        with read_only(database) as tx:
            invitation_page(tx, _token(database, BOB.address), viewer)
    assert lobby_of(database, slug, alice).table.taken == 1


def test_emailed_invitation_seats_one_person(database: Database) -> None:
    alice, bob, carol = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = open_table(database, alice, table_settings(seats=5))
    _invite(database, slug, alice, BOB.address)
    token = _token(database, BOB.address)

    def accept_at_once(guest: Guest) -> str:
        try:
            return _accept(database, token, guest)
        except NotAllowed as refusal:
            return refusal.reason.code

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(accept_at_once, [bob, carol]))
    assert sorted(outcomes) == sorted([slug, "invitation-used"])


def test_table_link_seats_everyone_until_the_table_is_full(database: Database) -> None:
    alice, bob, carol = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = open_table(database, alice)
    token = lobby_of(database, slug, alice).link_token
    assert token == _token(database, None)
    for guest in (bob, carol):
        assert _accept(database, token, guest) == slug
    with pytest.raises(NotAllowed) as error_info:
        _accept(database, token, sign_in_guest(database, DAVE))
    assert error_info.value.reason is DenialReason.TABLE_FULL


def test_seated_person_cannot_accept_an_invitation(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    open_table(database, alice)
    with pytest.raises(NotAllowed) as error_info:
        _accept(database, _token(database, None), alice)
    assert error_info.value.reason is DenialReason.ALREADY_SEATED


@pytest.mark.parametrize("token", ["", "invented", "\ud800", "\0", "x" * 10_000])
def test_invented_invitation_is_not_found(database: Database, token: str) -> None:
    bob = sign_in_guest(database, BOB)
    with read_only(database) as tx, pytest.raises(NotFound):
        invitation_page(tx, token, bob.cookie)
    with pytest.raises(NotFound):
        _accept(database, token, bob)


def test_inviting_an_address_twice_is_refused(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice)
    _invite(database, slug, alice, BOB.address)
    with pytest.raises(FieldErrors) as error_info:
        _invite(database, slug, alice, "BOB@example.test")
    assert [(error.field, error.code) for error in error_info.value.errors] == [
        ("address", "duplicate")
    ]


def test_address_may_be_invited_again_after_another_person_used_its_invitation(
    database: Database,
) -> None:
    alice, carol = sign_in_guests(database, ALICE, CAROL)
    slug = open_table(database, alice)
    _invite(database, slug, alice, BOB.address)
    _accept(database, _token(database, BOB.address), carol)
    _invite(database, slug, alice, BOB.address)
    assert [
        invited_card.is_accepted
        for invited_card in lobby_of(database, slug, alice).sent_invitations
    ] == [
        True,
        False,
    ]
    with pytest.raises(FieldErrors):
        _invite(database, slug, alice, BOB.address)


def test_address_invited_by_two_people_gets_one_email_and_stays_private(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice)
    _accept(database, _token(database, None), bob)
    _invite(database, slug, alice, CAROL.address)
    _invite(database, slug, bob, CAROL.address)
    assert [card.label for card in lobby_of(database, slug, bob).sent_invitations] == [
        CAROL.address
    ]
    with transaction(database) as tx:
        query = select(func.count()).where(Notification.kind == "invitation")
        assert tx.execute(query).scalar_one() == 1
    with pytest.raises(FieldErrors):
        _invite(database, slug, bob, CAROL.address)


def test_acceptance_is_shown_to_everyone_who_invited_the_address(database: Database) -> None:
    alice, bob, carol = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = open_table(database, alice, table_settings(seats=5))
    _accept(database, _token(database, None), bob)
    _invite(database, slug, alice, CAROL.address)
    token = _token(database, CAROL.address)
    _invite(database, slug, bob, CAROL.address)
    _accept(database, token, carol)
    for guest in (alice, bob):
        assert [card.is_accepted for card in lobby_of(database, slug, guest).sent_invitations] == [
            True
        ]


def test_invitations_to_one_table_are_limited(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    finish_games(database, alice.person, count=1)
    slug = open_table(database, alice)
    for number in range(SiteSettings().most_invited):
        _invite(database, slug, alice, f"guest{number}@example.test")
    with pytest.raises(FieldErrors) as error_info:
        _invite(database, slug, alice, BOB.address)
    assert error_info.value.errors[0].code == "too-many"


def test_invitations_of_one_person_a_day_are_limited(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    finish_games(database, alice.person, count=1)
    slugs = [open_table(database, alice) for _ in range(5)]
    for number in range(SiteSettings().most_invited_a_day):
        _invite(database, slugs[number % 5], alice, f"guest{number}@example.test")
    with pytest.raises(FieldErrors) as error_info:
        _invite(database, slugs[0], alice, BOB.address)
    assert error_info.value.errors[0].params == {"max": SiteSettings().most_invited_a_day}


def test_stranger_cannot_invite(database: Database) -> None:
    alice, mallory = sign_in_guests(database, ALICE, MALLORY)
    slug = open_table(database, alice, table_settings(public=True))
    with pytest.raises(NotAllowed) as error_info:
        _invite(database, slug, mallory, BOB.address)
    assert error_info.value.reason is DenialReason.NOT_SEATED


def test_inviting_is_refused_after_the_deal(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with pytest.raises(NotAllowed) as error_info:
        _invite(database, slug, guests[0], DAVE.address)
    assert error_info.value.reason is DenialReason.LOBBY_CLOSED


def test_inviting_is_refused_while_no_seat_is_free(database: Database) -> None:
    alice, bob, carol = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = open_table(database, alice)
    for guest in (bob, carol):
        _accept(database, _token(database, None), guest)
    with pytest.raises(NotAllowed) as error_info:
        _invite(database, slug, alice, DAVE.address)
    assert error_info.value.reason is DenialReason.TABLE_FULL
    assert "invite" not in lobby_of(database, slug, alice).permitted_actions
    with transaction(database) as tx:
        query = select(Notification.id).where(Notification.kind == "invitation")
        assert tx.execute(query).all() == []


def test_invited_address_is_shown_only_to_the_inviter(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice, table_settings(seats=5))
    _accept(database, _token(database, None), bob)
    _invite(database, slug, bob, CAROL.address)
    assert [card.label for card in lobby_of(database, slug, bob).sent_invitations] == [
        CAROL.address
    ]
    assert lobby_of(database, slug, alice).sent_invitations == ()


def test_database_stores_no_invitation_token(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice)
    _invite(database, slug, alice, BOB.address)
    tokens = [_token(database, BOB.address), _token(database, None)]
    with transaction(database) as tx:
        rows = repr([tx.execute(select(table)).all() for table in (Invitation, Notification)])
    assert not any(token in rows for token in tokens)


def test_expired_session_sees_an_invitation_as_signed_out(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    open_table(database, alice)
    with read_only(database) as tx:
        next_year = NOON + timedelta(days=365)
        page = invitation_page(tx.at(next_year), _token(database, None), bob.cookie)
    assert isinstance(page, InvitationPage)
    assert page.me is None
