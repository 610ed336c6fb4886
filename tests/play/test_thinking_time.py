from datetime import datetime, timedelta

import pytest

from tests.support.transactions import NOON, pick_first, pick_last
from webapp.play.bots.bot_turns import CLAIM_DURATION
from webapp.play.bots.thinking_time import (
    LATE_CLAIM_AFTER,
    MAX_DECISION_TIME,
    THINKING_TIME_WITH_ONE_PERSON,
    USUAL_THINKING_TIME,
    RecentDecisions,
    ThinkingTime,
    answer_time,
    first_answer_time,
)

MOMENT = timedelta(milliseconds=1)
SECOND = timedelta(seconds=1)
STEADY = "steady"


def test_thinking_time_is_drawn_from_every_millisecond_of_its_range() -> None:
    counts: list[int] = []

    def random_below(count: int) -> int:
        counts.append(count)
        return 7

    assert USUAL_THINKING_TIME.draw(random_below) == USUAL_THINKING_TIME.shortest + 7 * MOMENT
    assert counts == [801]
    assert USUAL_THINKING_TIME.draw(pick_last) == USUAL_THINKING_TIME.longest


def test_thinking_time_range_of_no_length_gives_one_time() -> None:
    assert ThinkingTime(MOMENT, MOMENT).draw(pick_last) == MOMENT


def test_new_turn_is_thought_about_from_its_beginning_and_an_old_one_from_its_claim() -> None:
    claimed_in_time = NOON + LATE_CLAIM_AFTER - MOMENT
    shortest = USUAL_THINKING_TIME.shortest
    assert _due_time(claimed_in_time) == NOON + shortest
    assert _due_time(NOON + LATE_CLAIM_AFTER) == NOON + LATE_CLAIM_AFTER + shortest
    assert first_answer_time(USUAL_THINKING_TIME, pick_first, began_at=None, now=NOON) == (
        NOON + shortest
    )


def test_answer_in_time_is_given_when_it_is_due() -> None:
    for ready_at in (NOON - SECOND, NOON):
        assert answer_time(NOON, USUAL_THINKING_TIME, pick_last, ready_at=ready_at) == NOON


def test_late_answer_waits_for_a_thinking_time_independent_of_the_delay() -> None:
    for delay in (MOMENT, SECOND, USUAL_THINKING_TIME.longest):
        answered_at = answer_time(NOON, USUAL_THINKING_TIME, pick_last, ready_at=NOON + delay)
        assert answered_at == NOON + USUAL_THINKING_TIME.longest
    delay = USUAL_THINKING_TIME.longest + MOMENT
    answered_at = answer_time(NOON, USUAL_THINKING_TIME, pick_last, ready_at=NOON + delay)
    assert answered_at == NOON + 2 * USUAL_THINKING_TIME.longest


def test_quick_decisions_do_not_change_the_range_of_thinking_times() -> None:
    decisions = RecentDecisions()
    assert decisions.thinking_time(STEADY) == USUAL_THINKING_TIME
    decisions.add_duration(SECOND * 0.3, level=STEADY)
    assert decisions.thinking_time(STEADY) == USUAL_THINKING_TIME


def test_decision_a_little_slower_than_the_recent_ones_would_be_in_time() -> None:
    for slowest in (SECOND * 0.5, SECOND, SECOND * 2, SECOND * 4):
        decisions = RecentDecisions()
        decisions.add_duration(slowest, level="keen")
        for _ in range(29):
            decisions.add_duration(MOMENT, level="easy")
            shortest, longest = decisions.thinking_time(STEADY)
            assert shortest >= LATE_CLAIM_AFTER + 1.25 * slowest
            assert longest - shortest == USUAL_THINKING_TIME.longest - USUAL_THINKING_TIME.shortest
        decisions.add_duration(MOMENT, level="easy")
        assert decisions.thinking_time(STEADY) == USUAL_THINKING_TIME


def test_quick_decisions_of_other_levels_do_not_make_answers_late() -> None:
    decisions = RecentDecisions()
    decisions.add_duration(SECOND, level="keen")
    for _ in range(200):
        decisions.add_duration(MOMENT, level=STEADY)
    assert decisions.thinking_time("keen").shortest >= SECOND + LATE_CLAIM_AFTER
    for _ in range(100):
        decisions.add_duration(MOMENT, level="keen")
    assert decisions.thinking_time("keen") == USUAL_THINKING_TIME


def test_range_does_not_tell_how_long_the_slowest_decision_took() -> None:
    ranges = set()
    for hundredths in range(65, 129):
        decisions = RecentDecisions()
        decisions.add_duration(hundredths * SECOND / 100, level=STEADY)
        ranges.add(decisions.thinking_time(STEADY))
    assert len(ranges) == 1


def test_bots_of_one_person_answer_soon_once_a_decision_of_their_level_is_known() -> None:
    decisions = RecentDecisions()
    decisions.add_duration(SECOND, level="keen")
    slow_range = decisions.thinking_time(STEADY, has_one_person=True)
    assert slow_range == decisions.thinking_time(STEADY)
    decisions.add_duration(MOMENT, level=STEADY)
    quick_range = decisions.thinking_time(STEADY, has_one_person=True)
    assert quick_range == THINKING_TIME_WITH_ONE_PERSON
    assert quick_range.longest < USUAL_THINKING_TIME.shortest
    keen_range = decisions.thinking_time("keen", has_one_person=True)
    assert keen_range.shortest >= SECOND + LATE_CLAIM_AFTER


def test_many_quick_decisions_leave_time_for_a_slow_one_where_one_person_plays() -> None:
    decisions = RecentDecisions()
    decisions.add_duration(SECOND, level=STEADY)
    for _ in range(200):
        decisions.add_duration(MOMENT, level=STEADY)
    shortest = decisions.thinking_time(STEADY, has_one_person=True).shortest
    assert shortest >= SECOND + LATE_CLAIM_AFTER


def test_decision_within_its_budget_is_played_before_its_claim_expires() -> None:
    decisions = RecentDecisions()
    decisions.add_duration(100 * MAX_DECISION_TIME, level=STEADY)
    longest = decisions.thinking_time(STEADY).longest
    budget = timedelta(seconds=5)
    assert budget + longest < CLAIM_DURATION


@pytest.mark.parametrize("shortest", [timedelta(0), MOMENT])
def test_range_of_thinking_times_is_limited_by_recent_decisions(
    shortest: timedelta,
) -> None:
    decisions = RecentDecisions(ThinkingTime(shortest, shortest))
    decisions.add_duration(SECOND / 4, level=STEADY)
    assert decisions.thinking_time(STEADY).shortest == SECOND * 0.4 + LATE_CLAIM_AFTER


def _due_time(now: datetime) -> datetime:
    return first_answer_time(USUAL_THINKING_TIME, pick_first, began_at=NOON, now=now)
