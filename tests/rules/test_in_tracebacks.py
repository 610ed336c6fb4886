"""What stands in a traceback or a log when something that holds a hand is written there: nothing of it."""

from engine.bots.situation import Situation
from engine.state import GoldChoice
from engine.story import narrate
from engine.view import legal_actions, view_for
from tests.support.positions import Game


def test_nothing_that_holds_cards_shows_one() -> None:
    game = Game()
    state, events = game.state, game.log[0]
    view = view_for(state, 0)
    outlook = Situation.of(view, (), tuple(legal_actions(view)))
    lines = [line for event in events for line in narrate(event, 0)]
    assert lines
    held = (outlook, *outlook.menu, GoldChoice(0, (1, 2)))
    shown = [repr(each) for each in (state, view, *events, *lines, *held)]
    assert shown[:2] == ["<State>", f"<View 0 {view.seq}>"]
    assert not [words for words in shown if "path-" in words or "digger" in words]
    assert shown[-1] == "<GoldChoice>"
