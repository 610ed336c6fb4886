"""Someone has proposed something on which everyone at the table votes."""

from collections.abc import Mapping
from datetime import datetime

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.mail.email import EmailLocale, EmailSource, Superseded
from webapp.play.emails.vote_email import VoteContext, VoteEmail
from webapp.play.queries.votes import VoteRow
from webapp.play.votes import current_vote
from webapp.wording.votes import effect_sentence


class VoteOpened(VoteEmail):
    kind = "vote-opened"
    label = N_("A vote to answer")

    def needed_by(self, source: EmailSource[VoteRow | None]) -> datetime | None:
        return None if source.facts is None else source.facts.expires_at

    def context(self, source: EmailSource[VoteRow | None]) -> VoteContext:
        """Return what is proposed. Raises Superseded once the recipient has answered or can't any more."""
        context, vote = super().context(source), source.facts
        assert vote is not None
        if current_vote(source.require_game().row, [vote], now=source.now) is None:
            raise Superseded(DropReason.MOVED_ON)
        if not context.vote.may_answer:
            raise Superseded(DropReason.ANSWERED)
        return context

    def variables(self, context: VoteContext, locale: EmailLocale) -> Mapping[str, object]:
        effect = effect_sentence(context.vote.kind, locale.language)
        return {**super().variables(context, locale), "effect": effect}


EMAIL = VoteOpened()
