"""The repr of an object that holds cards shows none of them, because tracebacks and logs print it."""

from engine.bots.belief import belief_of, situation_of
from engine.bots.supposed_deals import DealKnowledge
from engine.narration import narrate
from engine.state import GoldChoice
from engine.view import legal_actions, view_for
from tests.support.engine.in_memory_game import InMemoryGame


def test_repr_of_objects_holding_cards_shows_no_card() -> None:
    game = InMemoryGame()
    state, events = game.state, game.log[0]
    view = view_for(state, 0)
    lines = [line for event in events for line in narrate(event, 0)]
    assert lines
    bot_readings = (
        situation_of(view, lines),
        DealKnowledge.from_view(view, lines),
        belief_of(view, lines),
    )
    objects_with_cards = (*bot_readings, *legal_actions(view), GoldChoice(0, (1, 2)))
    reprs = [
        repr(object_with_cards)
        for object_with_cards in (state, view, *events, *lines, *objects_with_cards)
    ]
    assert reprs[:2] == ["<State>", f"<View 0 {view.seq}>"]
    assert not [text for text in reprs if "path-" in text or "digger" in text]
    assert reprs[-1] == "<GoldChoice>"
