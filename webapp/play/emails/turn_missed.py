"""The clock has played a turn for the recipient; the email describes it as everyone at the table reads it."""

from collections.abc import Mapping, Sequence

from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.mail.email import Email, EmailLocale, EmailSource
from webapp.mail.envelope import EmailContext
from webapp.mail.sections import recipient_perspective
from webapp.play.emails.game_news import read_new_turns
from webapp.play.history import HistoryEntry, history_for
from webapp.play.queries.turns import TurnRow
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary
from webapp.wording.deadlines import strikes_sentence
from webapp.wording.history import narrate


class TurnMissedContext(EmailContext, frozen=True, kw_only=True):
    """A missed turn and how many the recipient has missed."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    entries: tuple[HistoryEntry, ...]
    """The turn that was played, as an onlooker may know it; empty if it was taken back."""
    strikes: int
    """How many turns the recipient has missed there; 0 if this one is excused."""
    strikes_until_open: int
    """The number of missed turns after which the seat opens; 0 for never."""


class TurnMissed(Email[Sequence[TurnRow], TurnMissedContext]):
    kind = "turn-missed"
    label = N_("A missed turn")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[Sequence[TurnRow]]]
    ) -> Mapping[int, Sequence[TurnRow]]:
        return read_new_turns(tx, sources)

    def context(self, source: EmailSource[Sequence[TurnRow]]) -> TurnMissedContext:
        game, seat = source.require_seated()
        missed_turns = [
            turn
            for turn in source.facts or ()
            if turn.by == "clock"
            and turn.seat == seat
            and turn.seq <= (source.notification.seq or 0)
        ]
        return TurnMissedContext(
            envelope=self.envelope(source),
            table=table_summary(game.row),
            seats=seat_summaries(game.row, me=seat),
            entries=history_for(missed_turns[-1:], None, reveal_all=False),
            strikes=source.notification.dedup_key,
            strikes_until_open=game.row.late_rules.strikes_until_open,
        )

    def variables(self, context: TurnMissedContext, locale: EmailLocale) -> Mapping[str, object]:
        language = locale.language
        perspective = recipient_perspective(context.seats, language)
        limit = context.strikes_until_open
        return {
            "turn": " ".join(
                sentence for entry in context.entries for sentence in narrate(entry, perspective)
            ),
            "strikes_text": strikes_sentence(context.strikes, limit=limit, language=language),
        }


EMAIL = TurnMissed()
