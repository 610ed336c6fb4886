"""`lodepost simulate-year` gives the same report for the same seed, and its checks find what is planted."""

import json
from collections import Counter
from datetime import UTC, datetime, time, timedelta

import pytest

from tests.support.cast import ALICE
from tests.support.factories import open_table, sign_in_guest
from tests.support.postgres import Postgres
from webapp.cli import main
from webapp.pace.calendar import Interval
from webapp.pace.pace import named_pace
from webapp.services.accounts.person import Person
from webapp.services.email_kinds import NotificationKind
from webapp.services.operations.simulated_year import (
    RecordedEmail,
    RecordedEvent,
    RecordedGame,
    SimulatedYearRecords,
    prepare_scratch_database,
)
from webapp.services.tx import Database
from webapp.simulated_year.checks import findings
from webapp.simulated_year.emails import DeliveredEmail
from webapp.simulated_year.evidence import Evidence
from webapp.simulated_year.outages import NoticedOutages, Outages
from webapp.simulated_year.people import Habits
from webapp.simulated_year.report import report_of
from webapp.simulated_year.running_time import running_time
from webapp.simulated_year.year import SimulatedYear

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
HOUR = timedelta(hours=1)


def report_of_seed(postgres: Postgres, seed: str) -> dict[str, object]:
    with postgres.migrated_database() as url:
        database = prepare_scratch_database(url)
        try:
            return report_of(SimulatedYear(database, games=1, seed=seed).run(lambda *_: None))
        finally:
            database.dispose()


def test_same_seed_gives_the_same_report(postgres: Postgres) -> None:
    first_report, second_report = (report_of_seed(postgres, "a test") for _ in range(2))
    assert first_report == second_report
    assert first_report["games_finished"] == 1
    assert json.dumps(first_report)
    happened = first_report["happened"]
    assert isinstance(happened, dict)
    assert {"held_turns", "outages"} <= happened.keys()


def test_database_with_games_is_refused(
    database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_table(database, sign_in_guest(database, ALICE))
    monkeypatch.setenv("DATABASE_URL", database_url)
    assert main(["simulate-year", "--games", "1"]) == 2


@pytest.mark.parametrize(
    "hours,stopped_hours,running_hours",
    [(24, None, 14), (12, None, 4), (24, (6, 10), 12), (24, (20, 30), 12)],
)
def test_running_time_counts_playing_hours_without_stops(
    hours: int, stopped_hours: tuple[int, int] | None, running_hours: int
) -> None:
    stops = [Interval(*(MONDAY + hour * HOUR for hour in stopped_hours))] if stopped_hours else []
    end = MONDAY + hours * HOUR
    assert running_time(named_pace("brisk", "UTC"), MONDAY, end, stops) == running_hours * HOUR


PLAYER_HABITS = Habits(
    person=Person(id=1, name="A", address="a@x.test", language="en", zone="UTC", picks_gold=True),
    wakes_at=time(7),
    sleeps_at=time(22),
    median_answer_time=HOUR,
    plays_at_weekends=True,
    has_bouncing_address=False,
    has_quiet_hours=True,
    reminder_hours=(),
    leaves_at=None,
)


def deadline_event(kind: str, hours: float, deadline_hours: float) -> RecordedEvent:
    return RecordedEvent(
        game_id=1,
        turn_seq=0,
        at=MONDAY + hours * HOUR,
        kind=kind,
        seat=0,
        account_id=PLAYER_HABITS.person.id,
        deadline_at=MONDAY + deadline_hours * HOUR,
        cause="",
    )


def findings_of(
    *events: RecordedEvent, notified_hours: float = 0, kind: NotificationKind = "your-turn"
) -> list[tuple[str, str]]:
    """Return what the checks find in these events of a daily game whose player was sent an email after some hours."""
    notified_at = MONDAY + notified_hours * HOUR
    evidence = Evidence(
        records=SimulatedYearRecords(
            games=(RecordedGame(1, "a-game", "finished", None, 0, None),),
            events=events,
            emails=(RecordedEmail(1, kind, 1, 0, 1, "sent", 0),),
            seats=(),
        ),
        paces={1: named_pace("daily", "UTC")},
        people={1: PLAYER_HABITS},
        accepted_emails=(DeliveredEmail(1, kind, PLAYER_HABITS.person.address, notified_at),),
        outages=Outages(server=(), relay=()),
        counts=Counter(),
    )
    return [(finding.check, finding.cause) for finding in findings(evidence)]


def test_missed_turn_after_the_deadline_is_no_finding() -> None:
    events = deadline_event("started", 0, 72), deadline_event("missed", 72, 72)
    assert findings_of(*events) == []


def test_missed_turn_before_the_deadline_is_a_finding() -> None:
    events = deadline_event("started", 0, 72), deadline_event("missed", 71, 72)
    assert findings_of(*events) == [("wrong_default", "deadline")]


def test_missed_turn_before_its_email_arrived_is_a_finding() -> None:
    events = deadline_event("started", 0, 72), deadline_event("missed", 72, 72)
    assert findings_of(*events, notified_hours=73) == [("wrong_default", "undelivered")]


def test_missed_turn_of_a_player_whom_no_email_reached_after_three_restarts_is_no_finding() -> None:
    restarts = [deadline_event("undelivered", 72 * count, 72 * count + 72) for count in (1, 2, 3)]
    events = [deadline_event("started", 0, 72), *restarts, deadline_event("missed", 288, 288)]
    assert findings_of(*events, notified_hours=300) == []
    assert findings_of(*events[:1], *events[2:], notified_hours=300) == [
        ("wrong_default", "undelivered")
    ]


@pytest.mark.parametrize("deadline_hours,count", [(30, 0), (72, 1)])
def test_reminder_in_quiet_hours_is_a_finding_unless_the_deadline_lies_in_them(
    deadline_hours: int, count: int
) -> None:
    events = (
        deadline_event("started", 0, deadline_hours),
        deadline_event("played", 29, deadline_hours),
    )
    found = findings_of(*events, notified_hours=23, kind="reminder")
    assert found == count * [("email_in_quiet_hours", "reminder")]


def test_outage_of_the_relay_lasts_from_the_first_failure_until_an_email_is_accepted() -> None:
    noticed = NoticedOutages()
    for hours in (1, 2, 3):
        noticed.add_failure(MONDAY + hours * HOUR)
    noticed.add_success(MONDAY + 3.5 * HOUR)
    noticed.add_success(MONDAY + 9 * HOUR)
    noticed.add_failure(MONDAY + 10 * HOUR)
    noticed.add_success(MONDAY + 20 * HOUR)
    assert noticed.intervals() == (
        Interval(MONDAY + HOUR, MONDAY + 3.5 * HOUR),
        Interval(MONDAY + 10 * HOUR, MONDAY + 10 * HOUR),
    )


def test_deadline_that_moved_without_an_event_is_a_finding() -> None:
    events = deadline_event("started", 0, 72), deadline_event("played", 1, 80)
    assert findings_of(*events) == [("unexplained_deadline", "played")]


def test_two_reminders_of_one_deadline_are_a_finding() -> None:
    reminders = (deadline_event("reminded", hours, 72) for hours in (20, 40))
    assert findings_of(*reminders) == [("double_reminder", "too many")]
