"""Sentences of the answers to emails that players send: what was done, and what is wrong with a command."""

from collections.abc import Sequence

from engine.actions import Action
from engine.view import View
from webapp.kernel.i18n import Language
from webapp.wording.actions import action_name, done_sentence
from webapp.wording.perspective import Perspective

_MOST_LISTED = 8
_FEW = 3
"""The number listed after a reason: the same email lists all of them."""


def played_sentence(action: Action, perspective: Perspective, *, view: View) -> str:
    """Return what was understood and played; ``view`` is of before."""
    assert perspective.me is not None
    return done_sentence(action, perspective.me, perspective, view=view)


def held_sentence(action: Action, perspective: Perspective, *, view: View, due_text: str) -> str:
    """Return what was understood, and when it enters the game."""
    return perspective.language.gettext(
        "Understood: %(action)s. It enters the game %(when)s; until then you can answer undo.",
        action=action_name(action, perspective, view=view),
        when=due_text,
    )


def set_sentence(action: Action, perspective: Perspective, *, view: View, due_text: str) -> str:
    """Return which turn is held, and until when it can be changed."""
    return perspective.language.gettext(
        "Your turn is set: %(action)s. You can change it or answer undo until %(when)s.",
        action=action_name(action, perspective, view=view),
        when=due_text,
    )


def no_command_sentence(word: str, language: Language) -> str:
    return language.gettext(
        "We don't understand “%(words)s”. Begin with a command, such as lay, discard or help.",
        words=word,
    )


def unknown_word_sentence(word: str, language: Language) -> str:
    return language.gettext("I don't know “%(word)s” here.", word=word)


def not_possible_sentence(
    reason: str, actions: Sequence[Action], perspective: Perspective, *, view: View
) -> str:
    """Return why the rules don't allow a command now, and some of what they allow with the same words before it."""
    language = perspective.language
    reason = reason or language.gettext("You can't do that now.")
    if not actions:
        return reason
    listed = _listed(actions, perspective, view, count=_FEW)
    return " ".join((reason, language.gettext("You can: %(actions)s.", actions=listed)))


def several_sentence(actions: Sequence[Action], perspective: Perspective, *, view: View) -> str:
    """Return that a command means several actions, and which."""
    return perspective.language.gettext(
        "That could mean several things: %(actions)s. Please say which.",
        actions=_listed(actions, perspective, view, count=_MOST_LISTED),
    )


def _listed(actions: Sequence[Action], perspective: Perspective, view: View, *, count: int) -> str:
    language = perspective.language
    names = [action_name(action, perspective, view=view) for action in actions[:count]]
    if len(actions) > count:
        names.append(language.gettext("and more"))
    return "; ".join(names)
