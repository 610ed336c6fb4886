"""A vote is over."""

from collections.abc import Mapping
from datetime import datetime

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.mail.email import EmailLocale, EmailSource, Superseded
from webapp.play.emails.vote_email import VoteContext, VoteEmail
from webapp.play.queries.votes import VoteRow
from webapp.wording.votes import outcome_sentence


class VoteEnded(VoteEmail):
    kind = "vote-ended"
    label = N_("End of a vote")

    def needed_by(self, source: EmailSource[VoteRow | None]) -> datetime | None:
        return source.own_deadline()

    def context(self, source: EmailSource[VoteRow | None]) -> VoteContext:
        """Return what everyone at the table is sent. Raises Superseded unless there is an outcome to tell."""
        context = super().context(source)
        if context.vote.outcome is None:
            raise Superseded(DropReason.MOVED_ON)
        return context

    def variables(self, context: VoteContext, locale: EmailLocale) -> Mapping[str, object]:
        outcome = outcome_sentence(context.vote, locale.language)
        return {**super().variables(context, locale), "outcome": outcome}


EMAIL = VoteEnded()
