"""What the emails about a turn have in common: all that is needed to play it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Generic, TypeVar

from engine.actions import Action
from engine.view import View, legal_actions
from webapp.kernel import urls
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.game_status import GameStatus
from webapp.kernel.i18n import Language
from webapp.kernel.public_acts import ShownAct
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.mail.blocks import Block, FinePrint, Paragraph, SmallLink
from webapp.mail.email import Email, EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.mail.sections import (
    MenuLinks,
    actions_section,
    hand_section,
    mine_drawing,
    perspective_with_absences,
    table_section,
)
from webapp.mail.subjects import turn_subject
from webapp.play.emails.dealt import DealRecord
from webapp.play.emails.game_news import GameNews, news_sections, read_game_news
from webapp.play.history import HistoryEntry
from webapp.play.plans import PlanEnd
from webapp.play.summaries import (
    Head,
    SeatSummary,
    TableSummary,
    head_of,
    seat_summaries,
    table_summary,
)
from webapp.play.talk.talk import ShownMessage
from webapp.wording import times
from webapp.wording.actions import plan_end_sentence
from webapp.wording.digest import digest
from webapp.wording.game_files import short_head
from webapp.wording.paces import turn_time_sentence
from webapp.wording.turns import late_sentence, what_to_do_sentence

ExtraT = TypeVar("ExtraT")


class TurnFacts(Redacted, Generic[ExtraT], frozen=True):
    """The news of the game, and what only one of these kinds needs."""

    news: GameNews
    extra: ExtraT | None


class TurnContext(EmailContext, frozen=True, kw_only=True):
    """A turn with all that its player may know."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    menu: tuple[Action, ...]
    latest_entries: tuple[HistoryEntry, ...]
    messages: tuple[ShownMessage, ...] = ()
    deadline_at: datetime
    head: Head
    act: ShownAct | None = None
    """The nudge that asked for the email."""
    deal: DealRecord | None = None
    """If the cards were dealt with this turn, the record of that."""
    plan_end: PlanEnd | None = None
    """Why the recipient's plan for this turn was not followed, if they had one."""


_TIME_TO_ENTER: Final = timedelta(minutes=1)
"""How long after a held turn is due it has entered the game for sure, unless it was dropped."""


class TurnEmail(Email[TurnFacts[ExtraT], TurnContext]):
    """An email about a turn that waits for its recipient."""

    is_answerable = True

    def read_extra(self, tx: Tx, ids: Sequence[int]) -> Mapping[int, ExtraT]:
        """Return what only this kind needs, by the ids of the notifications."""
        raise NotImplementedError

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[TurnFacts[ExtraT]]]
    ) -> Mapping[int, TurnFacts[ExtraT]]:
        news = read_game_news(tx, sources)
        extra = self.read_extra(tx, [source.notification.id for source in sources])
        return {number: TurnFacts(news[number], extra.get(number)) for number in news}

    def extra_of(self, source: EmailSource[TurnFacts[ExtraT]]) -> ExtraT | None:
        return None if source.facts is None else source.facts.extra

    def needed_by(self, source: EmailSource[TurnFacts[ExtraT]]) -> datetime | None:
        return source.own_deadline()

    def context(self, source: EmailSource[TurnFacts[ExtraT]]) -> TurnContext:
        """Return what is needed to play. Raises Superseded if the turn is over, or can't be played at present."""
        game, seat = source.require_seated()
        row = game.row
        if row.awaiting != seat or row.turn_seq != source.notification.seq:
            raise Superseded(DropReason.MOVED_ON)
        if game.status != GameStatus.RUNNING:
            is_paused = game.status == GameStatus.PAUSED
            raise Superseded(DropReason.PAUSED if is_paused else DropReason.MOVED_ON)
        view = game.view(seat)
        news = GameNews() if source.facts is None else source.facts.news
        assert row.deadline_at is not None
        return TurnContext(
            envelope=self.envelope(source),
            table=table_summary(row),
            seats=seat_summaries(row, me=seat, gone=view.gone, now=source.now),
            view=view,
            menu=tuple(legal_actions(view)),
            latest_entries=news.entries(source, seat),
            messages=news.talk(source, seat),
            deadline_at=row.deadline_at,
            head=head_of(row),
            plan_end=game.plan_end_of(seat),
        )

    def variables(self, context: TurnContext, locale: EmailLocale) -> Mapping[str, object]:
        language, view = locale.language, context.view
        perspective = perspective_with_absences(context.seats, locale)
        is_answerable = context.envelope.reply_to is not None
        move_token = context.envelope.move_token
        menu = MenuLinks(locale.base_url, context.table.slug, is_answerable, move_token)
        subject: Callable[..., str] = partial(
            turn_subject,
            table=context.table,
            view=view,
            deadline_at=context.deadline_at,
            locale=locale,
        )
        return {
            "turn_subject": subject,
            "deadline": times.deadline(
                context.deadline_at, now=locale.now, zone=locale.zone, language=language
            ),
            "what_to_do": what_to_do_sentence(view, language),
            "what_if_late": late_sentence(view, language),
            "plan": _plan_section(context.plan_end, language),
            "news": news_sections(context.latest_entries, context.messages, perspective),
            "digest": digest(context.latest_entries, None, perspective),
            "mine": mine_drawing(view, language),
            "hand": hand_section(view, language, menu),
            "table_as_known": table_section(view, context.seats, perspective),
            "actions": actions_section(context.menu, perspective, view=view, menu=menu),
            "time": _turn_time_section(context.table, context.seats, locale),
            "turns_so_far": _turns_so_far(context.head, language),
        }


def held_turn_end(source: EmailSource[Any]) -> datetime | None:
    """Return when a turn that the recipient holds has entered the game; None if they hold none."""
    held_turn = None if source.game is None else source.game.row.clock.held_turn
    return None if held_turn is None else held_turn.due_at + _TIME_TO_ENTER


def _plan_section(plan_end: str | None, language: Language) -> Iterator[Block]:
    """Yield why the recipient's plan for this turn was not followed, if they had one."""
    if plan_end is not None:
        yield Paragraph(plan_end_sentence(plan_end, language))


def _turn_time_section(
    table: TableSummary, seats: Sequence[SeatSummary], locale: EmailLocale
) -> Iterator[Block]:
    """Yield how the time of the recipient's turn adds up, unless it is only the time per turn, and the link to the reasons for the deadline."""
    language = locale.language
    bank = next((seat.bank for seat in seats if seat.is_me), timedelta())
    if sentence := turn_time_sentence(table.pace, bank, language):
        yield FinePrint(sentence)
    deadline_url = urls.absolute_url(locale.base_url, urls.deadlines(table.slug))
    yield SmallLink(language.gettext("How this deadline came about"), deadline_url)


def _turns_so_far(head: Head, language: Language) -> FinePrint:
    """Return the first digits of the fingerprint of all turns so far."""
    return FinePrint(
        language.gettext(
            "Fingerprint of all turns up to turn %(seq)s: %(digits)s. Keep this email: once the game is over, you can check that none of these turns was changed.",
            seq=head.seq,
            digits=short_head(head.digest),
        )
    )
