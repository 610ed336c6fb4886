"""The checks of a simulated year find what is planted in the records of one game, and nothing in what is right."""

from datetime import timedelta

import msgspec
import pytest

from tests.simulated_year.checked_year import HOUR, CheckedYear, deadline_event, hours_interval
from tests.simulated_year.outages import Outages
from webapp.clock.pace.pace import USUAL_LATE_RULES, AbsencePolicy, LateRules

STARTED = deadline_event("started", 0, 72)
EARLY_DEFAULT = [("wrong_default", "deadline")]


def rules_with(absence: AbsencePolicy, *, cap_days: int = 14) -> LateRules:
    return msgspec.structs.replace(
        USUAL_LATE_RULES, absence=absence, absence_cap=timedelta(days=cap_days)
    )


@pytest.mark.parametrize("hours,expected", [(72, []), (71, EARLY_DEFAULT)])
def test_missed_turn_is_a_finding_before_the_deadline_only(
    hours: float, expected: list[tuple[str, str]]
) -> None:
    assert CheckedYear().findings_of(STARTED, deadline_event("missed", hours, 72)) == expected


def test_missed_turn_before_its_email_arrived_is_a_finding() -> None:
    year = CheckedYear(called_hours={0: 73})
    found = year.findings_of(STARTED, deadline_event("missed", 72, 72))
    assert found == [("wrong_default", "undelivered")]


def test_strike_for_a_turn_without_call_is_a_finding_even_after_three_restarts() -> None:
    restarts = [
        deadline_event("undelivered", 72 * count, 72 * count + 72, cause="pending")
        for count in (1, 2, 3)
    ]
    events = [STARTED, *restarts, deadline_event("missed", 288, 288)]
    assert CheckedYear(called_hours={0: 300}).findings_of(*events) == []
    year_with_strike = CheckedYear(called_hours={0: 300}, strikes=[0])
    assert year_with_strike.findings_of(*events) == [("wrong_strike", "undelivered")]
    without_last_restart = CheckedYear(called_hours={0: 300}).findings_of(*events[:1], *events[2:])
    assert without_last_restart == [("wrong_default", "undelivered")]


def test_fourth_restart_in_a_row_is_a_finding() -> None:
    restarts = [
        deadline_event("undelivered", 72 * count, 72 * count + 72, cause="pending")
        for count in (1, 2, 3, 4)
    ]
    found = CheckedYear(called_hours={}).findings_of(STARTED, *restarts)
    assert found == [("unexplained_deadline", "too many restarts")]


def test_restart_for_a_player_who_was_called_is_a_finding() -> None:
    restart = deadline_event("undelivered", 72, 144, cause="failed")
    found = CheckedYear().findings_of(STARTED, restart)
    assert found == [("unexplained_deadline", "restart after a call")]


def test_default_in_time_that_a_moderator_has_added_is_a_finding() -> None:
    extended = deadline_event("extended", 10, 96)
    year = CheckedYear(extensions={10: 24 * HOUR})
    assert year.findings_of(STARTED, extended, deadline_event("missed", 96, 96)) == []
    found = year.findings_of(STARTED, extended, deadline_event("missed", 95, 96))
    assert found == EARLY_DEFAULT


def test_default_in_time_that_a_pause_has_spared_is_a_finding() -> None:
    pause = deadline_event("paused", 10, 72), deadline_event("resumed", 30, 92)
    assert CheckedYear().findings_of(STARTED, *pause, deadline_event("missed", 92, 92)) == []
    found = CheckedYear().findings_of(STARTED, *pause, deadline_event("missed", 91, 92))
    assert found == EARLY_DEFAULT


