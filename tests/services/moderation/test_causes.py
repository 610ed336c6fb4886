from datetime import timedelta

import pytest

from tests.support.factories import DAY, NOON
from webapp.game_status import GameStatus
from webapp.services.moderation.causes import Cause, WaitFacts, cause_of, helpful_acts

HOUR = timedelta(hours=1)
RUNNING = WaitFacts(
    now=NOON,
    status=GameStatus.RUNNING,
    started_at=NOON - HOUR,
    deadline_at=NOON + DAY,
    wake_at=NOON + DAY,
    turn_email_status="sent",
    turn_email_due_at=NOON - HOUR,
)
PAST_DEADLINE = RUNNING._replace(deadline_at=NOON - HOUR, wake_at=NOON - HOUR)


@pytest.mark.parametrize(
    "wait_facts, cause",
    [
        (RUNNING, Cause.SILENT),
        (RUNNING._replace(was_reminded=True), Cause.REMINDED),
        (RUNNING._replace(turn_email_status=None), Cause.NOT_NOTIFIED),
        (
            RUNNING._replace(turn_email_status="dropped", turn_email_reason="unsubscribed"),
            Cause.OPTED_OUT,
        ),
        (RUNNING._replace(turn_email_status="dropped", turn_email_reason="x"), Cause.NOT_NOTIFIED),
        (RUNNING._replace(turn_email_status="failed", turn_email_reason="550 no"), Cause.REFUSED),
        (
            RUNNING._replace(turn_email_status="pending", turn_email_reason="451 later"),
            Cause.DELAYED,
        ),
        (RUNNING._replace(turn_email_status="pending"), Cause.NOT_SENT),
        (RUNNING._replace(turn_email_status="pending", turn_email_due_at=NOON), Cause.QUEUED),
        (RUNNING._replace(is_banned=True), Cause.BANNED),
        (RUNNING._replace(has_player=False), Cause.NO_PLAYER),
        (RUNNING._replace(is_on_hold=True), Cause.ON_HOLD),
        (PAST_DEADLINE, Cause.OVERDUE),
        (PAST_DEADLINE._replace(wake_at=NOON + HOUR), Cause.FAILING),
        (RUNNING._replace(awaiting_bot=True, deadline_at=None), Cause.BOT_STUCK),
        (RUNNING._replace(awaiting_bot=True, deadline_at=None, started_at=NOON), Cause.BOT),
        (RUNNING._replace(status=GameStatus.PAUSED), Cause.PAUSED),
        (RUNNING._replace(status=GameStatus.OPEN), Cause.SEATS_FREE),
        (RUNNING._replace(status=GameStatus.READY_CHECK), Cause.READY_CHECK),
        (RUNNING._replace(status=GameStatus.FINISHED), Cause.OVER),
        (RUNNING._replace(status=GameStatus.CANCELLED), Cause.OVER),
    ],
)
def test_every_wait_has_its_cause(wait_facts: WaitFacts, cause: Cause) -> None:
    assert cause_of(wait_facts) is cause


def test_first_cause_that_players_cannot_help_wins() -> None:
    every_obstacle = PAST_DEADLINE._replace(
        is_on_hold=True, is_banned=True, turn_email_status="failed", wake_at=NOON + HOUR
    )
    assert cause_of(every_obstacle) is Cause.ON_HOLD
    assert cause_of(every_obstacle._replace(is_on_hold=False)) is Cause.FAILING
    assert cause_of(RUNNING._replace(is_banned=True, turn_email_status="failed")) is Cause.BANNED


def test_every_cause_has_at_most_two_helpful_acts() -> None:
    for cause in Cause:
        assert len(helpful_acts(cause)) <= 2
    assert len(helpful_acts(Cause.SILENT)) == 2
