"""Redis and the mail relay: there, and as safe as they should be."""

import smtplib
import ssl
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

import redis

from webapp.checkup.finding import Finding, doubtful, well, wrong
from webapp.config import Settings, is_loopback
from webapp.mail.relay import Relay, connect, relay_at

_PATIENCE: Final = 5


def look_at_redis(settings: Settings) -> Finding:
    """Greet the broker."""
    if not settings.redis_url:
        return _without_redis(settings)
    place = _place_of(settings.redis_url)
    try:
        with redis.Redis.from_url(
            settings.redis_url, socket_timeout=_PATIENCE, socket_connect_timeout=_PATIENCE
        ) as connection:
            connection.ping()
    except (redis.RedisError, OSError, ValueError) as problem:
        return wrong(
            f"Redis at {place} does not answer: {_in_a_line(problem)}.",
            "Start it, or set REDIS_URL to where it is. Meanwhile turns go on and mails wait.",
        )
    return well(f"Redis at {place} answers.")


def look_at_relay(settings: Settings, *, trusted: ssl.SSLContext | None = None) -> Finding:
    """Connect and sign in as for a mail, and hand nothing over."""
    if not settings.smtp_url:
        return well(f"No mail server is named: mails stay in {settings.maildir}.")
    name = settings.mail_from.rpartition("@")[2]
    relay = relay_at(settings.smtp_url, name=name, trusted=trusted)
    place = f"{relay.host} port {relay.port}"
    try:
        connection = connect(relay)
    except OSError as problem:
        return wrong(
            f"The mail server at {place} cannot be used: {_in_a_line(problem)}.", _remedy(problem)
        )
    secure = isinstance(connection.sock, ssl.SSLSocket)
    with suppress(OSError):
        connection.quit()
    return _about_security(relay, place, secure=secure)


def _without_redis(settings: Settings) -> Finding:
    if not settings.database_url:
        return well("No Redis is named, and `lodepost serve` needs none.")
    return doubtful(
        "DATABASE_URL is set and REDIS_URL is not: only `lodepost serve` can run so.",
        "Set REDIS_URL for web, worker and beat.",
    )


def _about_security(relay: Relay, place: str, *, secure: bool) -> Finding:
    if secure or is_loopback(relay.host):
        return well(f"The mail server at {place} takes our mails{' over TLS' if secure else ''}.")
    return doubtful(
        f"The mail server at {place} offers no STARTTLS: mails travel there in the clear.",
        "Use a relay that offers it, and name it smtp+starttls:// or smtps:// so that there must be TLS.",
    )


def _remedy(problem: OSError) -> str:
    match problem:
        case smtplib.SMTPAuthenticationError():
            return "Set the right user and password in SMTP_URL; special characters are written as %40 and so on."
        case smtplib.SMTPNotSupportedError():
            return "Use a relay that offers STARTTLS and AUTH, or name it as it is: smtps:// where TLS comes first."
        case ssl.SSLError():
            return "Name the relay as its certificate does, with a certificate that this system trusts."
    return "Set SMTP_URL to a host and port that answer from this machine; some providers close port 25."


def _place_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.hostname} port {parts.port or 6379}"


def _in_a_line(problem: Exception) -> str:
    if isinstance(problem, smtplib.SMTPResponseException):
        said = problem.smtp_error
        text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        return " ".join(f"{problem.smtp_code} {text}".split()).rstrip(".")
    return " ".join(f"{type(problem).__name__}: {problem}".split()).rstrip(".")
