"""The rounds of a history, and the names of those who played in a seat before."""

from datetime import UTC, datetime
from types import SimpleNamespace

from engine.narration import Line, LineKey
from webapp.play.history import HistoryEntry, rounds_of, with_former_names

AT = datetime(2026, 1, 1, tzinfo=UTC)
DISCARDED = Line(key=LineKey.DISCARDED, seat=1)


def dealt(number: int) -> Line:
    return Line(key=LineKey.ROUND_DEALT, round=number, seat=0)


def entry(seq: int, *lines: Line) -> HistoryEntry:
    return HistoryEntry(seq=seq, seat=1, by="player", at=AT, lines=lines or (DISCARDED,))


def steps_by_round(*entries: HistoryEntry) -> dict[int, tuple[int, ...]]:
    return {each.number: each.seqs for each in rounds_of(entries)}


def test_turn_that_ends_a_round_belongs_to_it() -> None:
    entries = entry(0, dealt(1)), entry(1), entry(2, DISCARDED, dealt(2)), entry(3)
    assert steps_by_round(*entries) == {1: (0, 1, 2), 2: (3,)}


def test_earlier_round_continues_after_a_rewind_to_it() -> None:
    rewound = Line(key=LineKey.REWOUND, to_seq=1)
    entries = entry(0, dealt(1)), entry(1), entry(2, dealt(2)), entry(3, rewound), entry(4)
    assert steps_by_round(*entries) == {1: (0, 1, 2, 4), 2: (3,)}


def test_turns_have_the_names_of_those_who_played_them() -> None:
    sittings = {
        1: [SimpleNamespace(name="Bob", until_seq=1), SimpleNamespace(name="Dora", until_seq=3)]
    }
    entries = with_former_names([entry(seq) for seq in (1, 2, 3, 4)], sittings)
    names = [dict(each.former_names).get(1) for each in entries]
    assert names == ["Bob", "Dora", "Dora", None]
