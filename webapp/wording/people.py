"""Whom the game waits for, who one is, how rounds and games ended."""

from collections.abc import Sequence
from typing import Final, Protocol

from engine.cards import Role
from engine.view import Awaiting, View
from webapp.i18n import N_, NN_, Language
from webapp.wording.history import WINNERS, saboteurs_sentence
from webapp.wording.perspective import Perspective

_AWAITED: Final = {
    "turn": N_("Waiting for %(name)s to play."),
    "goal": N_("Waiting for %(name)s to say which goal is turned over."),
    "way-round": N_("Waiting for %(name)s to say which way round the stone lies."),
    "gold": N_("Waiting for %(name)s to pick a gold card."),
}
_AWAITED_ME: Final = {
    "turn": N_("It is your turn: lay a path card, play an action card, or discard one card."),
    "goal": N_("You reached several goals: say which one is turned over."),
    "way-round": N_("The stone you reached fits neither way round: say how it lies."),
    "gold": N_("The gold is shared: pick the gold card that you keep."),
}
_LATE: Final = {
    "turn": N_(
        "The game still waits for you. When the time is over, a turn is played for you that helps nobody."
    ),
    "goal": N_(
        "The game still waits for you. When the time is over, chance says which goal is turned over."
    ),
    "way-round": N_(
        "The game still waits for you. When the time is over, the stone is turned so that it joins the card just laid."
    ),
    "gold": N_(
        "The game still waits for you. When the time is over, you get the most valuable gold card that is left."
    ),
}
_MY_ROLE: Final[dict[Role, str]] = {
    "digger": N_("You are a gold-digger: you win if a path reaches the treasure."),
    "saboteur": N_(
        "You are a saboteur: you win if no path reaches the treasure. Nobody may notice."
    ),
}
_ENDINGS: Final = {
    "treasure": N_("Round %(round)s ended with the treasure found."),
    "exhausted": N_("Round %(round)s ended with the deck and all hands empty."),
    "circle-of-passes": N_("Round %(round)s ended when everybody passed in turn."),
}
_SEATS_WON: Final = NN_("%(names)s wins the game.", "The winners share first place: %(names)s.")


class Result(Protocol):
    """How a round ended, as views hold it."""

    @property
    def round(self) -> int: ...
    @property
    def ending(self) -> str: ...
    @property
    def winners(self) -> str: ...
    @property
    def roles(self) -> Sequence[Role]: ...


def awaiting_sentence(awaiting: Awaiting | None, perspective: Perspective) -> str:
    """Whom the game waits for, and for what; that it is over when for nobody."""
    language = perspective.language
    if awaiting is None:
        return language.gettext("The game is over.")
    if awaiting.seat == perspective.me:
        return language.gettext(_AWAITED_ME[awaiting.kind])
    return language.gettext(_AWAITED[awaiting.kind], name=perspective.name(awaiting.seat))


def late_sentence(awaiting: Awaiting | None, language: Language) -> str:
    """What is done for whom the game waits for, when the time is over; empty when that is nobody."""
    return "" if awaiting is None else language.gettext(_LATE[awaiting.kind])


def role_reminder(view: View, perspective: Perspective) -> str:
    """One's own role and what it wants; empty for an onlooker."""
    return "" if view.role is None else perspective.language.gettext(_MY_ROLE[view.role])


def round_sentence(result: Result, perspective: Perspective) -> str:
    """How a round ended, who won it, and who the saboteurs were."""
    language = perspective.language
    saboteurs = tuple(seat for seat, role in enumerate(result.roles) if role == "saboteur")
    ended = language.gettext(_ENDINGS[result.ending], round=result.round)
    won = language.gettext(WINNERS[result.winners])
    return " ".join((ended, won, saboteurs_sentence(saboteurs, perspective)))


def game_sentence(view: View, perspective: Perspective) -> str:
    """Who won the game; empty while it goes on."""
    if not view.winners:
        return ""
    if view.winners == (perspective.me,):
        return perspective.language.gettext("You win the game!")
    names = perspective.names_of(view.winners)
    return perspective.language.ngettext(*_SEATS_WON, len(view.winners), names=names)