def test_default_in_time_that_a_resumed_game_has_added_is_a_finding() -> None:
    """Of 72 hours one was left, and a resumed turn has a fifth of its 24 at least."""
    paused = deadline_event("paused", 71, 72)
    resumed = deadline_event("resumed", 100, 104.8, cause="time-to-react")
    for missed_hours, found in ((104.8, []), (104, EARLY_DEFAULT)):
        missed = deadline_event("missed", missed_hours, 104.8)
        assert CheckedYear().findings_of(STARTED, paused, resumed, missed) == found


def test_default_in_time_that_a_maintenance_has_spared_is_a_finding() -> None:
    stop = hours_interval(10, 20)
    year = CheckedYear(outages=Outages(server=(), relay=(), maintenance=(stop,)))
    shifted = deadline_event("shifted", 20, 82)
    found = year.findings_of(STARTED, shifted, deadline_event("missed", 81, 82))
    assert found == [("wrong_default", "outage")]


def test_default_without_the_bank_that_a_rewind_gives_back_is_a_finding() -> None:
    events = (
        STARTED,
        deadline_event("played", 60, 72),
        deadline_event("undone", 61),
        deadline_event("started", 61, 133, turn_seq=2),
    )
    year = CheckedYear(called_hours={0: 0, 2: 61})
    late_default = deadline_event("missed", 133, 133, turn_seq=2)
    assert year.findings_of(*events, late_default) == []
    early_default = deadline_event("missed", 101, 133, turn_seq=2)
    assert year.findings_of(*events, early_default) == EARLY_DEFAULT


@pytest.mark.parametrize(
    "absence,cap_days,missed_at_hour,expected",
    [
        ("stop", 14, 120, []),
        ("stop", 14, 96, [("wrong_default", "absence")]),
        ("stop", 1, 96, []),
        ("neutral", 14, 72, []),
        ("bot", 14, 50, [("wrong_default", "absence"), ("wrong_default", "no bot for a player")]),
    ],
)
def test_absence_does_what_the_table_has_chosen(
    absence: AbsencePolicy, cap_days: int, missed_at_hour: float, expected: list[tuple[str, str]]
) -> None:
    year = CheckedYear(
        absences=[hours_interval(10, 58)], late_rules=rules_with(absence, cap_days=cap_days)
    )
    missed = deadline_event("missed", missed_at_hour, missed_at_hour)
    changed = deadline_event("absence", 1, missed_at_hour)
    assert year.findings_of(STARTED, changed, missed) == expected


@pytest.mark.parametrize("hours,expected", [(122, []), (121, [("wrong_default", "outage")])])
def test_absence_is_used_up_during_an_outage_as_without_it(
    hours: float, expected: list[tuple[str, str]]
) -> None:
    # The absence may stop the clock for a day, until hour 34; the outage gives back what follows.
    year = CheckedYear(
        absences=[hours_interval(10, 106)],
        late_rules=rules_with("stop", cap_days=1),
        outages=Outages(server=(hours_interval(20, 60),), relay=()),
    )
    shifted = deadline_event("shifted", 60, hours)
    found = year.findings_of(STARTED, shifted, deadline_event("missed", hours, hours))
    assert found == expected


def test_absence_stops_no_clock_for_a_player_who_has_come_back() -> None:
    year = CheckedYear(
        absences=[hours_interval(-5, 200)], visit_hours=[-1], called_hours={0: -2, 1: 0}
    )
    events = (
        deadline_event("started", -2, 200),
        deadline_event("played", -1, 200),
        deadline_event("started", 0, 72, turn_seq=1),
        deadline_event("missed", 72, 72, turn_seq=1),
    )
    assert year.findings_of(*events) == []


def test_strike_for_a_turn_missed_while_away_is_a_finding() -> None:
    year = CheckedYear(
        absences=[hours_interval(10, 100)], late_rules=rules_with("neutral"), strikes=[0]
    )
    found = year.findings_of(STARTED, deadline_event("missed", 72, 72))
    assert found == [("wrong_strike", "stopped clock")]


