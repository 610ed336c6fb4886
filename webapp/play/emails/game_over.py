"""The game is over: places, awards, every round, and the proof of the game."""

from collections.abc import Mapping, Sequence

from engine.view import View
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.game_status import GameStatus
from webapp.kernel.i18n import N_
from webapp.kernel.public_acts import ShownAct
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.mail.blocks import Table
from webapp.mail.email import Email, EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.mail.sections import finished_mine_drawing, peeks_section, recipient_perspective
from webapp.play.emails.game_news import GameNews, news_sections, read_game_news
from webapp.play.history import HistoryEntry
from webapp.play.queries.email_facts import read_peeks
from webapp.play.summaries import (
    Head,
    SeatSummary,
    TableSummary,
    head_of,
    seat_summaries,
    table_summary,
)
from webapp.play.talk.talk import ShownMessage
from webapp.play.views.finished_game import Award, finished_game
from webapp.wording.cards import nuggets
from webapp.wording.game_files import grouped_digits
from webapp.wording.perspective import Perspective
from webapp.wording.results import award_text, game_headline, round_sentence


class GameOverFacts(Redacted, frozen=True):
    """The news of the game, and when moderators looked at its secrets."""

    news: GameNews
    peeks: tuple[ShownAct, ...]


class GameOverContext(EmailContext, frozen=True, kw_only=True):
    """A finished game, of which nothing is secret any more."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    latest_entries: tuple[HistoryEntry, ...]
    head: Head
    messages: tuple[ShownMessage, ...] = ()
    awards: tuple[Award, ...] = ()
    peeks: tuple[ShownAct, ...] = ()


class GameOver(Email[GameOverFacts, GameOverContext]):
    kind = "game-over"
    label = N_("Game over")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[GameOverFacts]]
    ) -> Mapping[int, GameOverFacts]:
        news_by_id = read_game_news(tx, sources, with_whole_log=True)
        peeks_by_id = read_peeks(tx, list(news_by_id))
        return {
            number: GameOverFacts(news, peeks_by_id[number]) for number, news in news_by_id.items()
        }

    def context(self, source: EmailSource[GameOverFacts]) -> GameOverContext:
        game, seat = source.require_seated()
        if game.status != GameStatus.FINISHED:
            raise Superseded(DropReason.REWOUND)
        facts = source.require_facts(DropReason.NO_GAME)
        view = game.view(seat)
        return GameOverContext(
            envelope=self.envelope(source),
            table=table_summary(game.row),
            seats=seat_summaries(game.row, me=seat, gone=view.gone, now=source.now),
            view=view,
            latest_entries=facts.news.entries(source, seat),
            messages=facts.news.talk(source, seat),
            head=head_of(game.row),
            awards=finished_game(game, facts.news.whole_log, seat).awards,
            peeks=facts.peeks,
        )

    def variables(self, context: GameOverContext, locale: EmailLocale) -> Mapping[str, object]:
        language, view = locale.language, context.view
        perspective = recipient_perspective(context.seats, language)
        digest = context.head.digest
        half = len(digest) // 2
        return {
            "headline": game_headline(view, perspective),
            "ranking": _ranking_table(view, perspective),
            # The others are folded on the table's page, too.
            "awards": tuple(award_text(award, perspective) for award in context.awards[:3]),
            "rounds": tuple(round_sentence(result, perspective) for result in view.results),
            "peeks_text": peeks_section(context.peeks, locale),
            "news": news_sections(context.latest_entries, context.messages, perspective),
            "mine": finished_mine_drawing(view, language),
            "digest_lines": (grouped_digits(digest[:half]), grouped_digits(digest[half:])),
        }


def _ranking_table(view: View, perspective: Perspective) -> Table:
    """Return a row for each seat with its place and all its nuggets, the richest player first."""
    language = perspective.language
    totals = [sum(cards or ()) for cards in view.gold]
    rows = tuple(
        (
            str(1 + sum(total > totals[seat] for total in totals)),
            perspective.name(seat),
            nuggets(totals[seat], language),
        )
        for seat in sorted(range(view.seats), key=lambda seat: -totals[seat])
    )
    headings = (
        language.gettext("Place"),
        language.gettext("Player"),
        language.gettext("Gold"),
    )
    return Table(headings, rows)


EMAIL = GameOver()
