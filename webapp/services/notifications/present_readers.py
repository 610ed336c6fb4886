"""Which emails about a turn wait because their reader is on the site, where the page says that it is their turn.

If they play meanwhile, the email is superseded, so that a quick game sends none. What is decided here depends on when people
open pages and on the time of the turn, never on cards or roles.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from webapp.number_settings import DEFAULT_EMAIL_WAIT_MINUTES
from webapp.services.notifications.email_sources import EmailSource
from webapp.services.play.held_turns import held_turn_of

DEFAULT_EMAIL_WAIT: Final = timedelta(minutes=DEFAULT_EMAIL_WAIT_MINUTES)
"""How long readers have been away from the site before they get an email about their turn."""
MAX_EMAIL_WAIT: Final = timedelta(minutes=10)
"""How long after the turn began its email goes out even to someone who is still on the site."""
_MAX_PART_OF_TURN: Final = 0.1
"""The part of the time for the turn that its email may wait: the wait must not cost its player time that they need."""
_TIME_TO_ENTER: Final = timedelta(minutes=1)
"""How long after a held turn is due it has entered the game for sure, unless it was dropped."""


def wait_for_reader(source: EmailSource, email_wait: timedelta) -> datetime | None:
    """Return until when a turn's email waits for its reader to play or to leave the site; None if it is sent now."""
    row = None if source.game is None else source.game.row
    if source.notification.kind != "your-turn" or row is None or row.deadline_at is None:
        return None
    waits_until = min(max(_ends_of_wait(source, email_wait), default=source.now), row.deadline_at)
    return waits_until if source.now < waits_until < row.deadline_at else None


def _ends_of_wait(source: EmailSource, email_wait: timedelta) -> Iterator[datetime]:
    """Yield when the reader has been away for long enough, and when a turn that they hold has entered the game."""
    notification, game = source.notification, source.game
    assert game is not None
    assert game.row.deadline_at is not None
    if email_wait and notification.last_active_at is not None:
        time_of_turn = game.row.deadline_at - notification.first_due_at
        longest_wait = min(MAX_EMAIL_WAIT, time_of_turn * _MAX_PART_OF_TURN)
        yield min(
            notification.last_active_at + email_wait, notification.first_due_at + longest_wait
        )
    if held_turn := held_turn_of(game.row):
        yield held_turn.due_at + _TIME_TO_ENTER
