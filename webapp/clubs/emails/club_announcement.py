"""A moderator of a club writes to its members."""

from collections.abc import Mapping, Sequence
from typing import Final

from webapp.clubs.emails.club_email import ClubContext, ClubEmail, open_club
from webapp.clubs.queries.email_facts import ClubAnnouncementFacts, read_club_announcements
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.mail.email import EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import OptOuts
from webapp.mail.mime import one_line

_PREVIEW_LENGTH: Final = 120


class ClubAnnouncementContext(ClubContext, frozen=True, kw_only=True):
    """The announcement."""

    author: str
    """The name of its author; empty if the account was deleted."""
    text: str


class ClubAnnouncement(ClubEmail[ClubAnnouncementFacts, ClubAnnouncementContext]):
    kind = "club-announcement"
    label = N_("Announcement of a club")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[ClubAnnouncementFacts]]
    ) -> Mapping[int, ClubAnnouncementFacts]:
        return read_club_announcements(tx, [each.notification.id for each in sources])

    def opt_outs(self, source: EmailSource[ClubAnnouncementFacts]) -> OptOuts:
        facts = source.require_facts(DropReason.NO_CLUB)
        return {"everything": None, "club": facts.club.id}

    def list_id(self, source: EmailSource[ClubAnnouncementFacts]) -> str | None:
        club = source.require_facts(DropReason.NO_CLUB).club
        return f"{club.slug}.clubs.{source.keys.domain}"

    def context(self, source: EmailSource[ClubAnnouncementFacts]) -> ClubAnnouncementContext:
        """Return the announcement. Raises Superseded if the recipient has left or wants no announcements."""
        facts = source.require_facts(DropReason.NO_CLUB)
        club = open_club(facts.club)
        if not club.is_member:
            raise Superseded(DropReason.NOT_MEMBER)
        if not club.wants_announcements:
            raise Superseded(DropReason.UNSUBSCRIBED)
        return ClubAnnouncementContext(
            envelope=self.envelope(source),
            club=club.name,
            slug=club.slug,
            author=facts.author or "",
            text=facts.text,
        )

    def variables(
        self, context: ClubAnnouncementContext, locale: EmailLocale
    ) -> Mapping[str, object]:
        del locale
        return {"beginning": one_line(context.text)[:_PREVIEW_LENGTH]}


EMAIL = ClubAnnouncement()
