"""Answers that are typed on the mailbox page of a server without a relay: written as a mail program would write them."""

from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import NamedTuple


class AnsweredEmail(NamedTuple):
    """What an answer takes from the email that it answers."""

    recipient: str
    reply_to: str
    subject: str
    message_id: str
    text: str


def answer_message(answered: AnsweredEmail, typed: str, *, now: datetime) -> bytes:
    """Return the message with which the recipient of an email answers it, with the email quoted below."""
    subject = answered.subject
    message = EmailMessage(policy=SMTP)
    message["From"] = answered.recipient
    message["To"] = answered.reply_to
    message["Subject"] = subject if subject.lower().startswith("re:") else f"Re: {subject}"
    message["Date"] = format_datetime(now)
    message["In-Reply-To"] = answered.message_id
    message["References"] = answered.message_id
    quotation = "".join(f"> {line}\n" for line in answered.text.splitlines())
    message.set_content(f"{typed.rstrip()}\n\nLodepost wrote:\n{quotation}")
    return message.as_bytes()
