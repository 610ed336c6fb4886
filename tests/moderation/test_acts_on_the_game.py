import pytest
from msgspec.structs import replace
from sqlalchemy import update

from tests.support.acts import HOUR, ledger_acts, perform_act, recipients, undo_act
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    deal_short_game,
    open_table,
    play_to_end,
    play_turn,
    stored_game,
)
from tests.support.moderation import execute
from tests.support.transactions import NOON, transaction
from webapp.kernel.game_status import GameStatus
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, NotFound
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.mail.schema import Notification
from webapp.operations.consistency import inspect_database
from webapp.play.access import game_for
from webapp.play.views.fairness_page import export
from webapp.play.views.history_page import history_page

REWIND, CANCEL, NUDGE = GameRight.REWIND, GameRight.CANCEL_GAME, GameRight.NUDGE


def test_neutral_action_is_played_at_once(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, GameRight.PLAY_NEUTRAL)
    row = stored_game(database, slug, guests[0]).row
    assert (row.seq, row.awaiting, row.deadline_at) == (1, 1, NOON + DAY)
    with transaction(database) as tx:
        entry = history_page(tx, slug, guests[0].cookie).entries[-1]
    assert (entry.seat, entry.by) == (0, "moderator")


def test_neutral_action_waits_while_the_game_is_paused(database: Database, slug: str) -> None:
    perform_act(database, slug, GameRight.PAUSE)
    with pytest.raises(NotAllowed, match=DenialReason.MUST_RESUME_FIRST.code):
        perform_act(database, slug, GameRight.PLAY_NEUTRAL)


