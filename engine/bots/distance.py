"""The cards that a path still needs: a rough estimate, weighed by where the treasure may be."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from engine.cards import CONNECTS_EDGES, EDGES, SIDES, Shape
from engine.cells import GOAL_CELLS, PATH_BITS, Cell, label, neighbours, position
from engine.mine import Mine

CardsNeededByCell: TypeAlias = Mapping[Cell, float]
"""The number of cards that a path needs from each cell near the goals, inclusive, to the treasure."""
TreasureOdds: TypeAlias = tuple[float, float, float]
"""The probability of each goal cell to hold the treasure, top first."""

UNREACHABLE_CARD_COUNT: Final = 20.0
"""The number of cards that stands for no way at all."""
NEGLIGIBLE_GAIN: Final = 0.05
"""A smaller change of the cards needed does not count, because the number is an estimate."""
_CARDS_PER_ROW_BESIDE_GOALS: Final = 0.75
"""The cards from one goal to the next, which is two rows away, for each row: one or two, because stones are curves."""
CROSSING: Final[Shape] = "path-trbl"
_SEARCHED_CELLS: Final = tuple(label(x, y) for x in range(-2, 11) for y in range(-5, 6))
_PASSABLE_CELLS: Final = frozenset(_SEARCHED_CELLS).difference(GOAL_CELLS)
_PASSABLE_NEIGHBOURS: Final[dict[Cell, tuple[Cell, ...]]] = {
    cell: tuple(_PASSABLE_CELLS.intersection(neighbours(cell))) for cell in _SEARCHED_CELLS
}


class OpenEnds(NamedTuple):
    """The cells that a path from the start reaches, as far as they matter."""

    nearest_cell: Cell | None
    """The open end that needs the fewest cards; None if no path is open."""
    cards_needed: float
    """The number of cards needed from there, inclusive."""
    cards_needed_elsewhere: float
    """The number of cards needed from the best of the other open ends."""


def open_ends(mine: Mine, cards_needed_by_cell: CardsNeededByCell) -> OpenEnds:
    """Return the open ends of a mine, goals that are reached but lie face down included."""
    nearest_cell, cards_needed, cards_needed_elsewhere = (
        None,
        UNREACHABLE_CARD_COUNT,
        UNREACHABLE_CARD_COUNT,
    )
    for cell, mask in mine.open_cells.items():
        if not mask & PATH_BITS:
            continue
        cards = cards_needed_by_cell.get(cell, UNREACHABLE_CARD_COUNT)
        if cards < cards_needed:
            nearest_cell, cards_needed, cards_needed_elsewhere = cell, cards, cards_needed
        elif cards < cards_needed_elsewhere:
            cards_needed_elsewhere = cards
    for cell in mine.reached_goals:
        cards_needed = min(cards_needed, cards_needed_by_cell[cell])
    return OpenEnds(nearest_cell, cards_needed, cards_needed_elsewhere)


def cards_needed_beyond(
    mine: Mine, cell: Cell, shape: Shape, cards_needed_by_cell: CardsNeededByCell
) -> float:
    """Return how many cards a path through a card laid here would still need; UNREACHABLE if it continues no path."""
    if not (CONNECTS_EDGES[shape] and mine.edge_mask(cell) & PATH_BITS):
        return UNREACHABLE_CARD_COUNT
    return fewest_cards_from_exits(mine, cell, shape, cards_needed_by_cell)


def fewest_cards_from_exits(
    mine: Mine, cell: Cell, shape: Shape, cards_needed_by_cell: CardsNeededByCell
) -> float:
    """Return how many cards are needed from the nearest cell that a card here opens, behind disconnected paths too."""
    laid, fewest_cards = mine.laid, UNREACHABLE_CARD_COUNT
    for neighbour in exits(cell, shape):
        if neighbour not in laid:
            fewest_cards = min(
                fewest_cards, cards_needed_by_cell.get(neighbour, UNREACHABLE_CARD_COUNT)
            )
        elif neighbour in mine.disconnected:
            fewest_cards = min(
                fewest_cards, _fewest_cards_behind(mine, neighbour, cards_needed_by_cell)
            )
    return fewest_cards


def _fewest_cards_behind(mine: Mine, cell: Cell, cards_needed_by_cell: CardsNeededByCell) -> float:
    """Return how many cards are needed from the nearest empty cell at the end of a disconnected path."""
    fewest_cards, pending, visited = UNREACHABLE_CARD_COUNT, [cell], set[Cell]()
    while pending:
        current_cell = pending.pop()
        visited.add(current_cell)
        for neighbour in exits(current_cell, mine.laid[current_cell]):
            if neighbour not in mine.laid:
                fewest_cards = min(
                    fewest_cards, cards_needed_by_cell.get(neighbour, UNREACHABLE_CARD_COUNT)
                )
            elif neighbour in mine.disconnected and neighbour not in visited:
                pending.append(neighbour)
    return fewest_cards


def cards_needed_after(ends: OpenEnds, cell: Cell, cards_beyond: float) -> float:
    """Return how many cards are needed after a card was laid here, through which a path needs ``cards_beyond`` more."""
    return min(
        cards_beyond,
        ends.cards_needed_elsewhere if cell == ends.nearest_cell else ends.cards_needed,
    )


# Bounded, because a view can hold any cell.
@lru_cache(maxsize=8192)
def exits(cell: Cell, shape: Shape) -> tuple[Cell, ...]:
    """Return the neighbours of a cell that the open edges of a card lying there face."""
    return tuple(
        neighbour
        for side, neighbour in zip(SIDES, neighbours(cell), strict=True)
        if EDGES[shape] & side
    )


@lru_cache(maxsize=256)
def cards_without_obstacles(treasure: TreasureOdds) -> CardsNeededByCell:
    """Return the cards needed from every cell as if the mine were empty: cheap, and the same for every seat."""
    return {
        cell: sum(
            odds * _rows_and_columns_between(cell, goal)
            for goal, odds in zip(GOAL_CELLS, treasure, strict=True)
            if odds
        )
        for cell in _SEARCHED_CELLS
    } | _expected_cards_to_treasure_by_goal(treasure)


def cards_around_obstacles(mine: Mine, treasure: TreasureOdds) -> CardsNeededByCell:
    """Return the cards needed from every empty cell, on the way around the cards that lie there.

    Disconnected paths cost nothing, because one card in the gap connects all of them.
    """
    total: dict[Cell, float] = {}
    for goal, odds in zip(GOAL_CELLS, treasure, strict=True):
        if odds:
            for cell, distance in _distances_to(goal, mine).items():
                total[cell] = total.get(cell, 0.0) + odds * distance
    return total | _expected_cards_to_treasure_by_goal(treasure)


def cards_from_freed_cell(
    mine: Mine, cell: Cell, cards_needed_by_cell: CardsNeededByCell
) -> CardsNeededByCell:
    """Return the cards needed from every cell once a rockfall has removed the card from this one."""
    return {
        **cards_needed_by_cell,
        cell: 1 + fewest_cards_from_exits(mine, cell, CROSSING, cards_needed_by_cell),
    }


@lru_cache(maxsize=256)
def _expected_cards_to_treasure_by_goal(treasure: TreasureOdds) -> dict[Cell, float]:
    return {
        goal: sum(
            odds * _CARDS_PER_ROW_BESIDE_GOALS * _rows_and_columns_between(goal, other_goal)
            for other_goal, odds in zip(GOAL_CELLS, treasure, strict=True)
        )
        for goal in GOAL_CELLS
    }


def _rows_and_columns_between(cell: Cell, goal: Cell) -> int:
    (x, y), (goal_x, goal_y) = position(cell), position(goal)
    return abs(x - goal_x) + abs(y - goal_y)


# Cached, because most turns leave the mine as it is, and all seats ask for the same three goals.
@lru_cache(maxsize=64)
def _distances_to(goal: Cell, mine: Mine) -> Mapping[Cell, int]:
    if mine.disconnected:
        return _distances_through_disconnected_paths(goal, mine)
    laid, distances, distance = mine.laid, {goal: 0}, 0
    frontier = [goal]
    while frontier:
        distance += 1
        next_frontier = []
        for cell in frontier:
            for neighbour in _PASSABLE_NEIGHBOURS[cell]:
                if neighbour not in distances and neighbour not in laid:
                    distances[neighbour] = distance
                    next_frontier.append(neighbour)
        frontier = next_frontier
    return distances


def _distances_through_disconnected_paths(goal: Cell, mine: Mine) -> Mapping[Cell, int]:
    distances, distance = {goal: 0}, 0
    frontier: Collection[Cell] = (goal,)
    while frontier:
        distance += 1
        frontier = {
            neighbour for cell in frontier for neighbour in _cells_one_card_away(mine, cell)
        } - distances.keys()
        distances.update(dict.fromkeys(frontier, distance))
    return distances


def _cells_one_card_away(mine: Mine, cell: Cell) -> Collection[Cell]:
    """Return the empty neighbours of a cell, and the cells at the far ends of disconnected paths to it."""
    found_cells, pending, visited = set[Cell](), [cell], set[Cell]()
    while pending:
        current_cell = pending.pop()
        visited.add(current_cell)
        adjacent_cells = (
            neighbours(current_cell)
            if current_cell == cell
            else exits(current_cell, mine.laid[current_cell])
        )
        found_cells.update(adjacent_cells)
        pending += [
            disconnected_neighbour
            for disconnected_neighbour in (mine.disconnected & set(adjacent_cells)) - visited
            if current_cell in exits(disconnected_neighbour, mine.laid[disconnected_neighbour])
        ]
    return found_cells & _PASSABLE_CELLS - mine.laid.keys()
