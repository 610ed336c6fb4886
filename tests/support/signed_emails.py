"""Emails with DKIM signatures (RFC 6376), and name servers that know the keys."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache

import dkim
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from webapp.kernel.networks import DnsUnavailable


@cache
def private_key() -> RSAPrivateKey:
    return generate_private_key(public_exponent=65537, key_size=1024)


def key_record() -> str:
    public_key = private_key().public_key()
    der = public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return f"v=DKIM1; k=rsa; p={b64encode(der).decode()}"


def signed(message: bytes, signer: str, *, length: bool = False) -> bytes:
    """Return an email as a mail server of this domain signs it."""
    pem = private_key().private_bytes(
        Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()
    )
    signature: bytes = dkim.sign(
        message,
        b"s1",
        signer.encode(),
        pem,
        canonicalize=(b"relaxed", b"relaxed"),
        include_headers=[b"From", b"To", b"Subject"],
        length=length,
    )
    return signature + message


class Dns:
    """Name servers that know these records, and the keys of all domains that sign."""

    def __init__(self, records: Mapping[str, str], *, is_away: bool = False) -> None:
        self._records, self._is_away = records, is_away

    def texts(self, name: str) -> Sequence[str]:
        if self._is_away:
            raise DnsUnavailable
        if name.startswith("s1._domainkey."):
            return [key_record()]
        return [self._records[name]] if name in self._records else []
