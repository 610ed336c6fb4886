"""Sentences about players: whose turn it is, the reader's role, how rounds and games ended."""

from collections.abc import Sequence
from typing import Final, Protocol

from engine.cards import Role
from engine.view import Awaiting, View
from webapp.i18n import N_, NN_, Language
from webapp.wording.history import WINNERS_TEXTS, saboteurs_sentence
from webapp.wording.perspective import (
    Perspective,
    joined_words,
    name_with_absence,
    player_name,
)

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
_ENDING_TEXTS: Final = {
    "treasure": N_("Round %(round)s is over: the treasure was found."),
    "exhausted": N_("Round %(round)s is over: the deck and all hands are empty."),
    "circle-of-passes": N_(
        "Round %(round)s is over: the deck is empty and everyone discarded or passed in turn."
    ),
}
_WINNERS_TEXT: Final = NN_("%(names)s won.", "%(names)s won.")
_GAME_WINNERS_TEXT: Final = NN_("%(names)s won the game.", "%(names)s share first place.")


class RoundOutcome(Protocol):
    """The result of a round, as views hold it."""

    @property
    def round(self) -> int: ...
    @property
    def ending(self) -> str: ...
    @property
    def winners(self) -> str: ...
    @property
    def roles(self) -> Sequence[Role]: ...


def awaiting_sentence(view: View, perspective: Perspective) -> str:
    """Return whose move it is and which, or that the game is over."""
    language, awaiting = perspective.language, view.awaiting
    if awaiting is None:
        return language.gettext("The game is over.")
    if perspective.is_bot(awaiting.seat):
        return language.gettext("%(name)s is thinking.", name=perspective.label(awaiting.seat))
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


def role_reminder(view: View, perspective: Perspective) -> str:
    """Return the reader's role and its aim; empty for an onlooker."""
    return "" if view.role is None else perspective.language.gettext(_ROLE_REMINDERS[view.role])


def short_role_reminder(view: View, language: Language) -> str:
    """Return the reader's role and its aim in one line of a phone; empty for an onlooker."""
    return "" if view.role is None else language.gettext(_SHORT_ROLE_REMINDERS[view.role])


def round_sentence(result: RoundOutcome, perspective: Perspective) -> str:
    """Return how a round ended, who won it and who the saboteurs were."""
    language = perspective.language
    saboteurs = tuple(seat for seat, role in enumerate(result.roles) if role == "saboteur")
    ending_text = language.gettext(_ENDING_TEXTS[result.ending], round=result.round)
    winners_text = language.gettext(WINNERS_TEXTS[result.winners])
    return " ".join((ending_text, winners_text, saboteurs_sentence(saboteurs, perspective)))


def game_sentence(view: View, perspective: Perspective) -> str:
    """Return who won the game; empty while it is running."""
    if not view.winners:
        return ""
    if view.winners == (perspective.me,):
        return perspective.language.gettext("You won the game!")
    names = perspective.names_of(view.winners)
    return perspective.language.ngettext(*_GAME_WINNERS_TEXT, len(view.winners), names=names)


def winners_sentence(other_winners: Sequence[str], *, i_won: bool, language: Language) -> str:
    """Return who won a finished game, for lists of games; ``other_winners`` are all winners except the reader."""
    if not other_winners:
        return language.gettext("You won.") if i_won else language.gettext("The game is over.")
    names = joined_words(tuple(player_name(name, language) for name in other_winners), language)
    if i_won:
        return language.gettext("You and %(names)s won.", names=names)
    return language.ngettext(*_WINNERS_TEXT, len(other_winners), names=names)
