"""Sentences about how reliably a player takes their turns."""

from typing import Protocol

from webapp.i18n import Language
from webapp.pace.late_rules import LateRules


class TurnCounts(Protocol):
    """How a player's latest turns ended, as services return it."""

    @property
    def turns(self) -> int: ...
    @property
    def on_time_count(self) -> int: ...
    @property
    def percent(self) -> int | None: ...
    @property
    def excused_count(self) -> int: ...


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
