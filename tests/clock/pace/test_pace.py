"""Named paces, what can be wrong with another, and banks."""

from datetime import time, timedelta
from zoneinfo import available_timezones

import msgspec
import pytest

from webapp.clock.pace.pace import (
    NAMED_PACES,
    USUAL_LATE_RULES,
    LateRules,
    NamedPace,
    Pace,
    PaceError,
    bank_after,
    bank_of,
    late_rules_from,
    late_rules_json,
    named_pace,
    pace_errors,
    pace_from,
    pace_json,
    time_for_turn,
)

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
ZONES = frozenset(available_timezones())
DAILY_PACE = named_pace("daily", "Europe/Riga")
FLAT_PACE = Pace(time_per_turn=2 * DAY)


def errors_of(**changed_fields: object) -> list[PaceError]:
    return pace_errors(msgspec.structs.replace(DAILY_PACE, **changed_fields), ZONES)


@pytest.mark.parametrize("name", NAMED_PACES)
def test_named_paces_are_valid_and_survive_storage(name: NamedPace) -> None:
    pace = named_pace(name, "Europe/Riga")

    assert pace_errors(pace, ZONES) == []
    assert (
        pace_from(msgspec.json.decode(msgspec.json.encode(pace_json(pace))), pace.time_per_turn)
        == pace
    )


def test_a_game_without_a_stored_pace_has_a_flat_time_per_turn() -> None:
    assert pace_from(None, 2 * DAY) == pace_from({}, 2 * DAY) == FLAT_PACE
    assert FLAT_PACE.playing.is_unlimited
    assert time_for_turn(None, FLAT_PACE) == 2 * DAY
    assert bank_after(None, timedelta(0), FLAT_PACE) is None


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
def test_invalid_pace_field_is_named_by_its_error(
    changed_fields: dict[str, object], error: tuple[str, str]
) -> None:
    assert errors_of(**changed_fields) == [error]


def test_a_turn_may_not_last_longer_than_a_year() -> None:
    hours = {"opens": time(8), "closes": time(10), "weekdays": (0,)}

    assert errors_of(**hours, time_per_turn=4 * DAY, bank=timedelta(0), refill=timedelta(0)) == []
    assert errors_of(**hours, time_per_turn=4 * DAY, bank=DAY) == [("weekdays", "too-slow")]


def test_only_time_beyond_the_time_per_turn_comes_out_of_the_time_bank() -> None:
    assert bank_after(None, 50 * HOUR, DAILY_PACE) is None
    assert bank_after(10 * HOUR, 14 * HOUR, DAILY_PACE) == 14 * HOUR
    assert bank_after(None, 38 * HOUR, DAILY_PACE) == 42 * HOUR


def test_extension_is_used_before_the_time_bank() -> None:
    time_used, extension = 40 * HOUR, 12 * HOUR
    time_left = time_for_turn(None, DAILY_PACE) + extension - time_used

    assert bank_after(None, time_left, DAILY_PACE) == bank_after(None, 44 * HOUR, DAILY_PACE)


def test_time_bank_stays_between_zero_and_its_size() -> None:
    assert bank_after(46 * HOUR, 60 * HOUR, DAILY_PACE) is None
    assert bank_after(2 * HOUR, -HOUR, DAILY_PACE) == 4 * HOUR
    assert bank_of(100 * HOUR, DAILY_PACE) == 48 * HOUR
    assert bank_of(-HOUR, DAILY_PACE) == timedelta(0)


def test_turn_played_by_the_clock_adds_nothing_to_the_time_bank() -> None:
    assert bank_after(2 * HOUR, timedelta(0), DAILY_PACE, is_turn_taken=False) == timedelta(0)
    assert time_for_turn(timedelta(0), DAILY_PACE) == DAY


def test_late_rules_survive_storage_and_default_to_none() -> None:
    assert late_rules_from(late_rules_json(USUAL_LATE_RULES)) == USUAL_LATE_RULES
    assert late_rules_from({}) == LateRules()
    assert late_rules_json(LateRules()) == {}


def test_named_paces_get_slower_one_by_one() -> None:
    lengths = [named_pace(name, "UTC").time_per_turn for name in NAMED_PACES]
    assert lengths == [8 * HOUR, DAY, 3 * DAY, 7 * DAY]
