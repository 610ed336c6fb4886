"""Every change of a clock, as a table: the clock before, the change, and what it shows afterwards. No database is needed."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from engine.actions import Discard
from tests.clock.clocks import (
    ALICE,
    ALICE_ID,
    BOB,
    BOB_ID,
    BOT,
    BOTS_PLAY_FOR_ABSENT,
    NOON,
    OPEN_SEAT,
    WAITS_FOR_ABSENT,
    alice_away,
    at,
    away,
    hours,
    new_clock,
)
from webapp.clock.held_turn import HeldTurn
from webapp.clock.pace.calendar import PlayingTime
from webapp.clock.pace.reminders import ReminderPreferences
from webapp.clock.turn import (
    FARTHEST_DEADLINE,
    Clock,
    ClockChange,
    ClockEvent,
    ClockStop,
    Player,
    TakenTurn,
)

ACTION = Discard("rockfall")
NIGHT = PlayingTime(opens=at(10).time(), closes=at(19).time())
MISSED_EVENT = ClockEvent(
    turn_seq=2, at=NOON, kind="missed", by="clock", seat=ALICE, account_id=ALICE_ID
)
STARTED_EVENT = replace(
    MISSED_EVENT, kind="started", by="player", bank=hours(3), absence_used=hours(2)
)


class Case(NamedTuple):
    """A change of a clock. ``shows`` are fields of the clock afterwards, ``alice`` those of its first player."""

    name: str
    change: Callable[[], ClockChange | Clock]
    shows: dict[str, Any]
    alice: Mapping[str, Any] = MappingProxyType({})
    events: tuple[dict[str, Any], ...] = ()


def begin(seat: int | None, *, alice: Player | None = None, **fields: Any) -> ClockChange:
    return new_clock(seat=BOB, alice=alice, **fields).begin(seat, seq=9, now=at(1), by="player")


def taken(hour: float, by: Any = "player", clock: Clock | None = None) -> ClockChange:
    return (clock or new_clock()).take(TakenTurn(ALICE, by, 4), now=at(hour))


def held(hour: float = 1, clock: Clock | None = None) -> Clock:
    change = (clock or new_clock()).hold(
        ACTION, hold_time=hours(2), account_id=ALICE_ID, now=at(hour)
    )
    return change.clock


def _entered(hour: float, now: float) -> ClockChange:
    clock = held(hour)
    return clock.take(TakenTurn(ALICE, "player", 4, clock.held_turn), now=at(now))


def paused(hour: float, clock: Clock | None = None) -> Clock:
    return (clock or new_clock()).pause(by="moderator", now=at(hour)).clock


def resumed(clock: Clock, hour: float) -> ClockChange:
    return clock.resume(by="moderator", now=at(hour), actor_id=None)


def wishing(**fields: Any) -> Clock:
    return new_clock(alice=Player(account_id=ALICE_ID, wishes=ReminderPreferences(**fields)))


BEGINNINGS = [
    Case(
        "a person gets the time per turn and their bank",
        lambda: begin(ALICE),
        {"seq": 9, "turn_seq": 9, "deadline_at": at(16), "remind_at": at(13), "wake_at": at(13)},
        events=({"kind": "started", "bank": hours(5), "deadline_at": at(16), "turn_seq": 9},),
    ),
    Case(
        "what is left of a bank counts",
        lambda: begin(ALICE, alice=Player(account_id=ALICE_ID, bank=hours(2))),
        {"deadline_at": at(13)},
        events=({"kind": "started", "bank": hours(2)},),
    ),
    Case(
        "a bot has no deadline and is played at once",
        lambda: begin(BOT),
        {"deadline_at": None, "remind_at": None, "wake_at": at(1), "awaiting_bot": True},
    ),
    Case(
        "an open seat has the time per turn, and workers wait for its deadline",
        lambda: begin(OPEN_SEAT),
        {"deadline_at": at(11), "wake_at": at(11), "awaiting_bot": False},
        events=({"kind": "started", "account_id": None, "bank": None, "absence_used": None},),
    ),
    Case(
        "a game that is over waits for nothing",
        lambda: begin(None),
        {"seat": None, "deadline_at": None, "remind_at": None, "wake_at": None},
    ),
    Case(
        "an absence stops the clock where the table waits",
        lambda: begin(ALICE, alice=alice_away((2, 5)), rules=WAITS_FOR_ABSENT),
        {"deadline_at": at(19), "awaiting_bot": False},
        events=({"kind": "started"},),
    ),
    Case(
        "a table waits no longer than it has chosen",
        lambda: begin(ALICE, alice=alice_away((2, 500)), rules=WAITS_FOR_ABSENT),
        {"deadline_at": at(16 + 48)},
        events=({"kind": "started"},),
    ),
    Case(
        "a bot plays for a player who is away, who keeps their deadline",
        lambda: begin(ALICE, alice=alice_away((0, 5)), rules=BOTS_PLAY_FOR_ABSENT),
        {"deadline_at": at(16), "wake_at": at(1), "awaiting_bot": True},
        events=({"kind": "started"},),
    ),
    Case(
        "workers look when an absence begins after which a bot plays",
        lambda: begin(ALICE, alice=alice_away((4, 5)), rules=BOTS_PLAY_FOR_ABSENT),
        {"wake_at": at(4), "awaiting_bot": False},
        events=({"kind": "started"},),
    ),
    Case(
        "a player is reminded when they wish",
        lambda: wishing(hours=(9, 3)),
        {"deadline_at": at(15), "remind_at": at(6), "wake_at": at(6)},
    ),
    Case(
        "in a paused game a turn begins at the pause",
        lambda: begin(ALICE, paused_at=at(0.5)),
        {"started_at": at(0.5), "deadline_at": at(15.5)},
        events=({"kind": "started", "at": at(1)},),
    ),
    Case(
        "a choice within a turn keeps its times",
        lambda: new_clock().continue_turn(seq=5, now=at(1)),
        {"seq": 5, "turn_seq": 4, "started_at": NOON, "deadline_at": at(15), "wake_at": at(12)},
    ),
    Case(
        "a choice within a bot's turn is due at once",
        lambda: new_clock(seat=BOT).continue_turn(seq=5, now=at(1)),
        {"wake_at": at(1), "awaiting_bot": True},
    ),
]
ENDS = [
    Case(
        "a turn in time keeps the bank full",
        lambda: taken(4),
        {},
        {"bank": None, "strikes": 0},
        ({"kind": "played", "by": "player", "at": at(4), "deadline_at": at(15), "bank": None},),
    ),
    Case(
        "a long turn takes from the bank, and gets some back",
        lambda: taken(12),
        {},
        {"bank": hours(4)},
        ({"kind": "played", "cause": ""},),
    ),
    Case(
        "a turn after its deadline is late",
        lambda: taken(15),
        {},
        {"bank": hours(1), "strikes": 0},
        ({"kind": "late", "cause": ""},),
    ),
    Case(
        "a late turn of a player who was away is excused",
        lambda: taken(16, clock=new_clock(alice=alice_away((14, 20)))),
        {},
        {"strikes": 0, "away": (), "returned_at": at(16)},
        ({"kind": "late", "cause": "away"},),
    ),
    Case(
        "a plan ends no absence",
        lambda: taken(4, "plan", new_clock(alice=alice_away((3, 20)))),
        {},
        {"away": away((3, 20)), "returned_at": None},
        ({"kind": "played", "by": "player"},),
    ),
    Case(
        "a bot that plays for an absent player puts nothing back",
        lambda: taken(12, "away"),
        {},
        {"bank": hours(3)},
        ({"kind": "played", "by": "bot", "cause": "away"},),
    ),
    Case(
        "a held turn counts when it was due, however late a worker plays it",
        lambda: _entered(12, 16),
        {},
        {"bank": hours(2)},
        ({"kind": "played", "at": at(15)},),
    ),
    Case(
        "an absence is counted that has stopped the clock",
        lambda: taken(6, clock=new_clock(alice=alice_away((1, 4)), rules=WAITS_FOR_ABSENT)),
        {},
        {"absence_used": hours(3)},
        ({"kind": "played"},),
    ),
    Case(
        "a turn that followed by itself has no deadline, and puts something back",
        lambda: new_clock(alice=Player(account_id=ALICE_ID, bank=hours(2)), seat=BOB).take(
            TakenTurn(ALICE, "plan", 5), now=at(1)
        ),
        {},
        {"bank": hours(3)},
        ({"kind": "played", "turn_seq": 5, "deadline_at": None, "bank": hours(2)},),
    ),
    Case(
        "a bot's turn has no events",
        lambda: new_clock(seat=BOT).take(TakenTurn(BOT, "bot", 4), now=at(1)),
        {},
    ),
    Case(
        "a missed turn empties the bank and is a strike",
        lambda: new_clock().miss(now=at(15)),
        {},
        {"bank": hours(0), "strikes": 1},
        ({"kind": "missed", "by": "clock", "cause": ""},),
    ),
    Case(
        "a turn missed during a declared absence is no strike",
        lambda: new_clock(alice=alice_away((14, 20))).miss(now=at(15)),
        {},
        {"bank": hours(0), "strikes": 0},
        ({"kind": "missed", "cause": "away"},),
    ),
    Case(
        "a missed turn of an open seat costs no one anything",
        lambda: new_clock(seat=OPEN_SEAT).miss(now=at(10)),
        {"players": new_clock().players},
        events=({"kind": "missed", "seat": OPEN_SEAT, "account_id": None},),
    ),
    Case(
        "an excused turn costs neither the bank nor a strike",
        lambda: new_clock(alice=Player(account_id=ALICE_ID, bank=hours(2), strikes=1)).excuse(
            now=at(12)
        ),
        {},
        {"bank": hours(2), "strikes": 1},
        ({"kind": "missed", "cause": "undelivered"},),
    ),
]
ACTS = [
    Case(
        "an extension keeps the distance of the reminder",
        lambda: new_clock().extend(at(20), by="moderator", now=at(1)),
        {"deadline_at": at(20), "remind_at": at(17), "wake_at": at(17)},
        events=({"kind": "extended", "by": "moderator", "deadline_at": at(20)},),
    ),
    Case(
        "an extension does not delay a held turn",
        lambda: held().extend(at(20), by="moderator", now=at(2)),
        {"deadline_at": at(20), "wake_at": at(3)},
        events=({"kind": "extended"},),
    ),
    Case(
        "a pause leaves the times as they are",
        lambda: new_clock().pause(by="vote", now=at(1)),
        {"paused_at": at(1), "deadline_at": at(15), "wake_at": at(12)},
        events=({"kind": "paused", "by": "vote", "deadline_at": at(15)},),
    ),
    Case(
        "a pause drops a held turn",
        lambda: paused(2, held()),
        {"wake_at": at(12), "held_turn": None},
    ),
    Case(
        "a resumed turn has the time that was left",
        lambda: resumed(paused(1), 31),
        {"paused_at": None, "deadline_at": at(45), "remind_at": at(42), "wake_at": at(42)},
        events=({"kind": "resumed", "cause": "", "deadline_at": at(45)},),
    ),
    Case(
        "a turn resumed near its deadline has time to react",
        lambda: resumed(paused(14.5), 20),
        {"deadline_at": at(22)},
        events=({"kind": "resumed", "cause": "time-to-react"},),
    ),
    Case(
        "a pause uses nothing up of the time for which absences may stop the clock",
        lambda: resumed(
            paused(1, new_clock(alice=alice_away((2, 500)), rules=WAITS_FOR_ABSENT)), 11
        ),
        {"deadline_at": at(15 + 48 + 10)},
        {"absence_used": hours(-9)},
        ({"kind": "resumed"},),
    ),
    Case(
        "a player who was never called gets the whole time again",
        lambda: new_clock().restart(cause="failed", now=at(15)),
        {"started_at": at(15), "deadline_at": at(30), "remind_at": at(27), "turn_seq": 4},
        {"strikes": 0, "bank": None},
        ({"kind": "undelivered", "by": "server", "cause": "failed", "deadline_at": at(30)},),
    ),
    Case(
        "all times move by the time that an outage took",
        lambda: new_clock().shift(hours(2), cause="server", now=at(3), is_reminder_unsent=False),
        {"started_at": at(2), "deadline_at": at(17), "remind_at": at(14), "wake_at": at(14)},
        events=({"kind": "shifted", "cause": "server", "deadline_at": at(17)},),
    ),
    Case(
        "a reminder that was not sent before an outage is written again",
        lambda: new_clock(wake_at=at(15)).shift(
            hours(2), cause="server", now=at(14), is_reminder_unsent=True
        ),
        {"remind_at": at(14), "wake_at": at(14)},
        events=({"kind": "shifted"},),
    ),
    Case(
        "a declared absence moves the deadline where the table waits",
        lambda: new_clock(rules=WAITS_FOR_ABSENT).absences_changed(away((2, 6)), now=at(1)),
        {"deadline_at": at(19), "remind_at": at(16), "wake_at": at(16)},
        {"away": away((2, 6))},
        ({"kind": "absence", "by": "player", "deadline_at": at(19)},),
    ),
    Case(
        "a player who was reminded is not reminded again because of an absence",
        lambda: new_clock(rules=WAITS_FOR_ABSENT).absences_changed(away((14, 16)), now=at(13)),
        {"deadline_at": at(17), "remind_at": at(12), "wake_at": at(17)},
        events=({"kind": "absence"},),
    ),
    Case(
        "a bot takes over when its table lets bots play",
        lambda: new_clock(rules=BOTS_PLAY_FOR_ABSENT).absences_changed(away((0, 6)), now=at(1)),
        {"deadline_at": at(15), "awaiting_bot": True, "wake_at": at(1)},
    ),
    Case(
        "a player who comes back has their turn again",
        lambda: new_clock(alice=alice_away((0, 6)), rules=BOTS_PLAY_FOR_ABSENT).absences_changed(
            (), now=at(1)
        ),
        {"deadline_at": at(15), "awaiting_bot": False, "wake_at": at(12)},
    ),
    Case("no one is reminded in a lost seat", lambda: new_clock().vacate(), {"wake_at": at(15)}),
    Case(
        "a player who has their seat again has time to react",
        lambda: new_clock().vacate().reseat(by="vote", now=at(14), actor_id=None, since=at(14)),
        {"deadline_at": at(16), "remind_at": None, "wake_at": at(16)},
        events=({"kind": "extended", "by": "vote"},),
    ),
    Case(
        "a player who has their seat again early is reminded as before",
        lambda: new_clock().vacate().reseat(by="vote", now=at(2), actor_id=None, since=at(2)),
        {"deadline_at": at(15), "remind_at": at(12), "wake_at": at(12)},
    ),
    Case(
        "a cancelled game waits for nothing",
        lambda: held().cancel(),
        {"deadline_at": None, "remind_at": None, "wake_at": None, "stored_held_turn": None},
    ),
    Case(
        "a rewind gives strikes, banks and absences back",
        lambda: new_clock(
            alice=Player(account_id=ALICE_ID, bank=hours(0), strikes=2, absence_used=hours(9))
        ).take_back([STARTED_EVENT, MISSED_EVENT], now=at(1)),
        {},
        {"bank": hours(3), "strikes": 1, "absence_used": hours(2)},
        ({"kind": "undone", "turn_seq": 2, "account_id": ALICE_ID},),
    ),
    Case(
        "a rewind gives a substitute nothing of their predecessor",
        lambda: new_clock(alice=Player(account_id=BOB_ID, strikes=1)).take_back(
            [STARTED_EVENT, MISSED_EVENT], now=at(1)
        ),
        {},
        {"bank": None, "strikes": 1},
        ({"kind": "undone"},),
    ),
]
HELD_TURNS = [
    Case("a held turn enters when it is due", held, {"wake_at": at(3)}),
    Case("a held turn enters at the deadline at the latest", lambda: held(14), {"wake_at": at(15)}),
    Case(
        "a withdrawn turn leaves the reminder",
        lambda: held().withdraw(now=at(2)),
        {"wake_at": at(12)},
    ),
    Case(
        "a turn withdrawn after an extension leaves its reminder",
        lambda: held().extend(at(20), by="vote", now=at(2)).clock.withdraw(now=at(2)),
        {"wake_at": at(17), "held_turn": None},
    ),
    Case(
        "another player's turn drops what is held",
        lambda: held().after_turns_of({BOB}),
        {"held_turn": None},
    ),
    Case(
        "the player's own turn deletes what is held",
        lambda: held().after_turns_of({ALICE}),
        {"stored_held_turn": None},
    ),
    Case(
        "what a player held who has left is deleted",
        lambda: held().without_turns_held_by(ALICE_ID),
        {"stored_held_turn": None},
    ),
]
REMINDERS = [
    Case(
        "a reminder is followed by the deadline",
        lambda: new_clock().remind(now=at(12)),
        {"remind_at": at(12), "wake_at": at(15)},
        events=({"kind": "reminded", "by": "clock", "account_id": ALICE_ID},),
    ),
    Case(
        "a reminder is followed by the next that its player wishes",
        lambda: wishing(hours=(9, 3)).remind(now=at(6.1)),
        {"remind_at": at(6), "wake_at": at(12)},
        events=({"kind": "reminded"},),
    ),
    Case(
        "a reminder waits for the end of quiet hours",
        lambda: replace(wishing(quiet=(NIGHT,)), deadline_at=at(30)).remind(now=at(12)),
        {"remind_at": at(19), "wake_at": at(19)},
    ),
    Case(
        "a reminder waits for a held turn",
        lambda: replace(held(), wake_at=at(2)).remind(now=at(2)),
        {"wake_at": at(3), "remind_at": at(12)},
    ),
    Case(
        "an open seat gets no reminder",
        lambda: replace(new_clock(seat=OPEN_SEAT), wake_at=at(8)).remind(now=at(8)),
        {"wake_at": at(10)},
    ),
]


@pytest.mark.parametrize(
    "case", [*BEGINNINGS, *ENDS, *ACTS, *HELD_TURNS, *REMINDERS], ids=lambda case: case.name
)
def test_clock_changes_as_the_rules_say(case: Case) -> None:
    result = case.change()
    clock, events = result if isinstance(result, ClockChange) else ClockChange(result)
    assert {name: getattr(clock, name) for name in case.shows} == case.shows
    assert {name: getattr(clock.players[ALICE], name) for name in case.alice} == case.alice
    assert len(events) == len(case.events)
    for event, shown in zip(events, case.events, strict=True):
        assert {name: getattr(event, name) for name in shown} == shown


def test_extension_leaves_at_most_the_longest_time() -> None:
    deadline_at = new_clock().extended_deadline(FARTHEST_DEADLINE, now=at(1))
    assert deadline_at == at(1) + FARTHEST_DEADLINE


def test_extension_of_a_passed_deadline_counts_from_now_on() -> None:
    assert new_clock().extended_deadline(hours(3), now=at(20)) == at(23)


@pytest.mark.parametrize(
    "stop, shown",
    [
        (None, at(10)),
        (ClockStop(at(4), None), at(4)),
        (ClockStop(at(4), at(6)), at(8)),
        (ClockStop(at(-3), at(1)), at(9)),
        (ClockStop(at(11), None), at(10)),
        (ClockStop(at(10) - hours(0.01), None, is_recorded=False), at(10)),
        (ClockStop(at(9), None, is_recorded=False), at(9)),
    ],
)
def test_clock_stands_still_while_the_site_does_not_work(
    stop: ClockStop | None, shown: Any
) -> None:
    assert new_clock(stop=stop).time_shown(at(10)) == shown


def test_held_turn_counts_only_for_its_position_and_player() -> None:
    clock = held()
    assert isinstance(clock.held_turn, HeldTurn)
    assert replace(clock, seq=5).held_turn is None
    assert replace(clock, paused_at=at(2)).held_turn is None
    assert replace(clock, players=new_clock(alice=Player(account_id=99)).players).held_turn is None


def test_clocks_show_nothing_private_in_logs() -> None:
    clock = held(clock=new_clock(alice=alice_away((3, 4))))
    assert [repr(clock), repr(clock.players[ALICE]), repr(clock.held_turn)] == [
        "<Clock>",
        "<Player>",
        "<HeldTurn>",
    ]
