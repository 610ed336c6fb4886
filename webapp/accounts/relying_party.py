"""This site as passkeys know it (WebAuthn): the only module that imports the WebAuthn library.

Everything here works on bytes and text of one ceremony; `passkeys.py` connects it with accounts, sessions and challenges.
"""

import json
from collections.abc import Iterable
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from webapp.kernel.redacted import Redacted

_AUTHENTICATOR_SELECTION = AuthenticatorSelectionCriteria(
    resident_key=ResidentKeyRequirement.REQUIRED,
    user_verification=UserVerificationRequirement.REQUIRED,
)


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
    """What the browser sent is no valid answer to the challenge."""


def relying_party_for(base_url: str) -> RelyingParty | None:
    """Return the relying party of a site, or None at a bare network address, where no browser offers passkeys."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    try:
        ip_address(host)
    except ValueError:
        return RelyingParty(host, f"{parts.scheme}://{parts.netloc}") if host else None
    return None


def registration_options(
    party: RelyingParty,
    user: UserEntity,
    *,
    challenge: bytes,
    known_credential_ids: Iterable[bytes],
) -> str:
    """Return as JSON what the browser needs to make a passkey; it refuses devices that have a ``known_credential_ids`` one."""
    options = generate_registration_options(
        rp_id=party.host,
        rp_name="Lodepost",
        user_id=user.handle,
        user_name=user.address,
        user_display_name=user.name or user.address,
        challenge=challenge,
        authenticator_selection=_AUTHENTICATOR_SELECTION,
        exclude_credentials=[
            PublicKeyCredentialDescriptor(id=known_id) for known_id in known_credential_ids
        ],
    )
    return options_to_json(options)


def authentication_options(
    party: RelyingParty, *, challenge: bytes, known_credential_ids: Iterable[bytes] = ()
) -> str:
    """Return as JSON what the browser needs to use a passkey: one of the ``known_credential_ids``, or any that it has for this site."""
    options = generate_authentication_options(
        rp_id=party.host,
        challenge=challenge,
        allow_credentials=[
            PublicKeyCredentialDescriptor(id=known_id) for known_id in known_credential_ids
        ],
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return options_to_json(options)


def verify_new_key(party: RelyingParty, credential: str, *, challenge: bytes) -> VerifiedKey:
    """Return the passkey that the browser has made. Raises PasskeyRefused."""
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


def credential_id_in(credential: str) -> bytes:
    """Return which passkey the browser claims to have used. Raises PasskeyRefused."""
    try:
        return base64url_to_bytes(json.loads(credential)["rawId"])
    except Exception as error:
        raise PasskeyRefused from error


def verify_passkey_sign_in(
    party: RelyingParty, credential: str, *, challenge: bytes, public_key: bytes, sign_count: int
) -> int:
    """Return the new sign count of a passkey that has signed the challenge. Raises PasskeyRefused.

    A count that has not grown since the last time belongs to a copy of the key, and is refused.
    """
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
