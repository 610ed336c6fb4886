"""Check that the mail server accepts our connection and uses TLS."""

import smtplib
import ssl
from contextlib import suppress

from webapp.config import Settings
from webapp.doctor.result import CheckResult, error, ok, warning
from webapp.host_names import is_loopback
from webapp.mail.relay import Relay, connect, relay_at


def check_mail_server(
    settings: Settings, *, trusted_context: ssl.SSLContext | None = None
) -> CheckResult:
    """Connect and sign in as for sending an email, without sending one."""
    if not settings.smtp_url:
        return ok(f"No mail server is configured: emails stay in {settings.maildir}.")
    name = settings.mail_from.rpartition("@")[2]
    relay = relay_at(settings.smtp_url, name=name, trusted_context=trusted_context)
    address = f"{relay.host} port {relay.port}"
    try:
        connection = connect(relay)
    except OSError as problem:
        return error(
            f"The mail server at {address} cannot be used: {_one_line(problem)}.", _remedy(problem)
        )
    is_encrypted = isinstance(connection.sock, ssl.SSLSocket)
    with suppress(OSError):
        connection.quit()
    return _check_encryption(relay, address, is_encrypted=is_encrypted)


def _check_encryption(relay: Relay, address: str, *, is_encrypted: bool) -> CheckResult:
    if is_encrypted:
        return ok(f"The mail server at {address} accepts our connection over TLS.")
    if is_loopback(relay.host):
        return ok(f"The mail server at {address} accepts our connection.")
    return warning(
        f"The mail server at {address} does not offer STARTTLS: emails travel there unencrypted.",
        "Use a mail server that offers it, and write smtp+starttls:// or smtps:// to require TLS.",
    )


def _remedy(problem: OSError) -> str:
    match problem:
        case smtplib.SMTPAuthenticationError():
            return "Correct the user and password in SMTP_URL; write special characters as %40 and so on."
        case smtplib.SMTPNotSupportedError():
            return "Use a mail server that offers STARTTLS and AUTH, or write smtps:// if it expects TLS from the start."
        case ssl.SSLError():
            return "Use the host name in the server's certificate, and a certificate that this system trusts."
    return (
        "Set SMTP_URL to a host and port that this machine can reach; some providers block port 25."
    )


def _one_line(problem: OSError) -> str:
    if isinstance(problem, smtplib.SMTPResponseException):
        answer = problem.smtp_error
        text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else str(answer)
        return " ".join(f"{problem.smtp_code} {text}".split()).rstrip(".")
    return " ".join(f"{type(problem).__name__}: {problem}".split()).rstrip(".")
