"""What the emails about clubs have in common."""

from typing import Any

from webapp.mail.email import ContextT, Email, EmailSource, FactsT, Superseded
from webapp.mail.envelope import EmailContext, OptOuts
from webapp.services.email_outcomes import DropReason
from webapp.store.notifications.club_facts import ClubFacts


class ClubContext(EmailContext, frozen=True, kw_only=True):
    """The club that an email is about."""

    club: str
    slug: str


class ClubEmail(Email[FactsT, ContextT]):
    """An email about a club."""

    def opt_outs(self, source: EmailSource[Any]) -> OptOuts:
        del source
        return {"everything": None}


def open_club(club: ClubFacts) -> ClubFacts:
    """Return the club. Raises Superseded if it is closed."""
    if club.is_closed:
        raise Superseded(DropReason.CLOSED)
    return club
