"""The subjects of emails about a table: what the situation is, then at which table.

They change with the situation, because that is worth more in an inbox than one subject for a whole game. Mail programs that
follow RFC 5322 keep one thread for each game by References. Gmail begins another conversation with another subject; people who
want all emails of a game in one place filter by its List-Id.
"""

from datetime import datetime
from typing import Final

from engine.view import View
from webapp.clock.pace.calendar import has_passed
from webapp.kernel.i18n import Language
from webapp.mail.email import EmailLocale
from webapp.mail.mime import one_line
from webapp.play.summaries import TableSummary
from webapp.wording import times
from webapp.wording.tables import table_title

MAX_SUBJECT_LENGTH: Final = 78
"""How many characters a subject has at most, unless the situation alone is longer (RFC 5322 2.1.1)."""
_MIN_LABEL_LENGTH: Final = 12
_ELLIPSIS: Final = "…"


def game_subject(situation: str, table: TableSummary, language: Language, *facts: str) -> str:
    """Return what the situation is at which table, with short facts; long names of tables are cut."""
    label = _table_label(table, language)
    excess = len(_joined(situation, (label, *facts), language)) - MAX_SUBJECT_LENGTH
    return _joined(situation, (_shortened(label, len(label) - excess), *facts), language)


def turn_subject(
    situation: str, table: TableSummary, *, view: View, deadline_at: datetime, locale: EmailLocale
) -> str:
    """Return whose turn it is or how much time is left, in which round and until when."""
    language = locale.language
    round_text = language.gettext("round %(round)s", round=view.round)
    return game_subject(situation, table, language, round_text, *until(deadline_at, locale))


def reminder_situation(deadline_at: datetime, locale: EmailLocale) -> str:
    """Return how much time is left, or that it has run out."""
    if has_passed(deadline_at, now=locale.now):
        return locale.language.gettext("Time ran out")
    left_text = times.time_left(deadline_at - locale.now, locale.language)
    return left_text[:1].upper() + left_text[1:]


def until(at: datetime, locale: EmailLocale) -> tuple[str, ...]:
    """Return the time until which something can be done, as a fact for a subject; nothing if it is too late."""
    if has_passed(at, now=locale.now):
        return ()
    when = times.short_day_and_time(at, now=locale.now, zone=locale.zone, language=locale.language)
    return (locale.language.gettext("until %(when)s", when=when),)


def _table_label(table: TableSummary, language: Language) -> str:
    """Return what a table is called in subjects."""
    return one_line(table_title(table.host, table.table_name, language))


def _joined(situation: str, facts: tuple[str, ...], language: Language) -> str:
    return language.gettext("%(situation)s: %(facts)s", situation=situation, facts=", ".join(facts))


def _shortened(label: str, max_length: int) -> str:
    """Return the label with at most so many characters, but never less than can be recognised."""
    if len(label) <= max_length:
        return label
    kept_length = max(max_length, _MIN_LABEL_LENGTH) - len(_ELLIPSIS)
    return label[:kept_length].rstrip() + _ELLIPSIS
