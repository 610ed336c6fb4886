"""Passkeys: adding and removing them, signing in with them, and confirming with them who one is.

A browser signs a random challenge that works once, for minutes, in the session or browser that asked for it. A refusal
uses it up as well, so it is returned and not raised: raising would undo that together with everything else.

Nothing else imports the WebAuthn library, which takes ten MiB of memory: it is loaded at its first use.
"""

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from ipaddress import ip_address
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from webapp.accounts import security_log
from webapp.accounts.names import MAX_NAME_LENGTH, name_errors, normalize_name
from webapp.accounts.person import Person
from webapp.accounts.queries import passkeys, sessions
from webapp.accounts.queries.passkeys import ChallengePurpose, NewPasskey, PasskeyRow, PublicKeyRow
from webapp.accounts.security_log import SecurityEventKind
from webapp.accounts.sessions import Device, OpenedSession, open_session
from webapp.kernel.database import is_storable
from webapp.kernel.keyring import hash_of, random_token
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import FieldError, FieldErrors, NotFound
from webapp.kernel.tx import Tx


class RelyingParty(NamedTuple):
    """The host name that passkeys belong to, and the origin whose pages may use them."""

    host: str
    origin: str


class UserEntity(Redacted, frozen=True, kw_only=True):
    """The owner of a new passkey as the browser stores and shows it. ``handle`` is opaque."""

    handle: bytes
    address: str
    name: str


class VerifiedKey(Redacted, frozen=True, kw_only=True):
    """A new passkey whose browser has proved that it has the secret half."""

    credential_id: bytes
    public_key: bytes
    sign_count: int


class PasskeyRefused(Exception):
    """The browser's answer to the challenge is not valid."""


MOST_PASSKEYS: Final = 10
_CHALLENGE_LIFETIME: Final = timedelta(minutes=5)
_CHALLENGE_SIZE: Final = 32
_REF_SIZE: Final = 9


class PasskeyCeremony(Redacted, frozen=True, kw_only=True):
    """One exchange with a browser: the site, and the browser's own random key or session token."""

    relying_party: RelyingParty
    browser_key: str


class PasskeyCard(Redacted, frozen=True, kw_only=True):
    """A passkey as its owner sees it."""

    ref: str
    name: str
    created_at: datetime
    last_used_at: datetime | None


def has_passkey(tx: Tx, account_id: int) -> bool:
    return passkeys.has_passkey(tx, account_id)


def passkeys_of(tx: Tx, person: Person) -> tuple[PasskeyCard, ...]:
    """Return the person's passkeys, oldest first."""
    return tuple(map(_passkey_card, passkeys.passkeys_of_account(tx, person.id)))


def passkey_of(tx: Tx, person: Person, ref: str) -> PasskeyCard:
    """Return one of the person's passkeys. Raises NotFound."""
    matching_cards = [card for card in passkeys_of(tx, person) if card.ref == ref]
    if not matching_cards:
        raise NotFound
    return matching_cards[0]


def begin_adding_passkey(tx: Tx, person: Person, ceremony: PasskeyCeremony) -> str:
    """Return as JSON what the browser needs to make a passkey. Raises FieldErrors if the person has too many."""
    known_credential_ids = [
        row.credential_id for row in passkeys.passkeys_of_account(tx, person.id)
    ]
    _require_room_for_passkey(len(known_credential_ids))
    user = UserEntity(
        handle=tx.keys.token("passkey user", person.id).encode(),
        address=person.address,
        name=person.name,
    )
    challenge = _new_challenge(tx, "add", ceremony)
    return _registration_options(
        ceremony.relying_party, user, challenge=challenge, known_credential_ids=known_credential_ids
    )


