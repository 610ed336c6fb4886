"""The time for the recipient's turn is running out."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from webapp.clock.pace.calendar import has_passed
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.mail.email import EmailLocale, EmailSource, Superseded
from webapp.mail.subjects import reminder_situation
from webapp.play.emails.turn_email import TurnContext, TurnEmail, TurnFacts
from webapp.play.queries.email_facts import read_times_of_turn_emails


class Reminder(TurnEmail[datetime | None]):
    kind = "reminder"
    label = N_("Reminder")
    is_reminder = True

    def read_extra(self, tx: Tx, ids: Sequence[int]) -> Mapping[int, datetime | None]:
        return read_times_of_turn_emails(tx, ids)

    def context(self, source: EmailSource[TurnFacts[datetime | None]]) -> TurnContext:
        context = super().context(source)
        remind_at = source.require_game().row.remind_at
        if remind_at is None or int(remind_at.timestamp()) != source.notification.dedup_key:
            raise Superseded(DropReason.DEADLINE_MOVED)
        if has_passed(context.deadline_at, now=source.now):
            raise Superseded(DropReason.TOO_LATE)
        notified_at = self.extra_of(source)
        if notified_at is not None and notified_at >= remind_at:
            # The turn's first email contains all that a reminder does.
            raise Superseded(DropReason.TURN_EMAIL_SENT)
        return context

    def variables(self, context: TurnContext, locale: EmailLocale) -> Mapping[str, object]:
        return {
            **super().variables(context, locale),
            "situation": reminder_situation(context.deadline_at, locale),
        }


EMAIL = Reminder()
