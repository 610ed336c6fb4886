from datetime import datetime, timedelta

import pytest

from tests.support.authenticator import Authenticator
from tests.support.cast import ALICE, BOB
from tests.support.factories import Guest, sign_in_guest
from tests.support.transactions import NOON, seeded_tokens, transaction, using
from webapp.accounts.identity import is_confirmed, session_facts
from webapp.accounts.passkeys import (
    MOST_PASSKEYS,
    PasskeyCeremony,
    RelyingParty,
    add_passkey,
    begin_adding_passkey,
    begin_confirming_identity,
    begin_sign_in,
    confirm_by_passkey,
    has_passkey,
    passkeys_of,
    relying_party_for,
    remove_passkey,
    sign_in_with_passkey,
)
from webapp.accounts.sessions import Device, OpenedSession, person_for
from webapp.kernel.refusals import FieldErrors, NotFound
from webapp.kernel.tx import Database

PARTY = RelyingParty("lodepost.test", "https://lodepost.test")
TOKENS = seeded_tokens("passkeys")
BROWSER = "the key of a browser"


@pytest.fixture
def alice(database: Database) -> Guest:
    return sign_in_guest(database, ALICE)


@pytest.fixture
def device() -> Authenticator:
    return Authenticator(PARTY)


def ceremony(browser_key: str = BROWSER) -> PasskeyCeremony:
    return PasskeyCeremony(relying_party=PARTY, browser_key=browser_key)


def register_passkey(
    database: Database, guest: Guest, device: Authenticator, name: str = "phone"
) -> bool:
    own_ceremony = ceremony(guest.cookie)
    with transaction(database) as tx:
        options = begin_adding_passkey(using(tx, random_bytes=TOKENS), guest.person, own_ceremony)
    with transaction(database) as tx:
        return add_passkey(
            using(tx, random_bytes=TOKENS),
            guest.person,
            device.create(options),
            name,
            ceremony=own_ceremony,
        )


def new_challenge(database: Database, *, now: datetime = NOON) -> str:
    with transaction(database, now) as tx:
        return begin_sign_in(using(tx, random_bytes=TOKENS), ceremony())


def try_to_sign_in(
    database: Database, credential: str, *, browser: str = BROWSER, now: datetime = NOON
) -> OpenedSession | None:
    with transaction(database, now) as tx:
        return sign_in_with_passkey(
            using(tx, random_bytes=TOKENS), credential, ceremony=ceremony(browser), device=Device()
        )


def sign_in(database: Database, credential: str) -> OpenedSession:
    sign_in_result = try_to_sign_in(database, credential)
    assert sign_in_result is not None
    return sign_in_result


def assert_refused(database: Database, credential: str, **options: object) -> None:
    assert try_to_sign_in(database, credential, **options) is None  # type: ignore[arg-type]


def test_added_passkey_signs_in(database: Database, alice: Guest, device: Authenticator) -> None:
    register_passkey(database, alice, device)
    sign_in_result = sign_in(database, device.sign(new_challenge(database)))
    assert sign_in_result.person == alice.person
    with transaction(database) as tx:
        assert person_for(tx, sign_in_result.token) == alice.person
        found_session_facts = session_facts(tx, sign_in_result.token)
        assert found_session_facts is not None
        assert found_session_facts.with_passkey
        [card] = passkeys_of(tx, alice.person)
        assert (card.name, card.last_used_at) == ("phone", NOON)


def test_passkey_answer_works_once(database: Database, alice: Guest, device: Authenticator) -> None:
    register_passkey(database, alice, device)
    credential = device.sign(new_challenge(database))
    sign_in(database, credential)
    assert_refused(database, credential)


def test_refused_passkey_answer_uses_its_challenge_up(
    database: Database, alice: Guest, device: Authenticator
) -> None:
    register_passkey(database, alice, device)
    options = new_challenge(database)
    device.verifies_user = False
    assert_refused(database, device.sign(options))
    device.verifies_user = True
    assert_refused(database, device.sign(options))
    sign_in(database, device.sign(new_challenge(database)))


def test_refused_confirmation_uses_its_challenge_up(
    database: Database, alice: Guest, device: Authenticator
) -> None:
    later_time = NOON + timedelta(hours=1)
    register_passkey(database, alice, device)
    own_ceremony = ceremony(alice.cookie)
    with transaction(database, later_time) as tx:
        options = begin_confirming_identity(
            using(tx, random_bytes=TOKENS), alice.person, own_ceremony
        )
    for credential in ("{}", device.sign(options)):
        with transaction(database, later_time) as tx:
            assert not confirm_by_passkey(tx, alice.person, credential, ceremony=own_ceremony)
    with transaction(database, later_time) as tx:
        assert not is_confirmed(tx, alice.cookie)


def test_passkey_answer_works_only_in_the_browser_that_asked(
    database: Database, alice: Guest, device: Authenticator
) -> None:
    register_passkey(database, alice, device)
    credential = device.sign(new_challenge(database))
    assert_refused(database, credential, browser="another browser")
    sign_in(database, credential)


