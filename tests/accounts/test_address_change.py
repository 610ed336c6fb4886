from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import select

from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import Guest, open_table, sign_in_guest
from tests.support.lobby_actions import send_invitation
from tests.support.outbox_steps import mark_all_sent
from tests.support.transactions import KEYS, NOON, seeded_tokens, transaction, using
from webapp.accounts.address_change import (
    LINK_LIFETIME,
    change_of_token,
    confirm_change,
    pending_change,
    request_change,
    withdraw_change,
)
from webapp.accounts.emails.address_change import AddressChangeContext
from webapp.accounts.recipient_limits import EMAILS_PER_RECIPIENT_AND_DAY
from webapp.accounts.sessions import person_for
from webapp.kernel.keyring import TokenSource, hash_of
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, NotFound
from webapp.kernel.tx import Database
from webapp.mail.envelope import EmailContext
from webapp.mail.outbox import delivery
from webapp.mail.outbox.unsubscribe import unsubscribe
from webapp.mail.preparation import prepare_emails
from webapp.mail.queries import opt_outs
from webapp.mail.queries.opt_outs import TokenRow
from webapp.mail.schema import OptOut

NEW_ADDRESS = "alice@elsewhere.test"


@pytest.fixture
def alice(database: Database) -> Guest:
    return sign_in_guest(database, ALICE)


def request(database: Database, guest: Guest, address: str = NEW_ADDRESS) -> None:
    source = TokenSource(KEYS, seeded_tokens(f"change of {guest.person.id} to {address}"))
    with transaction(database) as tx:
        request_change(using(tx, source=source), guest.person, address)


def emails(database: Database) -> Sequence[EmailContext]:
    with transaction(database) as tx:
        claims = delivery.claim(tx)
        outgoing = prepare_emails(tx, claims)
        mark_all_sent(tx, claims)
    return [email.context for email in outgoing if email.context is not None]


def emailed_link(database: Database) -> str:
    [context] = [
        email_context
        for email_context in emails(database)
        if isinstance(email_context, AddressChangeContext)
    ]
    assert context.link_token is not None
    return context.link_token


def confirm(database: Database, guest: Guest, link: str) -> str:
    with transaction(database) as tx:
        return confirm_change(tx, guest.person, link)


def address_of(database: Database, guest: Guest) -> str:
    with transaction(database) as tx:
        person = person_for(tx, guest.cookie)
        assert person is not None
        return person.address


def test_link_goes_to_the_new_address_and_a_warning_to_the_old_one(
    database: Database, alice: Guest
) -> None:
    request(database, alice)
    sent_addresses = {
        email.envelope.kind: email.envelope.address for email in emails(database)[-2:]
    }
    assert sent_addresses == {"address-change": NEW_ADDRESS, "address-requested": ALICE.address}


def test_address_changes_with_the_link_and_the_old_address_gets_an_email(
    database: Database, alice: Guest
) -> None:
    request(database, alice)
    link = emailed_link(database)
    assert address_of(database, alice) == ALICE.address
    assert confirm(database, alice, link) == NEW_ADDRESS
    assert address_of(database, alice) == NEW_ADDRESS
    [address_notice] = emails(database)
    assert (address_notice.envelope.kind, address_notice.envelope.address) == (
        "address-changed",
        ALICE.address,
    )


def test_link_works_once(database: Database, alice: Guest) -> None:
    request(database, alice)
    link = emailed_link(database)
    confirm(database, alice, link)
    with pytest.raises(NotFound):
        confirm(database, alice, link)


def test_address_link_expires(database: Database, alice: Guest) -> None:
    request(database, alice)
    link = emailed_link(database)
    with transaction(database, NOON + LINK_LIFETIME) as tx, pytest.raises(NotFound):
        confirm_change(tx, alice.person, link)
    with transaction(database, NOON + LINK_LIFETIME) as tx:
        assert pending_change(tx, alice.person) is None


def test_link_works_only_for_the_account_that_asked(database: Database, alice: Guest) -> None:
    bob = sign_in_guest(database, BOB)
    request(database, alice)
    link = emailed_link(database)
    with pytest.raises(NotFound):
        confirm(database, bob, link)
    with transaction(database) as tx, pytest.raises(NotFound):
        change_of_token(tx, bob.person, link)
    assert confirm(database, alice, link) == NEW_ADDRESS


def test_withdrawn_address_change_cannot_be_confirmed(database: Database, alice: Guest) -> None:
    request(database, alice)
    link = emailed_link(database)
    with transaction(database) as tx:
        withdraw_change(tx, alice.person)
        assert pending_change(tx, alice.person) is None
    with pytest.raises(NotFound):
        confirm(database, alice, link)


