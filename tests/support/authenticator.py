"""A software authenticator: makes passkeys and signs challenges as a browser with a security key does (WebAuthn)."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from cbor2 import dumps
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from webauthn.helpers import bytes_to_base64url

from webapp.accounts.passkeys import RelyingParty

_USER_PRESENT, _USER_VERIFIED, _HAS_KEY = 0x01, 0x04, 0x40


@dataclass
class Authenticator:
    """One device with one key pair."""

    party: RelyingParty
    credential_id: bytes = b"the id of a passkey, 32 bytes lg"
    sign_count: int = 0
    verifies_user: bool = True
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    def create(self, options: str) -> str:
        """Return the answer to a challenge for a new passkey."""
        data = self._authenticator_data(with_key=True)
        attestation = dumps({"fmt": "none", "attStmt": {}, "authData": data})
        return self._answer(
            self._client_data("webauthn.create", options), attestationObject=attestation
        )

    def sign(self, options: str) -> str:
        """Return the answer to a challenge for this passkey, one signature later."""
        self.sign_count += 1
        data = self._authenticator_data(with_key=False)
        client_data = self._client_data("webauthn.get", options)
        signature = self.key.sign(
            data + hashlib.sha256(client_data).digest(), ec.ECDSA(hashes.SHA256())
        )
        return self._answer(client_data, authenticatorData=data, signature=signature)

    def _answer(self, client_data: bytes, **parts: bytes) -> str:
        encoded_parts = {name: bytes_to_base64url(part) for name, part in parts.items()}
        own_id = bytes_to_base64url(self.credential_id)
        response = {"clientDataJSON": bytes_to_base64url(client_data), **encoded_parts}
        answer: dict[str, Any] = {"id": own_id, "rawId": own_id, "type": "public-key"}
        return json.dumps({**answer, "clientExtensionResults": {}, "response": response})

    def _client_data(self, kind: str, options: str) -> bytes:
        challenge = json.loads(options)["challenge"]
        return json.dumps(
            {"type": kind, "challenge": challenge, "origin": self.party.origin}
        ).encode()

    def _authenticator_data(self, *, with_key: bool) -> bytes:
        flags = _USER_PRESENT | (_USER_VERIFIED if self.verifies_user else 0)
        flags |= _HAS_KEY if with_key else 0
        head = hashlib.sha256(self.party.host.encode()).digest()
        data = head + bytes([flags]) + self.sign_count.to_bytes(4, "big")
        return data + self._attested_key() if with_key else data

    def _attested_key(self) -> bytes:
        point = self.key.public_key().public_numbers()
        cose = {
            1: 2,
            3: -7,
            -1: 1,
            -2: point.x.to_bytes(32, "big"),
            -3: point.y.to_bytes(32, "big"),
        }
        size = len(self.credential_id).to_bytes(2, "big")
        return bytes(16) + size + self.credential_id + dumps(cose)
