"""Sentences about deadlines: every step of a turn's clock, its cause, and the arithmetic behind it; and what missed turns lead to.

They name the player and never say "you", so that everyone at the table reads the same.
"""

from datetime import datetime, timedelta
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from webapp.clock.pace.pace import LateRules, Pace, ReplacementPolicy
from webapp.kernel.i18n import N_, Language, Locale
from webapp.wording import times
from webapp.wording.paces import playing_hours
from webapp.wording.perspective import player_name

_REPLACEMENT_TEXTS: Final[dict[ReplacementPolicy, str]] = {
    "volunteers": N_(
        "After %(limit)s missed turns, a player's seat opens for volunteers. They can come back until someone takes it."
    ),
    "invitation": N_(
        "After %(limit)s missed turns, a player's seat opens, and the host can offer it to someone else. They can come back until someone takes it."
    ),
    "bot": N_("After %(limit)s missed turns, a bot takes over a player's seat."),
}
REPLACEMENT_NAMES: Final[dict[ReplacementPolicy, str]] = {
    "volunteers": N_("Volunteers: the first who takes the seat"),
    "invitation": N_("Someone whom the host invites"),
    "bot": N_("A bot, at once"),
}
"""Who steps in, as a choice."""


class TurnCounts(Protocol):
    """How a player's latest turns ended, as use cases return it."""

    @property
    def turns(self) -> int: ...
    @property
    def on_time_count(self) -> int: ...
    @property
    def percent(self) -> int | None: ...
    @property
    def excused_count(self) -> int: ...


class Step(Protocol):
    """One step, as use cases return it."""

    @property
    def kind(self) -> str: ...
    @property
    def by(self) -> str: ...
    @property
    def cause(self) -> str: ...
    @property
    def deadline_at(self) -> datetime | None: ...


