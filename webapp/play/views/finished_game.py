"""The finished rounds of a game as one viewer may see them, and a game that is over, with everything opened.

A finished round has the last mine, the winning path, roles and gold. All of it comes from the position before the next
deal, so nothing of the round under way can be in it.

A game that is over also shows what each player did, awards, and who knew what when. Its counts are pure functions of
the history.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import timedelta
from enum import StrEnum
from statistics import median
from typing import Final

import msgspec

from engine.cards import Card, Goal
from engine.cells import GOAL_CELLS, Cell
from engine.evolve import initial_state
from engine.finished_rounds import FinishedRound, finished_rounds, kept_turns, winning_path
from engine.narration import Line, LineKey
from engine.state import RoundResult, State
from engine.view import View, view_for
from engine.wire import decode_events
from webapp.clock.turn import SOURCES_PLAYED_IN_PERSON
from webapp.kernel.redacted import Redacted
from webapp.play.access import LoadedGame
from webapp.play.history import HistoryEntry, history_for
from webapp.play.queries.turns import TurnRow

TURN_KEYS: Final = frozenset(
    {
        LineKey.CARD_LAID,
        LineKey.TOOL_BROKEN,
        LineKey.OWN_TOOL_BROKEN,
        LineKey.TOOL_REPAIRED,
        LineKey.OWN_TOOL_REPAIRED,
        LineKey.ROCK_FELL,
        LineKey.GOAL_SEEN,
        LineKey.GOAL_LOOKED_AT,
        LineKey.CARD_DISCARDED,
        LineKey.DISCARDED,
    }
)
"""The lines of which every turn with a card has exactly one."""
_FEWEST_ANSWERS: Final = 5


class SeatStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """What the player who has a seat at the end did; nothing of those who had it before."""

    seat: int
    since_seq: int
    """The first turn that counts: the deal, or when the player took the seat over."""
    turns: int
    paths: int
    treasures: int
    breaks: int
    """How often they broke a tool of someone else."""
    repairs: int
    """How often they repaired a tool of someone else."""
    maps: int
    rockfalls: int
    median_answer: timedelta | None
    """How soon they played, in the middle of all turns that they played in person; None if there are too few."""


class AwardKey(StrEnum):
    """What an award is for; pages and emails have a name for each."""

    TREASURES = "treasures"
    SABOTAGE = "sabotage"
    PATHS = "paths"
    REPAIRS = "repairs"
    BREAKS = "breaks"
    MAPS = "maps"
    ROCKFALLS = "rockfalls"
    QUICKEST = "quickest"


class Award(msgspec.Struct, frozen=True, kw_only=True):
    """An award and the seats that share it: ``count`` of something, or how soon they played."""

    key: AwardKey
    seats: tuple[int, ...]
    count: int = 0
    answer: timedelta | None = None


_COUNTS: Final[dict[AwardKey, Callable[[SeatStatistics], int]]] = {
    AwardKey.TREASURES: lambda statistics: statistics.treasures,
    AwardKey.PATHS: lambda statistics: statistics.paths,
    AwardKey.REPAIRS: lambda statistics: statistics.repairs,
    AwardKey.BREAKS: lambda statistics: statistics.breaks,
    AwardKey.MAPS: lambda statistics: statistics.maps,
    AwardKey.ROCKFALLS: lambda statistics: statistics.rockfalls,
}
_ORDER: Final = tuple(AwardKey)


class RoundOver(Redacted, frozen=True, kw_only=True):
    """A finished round as a viewer may know it."""

    number: int
    seqs: tuple[int, ...]
    """Its turns, without those that were taken back."""
    result: RoundResult
    view: View
    """What the viewer knew when the round ended; once the game is over, all of it."""
    path: tuple[Cell, ...]
    """The winning path; empty if the treasure was not found."""
    gold: tuple[tuple[int, ...] | None, ...]
    """The gold cards that each seat won in this round; None if they are still secret (R46)."""
    is_gold_pending: bool
    """Whether players are still picking their gold."""
    hands: tuple[tuple[Card, ...], ...] = ()
    """What everyone held at the end; only once the game is over."""

    @property
    def first_seq(self) -> int:
        return self.seqs[0]


class SeenGoal(Redacted, frozen=True, kw_only=True):
    """A goal that a player looked at with a map."""

    seq: int
    seat: int
    cell: Cell
    goal: Goal


class OpenedRound(Redacted, frozen=True, kw_only=True):
    """A round after the end of the game: who saw which goal, who discarded what, and what they still held."""

    over: RoundOver
    treasure_cell: Cell
    seen_goals: tuple[SeenGoal, ...]
    discards: tuple[tuple[Card, ...], ...]
    """The discards of each seat, in order."""
    hands: tuple[tuple[Card, ...], ...]
    """The hand of each seat at the end of the round."""


class FinishedGame(Redacted, frozen=True, kw_only=True):
    """All that the page of a finished game adds to its table; ``rounds`` are the finished ones of a cancelled game."""

    rounds: tuple[OpenedRound, ...]
    statistics: tuple[SeatStatistics, ...]
    awards: tuple[Award, ...]
    shortened_to: int | None
    """The last round, if the players agreed to end the game before the last one."""


def finished_game(game: LoadedGame, turns: Sequence[TurnRow], seat: int | None) -> FinishedGame:
    """Return what happened in a game that is over; ``turns`` is its whole log."""
    assert game.is_revealed
    kept = _kept_seqs(turns)
    entries = history_for([turn for turn in turns if turn.seq in kept], seat, reveal_all=True)
    rounds = rounds_over(game, turns, seat)
    statistics = _seat_statistics(entries, game.row.seat_count)
    people = [each.number for each in game.row.seats if not each.is_bot]
    return FinishedGame(
        rounds=tuple(_opened_round(over, entries) for over in rounds),
        statistics=statistics,
        awards=_awards_of(statistics, rounds, people) if game.state.winners else (),
        shortened_to=next(
            (
                line.round
                for entry in reversed(entries)
                for line in entry.lines
                if line.key is LineKey.GAME_SHORTENED
            ),
            None,
        ),
    )


def _opened_round(over: RoundOver, entries: Sequence[HistoryEntry]) -> OpenedRound:
    seqs = frozenset(over.seqs)
    entries = [entry for entry in entries if entry.seq in seqs]
    lines = [(entry.seq, line) for entry in entries for line in entry.lines]
    return OpenedRound(
        over=over,
        treasure_cell=GOAL_CELLS[over.view.goals.index("treasure")],
        seen_goals=tuple(
            SeenGoal(seq=seq, seat=line.seat, cell=line.cell, goal=line.goal)
            for seq, line in lines
            if line.key is LineKey.GOAL_SEEN
            and line.seat is not None
            and line.cell is not None
            and line.goal is not None
        ),
        discards=tuple(
            tuple(
                line.card
                for _, line in lines
                if line.key is LineKey.CARD_DISCARDED and line.seat == seat and line.card
            )
            for seat in range(over.view.seats)
        ),
        hands=over.hands,
    )


def rounds_over(
    game: LoadedGame, turns: Sequence[TurnRow], seat: int | None
) -> tuple[RoundOver, ...]:
    """Return the finished rounds of a game from its whole log, with every secret once the game is over."""
    start = initial_state(game.row.rulebook, game.house, game.row.seat_count)
    log = [decode_events(turn.events) for turn in turns]
    reveal_all = game.is_revealed
    rounds: list[RoundOver] = []
    for finished in finished_rounds(start, log, game.state):
        view = view_for(finished.state, seat, reveal_all=reveal_all)
        over = _round_over(finished, view, rounds[-1].view if rounds else None)
        rounds.append(
            msgspec.structs.replace(over, hands=all_hands(finished.state)) if reveal_all else over
        )
    return tuple(rounds)


def all_hands(state: State) -> tuple[tuple[Card, ...], ...]:
    """Return what everyone holds, by seat; only for games that are over."""
    return tuple(view_for(state, seat).hand for seat in range(state.seats))


def _kept_seqs(turns: Sequence[TurnRow]) -> frozenset[int]:
    """Return the numbers of the turns of a whole log that were not taken back."""
    return frozenset(kept_turns([decode_events(turn.events) for turn in turns]))


def is_round_news(
    entries: Sequence[HistoryEntry], own_turn: HistoryEntry | None, view: View
) -> bool:
    """Return whether the viewer has not played in this round yet; ``entries`` are the turns after their ``own_turn``.

    While gold is shared the round is news for everyone. It stays so for the player whose own turn ended the round.
    """
    if not view.results:
        return False
    if view.awaiting is not None and view.awaiting.kind == "gold":
        return True
    news = entries if own_turn is None else (own_turn, *entries)
    return any(
        line.key is LineKey.ROUND_DEALT and line.round == view.round
        for entry in news
        for line in entry.lines
    )


def _round_over(finished: FinishedRound, view: View, earlier_view: View | None) -> RoundOver:
    earlier_gold = ((),) * view.seats if earlier_view is None else earlier_view.gold
    return RoundOver(
        number=finished.number,
        seqs=finished.seqs,
        result=finished.state.results[-1],
        view=view,
        path=winning_path(view.mine),
        gold=tuple(
            None if cards is None else cards[len(earlier_cards or ()) :]
            for cards, earlier_cards in zip(view.gold, earlier_gold, strict=True)
        ),
        is_gold_pending=view.awaiting is not None and view.awaiting.kind == "gold",
    )


def _seat_statistics(
    entries: Sequence[HistoryEntry], seat_count: int
) -> tuple[SeatStatistics, ...]:
    """Return what the player in each seat did; ``entries`` are all turns that count, from the first deal on."""
    return tuple(_statistics_of(seat, entries) for seat in range(seat_count))


def _statistics_of(seat: int, entries: Sequence[HistoryEntry]) -> SeatStatistics:
    since_seq = max((entry.seq for entry in entries if _is_handover(entry, seat)), default=0)
    counts = Counter(
        line.key
        for entry in entries
        if entry.seq >= since_seq
        for line in entry.lines
        if line.seat == seat
    )
    return SeatStatistics(
        seat=seat,
        since_seq=since_seq,
        turns=sum(counts[key] for key in TURN_KEYS),
        paths=counts[LineKey.CARD_LAID],
        treasures=counts[LineKey.TREASURE_TURNED],
        breaks=counts[LineKey.TOOL_BROKEN],
        repairs=counts[LineKey.TOOL_REPAIRED],
        maps=counts[LineKey.GOAL_SEEN],
        rockfalls=counts[LineKey.ROCK_FELL],
        median_answer=_median_answer(seat, entries, since_seq),
    )


def _is_handover(entry: HistoryEntry, seat: int) -> bool:
    return any(line.key is LineKey.SEAT_HANDED_OVER and line.seat == seat for line in entry.lines)


def _median_answer(seat: int, entries: Sequence[HistoryEntry], since_seq: int) -> timedelta | None:
    """Return the median time from the turn before until this player's, for turns with a card played in person."""
    answers = [
        (entry.at - earlier.at).total_seconds()
        for earlier, entry in itertools.pairwise(entries)
        if entry.seat == seat
        and earlier.seq >= since_seq
        and entry.by in SOURCES_PLAYED_IN_PERSON
        and _has_turn(entry.lines)
    ]
    return timedelta(seconds=median(answers)) if len(answers) >= _FEWEST_ANSWERS else None


