"""A sentence, now and then two, for every line of history, as the perspective may hear it."""

from collections.abc import Iterable, Sequence
from typing import Final

from engine.cards import TURNED
from engine.cells import Cell
from engine.story import Line, LineKey
from webapp.i18n import N_, NN_
from webapp.wording.cards import card_name, goal_name, role_name, shape_name
from webapp.wording.history_messages import SAYINGS, HistoryEntry, Message
from webapp.wording.perspective import Perspective, list_of

WINNERS: Final = {
    "diggers": N_("The gold-diggers win the round."),
    "saboteurs": N_("The saboteurs win the round."),
    "nobody": N_("Nobody wins the round: no treasure, and no saboteur among the players."),
}
_SABOTEURS: Final = NN_("The saboteur was: %(names)s.", "The saboteurs were: %(names)s.")
_NO_SABOTEUR: Final = N_("There was no saboteur among the players.")
_ASIDE: Final = N_("The role card set aside: %(role)s.")
_OVERSHOT: Final = NN_(
    "One more gold card was too much and went under the pile: %(gold)s.",
    "%(num)s more gold cards were too much and went under the pile: %(gold)s.",
)
_TOO_MUCH: Final = N_("Too much, one after the other: %(gold)s.")
_RESTORED: Final = N_(
    "The draw never came out even, so the pile was put back as it was and the payment was chosen from it."
)


def sentence(line: Line, perspective: Perspective) -> str:
    """The line in words: "You ..." when the perspective's own seat acted, "... your ..." when it befell that seat."""
    told = _say(
        _message_for(SAYINGS[line.key, _variant(line)], line, perspective), line, perspective
    )
    return " ".join([told, *_more(line, perspective)])


def line_cell(line: Line) -> Cell | None:
    """The cell of which a small picture belongs beside the line; None when the mine did not change."""
    return line.cell if line.key in _CHANGES_THE_MINE else None


def changed_cell(lines: Iterable[Line]) -> Cell | None:
    """The first cell of a turn that a small picture would show; None when the mine did not change."""
    return next((cell for line in lines if (cell := line_cell(line)) is not None), None)


def latest_deal(turns: Sequence[Sequence[Line]]) -> int:
    """The place of the last of these turns in which a round was dealt; -1 for none. Up to it, it was another mine."""
    deals = (at for at, lines in enumerate(turns) if any(_deals(line) for line in lines))
    return max(deals, default=-1)


def _deals(line: Line) -> bool:
    return line.key is LineKey.ROUND_DEALT


_CHANGES_THE_MINE: Final = frozenset(
    {LineKey.CARD_LAID, LineKey.ROCK_FELL, LineKey.STONE_TURNED, LineKey.TREASURE_TURNED}
)


def _variant(line: Line) -> str:
    if line.key is LineKey.GAME_ENDED:
        return "one" if len(line.seats) == 1 else "shared"
    if line.key in _PAYMENTS:
        return "" if line.nuggets else "nothing"
    return (line.tool or line.ending or line.role or "") if line.key in _VARIED else ""


_PAYMENTS: Final = frozenset({LineKey.PAID, LineKey.PAID_IN_CARDS})
_VARIED: Final = frozenset(
    {
        LineKey.ROLE_DEALT,
        LineKey.ROUND_ENDED,
        LineKey.TOOL_BROKEN,
        LineKey.OWN_TOOL_BROKEN,
        LineKey.TOOL_REPAIRED,
        LineKey.OWN_TOOL_REPAIRED,
    }
)


def _message_for(told: HistoryEntry, line: Line, perspective: Perspective) -> Message:
    if perspective.me is None:
        return told.others
    if perspective.me == _actor(line):
        return told.mine or told.others
    if perspective.me == line.target:
        return told.at_me or told.others
    return told.others


def _actor(line: Line) -> int | None:
    return line.seats[0] if line.key is LineKey.GAME_ENDED and len(line.seats) == 1 else line.seat


def _say(message: Message, line: Line, perspective: Perspective) -> str:
    values = _values(line, perspective)
    if isinstance(message, str):
        return perspective.language.gettext(message, **values)
    number = line.count if line.count is not None else line.nuggets or 0
    return perspective.language.ngettext(*message, number, **values)


def _values(line: Line, perspective: Perspective) -> dict[str, object]:
    language = perspective.language
    return _people(line, perspective) | {
        "round": line.round,
        "cell": line.cell,
        "cells": list_of(line.cells, language),
        "card": card_name(line.card, language) if line.card else "",
        "cards": list_of(tuple(card_name(card, language) for card in line.cards), language),
        "shape": _shape(line, perspective),
        "goal": goal_name(line.goal, language) if line.goal else "",
        "gold": list_of(tuple(map(str, line.gold)), language),
        "to_seq": line.to_seq,
    }


def _people(line: Line, perspective: Perspective) -> dict[str, object]:
    return {
        "name": "" if line.seat is None else perspective.name(line.seat),
        "target": "" if line.target is None else perspective.name(line.target),
        "names": perspective.names_of(line.seats),
        "standings": _standings(line, perspective) if line.key is LineKey.GAME_ENDED else "",
    }


def _standings(line: Line, perspective: Perspective) -> str:
    language = perspective.language
    return list_of(
        tuple(
            language.gettext("%(name)s %(number)s", name=perspective.name(seat), number=number)
            for seat, number in enumerate(line.gold)
        ),
        language,
    )


def _shape(line: Line, perspective: Perspective) -> str:
    if line.key is not LineKey.CARD_LAID or line.card is None:
        return ""
    return shape_name(TURNED[line.card] if line.turned else line.card, perspective.language)


def _more(line: Line, perspective: Perspective) -> tuple[str, ...]:
    if line.key is LineKey.ROUND_ENDED:
        return _roles_opened(line, perspective)
    if line.restored:
        return (*_too_much(line, perspective), perspective.language.gettext(_RESTORED))
    return _too_much(line, perspective)


def _too_much(line: Line, perspective: Perspective) -> tuple[str, ...]:
    """What a saboteur drew that was too much: under the pile it went, unless that was put back as it was (R44, E1)."""
    if not line.overshot:
        return ()
    language = perspective.language
    gold = list_of(tuple(map(str, line.overshot)), language)
    if line.restored:
        return (language.gettext(_TOO_MUCH, gold=gold),)
    return (language.ngettext(*_OVERSHOT, len(line.overshot), gold=gold),)


def _roles_opened(line: Line, perspective: Perspective) -> tuple[str, ...]:
    language = perspective.language
    aside = role_name(line.aside or "digger", language)
    return (
        language.gettext(WINNERS[line.side or "nobody"]),
        saboteurs_sentence(
            tuple(seat for seat, role in enumerate(line.roles) if role == "saboteur"), perspective
        ),
        language.gettext(_ASIDE, role=aside),
    )


def saboteurs_sentence(seats: tuple[int, ...], perspective: Perspective) -> str:
    """Who the saboteurs of a round were, once everybody may know."""
    if not seats:
        return perspective.language.gettext(_NO_SABOTEUR)
    names = perspective.names_of(seats)
    return perspective.language.ngettext(*_SABOTEURS, len(seats), names=names)
