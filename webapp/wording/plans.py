"""Plans in sentences, for the player who made them."""

from typing import Final

from engine.plans import CancelCondition
from webapp.i18n import N_, Language

_CONDITION_TEXTS: Final[dict[CancelCondition, str]] = {
    CancelCondition.GOAL_REVEALED: N_("a goal is revealed"),
    CancelCondition.OWN_TOOL_BROKEN: N_("one of my tools is broken"),
    CancelCondition.ROCKFALL_PLAYED: N_("a rockfall is played"),
    CancelCondition.AREA_CHANGED: N_(
        "a card is laid, removed or turned over at a place in this plan or right next to it"
    ),
}
_END_TEXTS: Final[dict[str, str]] = {
    "goal-revealed": N_("Your plan was cancelled because a goal was revealed."),
    "own-tool-broken": N_("Your plan was cancelled because one of your tools was broken."),
    "rockfall-played": N_("Your plan was cancelled because a rockfall was played."),
    "area-changed": N_("Your plan was cancelled because the mine changed near a place in it."),
    "seat-open": N_("Your seat was open when your turn came, so your plan wasn't followed."),
    "nothing-legal": N_("Nothing in your plan was possible, so nothing was played."),
    "rewound": N_("Your plan was cancelled because a moderator took turns back."),
}


def step_label(number: int, language: Language) -> str:
    """Return when a step of a plan is played; the first is number 0."""
    if number == 0:
        return language.gettext("First choice:")
    return language.gettext("If that isn't possible:")


def condition_name(condition: CancelCondition, language: Language) -> str:
    """Return a surprise as it ends the words "Cancel the plan if ..."."""
    return language.gettext(_CONDITION_TEXTS[condition])


def plan_end_sentence(end: str, language: Language) -> str:
    """Return why a plan ended without being followed."""
    return language.gettext(_END_TEXTS[end])
