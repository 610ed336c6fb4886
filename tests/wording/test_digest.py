"""The line that says what happened since the viewer's last turn."""

from types import SimpleNamespace
from typing import Any

from engine.narration import Line, LineKey
from tests.support.perspectives import ANNA
from webapp.wording.digest import digest, digest_turn, turn_numbers, without_undone_turns

LAID = Line(key=LineKey.CARD_LAID, seat=1, card="path-rl", cell="B5")
ROCK_FELL = Line(key=LineKey.ROCK_FELL, seat=2, card="path-rl", cell="B5")
MY_LANTERN_BROKEN = Line(key=LineKey.TOOL_BROKEN, seat=1, target=0, tool="lantern")
DISCARDED = Line(key=LineKey.DISCARDED, seat=0)
OWN_TURN: Any = SimpleNamespace(seq=1, seat=0, by="player", lines=(DISCARDED,), former_names=())


def turn(*lines: Line, seat: int = 1, by: str = "player", seq: int = 2) -> Any:
    return SimpleNamespace(seq=seq, seat=seat, by=by, lines=lines, former_names=())


def test_digest_counts_turns_and_names_what_was_done_to_the_viewer_first() -> None:
    turns = [turn(MY_LANTERN_BROKEN), turn(ROCK_FELL, seat=2, seq=3), turn(LAID, seq=4)]
    text = digest(turns, OWN_TURN, ANNA)
    assert text.startswith("3 new turns. ")
    assert text.endswith("broke your lantern.")


def test_digest_prefers_rockfalls_to_laid_cards_and_later_events_to_earlier_ones() -> None:
    turns = [turn(ROCK_FELL, seat=2), turn(LAID)]
    assert "rockfall" in digest(turns, OWN_TURN, ANNA)
    later_card = Line(key=LineKey.CARD_LAID, seat=2, card="path-rl", cell="C5")
    assert "C5" in digest([turn(LAID), turn(later_card, seat=2)], OWN_TURN, ANNA)


def test_digest_leaves_out_turns_that_were_taken_back() -> None:
    round_ended = Line(key=LineKey.ROUND_ENDED, round=1, side="diggers", ending="treasure")
    rewound = Line(key=LineKey.REWOUND, to_seq=2)
    turns = [
        turn(LAID),
        turn(MY_LANTERN_BROKEN, seq=3),
        turn(round_ended, seat=2, seq=4),
        turn(rewound, seq=5),
    ]
    text = digest(turns, OWN_TURN, ANNA)
    assert text.startswith("1 new turn. The game was taken back")
    later_rewind = turn(Line(key=LineKey.REWOUND, to_seq=2), seq=6)
    assert digest([*turns, later_rewind], OWN_TURN, ANNA).startswith("1 new turn. The game")


def test_turns_count_again_when_the_rewind_that_took_them_back_is_taken_back() -> None:
    turns = [turn(LAID), turn(ROCK_FELL, seat=2, seq=3)]
    rewinds = [turn(Line(key=LineKey.REWOUND, to_seq=to), seq=seq) for to, seq in ((2, 4), (3, 5))]
    kept_turns = without_undone_turns([*turns, *rewinds])
    assert [kept.seq for kept in kept_turns] == [2, 3, 5]
    assert turn_numbers([*turns, *rewinds]) == {2: 1, 3: 2}


def test_turns_are_numbered_without_deals_and_turns_taken_back() -> None:
    dealt = turn(Line(key=LineKey.ROUND_DEALT, round=2), seq=3)
    rewound = turn(Line(key=LineKey.REWOUND, to_seq=4), seq=6)
    undone = turn(LAID, seq=5)
    turns = [turn(LAID), dealt, turn(ROCK_FELL, seq=4), undone, rewound, turn(LAID, seq=7)]
    assert turn_numbers(turns) == {2: 1, 4: 2, 7: 3}


def test_digest_turn_is_the_turn_of_which_the_line_tells() -> None:
    turns = [turn(LAID), turn(ROCK_FELL, seat=2, seq=3), turn(LAID, seq=4)]
    digest_source = digest_turn(turns, OWN_TURN, ANNA)
    assert digest_source is turns[1]


def test_digest_counts_neither_deals_nor_choices_as_turns() -> None:
    dealt = Line(key=LineKey.ROUND_DEALT, round=2)
    text = digest([turn(LAID), turn(dealt, seq=3)], OWN_TURN, ANNA)
    assert text.startswith("1 new turn. ")
    assert "since" not in digest([turn(dealt, seq=3)], OWN_TURN, ANNA)


def test_digest_leaves_out_a_broken_tool_that_the_page_already_names() -> None:
    turns = [turn(MY_LANTERN_BROKEN), turn(LAID, seat=2)]
    assert "B5" in digest(turns, OWN_TURN, ANNA, known_tools=("lantern",))
    text = digest(turns[:1], OWN_TURN, ANNA, known_tools=("lantern",))
    assert text.startswith("1 new turn. ")


def test_digest_of_an_own_turn_just_taken_has_no_number() -> None:
    assert digest([], OWN_TURN, ANNA) == "You discarded a card face down."
    assert digest([], None, ANNA) == ""


def test_digest_says_when_the_viewers_time_ran_out() -> None:
    turns = [turn(DISCARDED, seat=0, by="clock"), turn(ROCK_FELL, seat=2)]
    assert "Your time ran out" in digest(turns, OWN_TURN, ANNA)
