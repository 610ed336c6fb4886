"""The relay of a simulated year: which emails it takes, and which it refuses."""

from collections.abc import Mapping
from datetime import datetime

from webapp.simulated_year.emails import Answer
from webapp.simulated_year.outages import NoticedOutages, Outages
from webapp.simulated_year.people import Habits


class SimulatedRelay:
    """Answers for the mailboxes of all people, except while it cannot be reached."""

    def __init__(self, outages: Outages, people: Mapping[str, Habits]) -> None:
        self._outages, self._people = outages, people
        self.noticed_outages = NoticedOutages()

    def __call__(self, address: str, now: datetime) -> Answer:
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
