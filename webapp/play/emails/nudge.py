"""A moderator or the host asks the recipient to take their turn."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.mail.email import EmailLocale, EmailSource, Superseded
from webapp.mail.sections import act_actor
from webapp.play.emails.turn_email import (
    TurnContext,
    TurnEmail,
    TurnFacts,
    held_turn_end,
)
from webapp.play.queries.email_facts import ActFacts, read_acts


class Nudge(TurnEmail[ActFacts]):
    kind = "nudge"
    label = N_("Nudge")
    is_reminder = True

    def read_extra(self, tx: Tx, ids: Sequence[int]) -> Mapping[int, ActFacts]:
        return read_acts(tx, ids)

    def waits_until(
        self, source: EmailSource[TurnFacts[ActFacts]], email_wait: timedelta
    ) -> datetime | None:
        """Return until when the email waits because its recipient has chosen a turn, which is held."""
        del email_wait
        end = held_turn_end(source)
        return None if end is None or end <= source.now else end

    def context(self, source: EmailSource[TurnFacts[ActFacts]]) -> TurnContext:
        context, facts = super().context(source), self.extra_of(source)
        if facts is None or facts.act is None:
            raise Superseded(DropReason.NO_ACT)
        return msgspec.structs.replace(context, act=facts.act)

    def variables(self, context: TurnContext, locale: EmailLocale) -> Mapping[str, object]:
        actor = None if context.act is None else act_actor(context.act, locale.language)
        return {**super().variables(context, locale), "actor": actor}


EMAIL = Nudge()
