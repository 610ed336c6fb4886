"""Answers to emails, as a mail program writes them, for measuring what reads and plays them."""

import re
from collections.abc import Iterable
from email.utils import parseaddr

from tasks.context import WorkerContext
from tests.support.fakes import parse_message
from tests.support.replies import answer_to
from tests.support.transactions import transaction
from webapp.mail.inbound.receiving import find_mailbox, receive
from webapp.mail.transport import RenderedEmail

_VERIFIER = "mx.lodepost.example.org"
ANSWERING_SETTINGS = {"REPLY_ADDRESS": "reply@lodepost.example.org", "AUTHSERV_ID": _VERIFIER}


def answers_to(emails: Iterable[RenderedEmail]) -> dict[str, tuple[str, bytes]]:
    """Return for the table of each turn email the address and the bytes of an answer that plays the first legal action."""
    answers = {}
    for email in emails:
        message = parse_message(email.message)
        table = re.search(rb"/games/(\w+)", email.message)
        assert table is not None
        result = f"{_VERIFIER}; dmarc=pass header.from={email.recipient.partition('@')[2]}"
        answer = answer_to(message, "1", **{"Authentication-Results": result})
        answers[table[1].decode()] = (parseaddr(str(message["Reply-To"]))[1], answer)
    return answers


def receive_answers(context: WorkerContext, answers: Iterable[tuple[str, bytes]]) -> None:
    """Store answers as the receiver does."""
    for recipient, raw in answers:
        with transaction(context.database) as tx:
            mailbox = find_mailbox(tx, recipient, context.own_addresses)
            assert mailbox is not None
            receive(tx.at(context.now()), mailbox, raw)
