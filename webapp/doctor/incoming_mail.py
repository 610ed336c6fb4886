"""Check that the mailbox of IMAP_URL can be read."""

from webapp.config import Settings
from webapp.doctor.result import CheckResults, error, ok, warning
from webapp.mail.inbound.imap import ImapUnavailable, imap_mailbox_at, open_mailbox


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
