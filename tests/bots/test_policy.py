"""Bots of every level play legal actions from the view of their seat alone, and refuse what they cannot play."""

import msgspec
import pytest

from engine.actions import ChooseGoal
from engine.bots.policy import LEVELS, Level, choose_action, require_level
from engine.cards import GOALS, ROLES, Goal, Role
from engine.cells import GOAL_CELLS
from engine.narration import Line, narrate
from engine.state import GoalChoice
from engine.view import View, awaiting, legal_actions, view_for
from tests.support.engine.in_memory_game import InMemoryGame, dealt_state
from tests.support.engine.random_games import random_dealt_game
from tests.support.engine.seeded_random import SeededRng
from tests.support.rulebook_groups import every_rulebook
from tests.support.sizes import case_count

FEW_ROLLOUTS = 6


class _BotGame:
    """A game played by bots of one level, with the history that each seat has read."""

    def __init__(self, rulebook: str, rng: SeededRng) -> None:
        self.game, self.rng = random_dealt_game(rulebook, rng), rng
        self.lines: list[list[Line]] = [[] for _ in range(self.game.state.seats)]
        self._narrate(0)

    def play_turn(self, level: Level) -> None:
        awaited, log_size = awaiting(self.game.state), len(self.game.log)
        assert awaited
        view, lines = view_for(self.game.state, awaited.seat), self.lines[awaited.seat]
        action = choose_action(view, lines, self.rng.below, level, rollouts=FEW_ROLLOUTS)
        assert action in tuple(legal_actions(view))
        self.game.play(action)
        self._narrate(log_size)

    def rewind(self) -> None:
        log_size = len(self.game.log)
        self.game.rewind(self.rng.below(self.game.state.seq))
        self._narrate(log_size)

    def _narrate(self, first_turn: int) -> None:
        for events in self.game.log[first_turn:]:
            for seat, lines in enumerate(self.lines):
                lines.extend(line for event in events for line in narrate(event, seat))


@every_rulebook
@pytest.mark.parametrize("level", ["easy", "steady", "keen"])
def test_bots_play_legal_actions_to_the_end_of_a_game(rulebook: str, level: Level) -> None:
    for seed in range(case_count("bot_games")):
        rng = SeededRng(seed)
        table = _BotGame(rulebook, rng)
        while not table.game.is_over:
            if rng.happens_once_in(120) and len(table.game.state.gone) < table.game.state.seats - 2:
                seats = [s for s in range(table.game.state.seats) if s not in table.game.state.gone]
                size = len(table.game.log)
                table.game.give_up(rng.pick(seats), random_below=rng.below)
                table._narrate(size)
                continue
            table.play_turn(level)


@pytest.mark.parametrize("level", ["steady", "keen"])
def test_bots_play_on_after_a_rewind(level: Level) -> None:
    table = _BotGame("en-2004", SeededRng(5))
    for _ in range(14):
        table.play_turn(level)
    table.rewind()
    for _ in range(20):
        table.play_turn(level)


@pytest.mark.parametrize("level", LEVELS)
def test_bot_without_history_plays_a_legal_action(level: Level) -> None:
    game = InMemoryGame(seats=5)
    action = choose_action(view_for(game.state, 0), (), lambda _: 0, level, rollouts=FEW_ROLLOUTS)
    assert action in game.offered_actions()


@pytest.mark.parametrize("known_goal", GOALS)
@pytest.mark.parametrize("role", ROLES)
def test_bot_chooses_a_goal_by_what_its_own_map_showed_e4(role: Role, known_goal: Goal) -> None:
    """A digger wants the treasure, a saboteur a stone; a goal the bot has not seen may be either."""
    cells = GOAL_CELLS[:2]
    dealt = dealt_state("et-2007", seats=3)
    state = msgspec.structs.replace(
        dealt,
        goals=(known_goal, *(goal for goal in GOALS if goal != known_goal)),
        seen=(cells[:1], (), ()),
        roles=(role, *dealt.roles[1:]),
        choice=GoalChoice(0, cells),
    )
    for random_number in (0, 1):
        chosen_action = choose_action(
            view_for(state, 0),
            [],
            lambda limit, random_number=random_number: random_number % limit,
            "steady",
        )
        expected = cells[0] if (known_goal == "treasure") is (role == "digger") else cells[1]
        assert chosen_action == ChooseGoal(expected)


def test_seat_that_is_not_on_turn_is_refused() -> None:
    with pytest.raises(ValueError, match="does not wait"):
        choose_action(view_for(InMemoryGame().state, 1), [], lambda _: 0, "steady")


def test_unknown_level_is_refused() -> None:
    with pytest.raises(ValueError, match="no level 'brilliant': the levels are random, easy"):
        require_level("brilliant")
    assert [require_level(level) for level in LEVELS] == list(LEVELS)


@pytest.mark.parametrize(
    "changes",
    [
        {"rulebook": "xx-1999"},
        {"seats": 11},
        {"roles": ()},
        {"hand_sizes": (6,)},
        {"hand": ("teleport",)},
    ],
)
def test_view_of_another_release_is_refused(changes: dict[str, object]) -> None:
    view: View = msgspec.structs.replace(view_for(InMemoryGame().state, 0), **changes)
    with pytest.raises(ValueError, match="another release"):
        choose_action(view, [], lambda _: 0, "steady")
