"""Delivery of a simulated year: the steps of the outbox, and the relay. Emails are prepared, not rendered."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal, NamedTuple, TypeAlias

from tests.simulated_year.outages import NoticedOutages, Outages
from tests.simulated_year.people import Habits
from tests.support.outbox_steps import mark_all_sent
from tests.support.transactions import transaction, using
from webapp.kernel.keyring import Keyring
from webapp.kernel.tx import Database
from webapp.mail.outbox import delivery
from webapp.mail.preparation import OutgoingEmail, prepare_emails

Answer: TypeAlias = Literal["accepted", "refused", "mailbox full", "unreachable"]
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


class SimulatedRelay:
    """Answers for the mailboxes of all people, except while it cannot be reached."""

    def __init__(self, outages: Outages, people: Mapping[str, Habits]) -> None:
        self._outages, self._people = outages, people
        self.noticed_outages = NoticedOutages()

    def answer_to(self, address: str, now: datetime) -> Answer:
        """Return what becomes of an email to this address."""
        if self._outages.is_relay_down(now):
            self.noticed_outages.add_failure(now)
            return "unreachable"
        habits = self._people[address]
        if habits.has_bouncing_address:
            return "refused"
        if habits.full_mailbox and habits.full_mailbox.start <= now < habits.full_mailbox.end:
            return "mailbox full"
        self.noticed_outages.add_success(now)
        return "accepted"


def deliver(
    database: Database, relay: SimulatedRelay, *, keys: Keyring, now: datetime
) -> Deliveries:
    """Hand every email that is due to the relay, and record its answers."""
    with transaction(database, now) as tx:
        claims = sorted(delivery.claim(tx, limit=100), key=lambda claim: claim.id)
        outgoing_emails = prepare_emails(using(tx, keys=keys), claims)
        answers = [(email, relay.answer_to(email.address, now)) for email in outgoing_emails]
        accepted_emails = [email for email, answer in answers if answer == "accepted"]
        mark_all_sent(tx, [email.claim for email in accepted_emails])
        for email, answer in answers:
            if answer == "refused":
                delivery.give_up(tx, email.claim, code=_REFUSED_CODE)
            elif answer == "mailbox full":
                delivery.postpone(tx, email.claim, code=_MAILBOX_FULL_CODE)
            elif answer == "unreachable":
                delivery.postpone_unreachable(tx, email.claim, code=_UNREACHABLE_CODE)
    refused_emails = [email for email, answer in answers if answer == "refused"]
    return Deliveries(
        _delivered_emails(accepted_emails, now), _delivered_emails(refused_emails, now)
    )


def _delivered_emails(emails: list[OutgoingEmail], now: datetime) -> tuple[DeliveredEmail, ...]:
    return tuple(
        DeliveredEmail(email.claim.id, email.claim.kind, email.address, now)
        for email in sorted(emails, key=lambda email: email.claim.id)
    )
