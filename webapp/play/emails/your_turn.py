"""It is the recipient's turn. The email waits while they are on the site, where the page says so, and is dropped if they play meanwhile.

A worker that prepares it for someone who was there lately moves ``due_at``, so that no timer is needed and a killed worker
loses nothing. The wait is short compared with the time for the turn, so reminders, deadlines and strikes ignore it.

Bots answer in seconds, so an email to a player who has only bots around them is noise. It waits until they have left the game alone for a day.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec.structs import replace

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.mail.email import EmailSource, Superseded
from webapp.play.emails.dealt import deal_record_of
from webapp.play.emails.turn_email import (
    TurnContext,
    TurnEmail,
    TurnFacts,
    held_turn_end,
)
from webapp.play.queries.email_facts import PresenceFacts, read_last_visits

MAX_EMAIL_WAIT: Final = timedelta(minutes=10)
"""How long after the turn began its email goes out even to someone who is still on the site."""
_MAX_PART_OF_TURN: Final = 0.1
"""The part of the time for the turn that its email may wait: the wait must not cost its player time that they need."""
SOLO_EMAIL_WAIT: Final = timedelta(days=1)
"""How long people who play with bots only have been away before they get an email about their turn."""
_MAX_PART_OF_SOLO_TURN: Final = 0.5
"""The part of the time for the turn that such an email may wait: no one else does, but its player must still be able to play."""


class YourTurn(TurnEmail[PresenceFacts]):
    kind = "your-turn"
    label = N_("Turn email")

    def read_extra(self, tx: Tx, ids: Sequence[int]) -> Mapping[int, PresenceFacts]:
        return read_last_visits(tx, ids)

    def waits_until(
        self, source: EmailSource[TurnFacts[PresenceFacts]], email_wait: timedelta
    ) -> datetime | None:
        """Return until when the email waits for its recipient to play or to leave the site.

        What is decided here depends on when people open pages and on the time of the turn, never on cards or roles.
        """
        row = None if source.game is None else source.game.row
        wants_every_email = source.notification.wants_every_email
        if row is None or row.deadline_at is None or wants_every_email:
            return None
        ends = self._ends_of_wait(source, email_wait)
        waits_until = min(max(ends, default=source.now), row.deadline_at)
        return waits_until if source.now < waits_until < row.deadline_at else None

    def _ends_of_wait(
        self, source: EmailSource[TurnFacts[PresenceFacts]], email_wait: timedelta
    ) -> Iterator[datetime]:
        """Yield when the recipient has been away for long enough, and when a turn that they hold has entered the game."""
        presence, began_at = self.extra_of(source), source.notification.first_due_at
        row = source.require_game().row
        assert row.deadline_at is not None
        turn_time = row.deadline_at - began_at
        last_active_at = None if presence is None else presence.last_active_at
        if email_wait and row.has_one_person:
            away_since = last_active_at or began_at
            yield min(away_since + SOLO_EMAIL_WAIT, began_at + turn_time * _MAX_PART_OF_SOLO_TURN)
        elif email_wait and last_active_at is not None:
            longest_wait = min(MAX_EMAIL_WAIT, turn_time * _MAX_PART_OF_TURN)
            yield min(last_active_at + email_wait, began_at + longest_wait)
        if end := held_turn_end(source):
            yield end

    def context(self, source: EmailSource[TurnFacts[PresenceFacts]]) -> TurnContext:
        context, presence = super().context(source), self.extra_of(source)
        reminded_at = None if presence is None else presence.reminded_at
        # A reminder of before a pause says nothing of the email with which the game is resumed.
        if reminded_at is not None and reminded_at >= source.notification.first_due_at:
            raise Superseded(DropReason.REMINDER_SENT)
        if presence is None or not presence.is_first_turn:
            return context
        return replace(context, deal=deal_record_of(source.require_game()))


EMAIL = YourTurn()
