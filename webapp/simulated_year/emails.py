"""Delivery of a simulated year: the steps of the outbox, with a relay that is an argument. Emails are prepared, not rendered."""

from collections.abc import Callable
from datetime import datetime
from typing import Final, Literal, NamedTuple, TypeAlias

from webapp.services.email_kinds import NotificationKind
from webapp.services.keys import Keyring
from webapp.services.notifications import delivery
from webapp.services.notifications.preparation import OutgoingEmail, prepare_emails
from webapp.services.tx import Database, transaction

Answer: TypeAlias = Literal["accepted", "refused", "unreachable"]
Relay: TypeAlias = Callable[[str, datetime], Answer]
"""Answers whether it takes an email to this address at this time."""
_REFUSED: Final = "550 5.1.1 no such user"
_UNREACHABLE: Final = "no connection"


class Delivered(NamedTuple):
    """One email that the relay has accepted."""

    notification_id: int
    kind: NotificationKind
    address: str
    at: datetime


class Deliveries(NamedTuple):
    """What one run of the delivery did: what was accepted, and whose address refused."""

    accepted: tuple[Delivered, ...]
    refused: tuple[Delivered, ...]


def deliver(database: Database, relay: Relay, *, keys: Keyring, now: datetime) -> Deliveries:
    """Hand every email that is due to the relay, and record its answers."""
    with transaction(database) as tx:
        claims = sorted(delivery.claim(tx, now=now), key=lambda claim: claim.id)
        outgoing = prepare_emails(tx, claims, keys=keys, now=now)
        answers = [(email, relay(email.address, now)) for email in outgoing]
        accepted = [email for email, answer in answers if answer == "accepted"]
        delivery.mark_sent(tx, [email.claim for email in accepted], now=now)
        for email, answer in answers:
            if answer == "refused":
                delivery.give_up(tx, email.claim, code=_REFUSED, now=now)
            elif answer == "unreachable":
                delivery.postpone_unreachable(tx, email.claim, code=_UNREACHABLE, now=now)
    refused = [email for email, answer in answers if answer == "refused"]
    return Deliveries(_delivered(accepted, now), _delivered(refused, now))


def _delivered(emails: list[OutgoingEmail], now: datetime) -> tuple[Delivered, ...]:
    return tuple(
        Delivered(email.claim.id, email.claim.kind, email.address, now)
        for email in sorted(emails, key=lambda email: email.claim.id)
    )
