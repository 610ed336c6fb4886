"""A round is over: who won it, the roles, the gold, and what happens next."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.view import View
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.mail.blocks import Table
from webapp.mail.email import Email, EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.mail.sections import (
    MenuLinks,
    finished_mine_drawing,
    hand_section,
    perspective_with_absences,
    table_section,
)
from webapp.play.emails.game_news import GameNews, news_sections, read_game_news
from webapp.play.history import HistoryEntry
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary
from webapp.play.talk.talk import ShownMessage
from webapp.play.views.finished_game import rounds_over
from webapp.wording.cards import role_name
from webapp.wording.perspective import Perspective
from webapp.wording.results import (
    RoundOutcome,
    ending_sentence,
    gold_text,
    round_headline,
    round_sentence,
)
from webapp.wording.turns import awaiting_sentence


class _PublicRound(NamedTuple):
    """A round that is over, without the values of gold cards, which are not public (E31)."""

    result: RoundOutcome
    gold: tuple[None, ...]
    is_gold_pending: bool = False


class RoundOverContext(EmailContext, frozen=True, kw_only=True):
    """The result of a round, and what the recipient knows of the next one."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    result: RoundOutcome
    last_view: View
    """What everyone knew when the round ended: an onlooker's view."""
    latest_entries: tuple[HistoryEntry, ...]
    messages: tuple[ShownMessage, ...] = ()


class RoundOver(Email[GameNews, RoundOverContext]):
    kind = "round-over"
    label = N_("Round over")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[GameNews]]
    ) -> Mapping[int, GameNews]:
        return read_game_news(tx, sources, with_whole_log=True)

    def context(self, source: EmailSource[GameNews]) -> RoundOverContext:
        game, seat = source.require_seated()
        source.require_news()
        if game.is_revealed:
            # The email about the end of the game describes every round.
            raise Superseded(DropReason.MOVED_ON)
        view, number = game.view(seat), source.notification.dedup_key
        news = source.facts or GameNews()
        rounds = rounds_over(game, news.whole_log, None)
        if min(len(view.results), len(rounds)) < number:
            raise Superseded(DropReason.REWOUND)
        return RoundOverContext(
            envelope=self.envelope(source),
            table=table_summary(game.row),
            seats=seat_summaries(game.row, me=seat, gone=view.gone, now=source.now),
            view=view,
            result=view.results[number - 1],
            last_view=rounds[number - 1].view,
            latest_entries=news.entries(source, seat),
            messages=news.talk(source, seat),
        )

    def variables(self, context: RoundOverContext, locale: EmailLocale) -> Mapping[str, object]:
        language, result, view = locale.language, context.result, context.view
        perspective = perspective_with_absences(context.seats, locale)
        menu = MenuLinks(locale.base_url, context.table.slug, is_answerable=False)
        return {
            "summary": round_sentence(result, perspective),
            "headline": round_headline(result, language),
            "how_it_ended": ending_sentence(result, language),
            "shares": _share_table(result, perspective),
            "awaiting": awaiting_sentence(view, perspective),
            "is_next_round_dealt": len(view.results) != view.round,
            "news": news_sections(context.latest_entries, context.messages, perspective),
            "last_mine": finished_mine_drawing(context.last_view, language),
            "hand": hand_section(view, language, menu),
            "table_as_known": table_section(view, context.seats, perspective),
        }


def _share_table(result: RoundOutcome, perspective: Perspective) -> Table:
    """Return a row for each seat: its role in the round and its gold; and one for the unused role card."""
    language = perspective.language
    over = _PublicRound(result, (None,) * len(result.roles))
    rows = tuple(
        (perspective.name(seat), role_name(role, language), gold_text(over, seat, language))
        for seat, role in enumerate(result.roles)
    )
    unused = (language.gettext("Unused role card"), role_name(result.aside, language), "")
    headings = (
        language.gettext("Player"),
        language.gettext("Role"),
        language.gettext("Gold"),
    )
    return Table(headings, (*rows, unused))


EMAIL = RoundOver()
