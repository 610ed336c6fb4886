"""A site moderator has closed a club, or made another member its founder."""

from collections.abc import Mapping, Sequence

from webapp.clubs.emails.club_email import ClubContext, ClubEmail
from webapp.clubs.queries.email_facts import ClubActFacts, read_club_acts
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.mail.email import EmailSource, Superseded


class ClubActContext(ClubContext, frozen=True, kw_only=True):
    """What was done, and why."""

    is_closed: bool
    reason: str


class ClubAct(ClubEmail[ClubActFacts, ClubActContext]):
    kind = "club-act"
    label = N_("Change by a site moderator to a club")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[ClubActFacts]]
    ) -> Mapping[int, ClubActFacts]:
        return read_club_acts(tx, [source.notification.id for source in sources])

    def context(self, source: EmailSource[ClubActFacts]) -> ClubActContext:
        """Return what a site moderator did to the club. Raises Superseded if the recipient has left."""
        facts = source.require_facts(DropReason.NOT_MEMBER)
        if not facts.club.is_member:
            raise Superseded(DropReason.NOT_MEMBER)
        return ClubActContext(
            envelope=self.envelope(source),
            club=facts.club.name,
            slug=facts.club.slug,
            is_closed=facts.act == "club-close",
            reason=facts.reason,
        )


EMAIL = ClubAct()
