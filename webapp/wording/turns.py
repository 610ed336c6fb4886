"""Sentences about the turn in play: whose it is, what the viewer has to do, and what each card of their hand can do."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from engine.cards import PATH_CARDS, REPAIRS, Card, Role, Tool
from engine.view import Awaiting, View
from webapp.kernel.i18n import N_, Language
from webapp.wording.history import PlayedTurn
from webapp.wording.perspective import Perspective, name_with_absence

_WAITING_TEXTS: Final = {
    "turn": N_("Waiting for %(name)s to play."),
    "goal": N_("Waiting for %(name)s to choose which goal to reveal."),
    "way-round": N_("Waiting for %(name)s to choose how the stone lies."),
    "gold": N_("Waiting for %(name)s to choose a gold card."),
}
_WHAT_TO_DO_TEXTS: Final = {
    "turn": N_("Lay a path card, play an action card or discard a card."),
    "pass": N_("Your hand is empty, so you can only pass."),
    "goal": N_("You've reached several goals. Choose which to reveal."),
    "way-round": N_("The stone fits neither way round. Choose which way to turn it."),
    "gold": N_("Time to share the gold. Choose a card to keep."),
}
_LATE_TEXTS: Final = {
    "turn": N_("If you don't play in time, a random card is discarded for you."),
    "pass": N_("If you don't pass in time, we pass for you."),
    "goal": N_("If you don't choose in time, a goal is picked at random."),
    "way-round": N_("If you don't choose in time, the stone is turned to join the card just laid."),
    "gold": N_("If you don't choose in time, you get the most valuable gold card left."),
}
_ROLE_REMINDERS: Final[dict[Role, str]] = {
    "digger": N_("You're a gold-digger: you win if a path reveals the treasure."),
    "saboteur": N_("You're a saboteur: you win if no path reveals the treasure. Don't get caught."),
}
_SHORT_ROLE_REMINDERS: Final[dict[Role, str]] = {
    "digger": N_("You're a gold-digger: find the gold."),
    "saboteur": N_("You're a saboteur: stop the diggers."),
}
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
_BROKEN_TOOL_TEXTS: Final[dict[Tool, tuple[str, str]]] = {
    "pickaxe": (N_("can't be played (pickaxe broken)"), N_("pickaxe broken")),
    "lantern": (N_("can't be played (lantern broken)"), N_("lantern broken")),
    "cart": (N_("can't be played (cart broken)"), N_("cart broken")),
}
_NOTHING_TO_REPAIR_TEXTS: Final = (
    N_("can't be played (nothing to repair)"),
    N_("nothing broken"),
)
_NO_PLACE_TEXTS: Final = (N_("can't be played (fits nowhere)"), N_("fits nowhere"))
_NOTHING_TO_REMOVE_TEXTS: Final = (N_("can't be played (no tunnel to remove)"), N_("no tunnel"))
_UNPLAYABLE_TEXTS: Final = (N_("can't be played now"), N_("not now"))
_OWN_REPAIR_TEXTS: Final[dict[Tool, str]] = {
    "pickaxe": N_("repairs your pickaxe"),
    "lantern": N_("repairs your lantern"),
    "cart": N_("repairs your cart"),
}


class HandNote(NamedTuple):
    """A note on a card of the hand; ``is_helpful`` if the card can repair a tool of its holder.

    ``text`` is for screen readers, ``short_text`` for a tile that is 50 pixels wide.
    """

    text: str = ""
    short_text: str = ""
    is_helpful: bool = False


NO_NOTE: Final = HandNote()


def awaiting_sentence(view: View, perspective: Perspective) -> str:
    """Return whose move it is and which, or that the game is over."""
    language, awaiting = perspective.language, view.awaiting
    if awaiting is None:
        return language.gettext("The game is over.")
    if perspective.is_bot(awaiting.seat):
        return language.gettext("%(name)s is thinking.", name=perspective.name(awaiting.seat))
    if awaiting.seat != perspective.me:
        name = name_with_absence(awaiting.seat, perspective)
        return language.gettext(_WAITING_TEXTS[awaiting.kind], name=name)
    what_to_do = what_to_do_sentence(view, language)
    if awaiting.kind != "turn":
        return what_to_do
    return " ".join((language.gettext("It's your turn."), what_to_do))


def what_to_do_sentence(view: View, language: Language) -> str:
    """Return what the player on turn has to do, worded for that player; empty once the game is over."""
    if view.awaiting is None:
        return ""
    return language.gettext(_WHAT_TO_DO_TEXTS[_kind_of_move(view, view.awaiting)])


def late_sentence(view: View, language: Language) -> str:
    """Return what happens when the time of the player on turn runs out; empty once the game is over."""
    if view.awaiting is None:
        return ""
    return language.gettext(_LATE_TEXTS[_kind_of_move(view, view.awaiting)])


def _kind_of_move(view: View, awaiting: Awaiting) -> str:
    """Return the kind of the awaited decision, a turn with an empty hand being "pass" (R12)."""
    if awaiting.kind == "turn" and not view.hand_sizes[awaiting.seat]:
        return "pass"
    return awaiting.kind


def turn_headline(view: View, perspective: Perspective) -> str:
    """Return whose move it is, without a full stop; that the game is over if no one is awaited."""
    language, awaiting = perspective.language, view.awaiting
    if awaiting is None:
        return language.gettext("The game is over")
    if awaiting.seat == perspective.me:
        return language.gettext(_OWN_HEADLINES[awaiting.kind])
    if perspective.is_bot(awaiting.seat):
        return language.gettext("%(name)s is thinking", name=perspective.name(awaiting.seat))
    name = name_with_absence(awaiting.seat, perspective)
    return language.gettext(_WAITING_HEADLINES[awaiting.kind], name=name)


def latest_turn_sentence(entries: Sequence[PlayedTurn], perspective: Perspective) -> str:
    """Return who took the last of these turns, without a full stop."""
    language = perspective.language
    if not entries or entries[-1].seat is None:
        return language.gettext("The cards are dealt")
    if entries[-1].seat == perspective.me:
        return language.gettext("Your turn was played")
    return language.gettext("%(name)s has played", name=perspective.name(entries[-1].seat))


def broken_tools_sentence(
    view: View, breakers: Mapping[Tool, int], perspective: Perspective
) -> str:
    """Return which tools of the viewer are broken, by whom, and what that means; empty if none is."""
    tools = () if view.seat is None else view.broken[view.seat]
    if not tools or view.winners:
        return ""
    sentences = (_broken_tool_sentence(tool, breakers.get(tool), perspective) for tool in tools)
    effect = perspective.language.ngettext(
        "You can't lay path cards until it's repaired.",
        "You can't lay path cards until they're repaired.",
        len(tools),
    )
    return " ".join((*sentences, effect))


def _broken_tool_sentence(tool: Tool, breaker: int | None, perspective: Perspective) -> str:
    language = perspective.language
    if breaker is None:
        return language.gettext(_BROKEN_TEXTS[tool])
    if breaker == perspective.me:
        return language.gettext(_BROKEN_BY_YOU_TEXTS[tool])
    return language.gettext(_BROKEN_BY_TEXTS[tool], name=perspective.name(breaker))


def role_reminder(view: View, perspective: Perspective) -> str:
    """Return the viewer's role and its aim; empty for an onlooker."""
    return "" if view.role is None else perspective.language.gettext(_ROLE_REMINDERS[view.role])


