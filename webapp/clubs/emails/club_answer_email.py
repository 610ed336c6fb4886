"""What the two answers to a request to join a club have in common."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from webapp.clubs.emails.club_email import ClubContext, ClubEmail, open_club
from webapp.mail.email import EmailSource, Superseded
from webapp.services.email_outcomes import DropReason
from webapp.services.tx import Tx
from webapp.store.notifications.club_facts import ClubFacts, read_clubs


class ClubAnswerEmail(ClubEmail[ClubFacts, ClubContext]):
    """The answer to someone who asked to join."""

    is_yes: ClassVar[bool]

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[ClubFacts]]
    ) -> Mapping[int, ClubFacts]:
        return read_clubs(tx.connection, [source.notification.id for source in sources])

    def context(self, source: EmailSource[ClubFacts]) -> ClubContext:
        """Return the answer. Raises Superseded if it is no longer true."""
        club = open_club(source.require_facts(DropReason.NO_CLUB))
        if club.is_member != self.is_yes:
            raise Superseded(DropReason.MEMBER if club.is_member else DropReason.NOT_MEMBER)
        return ClubContext(envelope=self.envelope(source), club=club.name, slug=club.slug)
