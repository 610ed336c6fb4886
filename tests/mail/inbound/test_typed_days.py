"""Days that people type into emails."""

from datetime import date, time

import pytest

from webapp.mail.inbound.typed_days import period_until

TODAY = date(2026, 11, 27)
"""A Friday."""


@pytest.mark.parametrize(
    "text, day, last_time",
    [
        ("24 Dec", date(2026, 12, 24), None),
        ("Dec 24th, 2026", date(2026, 12, 24), None),
        ("24 december at 6pm", date(2026, 12, 24), time(18)),
        ("24.12.", date(2026, 12, 24), None),
        ("24.12.2027 09:30", date(2027, 12, 24), time(9, 30)),
        ("2026-12-24", date(2026, 12, 24), None),
        ("1 Jan", date(2027, 1, 1), None),
        ("29 Feb", date(2028, 2, 29), None),
        ("Sunday", date(2026, 11, 29), None),
        ("sun. 18:00", date(2026, 11, 29), time(18)),
        ("Friday", date(2026, 12, 4), None),
        ("tomorrow", date(2026, 11, 28), None),
        ("today 12am", date(2026, 11, 27), time(0)),
    ],
)
def test_day_is_the_next_one_that_fits(text: str, day: date, last_time: time | None) -> None:
    period = period_until(text, TODAY)
    assert period is not None
    assert (period.first_day, period.last_day, period.last_time) == (TODAY, day, last_time)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "24",
        "3/4",
        "31 Feb",
        "18:00",
        "tomorrow 25:00",
        "Sunday at 9",
        "Dec 24 13pm",
        "2026-13-01",
        "0 Dec",
        "mo",
        "1" * 5000 + " Dec",
        "24 Dec 99999",
    ],
)
def test_nothing_is_guessed(text: str) -> None:
    assert period_until(text, TODAY) is None
