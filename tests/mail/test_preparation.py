from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from engine.rulebook import HouseRules
from engine.view import legal_actions
from tests.support.cast import ALICE, BOB
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    open_table,
    play_to_end,
    play_turn,
    seat_guest,
    stored_game,
    table_settings,
)
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
from webapp.kernel.tx import Database
from webapp.mail.schema import Notification
from webapp.play.emails.dealt import DealtContext
from webapp.play.emails.game_over import GameOverContext
from webapp.play.emails.round_over import RoundOverContext
from webapp.play.emails.turn_email import TurnContext


def test_every_player_gets_the_same_frozen_record(database: Database, slug: str) -> None:
    contexts = [email.context for email in collect_emails(database)]
    deals = [each.deal for each in contexts if isinstance(each, DealtContext | TurnContext)]
    assert len(deals) == 3
    assert len({deal.record for deal in deals if deal is not None}) == 1


def test_player_who_begins_gets_the_deal_with_the_email_about_their_turn(
    database: Database, slug: str
) -> None:
    with transaction(database) as tx:
        mark_all_sent(tx, [email.claim for email in collect_emails(database)])
    assert collect_emails(database, now=NOON + timedelta(minutes=1)) == []
    assert dropped_reasons(database, "dealt") == ["turn-email-sent"]


