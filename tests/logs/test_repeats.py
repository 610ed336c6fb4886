"""Lines that repeat are left out for a minute, and counted."""

import logging
import sys

import pytest

from tests.logs.printing_process import fail
from webapp.logs.fields import FIELDS_ATTRIBUTE, event_fields
from webapp.logs.lines import REPEATED_AFTER_SECONDS, RepeatFilter


class FakeSeconds:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> FakeSeconds:
    return FakeSeconds()


@pytest.fixture
def repeats(seconds: FakeSeconds) -> RepeatFilter:
    return RepeatFilter(seconds)


def record(
    message: str, *arguments: object, name: str = "tasks", level: int = logging.WARNING
) -> logging.LogRecord:
    return logging.LogRecord(name, level, __file__, 1, message, arguments, None)


def test_equal_line_is_logged_once_a_minute_with_the_number_of_those_left_out(
    repeats: RepeatFilter, seconds: FakeSeconds
) -> None:
    passed = []
    for _ in range(120):
        new_record = record("Redis is %s.", "away")
        passed += [new_record] if repeats.filter(new_record) else []
        seconds.now += 1
    assert [getattr(passed_record, FIELDS_ATTRIBUTE, {}) for passed_record in passed] == [
        {},
        {"left_out": REPEATED_AFTER_SECONDS - 1},
    ]


def test_attempts_of_celery_are_one_line(repeats: RepeatFilter) -> None:
    attempts = [record("Again... (%s)", number, name="celery.worker.consumer") for number in "123"]
    assert [repeats.filter(attempt) for attempt in attempts] == [True, False, False]


def test_other_lines_always_pass(repeats: RepeatFilter) -> None:
    assert repeats.filter(record("game %s", 1))
    assert repeats.filter(record("game %s", 2))
    assert repeats.filter(record("game %s", 1, level=logging.ERROR))
    for _ in range(2):
        assert repeats.filter(record("usual", level=logging.INFO))
        event = record("Email %s is given up", 1)
        setattr(event, FIELDS_ATTRIBUTE, event_fields("email-dead")[FIELDS_ATTRIBUTE])
        assert repeats.filter(event)


def test_lines_with_a_traceback_always_pass(repeats: RepeatFilter) -> None:
    for _ in range(2):
        try:
            fail()
        except ValueError:
            failure = record("failed")
            failure.exc_info = sys.exc_info()
            assert repeats.filter(failure)


def test_many_different_lines_are_not_remembered_for_ever(repeats: RepeatFilter) -> None:
    for number in range(1001):
        assert repeats.filter(record(f"line {number}"))
    assert repeats.filter(record("line 0"))
