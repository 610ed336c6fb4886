"""Delivery of a simulated year: the steps of the outbox, with a relay that is an argument. Emails are prepared, not rendered."""

from collections.abc import Callable
from datetime import datetime
from typing import Final, Literal, NamedTuple, TypeAlias

from webapp.mail.preparation import OutgoingEmail, prepare_emails
from webapp.services.keys import Keyring
from webapp.services.notifications import delivery
from webapp.services.tx import Database, transaction

Answer: TypeAlias = Literal["accepted", "refused", "mailbox full", "unreachable"]
Relay: TypeAlias = Callable[[str, datetime], Answer]
"""Answers whether it takes an email to this address at this time."""
_REFUSED_CODE: Final = "550 5.1.1 no such user"
_MAILBOX_FULL_CODE: Final = "452 4.2.2 mailbox full"
_UNREACHABLE_CODE: Final = "no connection"


class DeliveredEmail(NamedTuple):
    """One email that the relay has accepted."""

    notification_id: int
    kind: str
    address: str
    at: datetime


class Deliveries(NamedTuple):
    """What one run of the delivery did: what was accepted, and whose address refused."""

    accepted_emails: tuple[DeliveredEmail, ...]
    refused_emails: tuple[DeliveredEmail, ...]


def deliver(database: Database, relay: Relay, *, keys: Keyring, now: datetime) -> Deliveries:
    """Hand every email that is due to the relay, and record its answers."""
    with transaction(database) as tx:
        claims = sorted(delivery.claim(tx, now=now), key=lambda claim: claim.id)
        outgoing_emails = prepare_emails(tx, claims, keys=keys, now=now)
        answers = [(email, relay(email.address, now)) for email in outgoing_emails]
        accepted_emails = [email for email, answer in answers if answer == "accepted"]
        delivery.mark_sent(tx, [email.claim for email in accepted_emails], now=now)
        for email, answer in answers:
            if answer == "refused":
                delivery.give_up(tx, email.claim, code=_REFUSED_CODE, now=now)
            elif answer == "mailbox full":
                delivery.postpone(tx, email.claim, code=_MAILBOX_FULL_CODE, now=now)
            elif answer == "unreachable":
                delivery.postpone_unreachable(tx, email.claim, code=_UNREACHABLE_CODE, now=now)
    refused_emails = [email for email, answer in answers if answer == "refused"]
    return Deliveries(
        _delivered_emails(accepted_emails, now), _delivered_emails(refused_emails, now)
    )


def _delivered_emails(emails: list[OutgoingEmail], now: datetime) -> tuple[DeliveredEmail, ...]:
    return tuple(
        DeliveredEmail(email.claim.id, email.claim.kind, email.address, now)
        for email in sorted(emails, key=lambda email: email.claim.id)
    )
