"""The first lines of the table page: whose turn it is, and what keeps the viewer from digging."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.cards import Tool
from engine.view import View
from webapp.i18n import N_
from webapp.wording.history import PlayedTurn
from webapp.wording.perspective import Perspective, name_with_absence

_OWN_HEADLINES: Final = {
    "turn": N_("It's your turn"),
    "goal": N_("Choose which goal to reveal"),
    "way-round": N_("Choose how the stone lies"),
    "gold": N_("Choose a gold card"),
}
_WAITING_HEADLINES: Final = {
    "turn": N_("Waiting for %(name)s to play"),
    "goal": N_("Waiting for %(name)s to choose which goal to reveal"),
    "way-round": N_("Waiting for %(name)s to choose how the stone lies"),
    "gold": N_("Waiting for %(name)s to choose a gold card"),
}
_BROKEN_BY_TEXTS: Final[dict[Tool, str]] = {
    "pickaxe": N_("%(name)s broke your pickaxe."),
    "lantern": N_("%(name)s broke your lantern."),
    "cart": N_("%(name)s broke your cart."),
}
_BROKEN_BY_YOU_TEXTS: Final[dict[Tool, str]] = {
    "pickaxe": N_("You broke your own pickaxe."),
    "lantern": N_("You broke your own lantern."),
    "cart": N_("You broke your own cart."),
}
_BROKEN_TEXTS: Final[dict[Tool, str]] = {
    "pickaxe": N_("Your pickaxe is broken."),
    "lantern": N_("Your lantern is broken."),
    "cart": N_("Your cart is broken."),
}


def turn_headline(view: View, perspective: Perspective) -> str:
    """Return whose move it is, without a full stop; that the game is over if no one is awaited."""
    language, awaiting = perspective.language, view.awaiting
    if awaiting is None:
        return language.gettext("The game is over")
    if awaiting.seat == perspective.me:
        return language.gettext(_OWN_HEADLINES[awaiting.kind])
    if perspective.is_bot(awaiting.seat):
        return language.gettext("%(name)s is thinking", name=perspective.label(awaiting.seat))
    name = name_with_absence(awaiting.seat, perspective)
    return language.gettext(_WAITING_HEADLINES[awaiting.kind], name=name)


def latest_turn_sentence(entries: Sequence[PlayedTurn], perspective: Perspective) -> str:
    """Return who took the last of these turns, without a full stop."""
    language = perspective.language
    if not entries or entries[-1].seat is None:
        return language.gettext("The cards are dealt")
    if entries[-1].seat == perspective.me:
        return language.gettext("Your turn was played")
    return language.gettext("%(name)s has played", name=perspective.label(entries[-1].seat))


def broken_tools_sentence(
    view: View, breakers: Mapping[Tool, int], perspective: Perspective
) -> str:
    """Return which tools of the viewer are broken, by whom, and what that means; empty if none is."""
    tools = () if view.seat is None else view.broken[view.seat]
    if not tools or view.winners:
        return ""
    sentences = (_broken_tool_sentence(tool, breakers.get(tool), perspective) for tool in tools)
    effect = perspective.language.gettext("You can't lay path cards.")
    return " ".join((*sentences, effect))


def _broken_tool_sentence(tool: Tool, breaker: int | None, perspective: Perspective) -> str:
    language = perspective.language
    if breaker is None:
        return language.gettext(_BROKEN_TEXTS[tool])
    if breaker == perspective.me:
        return language.gettext(_BROKEN_BY_YOU_TEXTS[tool])
    return language.gettext(_BROKEN_BY_TEXTS[tool], name=perspective.name(breaker))
