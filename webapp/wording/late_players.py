"""Sentences about missed turns and open seats, the same on pages and in emails."""

from typing import Final

from webapp.i18n import N_, Language
from webapp.pace.late_rules import LateRules, ReplacementPolicy

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
