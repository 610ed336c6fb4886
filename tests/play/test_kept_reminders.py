"""Each reminder of a turn is sent once, whatever moves the turn of a player for whom a bot would play."""

from datetime import timedelta

from sqlalchemy import func, select

from tests.clock.test_running_turns import deal, period_of_day
from tests.clock.test_sending_reminders import set_email_times
from tests.play.test_turns_of_away_players import BOT_RULES, TODAY, sweep_at
from tests.support.acts import perform_act
from tests.support.factories import DAY, Guest
from tests.support.transactions import NOON, transaction
from webapp.clock.absences import declare_future_absence
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.mail.schema import Notification

HOUR = timedelta(hours=1)


def reminder_count(database: Database) -> int:
    query = select(func.count()).where(Notification.kind == "reminder")
    with transaction(database) as tx:
        return int(tx.execute(query).scalar_one())


def pause_and_resume(database: Database, slug: str) -> None:
    perform_act(database, slug, GameRight.PAUSE, now=NOON + 21 * HOUR)
    perform_act(database, slug, GameRight.RESUME, now=NOON + 24 * HOUR)


def test_reminder_of_before_a_pause_is_not_sent_again_after_it(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests, BOT_RULES)
    sweep_at(database, NOON + 20 * HOUR)
    pause_and_resume(database, slug)
    sweep_at(database, NOON + 24 * HOUR)
    assert reminder_count(database) == 1


def test_next_chosen_reminder_follows_after_a_pause(
    database: Database, guests: list[Guest]
) -> None:
    set_email_times(database, guests[0], 12, 2)
    slug = deal(database, guests, BOT_RULES)
    sweep_at(database, NOON + 12 * HOUR)
    pause_and_resume(database, slug)
    sweep_at(database, NOON + 24 * HOUR)
    assert reminder_count(database) == 1
    sweep_at(database, NOON + 25 * HOUR)
    assert reminder_count(database) == 2


def test_next_chosen_reminder_follows_after_an_absence_was_declared(
    database: Database, guests: list[Guest]
) -> None:
    set_email_times(database, guests[0], 12, 2)
    deal(database, guests, BOT_RULES)
    sweep_at(database, NOON + 12 * HOUR)
    with transaction(database, NOON + 13 * HOUR) as tx:
        period = period_of_day(TODAY + 9 * DAY)
        declare_future_absence(tx, guests[0].person, period)
    sweep_at(database, NOON + 22 * HOUR)
    assert reminder_count(database) == 2
