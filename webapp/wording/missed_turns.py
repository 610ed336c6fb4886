"""Sentences about missed turns: what they lead to, and how reliably a player takes their turns."""

from typing import Final, Protocol

from webapp.clock.pace.late_rules import LateRules, ReplacementPolicy
from webapp.kernel.i18n import N_, Language

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
