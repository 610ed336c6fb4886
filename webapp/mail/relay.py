"""The mail relay of SMTP_URL, and how to connect to it."""

import smtplib
import ssl
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from webapp.kernel.networks import is_loopback

ANSWER_TIMEOUT_SECONDS = 20.0
"""Seconds that a relay may take for one answer."""

Security: TypeAlias = Literal["tls", "starttls", "if-offered"]
_PORT_BY_SECURITY: dict[Security, int] = {"tls": 465, "starttls": 587, "if-offered": 25}
_SECURITY_BY_SCHEME: dict[str, Security] = {
    "smtps": "tls",
    "smtp+starttls": "starttls",
    "smtp": "if-offered",
}


@dataclass(frozen=True)
class Relay:
    """A mail server that accepts emails, and how to sign in to it."""

    host: str
    port: int
    security: Security
    user: str = ""
    password: str = field(default="", repr=False)
    name: str = "localhost"
    """The name that is sent in EHLO."""
    trusted_context: ssl.SSLContext | None = field(default=None, repr=False)
    """Trusted certificate authorities; None for those of the system."""


def relay_at(
    url: str, *, name: str = "localhost", trusted_context: ssl.SSLContext | None = None
) -> Relay:
    """Return the relay of an SMTP_URL: ``smtps://`` (TLS first), ``smtp+starttls://`` (TLS or nothing), ``smtp://`` (TLS if offered).

    A password never travels to another machine without TLS: ``smtp://`` with one means ``smtp+starttls://``.
    """
    parts = urlsplit(url)
    host, security = parts.hostname or "", _SECURITY_BY_SCHEME[parts.scheme]
    if security == "if-offered" and parts.username and not is_loopback(host):
        security = "starttls"
    return Relay(
        host=host,
        port=parts.port or _PORT_BY_SECURITY[security],
        security=security,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        name=name,
        trusted_context=trusted_context,
    )


def connect(relay: Relay) -> smtplib.SMTP:
    """Return an open connection, encrypted and signed in. Raises OSError, of which SMTPException is a subclass."""
    connection = _open_connection(relay)
    try:
        _secure_connection(connection, relay)
        if relay.user:
            connection.login(relay.user, relay.password)
    except OSError:
        connection.close()
        raise
    return connection


def _open_connection(relay: Relay) -> smtplib.SMTP:
    # Without a name the library looks one up, which can take until the resolver times out.
    if relay.security != "tls":
        return smtplib.SMTP(
            relay.host, relay.port, local_hostname=relay.name, timeout=ANSWER_TIMEOUT_SECONDS
        )
    return smtplib.SMTP_SSL(
        relay.host,
        relay.port,
        local_hostname=relay.name,
        timeout=ANSWER_TIMEOUT_SECONDS,
        context=_verifying_context(relay),
    )


def _secure_connection(connection: smtplib.SMTP, relay: Relay) -> None:
    connection.ehlo_or_helo_if_needed()
    if relay.security == "starttls":
        connection.starttls(context=_verifying_context(relay))
    elif relay.security == "if-offered" and connection.has_extn("starttls"):
        connection.starttls(context=_unverifying_context())
    connection.ehlo_or_helo_if_needed()


def _verifying_context(relay: Relay) -> ssl.SSLContext:
    return relay.trusted_context or ssl.create_default_context()


def _unverifying_context() -> ssl.SSLContext:
    """Return opportunistic encryption (RFC 7435): the alternative would be no encryption at all."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
