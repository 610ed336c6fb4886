from datetime import timedelta

import pytest

from tests.support.factories import DAY
from tests.support.transactions import NOON
from webapp.kernel.game_status import GameStatus
from webapp.moderation.causes import WaitCause, WaitFacts, cause_of, helpful_acts

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
PAST_DEADLINE_FACTS = RUNNING._replace(deadline_at=NOON - HOUR, wake_at=NOON - HOUR)


@pytest.mark.parametrize(
    "wait_facts, cause",
    [
        (RUNNING, WaitCause.PLAYER_NOTIFIED),
        (RUNNING._replace(was_reminded=True), WaitCause.PLAYER_REMINDED),
        (RUNNING._replace(turn_email_status=None), WaitCause.PLAYER_NOT_NOTIFIED),
        (
            RUNNING._replace(turn_email_status="dropped", turn_email_reason="unsubscribed"),
            WaitCause.PLAYER_OPTED_OUT,
        ),
        (
            RUNNING._replace(turn_email_status="dropped", turn_email_reason="x"),
            WaitCause.PLAYER_NOT_NOTIFIED,
        ),
        (
            RUNNING._replace(turn_email_status="failed", turn_email_reason="550 no"),
            WaitCause.EMAIL_REFUSED,
        ),
        (
            RUNNING._replace(turn_email_status="pending", turn_email_reason="451 later"),
            WaitCause.EMAIL_DELAYED,
        ),
        (RUNNING._replace(turn_email_status="pending"), WaitCause.EMAIL_NOT_SENT),
        (
            RUNNING._replace(turn_email_status="pending", turn_email_due_at=NOON),
            WaitCause.EMAIL_QUEUED,
        ),
        (RUNNING._replace(is_banned=True), WaitCause.PLAYER_BANNED),
        (RUNNING._replace(has_player=False), WaitCause.NO_PLAYER),
        (RUNNING._replace(is_on_hold=True), WaitCause.GAME_ON_HOLD),
        (PAST_DEADLINE_FACTS, WaitCause.TURN_OVERDUE),
        (PAST_DEADLINE_FACTS._replace(wake_at=NOON + HOUR), WaitCause.TURN_FAILING),
        (RUNNING._replace(awaiting_bot=True, deadline_at=None), WaitCause.BOT_STUCK),
        (RUNNING._replace(awaiting_bot=True, deadline_at=None, started_at=NOON), WaitCause.BOT),
        (RUNNING._replace(status=GameStatus.PAUSED), WaitCause.PAUSED),
        (RUNNING._replace(status=GameStatus.OPEN), WaitCause.SEATS_FREE),
        (RUNNING._replace(status=GameStatus.READY_CHECK), WaitCause.READY_CHECK),
        (RUNNING._replace(status=GameStatus.FINISHED), WaitCause.GAME_OVER),
        (RUNNING._replace(status=GameStatus.CANCELLED), WaitCause.GAME_OVER),
    ],
)
def test_every_wait_has_its_cause(wait_facts: WaitFacts, cause: WaitCause) -> None:
    assert cause_of(wait_facts) is cause


def test_first_cause_that_players_cannot_help_wins() -> None:
    facts_with_every_obstacle = PAST_DEADLINE_FACTS._replace(
        is_on_hold=True, is_banned=True, turn_email_status="failed", wake_at=NOON + HOUR
    )
    assert cause_of(facts_with_every_obstacle) is WaitCause.GAME_ON_HOLD
    assert cause_of(facts_with_every_obstacle._replace(is_on_hold=False)) is WaitCause.TURN_FAILING
    assert (
        cause_of(RUNNING._replace(is_banned=True, turn_email_status="failed"))
        is WaitCause.PLAYER_BANNED
    )


def test_every_cause_has_at_most_two_helpful_acts() -> None:
    for cause in WaitCause:
        assert len(helpful_acts(cause)) <= 2
    assert len(helpful_acts(WaitCause.PLAYER_NOTIFIED)) == 2
