"""Sentences about paces, the time of a turn and the length of a round."""

from datetime import time, timedelta

import pytest

from tests.support.perspectives import ENGLISH
from webapp.clock.pace.pace import Pace, named_pace
from webapp.wording.paces import pace_sentence, round_forecast, turn_time_sentence

HOUR = timedelta(hours=1)
WORKDAYS = (0, 1, 2, 3, 4)


@pytest.mark.parametrize(
    "pace, sentence",
    [
        (Pace(time_per_turn=48 * HOUR), "2 days per turn"),
        (
            named_pace("daily", "Europe/Riga"),
            "Daily: 1 day per turn, and a time bank of 2 days that gets 4 hours back with every turn",
        ),
        (
            Pace(time_per_turn=HOUR, bank=6 * HOUR, weekdays=WORKDAYS, zone="America/New_York"),
            (
                "1 hour per turn, and a time bank of 6 hours for the whole game; "
                "the clock stops on Saturday and Sunday (America/New York time)"
            ),
        ),
        (
            Pace(time_per_turn=HOUR, opens=time(20), closes=time(1, 30)),
            "1 hour per turn; the clock stops outside 20:00–01:30 (UTC time)",  # noqa: RUF001 - an en dash between hours
        ),
    ],
)
def test_pace_is_said_in_one_sentence(pace: Pace, sentence: str) -> None:
    assert pace_sentence(pace, ENGLISH) == sentence


def test_time_of_a_turn_names_the_bank_and_when_the_clock_stops() -> None:
    pace = named_pace("brisk", "Europe/Riga")
    stops = "; the clock stops outside 08:00–22:00 (Europe/Riga time)."  # noqa: RUF001 - as above
    assert turn_time_sentence(pace, 12 * HOUR, ENGLISH) == (
        f"You have 8 hours for this turn plus 12 hours from your time bank{stops}"
    )
    assert turn_time_sentence(pace, timedelta(), ENGLISH, name="Bob") == (
        f"Bob has 8 hours for this turn{stops}"
    )


def test_time_of_a_turn_needs_no_words_without_bank_and_hours() -> None:
    assert turn_time_sentence(Pace(time_per_turn=HOUR), timedelta(), ENGLISH) == ""


@pytest.mark.parametrize(
    "length, text",
    [
        (timedelta(days=20), "about 3 weeks with 5 players"),
        (timedelta(days=6, hours=5), "about 6 days with 5 players"),
        (timedelta(minutes=20), "about 1 hour with 5 players"),
    ],
)
def test_length_of_a_round_is_rounded(length: timedelta, text: str) -> None:
    assert text in round_forecast(length, 5, ENGLISH)
