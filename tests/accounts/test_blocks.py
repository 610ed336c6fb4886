import pytest

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import Guest, open_table, seat_guest, sign_in_guests
from tests.support.outbox_steps import mark_all_sent
from tests.support.transactions import KEYS, seeded_tokens, transaction, using
from webapp.accounts.blocks import block_account, blocks_made_by, unblock
from webapp.kernel.keyring import TokenSource
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed
from webapp.kernel.tx import Database
from webapp.lobby.invitations import invite
from webapp.mail.outbox import delivery
from webapp.mail.preparation import prepare_emails
from webapp.play.access import game_for

TOKENS = seeded_tokens("blocks")


@pytest.fixture
def people(database: Database) -> list[Guest]:
    """Alice, who has blocked Bob; Bob and Carol."""
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    with transaction(database) as tx:
        for _ in range(2):
            bob_id = guests[1].person.id
            block_account(using(tx, random_bytes=TOKENS), guests[0].person, bob_id, name="Bob")
    return guests


def invite_alice(database: Database, slug: str, inviter: Guest) -> None:
    source = TokenSource(KEYS, TOKENS)
    with transaction(database) as tx:
        game = game_for(tx, slug, inviter.cookie, mode="change").game
        invite(using(tx, source=source), game, inviter.person, address=ALICE.address)


def invited_addresses(database: Database) -> list[str]:
    with transaction(database) as tx:
        claims = delivery.claim(tx)
        outgoing = prepare_emails(tx, claims)
        mark_all_sent(tx, claims)
    return [email.address for email in outgoing if email.claim.kind == "invitation"]


def test_blocked_person_cannot_sit_at_a_table_of_the_person(
    database: Database, people: list[Guest]
) -> None:
    alice, bob, carol = people
    slug = open_table(database, alice)
    seat_guest(database, slug, carol)
    with pytest.raises(NotAllowed) as error_info:
        seat_guest(database, slug, bob)
    assert error_info.value.reason == DenialReason.SEAT_REFUSED


def test_person_can_sit_at_a_table_of_whom_they_blocked(
    database: Database, people: list[Guest]
) -> None:
    slug = open_table(database, people[1])
    assert seat_guest(database, slug, people[0]) == 1


def test_invitation_by_a_blocked_person_is_accepted_and_not_sent(
    database: Database, people: list[Guest]
) -> None:
    slug = open_table(database, people[1])
    invite_alice(database, slug, people[1])
    assert invited_addresses(database) == []
    with pytest.raises(FieldErrors):
        invite_alice(database, slug, people[1])


def test_invitation_by_a_blocked_person_does_not_keep_others_from_inviting(
    database: Database, people: list[Guest]
) -> None:
    _, bob, carol = people
    slug = open_table(database, bob)
    seat_guest(database, slug, carol)
    invite_alice(database, slug, bob)
    invite_alice(database, slug, carol)
    assert invited_addresses(database) == [ALICE.address]


def test_person_unblocks_only_whom_they_blocked(database: Database, people: list[Guest]) -> None:
    alice, bob, _ = people
    with transaction(database) as tx:
        [row] = blocks_made_by(tx, alice.person)
        assert row.name == "Bob"
        assert blocks_made_by(tx, bob.person) == ()
    for guest, ref in ((bob, row.ref), (alice, "invented"), (alice, "\ud800")):
        with transaction(database) as tx:
            unblock(tx, guest.person, ref)
            assert blocks_made_by(tx, alice.person) == (row,)
    with transaction(database) as tx:
        unblock(tx, alice.person, row.ref)
        assert blocks_made_by(tx, alice.person) == ()
    slug = open_table(database, alice)
    assert seat_guest(database, slug, bob) == 1