class SeatOfTurn(Protocol):
    """The seat whose turn it was."""

    @property
    def seat(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def has_player(self) -> bool: ...


class TimeOfTurn(Protocol):
    """The parts of a turn's time: pace, bank, stops."""

    @property
    def pace(self) -> Pace: ...
    @property
    def bank(self) -> timedelta: ...
    @property
    def is_stopped(self) -> bool: ...


class DeadlineLocale(Locale, frozen=True):
    """The locale of a viewer, and the zone of a game that is only played at some hours."""

    game_zone: ZoneInfo | None = None


_SENTENCES: Final[dict[str, str]] = {
    "started": N_("%(name)s's turn began. Deadline: %(deadline)s."),
    "started:rewind": N_(
        "The game was taken back to an earlier turn, and %(name)s's turn began again. Deadline: %(deadline)s."
    ),
    "started:new-player": N_(
        "%(name)s took over the seat, and the turn began again. Deadline: %(deadline)s."
    ),
    "reminded": N_("It was time to remind %(name)s, and a reminder was queued."),
    "nudged": N_("%(name)s was nudged by another player."),
    "nudged:moderator": N_("%(name)s was nudged by the host or a moderator."),
    "extended": N_("The deadline was extended. New deadline: %(deadline)s."),
    "extended:moderator": N_(
        "The host or a moderator gave %(name)s more time. New deadline: %(deadline)s."
    ),
    "extended:undone": N_(
        "The host or a moderator took back a change of the deadline. New deadline: %(deadline)s."
    ),
    "extended:vote": N_("The players voted for more time. New deadline: %(deadline)s."),
    "paused": N_("The game was paused, and the clock stopped."),
    "paused:moderator": N_("The host or a moderator paused the game, and the clock stopped."),
    "paused:vote": N_("The players voted to pause the game, and the clock stopped."),
    "resumed": N_(
        "The game was resumed with as much time left as before the pause. New deadline: %(deadline)s."
    ),
    "resumed:moderator": N_(
        "The host or a moderator resumed the game, with as much time left as before the pause. New deadline: %(deadline)s."
    ),
    "resumed:vote": N_(
        "The players voted to resume the game, with as much time left as before the pause. New deadline: %(deadline)s."
    ),
    "resumed:time-to-react": N_(
        "The game was resumed. Little time was left before the pause, so %(name)s got a fifth of the time per turn. New deadline: %(deadline)s."
    ),
    "shifted": N_(
        "Our server was down for a while, so the deadline moved by the time that was lost. New deadline: %(deadline)s."
    ),
    "shifted:email": N_(
        "We couldn't send any email for a while, so the deadline moved by the time that was lost. New deadline: %(deadline)s."
    ),
    "shifted:maintenance": N_(
        "The site was closed for maintenance, so the deadline moved by the time that was lost. New deadline: %(deadline)s."
    ),
    "absence": N_(
        "%(name)s changed when they are away, and the clock stops for that time. New deadline: %(deadline)s."
    ),
    "undelivered": N_(
        "The emails about this turn couldn't be delivered, so %(name)s got the whole time again. New deadline: %(deadline)s."
    ),
    "undelivered:pending": N_(
        "No email about this turn had been sent by the deadline, so %(name)s got the whole time again. New deadline: %(deadline)s."
    ),
    "opened": N_("The seat opened for a substitute."),
    "opened:strikes": N_("After too many missed turns, the seat opened for a substitute."),
    "opened:undelivered": N_(
        "Emails about turns couldn't be delivered to %(name)s, so the seat opened for a substitute."
    ),
    "undone": N_(
        "The game was taken back to an earlier turn, so this turn and what it cost no longer count."
    ),
    "moved": N_("The deadline moved by the rules of this table. New deadline: %(deadline)s."),
    "played": N_("%(name)s played in time."),
    "played:away": N_("%(name)s was away, as they had said, so a bot played for them."),
    "played:bot": N_("A bot played for %(name)s."),
    "played:moderator": N_("The host or a moderator had the turn played as if time had run out."),
    "late": N_(
        "%(name)s played after the deadline, but before the clock did, so the turn counted."
    ),
    "missed": N_("Time ran out, so the clock played for %(name)s."),
    "missed:away": N_(
        "Time ran out while %(name)s was away, as they had said, so the clock played for them."
    ),
    "missed:undelivered": N_(
        "Emails about this turn still couldn't be delivered, so the clock played for %(name)s. It doesn't count as missed."
    ),
    "call-queued": N_("An email about the turn was queued for %(name)s."),
    "call-sent": N_("The email about the turn was sent, and the mail server accepted it."),
    "call-failed": N_("The email about the turn couldn't be delivered."),
    "call-dropped": N_("No email about the turn was sent, because none was needed or wanted."),
    "reminder-queued": N_("A reminder was queued for %(name)s."),
    "reminder-sent": N_("The reminder was sent, and the mail server accepted it."),
    "reminder-failed": N_("The reminder couldn't be delivered."),
    "reminder-dropped": N_("No reminder was sent, because none was needed or wanted."),
}
"""The texts by kind, or by kind and cause, or by kind and who caused it."""
_OTHER_CHANGE_TEXT: Final = N_("The deadline changed. New deadline: %(deadline)s.")
_OPEN_SEAT_MISSED_TEXT: Final = N_("Time ran out for the open seat, so the clock played for it.")
_NEUTRAL_ACTION_TEXT: Final = N_(
    "The clock discards a random card face down, whatever the player's role."
)
"""What follows every sentence about a turn that the clock played."""
_OUTCOME_TEXTS: Final[dict[str, str]] = {
    "played": N_("in time"),
    "played:bot": N_("played by a bot"),
    "played:moderator": N_("played by the host or a moderator"),
    "late": N_("late, but it counted"),
    "missed": N_("time ran out"),
    "undone": N_("taken back"),
    "": N_("ended with the game"),
}


def step_sentence(step: Step, turn: SeatOfTurn, locale: DeadlineLocale) -> str:
    """Return what happened in one step, and the deadline after it."""
    sentence = _sentence_of(step, turn, locale)
    if step.kind != "missed":
        return sentence
    return f"{sentence} {locale.language.gettext(_NEUTRAL_ACTION_TEXT)}"


def _sentence_of(step: Step, turn: SeatOfTurn, locale: DeadlineLocale) -> str:
    language = locale.language
    if step.kind == "missed" and not turn.has_player:
        return language.gettext(_OPEN_SEAT_MISSED_TEXT)
    keys = (f"{step.kind}:{step.cause}", f"{step.kind}:{step.by}", step.kind)
    message = next((_SENTENCES[key] for key in keys if key in _SENTENCES), _OTHER_CHANGE_TEXT)
    deadline_at = step.deadline_at
    return language.gettext(
        message,
        name=seat_name(turn, language),
        deadline=language.gettext("none")
        if deadline_at is None
        else time_in_zones(deadline_at, locale),
    )


def outcome_text(end: str | None, by: str, language: Language) -> str:
    """Return how an earlier turn ended, in a few words."""
    message = _OUTCOME_TEXTS.get(f"{end}:{by}") or _OUTCOME_TEXTS.get(end or "", _OUTCOME_TEXTS[""])
    return language.gettext(message)


def seat_name(turn: SeatOfTurn, language: Language) -> str:
    """Return the name of the player whose turn it was, or the number of an open seat."""
    if turn.has_player:
        return player_name(turn.name, language)
    return language.gettext("Seat %(seat)s", seat=turn.seat + 1)


def time_in_zones(at: datetime, locale: DeadlineLocale) -> str:
    """Return an instant in the viewer's time zone, and in the game's if it is only played at some hours of another zone."""
    language, now = locale.language, locale.now
    text = times.absolute_time(at, now=now, zone=locale.zone, language=language)
    if locale.game_zone is None or locale.game_zone.key == locale.zone.key:
        return text
    game_text = times.absolute_time(at, now=now, zone=locale.game_zone, language=language)
    return language.gettext(
        "%(when)s – at the table %(game_time)s",  # noqa: RUF001 - an en dash between two times
        when=text,
        game_time=game_text,
    )


def arithmetic_sentence(time: TimeOfTurn, language: Language) -> str:
    """Return how the deadline was counted as the turn began."""
    values = {
        "time": times.duration(time.pace.time_per_turn, language),
        "bank": times.duration(time.bank, language),
        "hours": playing_hours(time.pace, language),
    }
    if time.bank:
        message = language.gettext("%(time)s for the turn + %(bank)s from the time bank", **values)
    else:
        message = language.gettext("%(time)s for the turn", **values)
    if values["hours"]:
        message = language.gettext("%(sum)s, counted %(hours)s", sum=message, hours=values["hours"])
    if time.is_stopped:
        message = language.gettext(
            "%(sum)s, without times for which the table's rules stop the clock", sum=message
        )
    return f"{message}."


def late_rules_sentence(rules: LateRules, language: Language) -> str:
    """Return what becomes of a player who keeps missing turns, as their table has chosen."""
    if not rules.strikes_until_open:
        return language.gettext("No one loses their seat for missed turns.")
    return language.gettext(_REPLACEMENT_TEXTS[rules.replacement], limit=rules.strikes_until_open)


def strikes_sentence(strikes: int, *, limit: int, language: Language) -> str:
    """Return how many turns a player has missed and what follows; empty where nothing ever does.

    No strikes are those of a turn that is excused.
    """
    if not strikes:
        return language.gettext("You had said that you're away, so this doesn't count against you.")
    if not limit:
        return ""
    missed_text = language.ngettext(
        "You've missed %(num)s turn in this game.",
        "You've missed %(num)s turns in this game.",
        strikes,
    )
    return f"{missed_text} {_next_step_sentence(limit - strikes, language)}"


def _next_step_sentence(strikes_left: int, language: Language) -> str:
    if strikes_left <= 1:
        return language.gettext("If you miss another one, you lose your seat.")
    return language.ngettext(
        "If you miss %(num)s more, you lose your seat.",
        "If you miss %(num)s more, you lose your seat.",
        strikes_left,
    )


def reliability_sentence(counts: TurnCounts, language: Language) -> str:
    """Return the share of turns in time; of a player who is new here, how many of the few turns so far."""
    if not counts.turns:
        return language.gettext("No turns with other people yet.")
    if counts.percent is None:
        return language.ngettext(
            "New here: %(on_time)s of %(num)s turn on time.",
            "New here: %(on_time)s of %(num)s turns on time.",
            counts.turns,
            on_time=counts.on_time_count,
        )
    return language.ngettext(
        "%(percent)s%% of the last turn on time.",
        "%(percent)s%% of the last %(num)s turns on time.",
        counts.turns,
        percent=counts.percent,
    )


def joining_condition_sentence(rules: LateRules, language: Language) -> str:
    """Return how reliable players must be to join a table; empty if it asks for nothing."""
    if not rules.lowest_reliability:
        return ""
    return language.gettext(
        "Players need at least %(percent)s%% of their turns in time. New players can join.",
        percent=rules.lowest_reliability,
    )


def excused_sentence(counts: TurnCounts, language: Language) -> str:
    """Return how many turns are not held against the player; empty if there are none."""
    if not counts.excused_count:
        return ""
    return language.ngettext(
        "%(num)s late or missed turn isn't counted, because it was excused.",
        "%(num)s late or missed turns aren't counted, because they were excused.",
        counts.excused_count,
    )
