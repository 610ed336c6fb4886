"""An email about people who ask to join a club, to someone who may answer; at most once a day."""

from collections.abc import Mapping, Sequence

from webapp.clubs.emails.club_email import ClubContext, ClubEmail, open_club
from webapp.clubs.queries.email_facts import ClubRequestFacts, read_club_requests
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.mail.email import EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import OptOuts
from webapp.mail.mime import one_line


class ClubRequestContext(ClubContext, frozen=True, kw_only=True):
    """The people who ask."""

    names: tuple[str, ...]
    """The names of the first who ask, who may be fewer than ``count``."""
    count: int


class ClubRequest(ClubEmail[ClubRequestFacts, ClubRequestContext]):
    kind = "club-request"
    label = N_("Requests to join a club")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[ClubRequestFacts]]
    ) -> Mapping[int, ClubRequestFacts]:
        return read_club_requests(tx, [source.notification.id for source in sources])

    def opt_outs(self, source: EmailSource[ClubRequestFacts]) -> OptOuts:
        facts = source.require_facts(DropReason.NO_CLUB)
        return {"everything": None, "requests": facts.club.id}

    def context(self, source: EmailSource[ClubRequestFacts]) -> ClubRequestContext:
        """Return who asks to join. Raises Superseded if all are answered, or the recipient may or wants to answer no more."""
        facts = source.require_facts(DropReason.NO_CLUB)
        club = open_club(facts.club)
        if not club.may_admit:
            raise Superseded(DropReason.NOT_MODERATOR)
        if not club.wants_requests:
            raise Superseded(DropReason.UNSUBSCRIBED)
        if not facts.count:
            raise Superseded(DropReason.ANSWERED)
        return ClubRequestContext(
            envelope=self.envelope(source),
            club=club.name,
            slug=club.slug,
            names=facts.names,
            count=facts.count,
        )

    def variables(self, context: ClubRequestContext, locale: EmailLocale) -> Mapping[str, object]:
        del locale
        return {
            "shown_names": tuple(map(one_line, context.names)),
            "unlisted_count": context.count - len(context.names),
        }


EMAIL = ClubRequest()