def test_second_request_replaces_the_first(database: Database, alice: Guest) -> None:
    request(database, alice)
    link = emailed_link(database)
    request(database, alice, "alice@third.test")
    with pytest.raises(NotFound):
        confirm(database, alice, link)
    with transaction(database) as tx:
        pending_address_change = pending_change(tx, alice.person)
    assert pending_address_change is not None
    assert pending_address_change.new_address == "alice@third.test"


def test_address_with_an_account_gets_an_email_without_a_link(
    database: Database, alice: Guest
) -> None:
    sign_in_guest(database, BOB)
    request(database, alice, BOB.address.upper())
    context = emails(database)[-2]
    assert isinstance(context, AddressChangeContext)
    assert context.link_token is None
    with transaction(database) as tx:
        assert pending_change(tx, alice.person) is not None


def test_address_that_got_an_account_meanwhile_is_refused(database: Database, alice: Guest) -> None:
    request(database, alice, BOB.address)
    link = emailed_link(database)
    sign_in_guest(database, BOB)
    with pytest.raises(NotAllowed) as error_info:
        confirm(database, alice, link)
    assert error_info.value.reason == DenialReason.ADDRESS_TAKEN
    assert address_of(database, alice) == ALICE.address


@pytest.mark.parametrize("address", ["", "no address", ALICE.address, ALICE.address.upper()])
def test_invalid_or_present_address_is_refused(
    database: Database, alice: Guest, address: str
) -> None:
    with pytest.raises(FieldErrors):
        request(database, alice, address)


def test_changes_requested_in_a_day_are_limited(database: Database, alice: Guest) -> None:
    for number in range(5):
        request(database, alice, f"alice{number}@elsewhere.test")
    with pytest.raises(FieldErrors):
        request(database, alice)
    tomorrow = NOON + timedelta(days=1, seconds=1)
    with transaction(database, tomorrow) as tx:
        source = TokenSource(KEYS, seeded_tokens("tomorrow"))
        request_change(using(tx, source=source), alice.person, NEW_ADDRESS)


def test_stopped_emails_stay_stopped_at_both_addresses(database: Database, alice: Guest) -> None:
    with transaction(database) as tx:
        token = TokenRow(hash_of("token"), ALICE.address, "reminders", None)
        opt_outs.store_tokens(tx, [token])
        unsubscribe(tx, "token")
    request(database, alice)
    confirm(database, alice, emailed_link(database))
    with transaction(database) as tx:
        assert set(tx.execute(select(OptOut.address, OptOut.scope))) == {
            (ALICE.address, "reminders"),
            (NEW_ADDRESS, "reminders"),
        }


def test_account_emails_reach_an_address_that_stopped_all_email(
    database: Database, alice: Guest
) -> None:
    with transaction(database) as tx:
        token = TokenRow(hash_of("token"), ALICE.address, "everything", None)
        opt_outs.store_tokens(tx, [token])
        unsubscribe(tx, "token")
    request(database, alice)
    assert ALICE.address in {email.envelope.address for email in emails(database)}


def test_stranger_gets_few_links_a_day_from_all_accounts_together(
    database: Database, alice: Guest
) -> None:
    """Also from those who ask for several spellings of the address, while the warning to the own address is always sent."""
    guests = [alice, *(sign_in_guest(database, character) for character in (BOB, CAROL, DAVE))]
    kinds = []
    for guest in guests:
        for number in range(3):
            request(database, guest, f"stranger+{number}@elsewhere.test")
            kinds += [email.envelope.kind for email in emails(database)]
    assert kinds.count("address-change") == EMAILS_PER_RECIPIENT_AND_DAY
    assert kinds.count("address-requested") == 3 * len(guests)
    request(database, alice, "someone@elsewhere.test")
    assert "address-change" in [email.envelope.kind for email in emails(database)]


def test_invitations_and_links_to_confirm_an_address_count_together(
    database: Database, alice: Guest
) -> None:
    bob, slug = sign_in_guest(database, BOB), open_table(database, alice)
    send_invitation(database, slug, alice, "stranger@elsewhere.test")
    kinds = []
    for number in range(3):
        request(database, bob, f"stranger+{number}@elsewhere.test")
        kinds += [email.envelope.kind for email in emails(database)]
    assert kinds.count("address-change") == EMAILS_PER_RECIPIENT_AND_DAY - 1