def _has_turn(lines: Sequence[Line]) -> bool:
    return any(line.key in TURN_KEYS for line in lines)


def _awards_of(
    statistics: Sequence[SeatStatistics], rounds: Sequence[RoundOver], people: Collection[int]
) -> tuple[Award, ...]:
    """Return the awards; none for what no one did, or what everyone did equally often. ``people`` are the seats without bots."""
    awards = [
        *_count_awards(statistics),
        *_sabotage_award(statistics, rounds),
        *_quickest_award([each for each in statistics if each.seat in people]),
    ]
    return tuple(sorted(awards, key=lambda award: _ORDER.index(award.key)))


def _count_awards(statistics: Sequence[SeatStatistics]) -> Iterator[Award]:
    for key, count_of in _COUNTS.items():
        yield from _award_for_most(key, [count_of(each) for each in statistics])


def _sabotage_award(
    statistics: Sequence[SeatStatistics], rounds: Sequence[RoundOver]
) -> Iterator[Award]:
    wins = [
        sum(
            _has_sabotaged(each.seat, over.result)
            for over in rounds
            if over.seqs[0] >= each.since_seq
        )
        for each in statistics
    ]
    yield from _award_for_most(AwardKey.SABOTAGE, wins)


def _has_sabotaged(seat: int, result: RoundResult) -> bool:
    return result.winners == "saboteurs" and result.roles[seat] == "saboteur"


def _award_for_most(key: AwardKey, counts: Sequence[int]) -> Iterator[Award]:
    most = max(counts)
    seats = tuple(seat for seat, count in enumerate(counts) if count == most)
    if most and len(seats) < len(counts):
        yield Award(key=key, seats=seats, count=most)


def _quickest_award(statistics: Sequence[SeatStatistics]) -> Iterator[Award]:
    """Yield an award if at least two people can be compared; bots answer after a time of their own."""
    answers = {
        each.seat: each.median_answer for each in statistics if each.median_answer is not None
    }
    if len(answers) < 2:  # noqa: PLR2004 - one alone is quicker than no one
        return
    best = min(answers.values())
    seats = tuple(seat for seat, answer in answers.items() if answer == best)
    if len(seats) < len(answers):
        yield Award(key=AwardKey.QUICKEST, seats=seats, answer=best)