def add_passkey(
    tx: Tx,
    person: Person,
    credential: str,
    name: str,
    *,
    ceremony: PasskeyCeremony,
) -> bool:
    """Store the passkey that the browser has made; return False if it is refused. Raises FieldErrors for its name."""
    normalized_name = normalize_name(name)
    errors = name_errors(normalized_name)
    if errors:
        raise FieldErrors(*errors)
    _require_room_for_passkey(len(passkeys.passkeys_of_account(tx, person.id)))
    try:
        challenge = _take_challenge(tx, "add", ceremony)
        key = _verify_new_key(ceremony.relying_party, credential, challenge=challenge)
    except PasskeyRefused:
        return False
    passkey = NewPasskey(
        ref=random_token(tx.tokens.random_bytes, _REF_SIZE),
        account_id=person.id,
        credential_id=key.credential_id,
        public_key=key.public_key,
        sign_count=key.sign_count,
        name=normalized_name[:MAX_NAME_LENGTH],
        created_at=tx.now,
    )
    if not passkeys.add(tx, passkey):
        return False
    security_log.record(tx, SecurityEventKind.PASSKEY_ADDED, account_id=person.id)
    return True


def remove_passkey(tx: Tx, person: Person, ref: str) -> None:
    """Delete one of the person's passkeys. Raises NotFound."""
    if not is_storable(ref) or not passkeys.delete_by_ref(tx, person.id, ref):
        raise NotFound
    security_log.record(tx, SecurityEventKind.PASSKEY_REMOVED, account_id=person.id)


def begin_sign_in(tx: Tx, ceremony: PasskeyCeremony) -> str:
    """Return as JSON what the browser needs to sign in with any passkey that it has for this site."""
    return _authentication_options(
        ceremony.relying_party, challenge=_new_challenge(tx, "sign-in", ceremony)
    )


def sign_in_with_passkey(
    tx: Tx, credential: str, *, ceremony: PasskeyCeremony, device: Device
) -> OpenedSession | None:
    """Open a session for the owner of the passkey that signed the challenge; return None if it is refused."""
    key = _verified_key(tx, "sign-in", credential, ceremony)
    if key is None:
        return None
    account = passkeys.account_of(tx, key)
    return open_session(tx, account, device=device, with_passkey=True)


def begin_confirming_identity(tx: Tx, person: Person, ceremony: PasskeyCeremony) -> str:
    """Return as JSON what the browser needs to use one of the person's passkeys."""
    known_credential_ids = [
        row.credential_id for row in passkeys.passkeys_of_account(tx, person.id)
    ]
    challenge = _new_challenge(tx, "identity", ceremony)
    return _authentication_options(
        ceremony.relying_party, challenge=challenge, known_credential_ids=known_credential_ids
    )


def confirm_by_passkey(
    tx: Tx, person: Person, credential: str, *, ceremony: PasskeyCeremony
) -> bool:
    """Record that the person has proved who they are with a passkey of their own; return False if it is refused."""
    key = _verified_key(tx, "identity", credential, ceremony, owner=person)
    if key is None:
        return False
    sessions.confirm(tx, hash_of(ceremony.browser_key), with_passkey=True)
    security_log.record(tx, SecurityEventKind.IDENTITY_CONFIRMED, account_id=person.id)
    return True


def _require_room_for_passkey(count: int) -> None:
    if count >= MOST_PASSKEYS:
        raise FieldErrors(FieldError("passkey", "too-many", {"max": MOST_PASSKEYS}))


def _new_challenge(tx: Tx, purpose: ChallengePurpose, ceremony: PasskeyCeremony) -> bytes:
    challenge = tx.tokens.random_bytes(_CHALLENGE_SIZE)
    passkeys.store_challenge(
        tx,
        hash_of(ceremony.browser_key),
        purpose,
        challenge=challenge,
        expires_at=tx.now + _CHALLENGE_LIFETIME,
    )
    return challenge


def _take_challenge(tx: Tx, purpose: ChallengePurpose, ceremony: PasskeyCeremony) -> bytes:
    browser_hash = hash_of(ceremony.browser_key)
    challenge = passkeys.take_challenge(tx, browser_hash, purpose)
    if challenge is None:
        raise PasskeyRefused
    return challenge


def _verified_key(
    tx: Tx,
    purpose: ChallengePurpose,
    credential: str,
    ceremony: PasskeyCeremony,
    *,
    owner: Person | None = None,
) -> PublicKeyRow | None:
    """Return the passkey, of this owner or of anyone, that signed the browser's challenge, and use both up.

    Return None if it is refused; the challenge is used up all the same.
    """
    try:
        challenge = _take_challenge(tx, purpose, ceremony)
        key = _find_key(tx, credential, owner)
        sign_count = _verify_passkey_sign_in(
            ceremony.relying_party,
            credential,
            challenge=challenge,
            public_key=key.public_key,
            sign_count=key.sign_count,
        )
    except PasskeyRefused:
        return None
    passkeys.mark_used(tx, key.id, sign_count=sign_count)
    return key


