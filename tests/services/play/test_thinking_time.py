from datetime import datetime, timedelta

import pytest

from tests.support.factories import NOON, pick_first, pick_last
from webapp.services.play.bot_turns import CLAIM_DURATION
from webapp.services.play.thinking_time import (
    LATE_CLAIM,
    MAX_ALLOWANCE,
    USUAL_THINKING_TIME,
    RecentDecisions,
    ThinkingTime,
    answer_time,
    first_answer_time,
)

MOMENT = timedelta(milliseconds=1)
SECOND = timedelta(seconds=1)


def test_thought_is_drawn_from_every_millisecond_of_its_range() -> None:
    counts: list[int] = []

    def pick(count: int) -> int:
        counts.append(count)
        return 7

    assert USUAL_THINKING_TIME.draw(pick) == USUAL_THINKING_TIME.shortest + 7 * MOMENT
    assert counts == [801]
    assert USUAL_THINKING_TIME.draw(pick_last) == USUAL_THINKING_TIME.longest


def test_range_of_no_length_is_one_time() -> None:
    assert ThinkingTime(MOMENT, MOMENT).draw(pick_last) == MOMENT


def test_new_turn_is_thought_about_from_its_beginning_and_an_old_one_from_its_claim() -> None:
    claimed_in_time = NOON + LATE_CLAIM - MOMENT
    shortest = USUAL_THINKING_TIME.shortest
    assert _due(claimed_in_time) == NOON + shortest
    assert _due(NOON + LATE_CLAIM) == NOON + LATE_CLAIM + shortest
    assert first_answer_time(USUAL_THINKING_TIME, pick_first, began_at=None, now=NOON) == (
        NOON + shortest
    )


def test_answer_in_time_is_given_when_it_is_due() -> None:
    for ready_at in (NOON - SECOND, NOON):
        assert answer_time(NOON, USUAL_THINKING_TIME, pick_last, ready_at=ready_at) == NOON


def test_late_answer_waits_for_thoughts_whose_length_does_not_depend_on_the_delay() -> None:
    for delay in (MOMENT, SECOND, USUAL_THINKING_TIME.longest):
        given_at = answer_time(NOON, USUAL_THINKING_TIME, pick_last, ready_at=NOON + delay)
        assert given_at == NOON + USUAL_THINKING_TIME.longest
    delay = USUAL_THINKING_TIME.longest + MOMENT
    given_at = answer_time(NOON, USUAL_THINKING_TIME, pick_last, ready_at=NOON + delay)
    assert given_at == NOON + 2 * USUAL_THINKING_TIME.longest


def test_quick_decisions_do_not_change_the_range() -> None:
    decisions = RecentDecisions()
    assert decisions.thinking_time() == USUAL_THINKING_TIME
    decisions.note(USUAL_THINKING_TIME.shortest - LATE_CLAIM)
    assert decisions.thinking_time() == USUAL_THINKING_TIME


def test_slowest_recent_decision_would_be_in_time() -> None:
    decisions = RecentDecisions()
    decisions.note(SECOND)
    for _ in range(29):
        decisions.note(MOMENT)
        shortest, longest = decisions.thinking_time()
        assert shortest == LATE_CLAIM + SECOND
        assert longest - shortest == USUAL_THINKING_TIME.longest - USUAL_THINKING_TIME.shortest
    decisions.note(MOMENT)
    assert decisions.thinking_time() == USUAL_THINKING_TIME


def test_decision_within_its_budget_is_played_before_its_claim_expires() -> None:
    decisions = RecentDecisions()
    decisions.note(100 * MAX_ALLOWANCE)
    longest = decisions.thinking_time().longest
    budget = timedelta(seconds=5)
    assert budget + longest < CLAIM_DURATION


@pytest.mark.parametrize("shortest", [timedelta(0), MOMENT])
def test_range_may_be_no_longer_than_decisions_usually_take(
    shortest: timedelta,
) -> None:
    decisions = RecentDecisions(ThinkingTime(shortest, shortest))
    decisions.note(SECOND / 4)
    assert decisions.thinking_time().shortest == SECOND / 4 + LATE_CLAIM


def _due(now: datetime) -> datetime:
    return first_answer_time(USUAL_THINKING_TIME, pick_first, began_at=NOON, now=now)
