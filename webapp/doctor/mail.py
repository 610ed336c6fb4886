"""Check the relay of SMTP_URL, the mailbox of IMAP_URL, and what DNS says of the sender's domain: SPF (RFC 7208) and DMARC (RFC 7489)."""

import smtplib
import ssl
from contextlib import suppress
from typing import Final

from webapp.doctor.result import CheckResult, CheckResults, error, ok, warning
from webapp.kernel.config import Settings
from webapp.kernel.networks import DnsUnavailable, FetchTexts, is_loopback
from webapp.mail.inbound.imap import ImapUnavailable, imap_mailbox_at, open_mailbox
from webapp.mail.relay import Relay, connect, relay_at

_MIN_DOMAIN_LABELS: Final = 2


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


def check_incoming_mail(settings: Settings) -> CheckResults:
    """Sign in to the mailbox and open its folder, if there is one, without reading anything."""
    if not settings.imap_url:
        return
    if not settings.reply_address:
        yield warning(
            "IMAP_URL is set, but REPLY_ADDRESS is not: emails say that answers aren't read.",
            "Set REPLY_ADDRESS to the address of that mailbox.",
        )
    mailbox = imap_mailbox_at(settings.imap_url)
    place = f"{mailbox.folder} at {mailbox.host} port {mailbox.port}"
    try:
        with open_mailbox(mailbox):
            yield ok(f"The mailbox {place} can be read.")
    except ImapUnavailable as problem:
        yield error(
            f"The mailbox {place} cannot be read: {problem}.",
            "Correct the host, user, password and folder in IMAP_URL; write special characters as %40 and so on.",
        )


def check_sender_domain(settings: Settings, fetch_texts: FetchTexts) -> CheckResults:
    """Check SPF and DMARC of the domain of MAIL_FROM, if emails leave this machine."""
    domain = settings.mail_from.rpartition("@")[2].lower()
    if not settings.smtp_url or domain.endswith((".test", ".localhost")):
        return
    try:
        yield _check_spf(domain, fetch_texts)
        yield _check_dmarc(domain, fetch_texts)
    except DnsUnavailable:
        yield warning(
            f"No name server answers, so SPF and DMARC of {domain} were not checked.",
            "Run the doctor on a machine that can reach a name server.",
        )


def _check_spf(domain: str, fetch_texts: FetchTexts) -> CheckResult:
    records = [text for text in fetch_texts(domain) if _has_version(text, "v=spf1")]
    if len(records) > 1:
        return error(
            f"{domain} has {len(records)} SPF records; receivers treat that as an error or as none.",
            "Merge them into one.",
        )
    if not records:
        return warning(
            f"{domain} has no SPF record: many receivers will treat our emails as forged.",
            "Publish a TXT record that names your mail server, as its provider describes: v=spf1 include:... -all",
        )
    return ok(f"{domain} has an SPF record.")


def _check_dmarc(domain: str, fetch_texts: FetchTexts) -> CheckResult:
    for parent in _parents_of(domain):
        if any(_has_version(text, "v=DMARC1") for text in fetch_texts(f"_dmarc.{parent}")):
            return ok(f"{parent} has a DMARC record.")
    return warning(
        f"{domain} has no DMARC record: large providers reject emails from such domains.",
        f"Publish a TXT record at _dmarc.{domain}; start with: v=DMARC1; p=none",
    )


def _parents_of(domain: str) -> list[str]:
    """Return the domain and its parents down to two labels."""
    labels = domain.split(".")
    return [".".join(labels[start:]) for start in range(len(labels) - _MIN_DOMAIN_LABELS + 1)]


def _has_version(text: str, version: str) -> bool:
    first_tag = text.replace(";", " ").split()[:1]
    return [word.lower() for word in first_tag] == [version.lower()]
