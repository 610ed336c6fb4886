from datetime import timedelta

from tests.support.acts import perform_act
from tests.support.cast import ALICE
from tests.support.factories import DAY, Guest, deal_game, play_turn
from tests.support.outbox_steps import (
    REMINDER_TIME,
    collect_email,
    collect_emails,
    dropped_reasons,
    mark_all_sent,
    mark_due_emails_sent,
    queue_reminders,
)
from tests.support.transactions import NOON, transaction
from webapp.clock.sweep import sweep
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.mail.outbox.delivery import give_up, postpone
from webapp.play.emails.turn_email import TurnContext


def test_reminder_is_sent_while_it_applies(
    database: Database, guests: list[Guest], slug: str
) -> None:
    mark_due_emails_sent(database)
    queue_reminders(database)
    context = collect_email(database, "reminder", now=REMINDER_TIME).context
    assert isinstance(context, TurnContext)
    assert context.envelope.kind == "reminder"
    assert context.deadline_at - REMINDER_TIME == DAY * 0.2


def test_reminder_is_dropped_after_the_turn_or_the_deadline(
    database: Database, guests: list[Guest], slug: str
) -> None:
    other = deal_game(database, guests)
    mark_due_emails_sent(database)
    with transaction(database, REMINDER_TIME) as tx:
        assert sweep(tx).reminded_count == 2
    play_turn(database, other, guests[0], now=REMINDER_TIME)
    assert collect_emails(database, now=NOON + DAY, kind="reminder") == []
    assert sorted(filter(None, dropped_reasons(database, "reminder"))) == ["moved-on", "too-late"]


def test_reminder_waits_for_a_due_turn_email_and_is_dropped_once_that_is_sent(
    database: Database, slug: str
) -> None:
    turn_email = collect_email(database, "your-turn", now=REMINDER_TIME)
    queue_reminders(database)
    assert collect_emails(database, now=REMINDER_TIME) == []
    with transaction(database, REMINDER_TIME) as tx:
        mark_all_sent(tx, [turn_email.claim])
    assert collect_emails(database, now=REMINDER_TIME) == []
    assert dropped_reasons(database, "reminder") == ["turn-email-sent"]


def test_reminder_goes_out_before_a_postponed_turn_email_which_is_then_dropped(
    database: Database, slug: str
) -> None:
    turn_email = collect_email(database, "your-turn", now=REMINDER_TIME)
    queue_reminders(database)
    with transaction(database, REMINDER_TIME) as tx:
        postpone(tx, turn_email.claim, code="451")
    reminder = collect_email(database, "reminder", now=REMINDER_TIME)
    with transaction(database, REMINDER_TIME) as tx:
        mark_all_sent(tx, [reminder.claim])
    assert collect_emails(database, now=REMINDER_TIME + timedelta(hours=1)) == []
    assert dropped_reasons(database, "your-turn") == ["reminder-sent"]


def test_reminder_goes_out_if_the_turn_email_failed(database: Database, slug: str) -> None:
    turn_email = collect_email(database, "your-turn", now=REMINDER_TIME)
    queue_reminders(database)
    with transaction(database, REMINDER_TIME) as tx:
        give_up(tx, turn_email.claim, code="550")
    assert collect_email(database, "reminder", now=REMINDER_TIME).address == ALICE.address


def test_email_about_a_resumed_game_is_sent_although_the_player_was_reminded_before(
    database: Database, guests: list[Guest], slug: str
) -> None:
    mark_due_emails_sent(database)
    queue_reminders(database)
    reminder = collect_email(database, "reminder", now=REMINDER_TIME)
    with transaction(database, REMINDER_TIME) as tx:
        mark_all_sent(tx, [reminder.claim])
    perform_act(database, slug, GameRight.PAUSE, now=REMINDER_TIME)
    perform_act(database, slug, GameRight.RESUME, now=NOON + 5 * DAY)
    assert collect_email(database, "your-turn", now=NOON + 5 * DAY).address == ALICE.address
