"""Sentences about how reliably a player takes their turns."""

from typing import Protocol

from webapp.i18n import Language


class TurnCounts(Protocol):
    """How a player's latest turns ended, as services return it."""

    @property
    def turns(self) -> int: ...
    @property
    def percent(self) -> int | None: ...
    @property
    def excused(self) -> int: ...


def reliability_sentence(counts: TurnCounts, language: Language) -> str:
    """Return the share of turns in time, or that the player is new here."""
    if counts.percent is None:
        return language.ngettext(
            "New here: %(num)s turn so far.", "New here: %(num)s turns so far.", counts.turns
        )
    return language.ngettext(
        "%(percent)s%% of the last turn on time.",
        "%(percent)s%% of the last %(num)s turns on time.",
        counts.turns,
        percent=counts.percent,
    )


def excused_sentence(counts: TurnCounts, language: Language) -> str:
    """Return how many turns are not held against the player; empty if there are none."""
    if not counts.excused:
        return ""
    return language.ngettext(
        "%(num)s late or missed turn isn't counted, because it was excused.",
        "%(num)s late or missed turns aren't counted, because they were excused.",
        counts.excused,
    )
