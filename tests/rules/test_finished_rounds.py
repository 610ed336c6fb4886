"""The rounds of whole recorded games as they ended, and the paths by which they were won."""

import itertools
from functools import cache

import pytest

from engine.cells import GOAL_CELLS, START_CELL, neighbours
from engine.events import CardLaid, Event, Rewound, RoundEnded
from engine.evolve import fold, initial_state
from engine.finished_rounds import FinishedRound, finished_rounds, kept_turns, winning_path
from engine.mine import Mine
from tests.rules.test_recorded_games import GAME_NAMES, read_game

TREASURE = "goal-trbl"


@cache
def rounds_of(name: str) -> tuple[FinishedRound, ...]:
    record = read_game(name)
    table = record.table
    start = initial_state(table.rulebook, table.house, len(table.seats))
    log = [turn.events for turn in record.turns]
    return finished_rounds(start, log, fold(start, log))


@pytest.mark.parametrize("name", GAME_NAMES)
def test_rounds_of_a_recorded_game_have_the_results_of_its_end(name: str) -> None:
    rounds = rounds_of(name)
    assert [each.number for each in rounds] == [*range(1, len(rounds) + 1)]
    final_results = rounds[-1].state.results
    assert [each.state.results[-1] for each in rounds] == [*final_results]
    assert rounds[-1].state.winners


@pytest.mark.parametrize("name", GAME_NAMES)
def test_round_under_way_is_no_finished_round(name: str) -> None:
    record = read_game(name)
    start = initial_state(record.table.rulebook, record.table.house, len(record.table.seats))
    log = [record.turns[seq].events for seq in rounds_of(name)[0].seqs]
    end = next(
        seq
        for seq, events in enumerate(log)
        if any(isinstance(each, RoundEnded) for each in events)
    )
    assert finished_rounds(start, log[:end], fold(start, log[:end])) == ()


def test_finished_round_shows_its_number_and_no_secret() -> None:
    assert repr(rounds_of(GAME_NAMES[0])[0]) == "<FinishedRound 1>"


@pytest.mark.parametrize("name", GAME_NAMES)
def test_every_turn_that_was_not_taken_back_belongs_to_one_round(name: str) -> None:
    turns, rounds = read_game(name).turns, rounds_of(name)
    for each in rounds:
        ends = [
            seq
            for seq in each.seqs
            if any(
                isinstance(event, RoundEnded) and event.round == each.number
                for event in turns[seq].events
            )
        ]
        assert len(ends) == 1
    kept = kept_turns([turn.events for turn in turns])
    assert tuple(seq for each in rounds for seq in each.seqs) == kept


@pytest.mark.parametrize("name", GAME_NAMES)
def test_winning_path_joins_the_start_to_the_treasure_whenever_it_was_found(name: str) -> None:
    for each in rounds_of(name):
        result, mine = each.state.results[-1], each.state.mine
        path = winning_path(mine)
        assert bool(path) == (result.ending == "treasure")
        if path:
            assert path[0] == START_CELL
            assert mine.laid[path[-1]] == TREASURE
            assert path[-1] in GOAL_CELLS
            assert set(path) <= mine.reached_cells
            steps = itertools.pairwise(path)
            assert all(after in neighbours(before) for before, after in steps)


@pytest.mark.parametrize("name", GAME_NAMES)
def test_last_card_of_a_round_lies_in_its_last_mine(name: str) -> None:
    turns = read_game(name).turns
    for each in rounds_of(name):
        laid = [event.cell for event in turns[each.seqs[-1]].events if isinstance(event, CardLaid)]
        assert set(laid) <= each.state.mine.laid.keys()


def test_winning_path_takes_the_shorter_of_two_ways() -> None:
    tunnel = {f"{column}5": "path-rl" for column in "CDEFGH"}
    detour = {"A4": "path-rb", "B4": "path-rbl", "C4": "path-rl"}
    laid = {"A5": "start", "B5": "path-trbl"} | tunnel | detour | {"I5": TREASURE}
    mine = Mine(continue_path=True, build_from_goal_alone=True, laid=laid)
    assert winning_path(mine) == ("A5", "B5", "C5", "D5", "E5", "F5", "G5", "H5", "I5")


def test_dead_end_and_gap_are_no_way_to_the_treasure() -> None:
    tunnel = {f"{column}5": "path-rl" for column in "BCDEFGH"} | {"I5": TREASURE}
    for broken in (tunnel | {"D5": "dead-rl"}, {k: v for k, v in tunnel.items() if k != "D5"}):
        laid = {"A5": "start"} | broken
        mine = Mine(continue_path=True, build_from_goal_alone=True, laid=laid)
        assert winning_path(mine) == ()


def test_turns_that_were_taken_back_do_not_count() -> None:
    rewinds: tuple[tuple[Event, ...], ...] = ((), (), (), (Rewound(1),), (), (Rewound(4),))
    assert kept_turns(rewinds) == (0, 1, 4)
    assert kept_turns((*rewinds, (Rewound(2),), ())) == (0, 1, 2, 7)
