"""The recipient has just taken over a seat: what the seat has seen, and nothing else."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from engine.cards import Card
from engine.view import View
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.mail.email import Email, EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.mail.sections import MenuLinks, perspective_with_absences, position_section
from webapp.play.emails.game_news import read_new_turns
from webapp.play.history import history_for
from webapp.play.queries.turns import TurnRow
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary
from webapp.play.views.briefing import discards_of_round
from webapp.wording import times
from webapp.wording.cards import card_name
from webapp.wording.turns import awaiting_sentence


class BriefingContext(EmailContext, frozen=True, kw_only=True):
    """What a seat has seen, with its discards of this round."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    discards: tuple[Card, ...]
    deadline_at: datetime | None


class Briefing(Email[Sequence[TurnRow], BriefingContext]):
    kind = "briefing"
    label = N_("They took over a seat")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[Sequence[TurnRow]]]
    ) -> Mapping[int, Sequence[TurnRow]]:
        return read_new_turns(tx, sources, from_first_deal=True)

    def needed_by(self, source: EmailSource[Sequence[TurnRow]]) -> datetime | None:
        return source.own_deadline()

    def context(self, source: EmailSource[Sequence[TurnRow]]) -> BriefingContext:
        notification, game = source.notification, source.game
        if game is None or not game.status.is_under_way:
            raise Superseded(DropReason.MOVED_ON)
        row, seat = game.row, game.row.seat_of(notification.account_id)
        if seat is None or seat.number != notification.dedup_key:
            raise Superseded(DropReason.NOT_SEATED)
        view = game.view(seat.number)
        entries = history_for(source.facts or (), seat.number, reveal_all=False)
        return BriefingContext(
            envelope=self.envelope(source),
            table=table_summary(row),
            seats=seat_summaries(row, me=seat.number, gone=view.gone, now=source.now),
            view=view,
            discards=discards_of_round(entries),
            deadline_at=None if row.paused_at else row.deadline_at,
        )

    def variables(self, context: BriefingContext, locale: EmailLocale) -> Mapping[str, object]:
        language, view = locale.language, context.view
        perspective = perspective_with_absences(context.seats, locale)
        is_own_turn = view.awaiting is not None and context.seats[view.awaiting.seat].is_me
        at = context.deadline_at if is_own_turn else None
        menu = MenuLinks(locale.base_url, context.table.slug, is_answerable=False)
        return {
            "awaiting": awaiting_sentence(view, perspective),
            "deadline": at
            and times.deadline(at, now=locale.now, zone=locale.zone, language=language),
            "position": position_section(view, context.seats, perspective, menu),
            "seat": next(seat.number for seat in context.seats if seat.is_me) + 1,
            "discarded": tuple(card_name(card, language) for card in context.discards),
        }


EMAIL = Briefing()