def short_role_reminder(view: View, language: Language) -> str:
    """Return the viewer's role and its aim in one line of a phone; empty for an onlooker."""
    return "" if view.role is None else language.gettext(_SHORT_ROLE_REMINDERS[view.role])


def unplayable_note(card: Card, view: View, language: Language) -> HandNote:
    """Return why a card of the viewer's hand can only be discarded now."""
    text, short_text = _unplayable_texts(card, _broken_tools(view))
    return HandNote(language.gettext(text), language.gettext(short_text))


def playable_note(card: Card, view: View, language: Language) -> HandNote:
    """Return that a card repairs a broken tool of the viewer; nothing for any other card."""
    tools = [tool for tool in _broken_tools(view) if tool in REPAIRS.get(card, ())]
    if not tools:
        return NO_NOTE
    text = language.gettext(_OWN_REPAIR_TEXTS[tools[0]])
    return HandNote(text, language.gettext("helps you"), is_helpful=True)


def _unplayable_texts(card: Card, broken_tools: tuple[Tool, ...]) -> tuple[str, str]:
    if card in PATH_CARDS:
        return _BROKEN_TOOL_TEXTS[broken_tools[0]] if broken_tools else _NO_PLACE_TEXTS
    if card == "rockfall":
        return _NOTHING_TO_REMOVE_TEXTS
    return _NOTHING_TO_REPAIR_TEXTS if card in REPAIRS else _UNPLAYABLE_TEXTS


def _broken_tools(view: View) -> tuple[Tool, ...]:
    return () if view.seat is None else view.broken[view.seat]
