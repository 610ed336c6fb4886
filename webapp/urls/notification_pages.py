"""The paths of opting out of emails, and of the mailbox."""

from webapp.urls.paths import query_string, quoted_part


def unsubscribe(token: str) -> str:
    """Return the path of the ``List-Unsubscribe`` header (RFC 8058)."""
    return f"/u/{quoted_part(token)}"


def resubscribe(token: str) -> str:
    return f"/u/{quoted_part(token)}/resubscribe"


def mailbox(*, to: str | None = None, page: int | None = None) -> str:
    """Return the mailbox of a server without a relay; ``to`` limits it to one recipient."""
    return "/mailbox" + query_string(to=to or None, page=page)


def mailbox_email(key: str) -> str:
    return f"/mailbox/{quoted_part(key)}"


def mailbox_email_html(key: str) -> str:
    """Return the HTML of an email, for a frame."""
    return f"/mailbox/{quoted_part(key)}/html"


def mailbox_answer(key: str) -> str:
    """Return where an email in the mailbox is answered (POST)."""
    return f"/mailbox/{quoted_part(key)}/answer"