def test_player_who_begins_before_that_email_is_sent_gets_the_deal_alone(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    emails = collect_emails(database)
    assert [each.claim.kind for each in emails if each.address == ALICE.address] == []
    emails = collect_emails(database, now=NOON + timedelta(minutes=1))
    kinds = [each.claim.kind for each in emails if each.address == ALICE.address]
    assert kinds == ["dealt"]


def test_turn_email_is_enough_to_play(database: Database, guests: list[Guest], slug: str) -> None:
    context = collect_email(database, "your-turn", now=NOON + timedelta(minutes=1)).context
    assert isinstance(context, TurnContext)
    assert context.view.seat == 0
    assert context.menu == legal_actions(context.view)
    assert len(context.view.hand) == 6
    assert context.deadline_at == NOON + DAY
    assert [turn.seq for turn in context.latest_entries] == [0]
    assert context.envelope.zone == ALICE.zone


def test_turn_email_is_dropped_after_the_turn(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    emails = collect_emails(database, kind="your-turn")
    assert [email.address for email in emails] == [BOB.address]
    assert dropped_reasons(database, "your-turn") == ["moved-on"]


def test_turn_email_of_an_earlier_turn_is_dropped(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for guest in guests:
        play_turn(database, slug, guest, now=NOON + timedelta(hours=1))
    [email] = collect_emails(database, now=NOON + timedelta(hours=1), kind="your-turn")
    assert isinstance(email.context, TurnContext)
    assert email.context.view.seq == 3
    assert dropped_reasons(database, "your-turn") == ["moved-on"] * 3


def test_round_over_and_game_over_emails_contain_the_results(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests, table_settings(house=HouseRules(rounds=2)))
    play_until_round(database, slug, guests, 2)
    emails = collect_emails(database, kind="round-over")
    play_to_end(database, slug, guests)
    emails += collect_emails(database, kind="game-over")
    rounds = [email.context for email in emails if isinstance(email.context, RoundOverContext)]
    game_over_contexts = [
        email.context for email in emails if isinstance(email.context, GameOverContext)
    ]
    assert [context.result.round for context in rounds] == [1, 1, 1]
    assert [(context.last_view.round, context.last_view.seat) for context in rounds] == [
        (1, None)
    ] * 3
    assert [context.view.seat for context in game_over_contexts] == [0, 1, 2]
    assert all(context.view.winners for context in game_over_contexts)


@pytest.mark.parametrize(
    "kind, change, reason",
    [
        ("your-turn", "UPDATE notification SET account_id = 99", "no-address"),
        ("your-turn", "UPDATE notification SET game_id = 99", "no-game"),
        ("dealt", "UPDATE seat SET account_id = NULL WHERE number = 0", "not-seated"),
        ("dealt", "UPDATE game SET freeze_record = NULL", "moved-on"),
        (
            "reminder",
            "UPDATE game SET remind_at = remind_at + interval '1 h'",
            "deadline-moved",
        ),
        ("round-over", "UPDATE notification SET dedup_key = 3", "rewound"),
        ("game-over", "UPDATE game SET status = 'running'", "rewound"),
        ("ready-check", "UPDATE game SET status = 'open'", "moved-on"),
    ],
)
def test_superseded_email_is_dropped_with_its_reason(
    database: Database, guests: list[Guest], kind: str, change: str, reason: str
) -> None:
    due_at = cause_notifications(database, guests, kind)
    with transaction(database) as tx:
        tx.connection.exec_driver_sql(f"DELETE FROM notification WHERE kind <> '{kind}'")
        tx.connection.exec_driver_sql(
            "DELETE FROM notification WHERE id <> (SELECT min(id) FROM notification)"
        )
        tx.connection.exec_driver_sql(change)
    assert collect_emails(database, now=due_at) == []
    assert dropped_reasons(database, kind) == [reason]


def test_email_that_cannot_be_prepared_delays_no_other(
    database: Database, guests: list[Guest], slug: str
) -> None:
    deal_game(database, guests)
    with transaction(database) as tx:
        tx.connection.exec_driver_sql(f"UPDATE game SET state = 'broken' WHERE slug = '{slug}'")
    emails = collect_emails(database, kind="your-turn")
    assert len(emails) == 1
    with transaction(database) as tx:
        query = select(Notification.reason).where(
            Notification.kind == "your-turn", Notification.status == "pending"
        )
        assert set(tx.execute(query).scalars()) == {None, "preparing failed"}


def test_emails_of_a_game_share_a_thread_and_have_unique_message_ids(
    database: Database, slug: str
) -> None:
    emails = collect_emails(database)
    ids = [email.context.envelope.message_id for email in emails if email.context]
    assert len(set(ids)) == len(ids)
    assert all(len(message_id) < 70 for message_id in ids)
    root_ids = {email.context.envelope.root_id for email in emails if email.context} - {None}
    assert len(root_ids) == 1
    assert not root_ids & set(ids)
    list_ids = {email.context.envelope.list_id for email in emails if email.context} - {None}
    assert list_ids == {f"{slug}.lodepost.test"}


def test_repr_of_an_outgoing_email_hides_its_content(database: Database, slug: str) -> None:
    assert "path-" not in repr(collect_emails(database))


def test_game_over_email_supersedes_all_earlier_ones(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests, table_settings(house=HouseRules(rounds=2)))
    play_to_end(database, slug, guests)
    kinds = {email.claim.kind for email in collect_emails(database)}
    assert kinds == {"dealt", "game-over"}
    assert set(dropped_reasons(database, "round-over")) == {"moved-on"}


def cause_notifications(database: Database, guests: list[Guest], kind: str) -> datetime:
    """Bring about notifications of a kind and return when they are due."""
    if kind == "ready-check":
        slug = open_table(database, guests[0])
        for guest in guests[1:]:
            seat_guest(database, slug, guest)
        return NOON
    slug = deal_game(database, guests, table_settings(house=HouseRules(rounds=2)))
    if kind == "round-over":
        play_until_round(database, slug, guests, 2)
    if kind == "game-over":
        play_to_end(database, slug, guests)
    if kind == "reminder":
        mark_due_emails_sent(database)
        queue_reminders(database)
    return REMINDER_TIME if kind == "reminder" else NOON


def play_until_round(database: Database, slug: str, guests: list[Guest], round_number: int) -> None:
    guests_by_id = {guest.person.id: guest for guest in guests}
    while (row := stored_game(database, slug, guests[0]).row).round < round_number:
        assert row.awaiting is not None
        play_turn(database, slug, guests_by_id[row.seats[row.awaiting].account_id or 0])
