"""Answers to emails in tests: written as mail programs write them, and handed to the receiver."""

from email.message import EmailMessage
from email.policy import SMTP
from email.utils import parseaddr
from itertools import count
from typing import Final

from tasks import delivery, replies
from tasks.context import WorkerContext
from tests.support.fakes import RecordingTransport, parse_message, text_of
from tests.support.transactions import transaction
from webapp.mail.inbound.receiving import OwnAddresses, find_mailbox, receive

_numbers: Final = count(1)
"""The numbers of the answers, each of which has a Message-ID of its own."""
ADDRESSES: Final = OwnAddresses("reply@lodepost.test", "bounce@lodepost.test")


def latest_email_to(transport: RecordingTransport, address: str) -> EmailMessage:
    """Return the newest email that was sent to this address and can be answered."""
    messages = [parse_message(email.message) for email in transport.emails]
    return next(
        message
        for message in reversed(messages)
        if parseaddr(str(message["To"]))[1] == address and message["Reply-To"]
    )


def answer_to(message: EmailMessage, typed: str, **fields: str) -> bytes:
    """Return an answer with the email quoted below, as most mail programs write it."""
    answer = EmailMessage(policy=SMTP)
    values = {
        "From": str(message["To"]),
        "To": str(message["Reply-To"]),
        "Subject": f"Re: {message['Subject']}",
        "Message-ID": f"<{next(_numbers)}@mail.example>",
        "In-Reply-To": str(message["Message-ID"]),
    }
    for name, value in (values | fields).items():
        answer[name] = value
    quotation = "".join(f"> {line}\n" for line in text_of(message).splitlines())
    answer.set_content(f"{typed}\n\nOn Mon, 2 Mar 2026 at 14:00, Lodepost wrote:\n\n{quotation}")
    return answer.as_bytes()


def send_answer(
    worker: WorkerContext, message: EmailMessage, raw: bytes, *, is_vouched: bool = True
) -> bool:
    """Hand an answer to the receiver; return whether it is new."""
    recipient = parseaddr(str(message["Reply-To"]))[1]
    with transaction(worker.database) as tx:
        mailbox = find_mailbox(tx, recipient, ADDRESSES)
        assert mailbox is not None
        return receive(tx.at(worker.now()), mailbox, raw, is_vouched=is_vouched)


def answer_and_read(
    worker: WorkerContext, transport: RecordingTransport, address: str, typed: str
) -> EmailMessage:
    """Answer the newest email to this address, let the worker read it, and return the answer to the answer."""
    message = latest_email_to(transport, address)
    send_answer(worker, message, answer_to(message, typed))
    replies.read_replies(worker)
    delivery.deliver(worker)
    return latest_email_to(transport, address)
