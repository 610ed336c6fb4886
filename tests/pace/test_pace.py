"""Named paces, what can be wrong with another, banks, and how long a round takes."""

from datetime import time, timedelta
from zoneinfo import available_timezones

import msgspec
import pytest

from webapp.pace.bank import bank_after, bank_of, time_for_turn
from webapp.pace.late_rules import (
    USUAL_LATE_RULES,
    LateRules,
    late_rules_from,
    late_rules_json,
)
from webapp.pace.pace import (
    NAMED_PACES,
    NamedPace,
    Pace,
    PaceError,
    named_pace,
    pace_errors,
    pace_from,
    pace_json,
)
from webapp.pace.round_length import TURNS_PER_ROUND, expected_round_time

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
ZONES = frozenset(available_timezones())
DAILY = named_pace("daily", "Europe/Riga")
FLAT = Pace(time_per_turn=2 * DAY)


def errors_of(**changed_fields: object) -> list[PaceError]:
    return pace_errors(msgspec.structs.replace(DAILY, **changed_fields), ZONES)


@pytest.mark.parametrize("name", NAMED_PACES)
def test_named_paces_are_valid_and_survive_storage(name: NamedPace) -> None:
    pace = named_pace(name, "Europe/Riga")

    assert pace_errors(pace, ZONES) == []
    assert (
        pace_from(msgspec.json.decode(msgspec.json.encode(pace_json(pace))), pace.time_per_turn)
        == pace
    )


def test_a_game_without_a_stored_pace_has_a_flat_time_per_turn() -> None:
    assert pace_from(None, 2 * DAY) == pace_from({}, 2 * DAY) == FLAT
    assert FLAT.playing.is_always
    assert time_for_turn(None, FLAT) == 2 * DAY
    assert bank_after(None, timedelta(0), FLAT) is None


@pytest.mark.parametrize(
    "changed_fields, error",
    [
        ({"time_per_turn": timedelta(minutes=4)}, ("time_per_turn", "out-of-range")),
        ({"time_per_turn": 31 * DAY}, ("time_per_turn", "out-of-range")),
        ({"bank": 61 * DAY}, ("bank", "out-of-range")),
        ({"bank": -HOUR}, ("bank", "out-of-range")),
        ({"refill": -HOUR}, ("refill", "out-of-range")),
        ({"bank": HOUR, "refill": 2 * HOUR}, ("bank", "below-refill")),
        ({"zone": "Europe/Atlantis"}, ("zone", "unknown")),
        ({"weekdays": ()}, ("weekdays", "empty")),
        ({"weekdays": (7,)}, ("weekdays", "unknown")),
        ({"opens": time(8)}, ("closes", "missing")),
        ({"closes": time(8)}, ("opens", "missing")),
        ({"opens": time(8), "closes": time(8)}, ("closes", "no-length")),
        ({"opens": time(23, 30), "closes": time(0, 15)}, ("closes", "too-short")),
    ],
)
def test_a_wrong_field_is_named(changed_fields: dict[str, object], error: tuple[str, str]) -> None:
    assert errors_of(**changed_fields) == [error]


def test_a_turn_may_not_last_longer_than_a_year() -> None:
    hours = {"opens": time(8), "closes": time(10), "weekdays": (0,)}

    assert errors_of(**hours, time_per_turn=4 * DAY, bank=timedelta(0), refill=timedelta(0)) == []
    assert errors_of(**hours, time_per_turn=4 * DAY, bank=DAY) == [("weekdays", "too-slow")]


def test_only_what_exceeds_the_time_per_turn_comes_out_of_the_bank() -> None:
    assert bank_after(None, 50 * HOUR, DAILY) is None
    assert bank_after(10 * HOUR, 14 * HOUR, DAILY) == 14 * HOUR
    assert bank_after(None, 38 * HOUR, DAILY) == 42 * HOUR


def test_an_extension_spares_the_bank() -> None:
    time_used, extension = 40 * HOUR, 12 * HOUR
    time_left = time_for_turn(None, DAILY) + extension - time_used

    assert bank_after(None, time_left, DAILY) == bank_after(None, 44 * HOUR, DAILY)


def test_a_bank_is_never_below_nothing_nor_above_its_size() -> None:
    assert bank_after(46 * HOUR, 60 * HOUR, DAILY) is None
    assert bank_after(2 * HOUR, -HOUR, DAILY) == 4 * HOUR
    assert bank_of(100 * HOUR, DAILY) == 48 * HOUR
    assert bank_of(-HOUR, DAILY) == timedelta(0)


def test_a_turn_that_the_clock_played_puts_nothing_back() -> None:
    assert bank_after(2 * HOUR, timedelta(0), DAILY, is_taken=False) == timedelta(0)
    assert time_for_turn(timedelta(0), DAILY) == DAY


def test_a_round_is_shorter_when_its_players_answer_quickly() -> None:
    relaxed = named_pace("relaxed", "UTC")

    typical_time = expected_round_time(5, relaxed)
    assert typical_time == 12 * HOUR * TURNS_PER_ROUND
    assert expected_round_time(5, relaxed, [2 * HOUR] * 5) == 2 * HOUR * TURNS_PER_ROUND
    assert typical_time > expected_round_time(5, relaxed, [2 * HOUR]) > typical_time / 2
    assert expected_round_time(5, relaxed, [90 * DAY] * 5) == 3 * DAY * TURNS_PER_ROUND


def test_playing_hours_make_a_round_longer() -> None:
    half_days = Pace(time_per_turn=DAY, opens=time(8), closes=time(20))

    assert expected_round_time(5, half_days) == 2 * expected_round_time(5, Pace(time_per_turn=DAY))


def test_late_rules_survive_storage_and_default_to_none() -> None:
    assert late_rules_from(late_rules_json(USUAL_LATE_RULES)) == USUAL_LATE_RULES
    assert late_rules_from({}) == LateRules()
    assert late_rules_json(LateRules()) == {}