def test_challenge_expires(database: Database, alice: Guest, device: Authenticator) -> None:
    register_passkey(database, alice, device)
    credential = device.sign(new_challenge(database))
    assert_refused(database, credential, now=NOON + timedelta(minutes=5))


def test_copied_key_with_an_old_sign_count_is_refused(
    database: Database, alice: Guest, device: Authenticator
) -> None:
    register_passkey(database, alice, device)
    sign_in(database, device.sign(new_challenge(database)))
    device.sign_count = 0
    assert_refused(database, device.sign(new_challenge(database)))


def test_signature_of_another_key_is_refused(
    database: Database, alice: Guest, device: Authenticator
) -> None:
    register_passkey(database, alice, device)
    assert_refused(database, Authenticator(PARTY).sign(new_challenge(database)))


def test_unknown_passkey_is_refused(database: Database, device: Authenticator) -> None:
    assert_refused(database, device.sign(new_challenge(database)))


@pytest.mark.parametrize(
    "relying_party",
    [RelyingParty("evil.test", PARTY.origin), RelyingParty(PARTY.host, "https://evil.test")],
)
def test_passkey_used_at_another_site_is_refused(
    database: Database, alice: Guest, device: Authenticator, relying_party: RelyingParty
) -> None:
    register_passkey(database, alice, device)
    device.party = relying_party
    assert_refused(database, device.sign(new_challenge(database)))


def test_passkey_without_a_check_of_its_owner_is_refused(
    database: Database, alice: Guest, device: Authenticator
) -> None:
    register_passkey(database, alice, device)
    device.verifies_user = False
    assert_refused(database, device.sign(new_challenge(database)))


@pytest.mark.parametrize(
    "credential", ["", "{}", "[]", "null", "\x00", '{"rawId": 7}', '{"rawId": "!"}', "[" * 9000]
)
def test_nonsensical_credential_is_refused(
    database: Database, alice: Guest, credential: str
) -> None:
    new_challenge(database)
    assert_refused(database, credential)
    own_ceremony = ceremony(alice.cookie)
    with transaction(database) as tx:
        begin_adding_passkey(using(tx, random_bytes=TOKENS), alice.person, own_ceremony)
    with transaction(database) as tx:
        assert not add_passkey(
            using(tx, random_bytes=TOKENS), alice.person, credential, "phone", ceremony=own_ceremony
        )
        assert not has_passkey(tx, alice.person.id)


def test_passkey_confirms_its_owner_and_no_one_else(
    database: Database, alice: Guest, device: Authenticator
) -> None:
    bob, later_time = sign_in_guest(database, BOB), NOON + timedelta(hours=1)
    register_passkey(database, alice, device)
    for guest in (bob, alice):
        own_ceremony = ceremony(guest.cookie)
        with transaction(database, later_time) as tx:
            options = begin_confirming_identity(
                using(tx, random_bytes=TOKENS), guest.person, own_ceremony
            )
        with transaction(database, later_time) as tx:
            is_accepted = confirm_by_passkey(
                tx, guest.person, device.sign(options), ceremony=own_ceremony
            )
        assert is_accepted == (guest is alice)
        with transaction(database, later_time) as tx:
            assert is_confirmed(tx, guest.cookie) == (guest is alice)


def test_removed_passkey_no_longer_signs_in(
    database: Database, alice: Guest, device: Authenticator
) -> None:
    bob = sign_in_guest(database, BOB)
    register_passkey(database, alice, device)
    with transaction(database) as tx:
        assert has_passkey(tx, alice.person.id)
        [card] = passkeys_of(tx, alice.person)
    for guest, ref in ((bob, card.ref), (alice, "invented"), (alice, "\ud800")):
        with transaction(database) as tx, pytest.raises(NotFound):
            remove_passkey(tx, guest.person, ref)
    with transaction(database) as tx:
        remove_passkey(tx, alice.person, card.ref)
        assert not has_passkey(tx, alice.person.id)
    assert_refused(database, device.sign(new_challenge(database)))


def test_passkey_needs_a_name_and_is_added_once(
    database: Database, alice: Guest, device: Authenticator
) -> None:
    with pytest.raises(FieldErrors):
        register_passkey(database, alice, device, name=" ")
    assert register_passkey(database, alice, device)
    assert not register_passkey(database, alice, device)


def test_number_of_passkeys_is_limited(database: Database, alice: Guest) -> None:
    for number in range(MOST_PASSKEYS):
        register_passkey(
            database, alice, Authenticator(PARTY, credential_id=f"number {number}".encode())
        )
    with pytest.raises(FieldErrors):
        register_passkey(database, alice, Authenticator(PARTY, credential_id=b"one more"))


@pytest.mark.parametrize(
    "base_url, relying_party",
    [
        ("https://lodepost.test", PARTY),
        ("http://localhost:8000", RelyingParty("localhost", "http://localhost:8000")),
        ("http://192.0.2.7:8000", None),
        ("http://[::1]:8000", None),
    ],
)
def test_relying_party_is_the_host_of_the_site(
    base_url: str, relying_party: RelyingParty | None
) -> None:
    assert relying_party_for(base_url) == relying_party
