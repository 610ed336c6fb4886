"""The end of turns, rounds and the game (R11, R31-R35, R47-R50, E12-E14, E28, E30, E33)."""

from engine.events import Drawn, Ending, GameEnded, Passed, RoundEnded, Side, TurnBegan
from engine.evolve import Transition
from engine.gold import pay_saboteurs, share_treasure
from engine.reaching import treasure_is_found, treasure_shows
from engine.rulebook import Rulebook
from engine.state import State


def finish_turn(transition: Transition, seat: int, rulebook: Rulebook) -> None:
    """End the turn, unless a choice is open: the treasure ends the round, else a card is drawn (R11, R31)."""
    state = transition.state
    if state.choice is not None:
        return
    if treasure_shows(state):
        end_round(transition, "treasure", seat, rulebook)
        return
    if state.deck and seat not in state.gone:
        transition.record(Drawn(seat, state.deck[0]))
    go_on(transition, seat, rulebook, last_turn=seat)


def go_on(transition: Transition, seat: int, rulebook: Rulebook, *, last_turn: int) -> None:
    """After this seat: the next turn begins, or the round ends (R7, R32).

    The seat that completes a circle of passes ends the round (E13), else the seat that had the last turn.
    """
    ending = ending_due(transition.state, rulebook)
    if ending is None:
        transition.record(TurnBegan(next_in_play(transition.state, seat + 1)))
        return
    if rulebook.pass_with_empty_hand:
        _complete_circle(transition, seat)
    ended_by = transition.state.passed[-1] if _is_circle(transition.state, rulebook) else last_turn
    end_round(transition, ending, ended_by, rulebook)


def _complete_circle(transition: Transition, seat: int) -> None:
    """Record one pass for every seat in play that is still missing from the circle, clockwise (R12, E12, E13)."""
    while _missing_passes(transition.state) > 0:
        seat = next_in_play(transition.state, seat + 1)
        transition.record(Passed(seat))


def ending_due(state: State, rulebook: Rulebook) -> Ending | None:
    """Why the round ends now without treasure, if it does (R32, E13); that the treasure is walled off is no reason (E14)."""
    if state.deck:
        return None
    if not any(state.hands):
        return "exhausted"
    return "circle-of-passes" if _is_circle(state, rulebook) else None


def _is_circle(state: State, rulebook: Rulebook) -> bool:
    return rulebook.circle_of_passes and _missing_passes(state) <= 0


def _missing_passes(state: State) -> int:
    """Count the passes that a full circle still needs, one for each seat in play (E12, E13)."""
    return state.seats - len(state.gone) - len(state.passed)


def end_round(transition: Transition, ending: Ending, ended_by: int, rulebook: Rulebook) -> None:
    """Show the roles (R33, E30), pay (R34, R35), and end the game after its last round (R47)."""
    state = transition.state
    found = treasure_is_found(state, rulebook)
    transition.record(
        RoundEnded(
            round=state.round,
            ending=ending,
            winners=_winners(state, found=found),
            ended_by=ended_by,
            roles=state.roles,
            aside=state.aside,
        )
    )
    if found:
        share_treasure(transition, ended_by, rulebook)
    else:
        pay_saboteurs(transition)
    close_round(transition)


def close_round(transition: Transition) -> None:
    """Once all gold is given out: after the last round most nuggets wins, ties share (R50)."""
    state = transition.state
    if state.choice is not None or state.round < state.house.rounds:
        return
    nuggets = tuple(sum(cards) for cards in state.gold)
    winners = tuple(seat for seat, sum_ in enumerate(nuggets) if sum_ == max(nuggets))
    transition.record(GameEnded(nuggets, winners))


def next_starter(state: State, rulebook: Rulebook) -> int:
    """Who starts the next round (R49, E28)."""
    before = (
        state.first_starter if rulebook.next_starter == "left-of-first-starter" else state.last_turn
    )
    return next_in_play(state, before + 1)


def next_in_play(state: State, seat: int) -> int:
    """This seat, or the first clockwise from it that has not been given up (R7, E12)."""
    if not state.gone:
        return seat % state.seats
    around = ((seat + step) % state.seats for step in range(state.seats))
    return next(candidate for candidate in around if candidate not in state.gone)


def _winners(state: State, *, found: bool) -> Side:
    """Saboteurs win without treasure, a lone saboteur too; without any saboteur no side wins (R35, E33)."""
    if found:
        return "diggers"
    return "saboteurs" if "saboteur" in state.roles else "nobody"
