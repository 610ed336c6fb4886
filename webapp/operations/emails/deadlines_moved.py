"""Deadlines have moved after a maintenance or an outage: one email for all games that wait for the recipient."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.mail.email import Email, EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import EmailContext, OptOuts
from webapp.mail.mime import one_line
from webapp.operations.queries.moved_deadlines import (
    MovedDeadline,
    MovedDeadlines,
    read_moved_deadlines,
)
from webapp.wording import times
from webapp.wording.tables import table_title


class DeadlinesMovedContext(EmailContext, frozen=True, kw_only=True):
    """What happened, and the games that wait for the recipient."""

    cause: str
    began_at: datetime
    ended_at: datetime
    games: tuple[MovedDeadline, ...]


class DeadlinesMoved(Email[MovedDeadlines | None, DeadlinesMovedContext]):
    kind = "deadlines-moved"
    label = N_("Moved deadlines")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[MovedDeadlines | None]]
    ) -> Mapping[int, MovedDeadlines | None]:
        return read_moved_deadlines(tx, [each.notification.id for each in sources])

    def opt_outs(self, source: EmailSource[MovedDeadlines | None]) -> OptOuts:
        del source
        return {"everything": None}

    def context(self, source: EmailSource[MovedDeadlines | None]) -> DeadlinesMovedContext:
        """Return the games with new deadlines. Raises Superseded if none waits for the recipient any more."""
        moved = source.facts
        if moved is None or not moved.games:
            raise Superseded(DropReason.MOVED_ON)
        return DeadlinesMovedContext(
            envelope=self.envelope(source),
            cause=moved.cause,
            began_at=moved.began_at,
            ended_at=moved.ended_at,
            games=moved.games,
        )

    def variables(
        self, context: DeadlinesMovedContext, locale: EmailLocale
    ) -> Mapping[str, object]:
        return {"game_lines": tuple(_game_lines(context.games, locale))}


def _game_lines(games: Sequence[MovedDeadline], locale: EmailLocale) -> Iterator[str]:
    """Yield by when the recipient has to play in each game."""
    language, now, zone = locale.language, locale.now, locale.zone
    for game in games:
        yield language.gettext(
            "%(table)s [%(slug)s]: %(deadline)s",
            table=one_line(table_title(game.host_name, game.table_name, language)),
            slug=game.slug,
            deadline=times.deadline(game.deadline_at, now=now, zone=zone, language=language),
        )


EMAIL = DeadlinesMoved()
