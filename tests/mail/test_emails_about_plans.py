from datetime import timedelta

import pytest

from engine.actions import Break, Discard
from engine.plans import CancelCondition
from tests.support.factories import Guest, play_turn, stored_game
from tests.support.outbox_steps import (
    REMINDER_TIME,
    collect_email,
    collect_emails,
    dropped_reasons,
    mark_due_emails_sent,
    queue_reminders,
)
from tests.support.plans import change_state, make_plan
from tests.support.transactions import NOON
from webapp.kernel.tx import Database
from webapp.play.emails.turn_email import TurnContext
from webapp.play.plans import PlanEnd

MINUTE = timedelta(minutes=1)


def test_player_gets_no_email_for_a_planned_turn_but_reads_about_it_in_the_next(
    database: Database, guests: list[Guest], slug: str
) -> None:
    make_plan(database, slug, guests[1])
    collect_emails(database, kind="your-turn", now=NOON)
    play_turn(database, slug, guests[0])
    email = collect_email(database, "your-turn", now=NOON + MINUTE)
    assert email.address == guests[2].person.address
    play_turn(database, slug, guests[2])
    play_turn(database, slug, guests[0])
    context = collect_email(database, "your-turn", now=NOON + MINUTE).context
    assert isinstance(context, TurnContext)
    assert [
        (entry.seat, entry.by) for entry in context.latest_entries if entry.seat is not None
    ] == [
        (0, "player"),
        (1, "plan"),
        (2, "player"),
        (0, "player"),
    ]
    assert context.plan_end is None


def test_email_that_waits_is_superseded_by_a_turn_that_was_planned_meanwhile(
    database: Database, guests: list[Guest], slug: str
) -> None:
    """Bob's email for an earlier turn is still unsent when a plan has played the next one."""
    play_turn(database, slug, guests[0])
    play_turn(database, slug, guests[1])
    make_plan(database, slug, guests[1])
    for guest in (guests[2], guests[0]):
        play_turn(database, slug, guest)
    assert stored_game(database, slug, guests[0]).row.awaiting == 2
    emails = collect_emails(database, kind="your-turn", now=NOON + MINUTE)
    assert [email.address for email in emails] == [guests[2].person.address]
    assert set(dropped_reasons(database, "your-turn")) == {"moved-on"}


@pytest.mark.parametrize("kind", ["your-turn", "reminder"])
def test_email_says_why_the_plan_was_not_followed(
    database: Database, guests: list[Guest], slug: str, kind: str
) -> None:
    change_state(database, slug, guests[0], hands=(("break-cart",), ("map", "map"), ("map",)))
    make_plan(
        database, slug, guests[1], Discard("map"), conditions=(CancelCondition.OWN_TOOL_BROKEN,)
    )
    play_turn(database, slug, guests[0], Break("break-cart", 1))
    if kind == "reminder":
        mark_due_emails_sent(database)
        queue_reminders(database)
    context = collect_email(
        database, kind, now=REMINDER_TIME if kind == "reminder" else NOON
    ).context
    assert isinstance(context, TurnContext)
    assert context.plan_end is PlanEnd.OWN_TOOL_BROKEN