def test_rewind_restores_an_earlier_position_with_a_fresh_clock(
    database: Database, database_url: str, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    earlier_state = stored_game(database, slug, guests[0]).state
    for guest in guests[1:]:
        play_turn(database, slug, guest)
    perform_act(database, slug, REWIND, turn=1, now=NOON + HOUR)
    later_game = stored_game(database, slug, guests[0])
    assert (later_game.seq, later_game.row.awaiting) == (4, 1)
    assert later_game.row.deadline_at == NOON + HOUR + DAY
    assert later_game.state == replace(earlier_state, seq=4)
    play_turn(database, slug, guests[1], now=NOON + HOUR)
    perform_act(database, slug, REWIND, turn=4, now=NOON + HOUR)
    assert inspect_database(database_url).inconsistencies == ()


def test_paused_game_stays_paused_after_a_rewind_and_leaves_the_whole_time(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    perform_act(database, slug, GameRight.PAUSE, now=NOON + HOUR)
    perform_act(database, slug, REWIND, turn=0, now=NOON + 2 * DAY)
    assert stored_game(database, slug, guests[0]).status == GameStatus.PAUSED
    perform_act(database, slug, GameRight.RESUME, now=NOON + 9 * DAY)
    assert stored_game(database, slug, guests[0]).row.deadline_at == NOON + 10 * DAY


@pytest.mark.parametrize("turn", [1, 2, -1, 10**9])
def test_game_goes_back_only_to_an_earlier_turn(
    database: Database, guests: list[Guest], slug: str, turn: int
) -> None:
    play_turn(database, slug, guests[0])
    with pytest.raises(NotAllowed, match=DenialReason.NO_EARLIER_TURN.code):
        perform_act(database, slug, REWIND, turn=turn)
    with pytest.raises(FieldErrors):
        perform_act(database, slug, REWIND)


@pytest.mark.parametrize("act", [REWIND, GameRight.PLAY_NEUTRAL, CANCEL, GameRight.PAUSE])
def test_finished_game_is_not_changed(
    database: Database, guests: list[Guest], act: GameRight
) -> None:
    slug = deal_short_game(database, guests)
    play_to_end(database, slug, guests)
    with pytest.raises(NotAllowed, match=DenialReason.GAME_NOT_UNDER_WAY.code):
        perform_act(database, slug, act, turn=0)


def test_cancelled_game_is_final_and_hides_nothing(
    database: Database, database_url: str, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    perform_act(database, slug, CANCEL)
    with transaction(database) as tx:
        game, seat, _ = game_for(tx, slug, guests[1].cookie)
        text = export(tx, slug, guests[1].cookie)
    view = game.view(seat)
    assert game.status == GameStatus.CANCELLED
    assert None not in (*view.roles, *view.goals)
    assert view.awaiting is None
    assert text.filename.endswith(".game")
    with pytest.raises(NotAllowed, match=DenialReason.NOT_RUNNING.code):
        play_turn(database, slug, guests[1])
    with pytest.raises(NotAllowed, match=DenialReason.GAME_NOT_UNDER_WAY.code):
        perform_act(database, slug, GameRight.RESUME)
    assert inspect_database(database_url).inconsistencies == ()


def test_paused_game_can_be_cancelled(database: Database, guests: list[Guest], slug: str) -> None:
    perform_act(database, slug, GameRight.PAUSE)
    perform_act(database, slug, CANCEL)
    row = stored_game(database, slug, guests[0]).row
    assert (row.status, row.paused_at, row.wake_at) == (GameStatus.CANCELLED, None, None)


def test_table_before_the_deal_is_cancelled(database: Database, guests: list[Guest]) -> None:
    slug = open_table(database, guests[0])
    perform_act(database, slug, CANCEL)
    assert stored_game(database, slug, guests[0]).status == GameStatus.CANCELLED


def test_player_is_nudged_once_a_day_and_turn(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, NUDGE, by=guests[1])
    assert recipients(database, "nudge") == [guests[0].person.id]
    assert recipients(database) == []
    with pytest.raises(NotAllowed, match=DenialReason.NUDGED_TODAY.code):
        perform_act(database, slug, NUDGE, by=guests[2], now=NOON + DAY - HOUR)
    perform_act(database, slug, GameRight.EXTEND, extra=2 * DAY)
    perform_act(database, slug, NUDGE, by=guests[2], now=NOON + DAY + HOUR)
    play_turn(database, slug, guests[0], now=NOON + DAY + HOUR)
    perform_act(database, slug, NUDGE, by=guests[2], now=NOON + DAY + HOUR)


def test_open_seat_is_not_nudged(database: Database, slug: str) -> None:
    perform_act(database, slug, GameRight.OPEN_SEAT, seat=0)
    with pytest.raises(NotAllowed, match=DenialReason.NO_ONE_TO_NUDGE.code):
        perform_act(database, slug, NUDGE)


def _store_email(database: Database, kind: str, status: str) -> int:
    """Give the emails of a kind this status; return the id of one."""
    with transaction(database) as tx:
        ids = tx.connection.scalars(
            update(Notification)
            .where(Notification.kind == kind)
            .values(status=status, reason="550 no such user", attempts=3)
            .returning(Notification.id)
        )
        return next(iter(ids))


def test_failed_email_is_sent_again(database: Database, guests: list[Guest], slug: str) -> None:
    email_id = _store_email(database, "your-turn", "failed")
    perform_act(database, slug, GameRight.RESEND_EMAIL, email_id=email_id)
    with transaction(database) as tx:
        row = tx.execute(Notification.__table__.select().where(Notification.id == email_id)).one()
    assert (row.status, row.attempts, row.reason) == ("pending", 0, None)
    assert recipients(database) == []


@pytest.mark.parametrize(
    "status, reason",
    [
        ("sent", DenialReason.EMAIL_NOT_FAILED),
        ("pending", DenialReason.EMAIL_NOT_FAILED),
        ("dropped", DenialReason.EMAIL_SUPERSEDED),
    ],
)
def test_email_that_did_not_fail_is_not_sent_again(
    database: Database, slug: str, status: str, reason: DenialReason
) -> None:
    email_id = _store_email(database, "dealt", status)
    # One that waits for its first attempt, and not after a refusal.
    execute(database, "UPDATE notification SET reason = NULL WHERE status = 'pending'")
    with pytest.raises(NotAllowed, match=reason.code):
        perform_act(database, slug, GameRight.RESEND_EMAIL, email_id=email_id)


def test_email_about_a_past_turn_or_another_game_is_not_sent_again(
    database: Database, guests: list[Guest], slug: str
) -> None:
    email_id = _store_email(database, "your-turn", "failed")
    other = deal_game(database, guests)
    with pytest.raises(FieldErrors):
        perform_act(database, other, GameRight.RESEND_EMAIL, email_id=email_id)
    play_turn(database, slug, guests[0])
    with pytest.raises(NotAllowed, match=DenialReason.EMAIL_SUPERSEDED.code):
        perform_act(database, slug, GameRight.RESEND_EMAIL, email_id=email_id)


def test_message_reaches_everyone_at_the_table(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, GameRight.ANNOUNCE_TO_TABLE, reason="The server moves on Friday.")
    assert recipients(database) == sorted(guest.person.id for guest in guests)


def test_extension_is_undone_once(database: Database, guests: list[Guest], slug: str) -> None:
    extend = GameRight.EXTEND
    entry = perform_act(database, slug, extend, extra=2 * DAY)
    undo_act(database, slug, extend, entry, now=NOON + HOUR)
    assert stored_game(database, slug, guests[0]).row.deadline_at == NOON + DAY
    with pytest.raises(NotAllowed):
        undo_act(database, slug, extend, entry)
    for _ in range(3):
        perform_act(database, slug, extend, extra=DAY)


def test_extension_is_not_undone_if_no_more_than_time_to_react_is_left(
    database: Database, slug: str
) -> None:
    entry = perform_act(database, slug, GameRight.EXTEND, extra=2 * DAY)
    with pytest.raises(NotAllowed, match=DenialReason.CANNOT_BE_UNDONE.code):
        undo_act(database, slug, GameRight.EXTEND, entry, now=NOON + 3 * DAY - DAY / 5)


def test_pause_is_undone_by_resuming_and_back(
    database: Database, guests: list[Guest], slug: str
) -> None:
    entry = perform_act(database, slug, GameRight.PAUSE)
    undo_entry = undo_act(database, slug, GameRight.PAUSE, entry, now=NOON + DAY)
    assert stored_game(database, slug, guests[0]).row.deadline_at == NOON + 2 * DAY
    assert ledger_acts(database) == ["pause", "resume"]
    undo_act(database, slug, GameRight.RESUME, undo_entry, now=NOON + DAY)
    assert stored_game(database, slug, guests[0]).status == GameStatus.PAUSED


def test_act_of_another_game_or_kind_is_not_undone(
    database: Database, guests: list[Guest], slug: str
) -> None:
    entry = perform_act(database, slug, GameRight.PAUSE)
    with pytest.raises(NotFound):
        undo_act(database, deal_game(database, guests), GameRight.PAUSE, entry)
    with pytest.raises(NotFound):
        undo_act(database, slug, GameRight.EXTEND, entry)
    with pytest.raises(NotFound):
        undo_act(database, slug, GameRight.PAUSE, 10**9)