def _find_key(tx: Tx, credential: str, owner: Person | None) -> PublicKeyRow:
    key = passkeys.lock(tx, _credential_id_in(credential))
    if key is None or (owner is not None and key.account_id != owner.id):
        raise PasskeyRefused
    return key


def _passkey_card(row: PasskeyRow) -> PasskeyCard:
    return PasskeyCard(
        ref=row.ref, name=row.name, created_at=row.created_at, last_used_at=row.last_used_at
    )


def relying_party_for(base_url: str) -> RelyingParty | None:
    """Return the relying party of a site, or None at a bare network address, where no browser offers passkeys."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    try:
        ip_address(host)
    except ValueError:
        return RelyingParty(host, f"{parts.scheme}://{parts.netloc}") if host else None
    return None


def _registration_options(
    party: RelyingParty,
    user: UserEntity,
    *,
    challenge: bytes,
    known_credential_ids: Iterable[bytes],
) -> str:
    """Return as JSON what the browser needs to make a passkey; it refuses devices that have a ``known_credential_ids`` one."""
    from webauthn import generate_registration_options, options_to_json
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    options = generate_registration_options(
        rp_id=party.host,
        rp_name="Lodepost",
        user_id=user.handle,
        user_name=user.address,
        user_display_name=user.name or user.address,
        challenge=challenge,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[
            PublicKeyCredentialDescriptor(id=known_id) for known_id in known_credential_ids
        ],
    )
    return options_to_json(options)


def _authentication_options(
    party: RelyingParty, *, challenge: bytes, known_credential_ids: Iterable[bytes] = ()
) -> str:
    """Return as JSON what the browser needs to use a passkey: one of the ``known_credential_ids``, or any that it has for this site."""
    from webauthn import generate_authentication_options, options_to_json
    from webauthn.helpers.structs import (
        PublicKeyCredentialDescriptor,
        UserVerificationRequirement,
    )

    options = generate_authentication_options(
        rp_id=party.host,
        challenge=challenge,
        allow_credentials=[
            PublicKeyCredentialDescriptor(id=known_id) for known_id in known_credential_ids
        ],
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return options_to_json(options)


def _verify_new_key(party: RelyingParty, credential: str, *, challenge: bytes) -> VerifiedKey:
    """Return the passkey that the browser has made. Raises PasskeyRefused."""
    from webauthn import verify_registration_response

    try:
        verified_registration = verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=party.host,
            expected_origin=party.origin,
            require_user_verification=True,
        )
    except Exception as error:
        # The library decodes what a stranger sent, and raises whatever its decoders raise.
        raise PasskeyRefused from error
    return VerifiedKey(
        credential_id=verified_registration.credential_id,
        public_key=verified_registration.credential_public_key,
        sign_count=verified_registration.sign_count,
    )


def _credential_id_in(credential: str) -> bytes:
    """Return which passkey the browser claims to have used. Raises PasskeyRefused."""
    from webauthn.helpers import base64url_to_bytes

    try:
        return base64url_to_bytes(json.loads(credential)["rawId"])
    except Exception as error:
        raise PasskeyRefused from error


def _verify_passkey_sign_in(
    party: RelyingParty, credential: str, *, challenge: bytes, public_key: bytes, sign_count: int
) -> int:
    """Return the new sign count of a passkey that has signed the challenge. Raises PasskeyRefused.

    A count that has not grown since the last time belongs to a copy of the key, and is refused.
    """
    from webauthn import verify_authentication_response

    try:
        verified_registration = verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=party.host,
            expected_origin=party.origin,
            credential_public_key=public_key,
            credential_current_sign_count=sign_count,
            require_user_verification=True,
        )
    except Exception as error:
        raise PasskeyRefused from error
    return verified_registration.new_sign_count
