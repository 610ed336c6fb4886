"""What the emails about clubs have in common, and the two answers to a request to join."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from webapp.clubs.queries.email_facts import ClubFacts, read_clubs
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.tx import Tx
from webapp.mail.email import ContextT, Email, EmailSource, FactsT, Superseded
from webapp.mail.envelope import EmailContext, OptOuts


class ClubContext(EmailContext, frozen=True, kw_only=True):
    """The club that an email is about."""

    club: str
    slug: str


class ClubEmail(Email[FactsT, ContextT]):
    """An email about a club."""

    def opt_outs(self, source: EmailSource[Any]) -> OptOuts:
        del source
        return {"everything": None}


class ClubAnswerEmail(ClubEmail[ClubFacts, ClubContext]):
    """The answer to someone who asked to join."""

    is_yes: ClassVar[bool]

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[ClubFacts]]
    ) -> Mapping[int, ClubFacts]:
        return read_clubs(tx, [source.notification.id for source in sources])

    def context(self, source: EmailSource[ClubFacts]) -> ClubContext:
        """Return the answer. Raises Superseded if it is no longer true."""
        club = open_club(source.require_facts(DropReason.NO_CLUB))
        if club.is_member != self.is_yes:
            raise Superseded(DropReason.MEMBER if club.is_member else DropReason.NOT_MEMBER)
        return ClubContext(envelope=self.envelope(source), club=club.name, slug=club.slug)


def open_club(club: ClubFacts) -> ClubFacts:
    """Return the club. Raises Superseded if it is closed."""
    if club.is_closed:
        raise Superseded(DropReason.CLOSED)
    return club