@pytest.mark.parametrize(
    "absence,hours,expected",
    [
        ("bot", 20, []),
        ("bot", 5, [("wrong_default", "bot for a player")]),
        ("stop", 20, [("wrong_default", "bot for a player")]),
    ],
)
def test_bot_plays_only_for_players_who_are_away(
    absence: AbsencePolicy, hours: float, expected: list[tuple[str, str]]
) -> None:
    year = CheckedYear(absences=[hours_interval(10, 58)], late_rules=rules_with(absence))
    played = deadline_event("played", hours, 72, by="bot", cause="away")
    assert year.findings_of(STARTED, played) == expected


@pytest.mark.parametrize("strikes,count", [([0, 1, 2], 0), ([0, 1], 1)])
def test_seat_that_opens_before_the_third_strike_is_a_finding(
    strikes: list[int], count: int
) -> None:
    # The first turn takes the whole bank.
    ends = {0: 72, 1: 124, 2: 224}
    events = [
        event
        for turn, end in ends.items()
        for event in (
            deadline_event("started", 100 * turn, end, turn_seq=turn),
            deadline_event("missed", end, end, turn_seq=turn),
        )
    ]
    opened = deadline_event("opened", 224, turn_seq=2, cause="strikes")
    year = CheckedYear(called_hours={turn: 100.0 * turn for turn in range(3)}, strikes=strikes)
    assert year.findings_of(*events, opened) == count * [("wrong_seat_opening", "too few strikes")]


def test_seat_of_an_unreachable_player_that_opens_at_once_is_a_finding() -> None:
    restart = deadline_event("undelivered", 72, 144, cause="failed")
    opened = deadline_event("opened", 144, cause="undelivered")
    year = CheckedYear(called_hours={})
    assert year.findings_of(STARTED, restart, opened) == []
    assert year.findings_of(STARTED, opened) == [("wrong_seat_opening", "no restart")]


@pytest.mark.parametrize(
    "kind,deadline_hours,count",
    [
        ("reminder", 30, 0),
        ("reminder", 72, 1),
        ("your-turn", 30, 0),
        ("moderator-act", 72, 1),
        ("round-over", 30, 1),
        ("vote-opened", 30, 1),
    ],
)
def test_email_in_quiet_hours_is_a_finding_unless_the_deadline_lies_in_them(
    kind: str, deadline_hours: float, count: int
) -> None:
    year = CheckedYear(email_kind=kind, called_hours={0: 23}, has_quiet_hours=True)
    moved = deadline_event("extended", 1, deadline_hours)
    found = year.findings_of(STARTED, moved, deadline_event("played", 29, deadline_hours))
    assert found == count * [("email_in_quiet_hour", kind)]


def test_deadline_that_moved_without_an_event_is_a_finding() -> None:
    found = CheckedYear().findings_of(STARTED, deadline_event("played", 1, 80))
    assert found == [("unexplained_deadline", "played")]


@pytest.mark.parametrize("hours,count", [(84, 0), (112, 1), (72, 1)])
def test_deadline_that_leaves_another_time_than_the_bank_is_a_finding(
    hours: float, count: int
) -> None:
    events = (
        STARTED,
        # Of the bank 12 hours are used, and 4 are put back.
        deadline_event("played", 36, 72),
        deadline_event("started", 40, 40 + hours - 20, turn_seq=1),
    )
    found = CheckedYear().findings_of(*events)
    assert found == count * [("unexplained_deadline", "length")]


def test_default_long_after_the_time_was_up_is_a_finding() -> None:
    moved = deadline_event("shifted", 20, 73)
    found = CheckedYear().findings_of(STARTED, moved, deadline_event("missed", 73, 73))
    assert found == [("unexplained_deadline", "late default")]


def test_two_reminders_of_one_deadline_are_a_finding() -> None:
    reminders = (deadline_event("reminded", hours, 72) for hours in (20, 40))
    assert CheckedYear().findings_of(*reminders) == [("double_reminder", "too many")]
