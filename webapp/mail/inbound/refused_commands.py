"""The action that a refused command names, so that the rules can say why they don't allow it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, NamedTuple

from engine.actions import (
    Action,
    Break,
    ChooseGoal,
    ChooseOrientation,
    Discard,
    Lay,
    Look,
    Pass,
    Repair,
    Rockfall,
    TakeGold,
)
from engine.cards import BREAKS, PATH_CARDS, REPAIRS, TOOLS, Card, Tool
from engine.cells import GOAL_CELLS, Cell
from engine.view import View
from webapp.mail.reply_commands import Command, named_facts
from webapp.mail.reply_words import Verb


class _Named(NamedTuple):
    """The parts of an action; those that the command leaves out are filled in so that the reason stays the same."""

    card: Card
    cell: Cell
    goal_cell: Cell
    seat: int
    tool: Tool
    number: int
    is_turned: bool


def named_action(command: Command, view: View, names: Sequence[str]) -> Action | None:
    """Return the action that a command names, whether the rules allow it or not; None if its verb is short for several.

    The exception is a cell after "l" or "p", with which a card is laid.
    """
    facts = named_facts(command, names)
    verbs = {Verb.LAY} if Verb.LAY in command.verbs and "cell" in facts else set(command.verbs)
    makers = [(verb, _MAKERS[verb]) for verb in verbs if verb in _MAKERS]
    if len(makers) != 1:
        return None
    [(verb, make_action)] = makers
    return make_action(_named(verb, facts, view))


def _named(verb: Verb, facts: Mapping[str, str], view: View) -> _Named:
    tool, cell, number = facts.get("tool"), facts.get("cell", ""), int(facts.get("number", 0))
    own_seat = view.seat or 0
    card = _named_card(verb, facts, view)
    return _Named(
        card=card,
        cell=cell or (next(iter(view.mine.open_cells), "") if verb is Verb.LAY else ""),
        goal_cell=cell or dict(enumerate(GOAL_CELLS, 1)).get(number, ""),
        seat=own_seat if "me" in facts else int(facts.get("seat", own_seat)),
        tool=next(each for each in (*REPAIRS.get(card, ()), *TOOLS) if tool in {None, each}),
        number=number,
        is_turned="turned" in facts,
    )


def _named_card(verb: Verb, facts: Mapping[str, str], view: View) -> Card:
    """Return the card by its code, by its number, or else the first of the hand with which this can be done; empty if there is none."""
    if "code" in facts:
        return facts["code"]
    if "number" in facts:
        return dict(enumerate(view.hand, 1)).get(int(facts["number"]), "")
    suitable = _suitable_cards(verb, facts.get("tool"))
    return next((card for card in view.hand if card in suitable), "")


def _suitable_cards(verb: Verb, tool: str | None) -> Collection[Card]:
    match verb:
        case Verb.LAY:
            return PATH_CARDS
        case Verb.BREAK:
            return [card for card, broken in BREAKS.items() if tool in {None, broken}]
        case Verb.REPAIR:
            return [card for card, repaired in REPAIRS.items() if tool in {None, *repaired}]
    return ()


_MAKERS: Final[dict[Verb, Callable[[_Named], Action]]] = {
    Verb.LAY: lambda named: Lay(named.card, named.cell, named.is_turned),
    Verb.BREAK: lambda named: Break(named.card, named.seat),
    Verb.REPAIR: lambda named: Repair(named.card, named.seat, named.tool),
    Verb.ROCKFALL: lambda named: Rockfall(named.cell),
    Verb.MAP: lambda named: Look(named.goal_cell),
    Verb.DISCARD: lambda named: Discard(named.card),
    Verb.PASS: lambda _: Pass(),
    Verb.GOAL: lambda named: ChooseGoal(named.goal_cell),
    Verb.WAY: lambda named: ChooseOrientation(named.is_turned),
    Verb.GOLD: lambda named: TakeGold(named.number),
}
