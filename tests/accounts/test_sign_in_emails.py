"""How many sign-in emails an address gets: no stranger locks its owner out, and none floods the mailbox."""

import secrets
from datetime import datetime, timedelta

from sqlalchemy import func, select

from tests.support.cast import ALICE
from tests.support.outbox_steps import collect_email
from tests.support.transactions import NOON, transaction, using
from webapp.accounts.emails.sign_in import SignInContext
from webapp.accounts.schema import SignIn
from webapp.accounts.sessions import Device
from webapp.accounts.sign_in import Browser, SignInRequest, pause_sign_in_emails, request_sign_in
from webapp.kernel.tx import Database

MINUTE = timedelta(minutes=1)
OWN_HOME = "2001:db8:77:1::9"


def request_from(
    database: Database, network_address: str, now: datetime = NOON, *, address: str = ALICE.address
) -> bool:
    """Request a sign-in email for Alice, or another address, from a network; return whether it was sent."""
    before = email_count(database)
    request = SignInRequest(
        address=address,
        language="en",
        browser=Browser(
            key=secrets.token_urlsafe(),
            device=Device(user_agent="Gecko Firefox/140.0 Linux", network_address=network_address),
        ),
    )
    with transaction(database, now) as tx:
        request_sign_in(using(tx, random_bytes=secrets.token_bytes), request)
    return email_count(database) > before


def email_count(database: Database) -> int:
    with transaction(database) as tx:
        return tx.execute(select(func.count()).select_from(SignIn)).scalar_one()


def test_stranger_in_one_network_cannot_lock_the_owner_out(database: Database) -> None:
    sent = [request_from(database, "192.0.2.1") for _ in range(30)]
    assert sent.count(True) == 5
    assert request_from(database, OWN_HOME)


def test_addresses_of_one_network_share_the_limit(database: Database) -> None:
    sent = [request_from(database, f"2001:db8:5:5::{number:x}") for number in range(1, 20)]
    assert sent.count(True) == 5


def test_strangers_in_many_networks_leave_an_email_every_five_minutes(database: Database) -> None:
    sent = [request_from(database, f"192.0.2.{number}") for number in range(30)]
    assert sent.count(True) == 10
    assert not request_from(database, OWN_HOME, NOON + 4 * MINUTE)
    assert request_from(database, OWN_HOME, NOON + 5 * MINUTE)
    assert not request_from(database, OWN_HOME, NOON + 9 * MINUTE)
    assert request_from(database, OWN_HOME, NOON + 10 * MINUTE)


def test_tags_of_an_address_share_its_limits(database: Database) -> None:
    addresses = [ALICE.address.replace("@", f"+{number}@") for number in range(30)]
    sent = [request_from(database, "192.0.2.1", address=address) for address in addresses]
    assert sent.count(True) == 5
    for number, address in enumerate(addresses):
        request_from(database, f"198.51.100.{number}", address=address)
    assert email_count(database) == 10
    assert request_from(database, "192.0.2.9", address="bob+1@example.org")


def test_owner_of_a_mailbox_stops_the_emails_to_all_of_its_tags(database: Database) -> None:
    tagged = ALICE.address.replace("@", "+games@")
    assert request_from(database, OWN_HOME, address=tagged)
    context = collect_email(database, "sign-in").context
    assert isinstance(context, SignInContext)
    with transaction(database) as tx:
        pause_sign_in_emails(tx, context.pause_token)
    for address in (tagged, ALICE.address, ALICE.address.replace("@", "+Other@")):
        assert not request_from(database, "192.0.2.1", address=address)
    assert request_from(database, "192.0.2.1", NOON + timedelta(hours=25), address=tagged)


def test_limits_are_over_after_an_hour(database: Database) -> None:
    for number in range(30):
        request_from(database, f"192.0.2.{number}")
    later = NOON + 61 * MINUTE
    assert [request_from(database, f"192.0.2.{number}", later) for number in range(3)] == [True] * 3


def test_email_knows_the_browser_that_requested_it(database: Database) -> None:
    request_from(database, OWN_HOME)
    context = collect_email(database, "sign-in").context
    assert isinstance(context, SignInContext)
    assert context.user_agent == "Gecko Firefox/140.0 Linux"
