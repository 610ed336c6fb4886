"""Pips: who changed which cell of the mine since the viewer's last turn, with the number of the turn."""

from types import SimpleNamespace
from typing import Any

from engine.narration import Line, LineKey
from tests.support.perspectives import ANNA
from tests.support.views import view_of
from webapp.picture.pips import draw_pips, pips_of
from webapp.picture.places import Place
from webapp.wording.digest import turn_numbers


def turn(seq: int, *lines: Line, seat: int = 1) -> Any:
    return SimpleNamespace(seq=seq, seat=seat, by="player", lines=lines, former_names=())


def laid(cell: Any, seat: int = 1) -> Line:
    return Line(key=LineKey.CARD_LAID, seat=seat, card="path-rl", cell=cell)


def fallen(cell: Any, seat: int = 2) -> Line:
    return Line(key=LineKey.ROCK_FELL, seat=seat, card="path-rl", cell=cell)


DISCARDED = Line(key=LineKey.DISCARDED, seat=2)


def pips(*turns: Any) -> dict[str, tuple[int, int]]:
    return {pip.cell: (pip.number, pip.seat) for pip in pips_of(turns, turn_numbers(turns), ANNA)}


def test_pips_have_the_numbers_of_their_turns() -> None:
    turns = turn(5, laid("B5")), turn(6, DISCARDED, seat=2), turn(7, laid("C5", seat=2), seat=2)
    assert pips(*turns) == {"B5": (1, 1), "C5": (3, 2)}


def test_the_place_of_a_card_under_a_rockfall_has_the_pip_of_the_rockfall() -> None:
    assert pips(turn(5, laid("B5")), turn(6, fallen("B5"), seat=2)) == {"B5": (2, 2)}


def test_turns_taken_back_have_no_pip() -> None:
    rewound = Line(key=LineKey.REWOUND, to_seq=4)
    assert pips(turn(5, laid("B5")), turn(6, rewound), turn(7, laid("C5"))) == {"C5": (1, 1)}


def test_cards_of_an_earlier_round_have_no_pip() -> None:
    dealt = Line(key=LineKey.ROUND_DEALT, round=2, seat=0)
    assert pips(turn(5, laid("B5"), dealt), turn(6, laid("C5"))) == {"C5": (2, 1)}


def test_pips_say_to_screen_readers_what_happened() -> None:
    turns = [turn(5, laid("B5"))]
    drawing = draw_pips(pips_of(turns, turn_numbers(turns), ANNA), view_of({"B5": "path-rl"}))
    assert 'role="img" aria-label="1: Bob &amp; Co &lt;b&gt; laid' in drawing


def test_no_pip_lies_on_a_place_to_choose() -> None:
    turns = [turn(5, laid("B5")), turn(6, fallen("C5"))]
    shown_pips = pips_of(turns, turn_numbers(turns), ANNA)
    places = [Place("C5", "C5", "/there")]
    drawing = draw_pips(shown_pips, view_of({"B5": "path-rl"}), places=places)
    assert drawing.count('class="pip') == 1
    assert drawing.count("C5") == 1


def test_a_mine_without_changes_has_no_layer_of_pips() -> None:
    assert draw_pips((), view_of({})) == ""
