"""Someone invites the recipient to a club.

It doesn't contain the club's own description: a stranger's text, to someone who did not ask for it.
"""

from collections.abc import Mapping, Sequence

from webapp.clubs.emails.club_email import ClubEmail, open_club
from webapp.clubs.invitations import club_invitation_token
from webapp.clubs.queries.email_facts import ClubInvitationFacts, read_club_invitations
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.mail.email import EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.mail.queries.email_facts import Addressee


class ClubInvitationContext(EmailContext, frozen=True, kw_only=True):
    """The person who invites, and the link."""

    club: str
    inviter: str
    token: str


class ClubInvitation(ClubEmail[ClubInvitationFacts, ClubInvitationContext]):
    kind = "club-invitation"
    label = N_("Invitation to a club")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[ClubInvitationFacts]]
    ) -> Mapping[int, ClubInvitationFacts]:
        return read_club_invitations(tx, [each.notification.id for each in sources])

    def addressee(self, facts: ClubInvitationFacts) -> Addressee:
        return facts.addressee

    def context(self, source: EmailSource[ClubInvitationFacts]) -> ClubInvitationContext:
        """Return the invitation. Raises Superseded if it was accepted or deleted, or if the recipient is a member by now."""
        facts = source.require_facts(DropReason.NO_CLUB)
        club = open_club(facts.club)
        if facts.is_accepted:
            raise Superseded(DropReason.ACCEPTED)
        if club.is_member:
            raise Superseded(DropReason.MEMBER)
        return ClubInvitationContext(
            envelope=self.envelope(source),
            club=club.name,
            inviter=facts.inviter or "",
            token=club_invitation_token(facts.nonce, source.keys),
        )


EMAIL = ClubInvitation()
