"""The action that a command names, and why the rules refuse it."""

import pytest

from engine.cards import Card, Tool
from engine.errors import IllegalAction, Reason
from engine.plans import require_plannable
from engine.view import View, legal_actions, view_for
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import due_seat
from tests.support.engine.random_players import random_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.perspectives import ANNA
from tests.support.rulebook_groups import every_rulebook
from tests.support.views import view_of
from webapp.mail.inbound.refused_commands import named_action
from webapp.mail.reply_commands import parse_commands, write_command

HAND: tuple[Card, ...] = ("path-tb", "break-cart", "repair-pickaxe-cart", "rockfall", "map")


@every_rulebook
def test_command_of_a_legal_action_names_it(rulebook: str) -> None:
    rng, game = SeededRng(3), InMemoryGame(rulebook, seats=4)
    kinds = set()
    while len(game.log) < 120 and not game.is_over:
        view = view_for(game.state, due_seat(game.state))
        for action in legal_actions(view):
            kinds.add(type(action))
            [command] = parse_commands([write_command(action, view)])
            assert named_action(command, view, ANNA.names) == action
        game.play(random_action(game.state, rng))
    assert len(kinds) >= 6


def reason_for(line: str, view: View) -> Reason | None:
    """Return why a command can't be planned; the rules of a turn give the same reasons for these."""
    [command] = parse_commands([line])
    action = named_action(command, view, ANNA.names)
    assert action is not None
    try:
        require_plannable(view, action)  # type: ignore[arg-type] # each can be in a plan
    except IllegalAction as refused:
        return refused.reason
    return None


@pytest.mark.parametrize(
    "line, reason",
    [
        ("lay 1 A5", Reason.CELL_TAKEN),
        ("l 1 A5", Reason.CELL_TAKEN),
        ("lay A5", Reason.CELL_TAKEN),
        ("lay 1 Q9", Reason.NOT_BESIDE),
        ("lay 2 B9", Reason.NOT_A_PATH_CARD),
        ("lay 9 B9", Reason.NOT_IN_HAND),
        ("break 1 seat 2", Reason.NOT_A_BROKEN_TOOL),
        ("break lantern Carol", Reason.NOT_IN_HAND),
        ("break cart seat 9", Reason.NO_SUCH_SEAT),
        ("repair 3 Carol lantern", Reason.WRONG_TOOL),
        ("repair 1 me cart", Reason.NOT_A_REPAIR),
        ("rockfall I5", Reason.NO_PATH_THERE),
        ("map B5", Reason.NOT_A_GOAL),
        ("discard 7", Reason.NOT_IN_HAND),
        ("pass", Reason.HAND_NOT_EMPTY),
        ("map 2", None),
    ],
)
def test_refused_command_has_the_reason_of_the_rules(line: str, reason: Reason | None) -> None:
    assert reason_for(line, view_of(hand=HAND)) == reason


@pytest.mark.parametrize("line", ["say hello", "r 1 seat 2", "undo"])
def test_command_that_names_no_single_action_has_none(line: str) -> None:
    [command] = parse_commands([line])
    assert named_action(command, view_of(hand=HAND), ANNA.names) is None


def test_tool_to_repair_is_one_of_the_card() -> None:
    tools: set[Tool] = set()
    for line in ("repair 3 Carol", "repair 3 Carol cart"):
        [command] = parse_commands([line])
        tools.add(named_action(command, view_of(hand=HAND), ANNA.names).tool)  # type: ignore[union-attr]
    assert tools == {"pickaxe", "cart"}
