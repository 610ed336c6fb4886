"""What a seat may do, when a round ends, who ended it, and who is next: R6-R26, R32, R49, E12, E13, E18-E23, E28.

Seats are 0 .. seats-1 in clockwise order: the left neighbour of a seat is the next number.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TypedDict

from tests.reference_model.cards import PATH_CARD_COUNTS, Cell, LaidCard, cell_of, tools_of
from tests.reference_model.differences import (
    R12_EMPTY_HANDS_PASS_TO_COMPLETE_THE_CIRCLE,
    R32_A_CIRCLE_OF_PASSES_ENDS_THE_ROUND,
    R49_LEFT_OF_ROUND_ONES_STARTER,
)
from tests.reference_model.places import legal_places
from tests.reference_model.reaching import Question

ModelAction = tuple[str | int | bool, ...]


class ModelPosition(TypedDict):
    """Everything that decides what one seat may do. ``question`` is what it must answer first, if anything."""

    rulebook: str
    house_rules: Mapping[str, object]
    laid: list[LaidCard]
    face_down_goals: Collection[Cell]
    seats: int
    given_up: Collection[int]
    broken: Mapping[int, Collection[str]]
    seat: int
    hand: Sequence[str]
    question: Question | None


class FinishedTurn(TypedDict):
    """A finished turn: ``passed`` is a discard of any kind or the turn of an empty hand (R12)."""

    seat: int
    passed: bool
    deck_before: int


def legal_actions(position: ModelPosition) -> set[ModelAction]:
    """Return every legal action of the seat on turn.

    ``("lay", code, x, y, turned)``, ``("break", code, seat)``, ``("repair", code, seat, tool)``,
    ``("rockfall", x, y)``, ``("map", x, y)``, ``("discard", code)``, ``("pass",)``; while a
    question is open only its answers: ``("goal", x, y)`` or ``("orientation", x, y, turned)``.
    Exactly one of them makes a turn (R7-R11).
    """
    if position["question"] is not None:
        return _possible_answers(position["question"])
    if not position["hand"]:
        return {("pass",)}  # R12, E12: under every rulebook, there is nothing else to do
    actions: set[ModelAction] = set()
    for code in position["hand"]:
        actions |= {("discard", code)} | _legal_plays(position, code)
    return actions


def _possible_answers(question: Question) -> set[ModelAction]:
    """List the answers to a question that must be settled before the turn is over (R28, E7)."""
    answers: set[ModelAction] = set()
    for option in question["options"]:
        if isinstance(option, tuple):
            answers.add(("goal", *option))
        elif question["cell"] is not None:
            answers.add(("orientation", *question["cell"], option))
    return answers


def _legal_plays(position: ModelPosition, code: str) -> set[ModelAction]:
    if code in PATH_CARD_COUNTS:
        return _lay_plays(position, code)
    if code == "rockfall":
        return _rockfall_plays(position)
    if code == "map":
        return {("map", x, y) for x, y in position["face_down_goals"]}  # R26, E22
    if code.startswith("break-"):
        return _break_plays(position, code)
    return _repair_plays(position, code)


def _lay_plays(position: ModelPosition, code: str) -> set[ModelAction]:
    """Lay a path card, unless any tool is broken in front of the seat (R19, R20)."""
    if position["broken"].get(position["seat"]):
        return set()
    places = legal_places(
        position["rulebook"],
        position["laid"],
        face_down_goals=position["face_down_goals"],
        card=code,
    )
    return {("lay", code, x, y, turned) for x, y, turned in places}


def _rockfall_plays(position: ModelPosition) -> set[ModelAction]:
    """Remove a laid path card; never the start, never a goal, revealed or not (R24, E9, E19)."""
    cells = [cell_of(card) for card in position["laid"] if card[4] == "path"]
    return {("rockfall", x, y) for x, y in cells}


def _break_plays(position: ModelPosition, code: str) -> set[ModelAction]:
    """Break a tool of any seat, also of the breaking one (E18), at most one of each kind (R18).

    A house rule excludes the breaking seat. A given-up seat receives no cards (E12).
    """
    (tool,) = tools_of(code)
    targets = set(seats_in_play(position["seats"], position["given_up"]))
    if position["house_rules"].get("no_self_breaking"):
        targets -= {position["seat"]}
    return {
        ("break", code, target)
        for target in targets
        if tool not in position["broken"].get(target, ())
    }


def _repair_plays(position: ModelPosition, code: str) -> set[ModelAction]:
    """Repair one matching broken tool of any seat; a double repair repairs one of two (R21-R23)."""
    return {
        ("repair", code, target, tool)
        for target in seats_in_play(position["seats"], position["given_up"])
        for tool in tools_of(code)
        if tool in position["broken"].get(target, ())
    }


def round_endings(
    rulebook: str,
    *,
    treasure_turned: bool,
    deck: int,
    hands: Mapping[int, int],
    turns: Sequence[FinishedTurn],
    given_up: Collection[int] = (),
) -> set[str]:
    """Return every reason for which the round is over now, or none if it continues.

    ``treasure`` (R29), ``hands`` (deck and all hands empty: R32, E13), ``passes`` (R32, E13).
    ``hands`` maps every seat dealt to its number of cards; ``turns`` are those of the round.
    A round does not end early because the treasure cannot be reached any more (E14).
    """
    endings = set()
    playing_seats = seats_in_play(len(hands), given_up)
    if treasure_turned:
        endings.add("treasure")
    if deck == 0 and all(hands[seat] == 0 for seat in playing_seats):
        endings.add("hands")
    is_full_circle = passes_in_a_row(turns, given_up=given_up) >= len(playing_seats)
    if R32_A_CIRCLE_OF_PASSES_ENDS_THE_ROUND[rulebook] and deck == 0 and is_full_circle:
        endings.add("passes")
    return endings


def passes_in_a_row(turns: Sequence[FinishedTurn], *, given_up: Collection[int] = ()) -> int:
    """Count the latest passes begun with the deck empty, back to the last card played (E13)."""
    return len(latest_passers(turns, given_up=given_up))


def latest_passers(turns: Sequence[FinishedTurn], *, given_up: Collection[int] = ()) -> list[int]:
    """Return the seats of the passes that ``passes_in_a_row`` counts, the latest first.

    The passes of a seat given up since do not count (E12).
    """
    seats = []
    for turn in reversed(turns):
        if not turn["passed"] or turn["deck_before"] > 0:
            break
        seats.append(turn["seat"])
    return [seat for seat in seats if seat not in given_up]


def automatic_passers(
    rulebook: str,
    *,
    treasure_turned: bool,
    deck: int,
    hands: Mapping[int, int],
    turns: Sequence[FinishedTurn],
    given_up: Collection[int] = (),
) -> list[int]:
    """Return the seats that pass automatically once deck and all hands are empty (R12, E13).

    The treasure ends the round at once, so that no pass follows it (R31).
    Where empty hands pass, every seat in play has passed since the last card was played before the
    round is over. Those that have not yet do so one after another, clockwise from the last turn.
    """
    playing_seats = seats_in_play(len(hands), given_up)
    cards_left = deck + sum(hands[seat] for seat in playing_seats)
    if treasure_turned or cards_left or not R12_EMPTY_HANDS_PASS_TO_COMPLETE_THE_CIRCLE[rulebook]:
        return []
    seats_yet_to_pass = set(playing_seats) - set(latest_passers(turns, given_up=given_up))
    last_seat = turns[-1]["seat"]
    return sorted(seats_yet_to_pass, key=lambda seat: (seat - last_seat - 1) % len(hands))


def seat_that_ended(
    rulebook: str, turns: Sequence[FinishedTurn], *, seats: int, given_up: Collection[int] = ()
) -> int:
    """Return the seat that ended the round; ``turns`` ends with the passes without a card.

    The seat whose pass completes the circle, where a circle ends the round (E13); the passes of a
    seat given up do not count (E12). Otherwise the seat of the last turn that was played (R49).
    """
    passing_seats = latest_passers(turns, given_up=given_up)
    is_circle = len(passing_seats) >= len(seats_in_play(seats, given_up))
    if R32_A_CIRCLE_OF_PASSES_ENDS_THE_ROUND[rulebook] and is_circle:
        return passing_seats[0]
    return turns[-1]["seat"]


def seats_in_play(seats: int, given_up: Collection[int] = ()) -> list[int]:
    """Return the seats that have not been given up (E12)."""
    return [seat for seat in range(seats) if seat not in given_up]


def seat_left_of(seat: int, *, seats: int, given_up: Collection[int] = ()) -> int:
    """Return the next seat in play, clockwise: it has the next turn (R8)."""
    for distance in range(1, seats + 1):
        if (seat + distance) % seats not in given_up:
            return (seat + distance) % seats
    message = "all seats were given up"
    raise ValueError(message)


def next_starter(
    rulebook: str,
    *,
    seats: int,
    ended_by: int,
    round_one_starter: int,
    given_up: Collection[int] = (),
) -> int:
    """Return who starts the next round (R49).

    Left of who ended the round: the last turn, a pass without a card included (E13); in one
    rulebook left of the starter of round 1, in rounds 2 and 3 alike (E28).
    """
    is_left_of_first_starter = R49_LEFT_OF_ROUND_ONES_STARTER[rulebook]
    seat = round_one_starter if is_left_of_first_starter else ended_by
    return seat_left_of(seat, seats=seats, given_up=given_up)


def game_is_over(house_rules: Mapping[str, int], *, rounds_played: int) -> bool:
    """Tell whether the last round is done: three, or as many as the table agreed on (R47)."""
    return rounds_played >= house_rules.get("rounds", 3)
