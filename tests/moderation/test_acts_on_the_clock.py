from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.acts import (
    HOUR,
    act_preview,
    ledger_acts,
    perform_act,
    recipients,
    site_moderator,
)
from tests.support.calls import sweep_with_calls_sent
from tests.support.cast import DAVE
from tests.support.factories import DAY, Guest, deal_game, play_turn, stored_game, table_settings
from tests.support.transactions import NOON, pick_first, transaction
from webapp.kernel.game_status import GameStatus
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, NotFound, StaleTurn
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.moderation.performing import Position

DEADLINE = NOON + DAY
EXTEND, PAUSE, RESUME = GameRight.EXTEND, GameRight.PAUSE, GameRight.RESUME


def _count_expired_turns(database: Database, now: datetime) -> int:
    with transaction(database) as tx:
        return sweep_with_calls_sent(tx, now=now, random_below=pick_first).expired_count


def test_extension_moves_deadline_and_reminder(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, EXTEND, extra=2 * DAY)
    row = stored_game(database, slug, guests[0]).row
    assert row.deadline_at == DEADLINE + 2 * DAY
    assert row.remind_at == row.wake_at == NOON + 0.8 * DAY + 2 * DAY
    assert _count_expired_turns(database, DEADLINE + 2 * DAY - HOUR) == 0
    assert _count_expired_turns(database, DEADLINE + 2 * DAY) == 1


def test_preview_says_what_the_extension_does_and_changes_nothing(
    database: Database, guests: list[Guest], slug: str
) -> None:
    change = act_preview(database, slug, EXTEND, extra=2 * DAY).change
    assert (change.before.deadline_at, change.after.deadline_at) == (DEADLINE, DEADLINE + 2 * DAY)
    assert (change.seat, change.account_id) == (0, guests[0].person.id)
    assert stored_game(database, slug, guests[0]).row.deadline_at == DEADLINE
    assert ledger_acts(database) == []


def test_act_is_recorded_and_everyone_is_informed(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, EXTEND, by=site_moderator(database), extra=DAY)
    assert ledger_acts(database) == ["extend"]
    assert recipients(database) == sorted(guest.person.id for guest in guests)


def test_same_form_sent_twice_extends_once(
    database: Database, guests: list[Guest], slug: str
) -> None:
    mo = site_moderator(database)
    entry_ids = [
        perform_act(database, slug, EXTEND, by=mo, extra=DAY, form_id="pressed twice")
        for _ in range(2)
    ]
    assert entry_ids[0] == entry_ids[1]
    assert ledger_acts(database) == ["extend"]
    assert stored_game(database, slug, guests[0]).row.deadline_at == DEADLINE + DAY


def test_same_form_id_of_two_moderators_counts_as_two_forms(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    for moderator in (site_moderator(database), guests[0]):
        perform_act(database, slug, EXTEND, by=moderator, extra=DAY, form_id="same id")
    assert ledger_acts(database) == ["extend", "extend"]


def test_extension_of_a_turn_that_is_over_is_refused(
    database: Database, guests: list[Guest], slug: str
) -> None:
    shown_position = act_preview(database, slug, EXTEND, extra=DAY).position
    play_turn(database, slug, guests[0])
    with pytest.raises(StaleTurn):
        perform_act(database, slug, EXTEND, extra=DAY, expected=shown_position)
    assert ledger_acts(database) == []


def test_second_of_two_moderators_at_once_is_refused(
    database: Database, guests: list[Guest], slug: str
) -> None:
    moderators = [site_moderator(database), site_moderator(database, DAVE)]
    shown_position = act_preview(database, slug, EXTEND, extra=DAY).position

    def extend(moderator: Guest) -> str | DenialReason:
        try:
            perform_act(database, slug, EXTEND, by=moderator, extra=DAY, expected=shown_position)
        except NotAllowed as refusal:
            return refusal.reason
        return "done"

    with ThreadPoolExecutor(2) as pool:
        outcomes = set(pool.map(extend, moderators))
    assert outcomes == {DenialReason.CHANGED_MEANWHILE, "done"}
    assert stored_game(database, slug, guests[0]).row.deadline_at == DEADLINE + DAY


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=10,
)
@given(steps=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**7)), max_size=4))
def test_pauses_keep_the_time_left_exactly(
    database: Database, guests: list[Guest], steps: list[tuple[int, int]]
) -> None:
    """Each step lets some of the turn pass (in the ratio of a millionth of what is left), then pauses."""
    slug, now = deal_game(database, guests), NOON
    for elapsed_time, pause_length in steps:
        row = stored_game(database, slug, guests[0]).row
        assert row.deadline_at is not None
        now += (row.deadline_at - now) * elapsed_time / 10**6 / 2
        time_left = row.deadline_at - now
        time_to_reminder = (row.remind_at or now) - now
        perform_act(database, slug, PAUSE, now=now)
        now += timedelta(seconds=pause_length, microseconds=pause_length % 999_983)
        perform_act(database, slug, RESUME, now=now)
        row = stored_game(database, slug, guests[0]).row
        assert row.deadline_at is not None
        assert row.deadline_at - now == time_left
        assert (row.remind_at or now) - now == time_to_reminder
        assert (row.status, row.paused_at) == (GameStatus.RUNNING, None)


def test_clock_leaves_a_paused_game_alone(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, PAUSE, now=NOON + HOUR)
    assert _count_expired_turns(database, NOON + 30 * DAY) == 0
    with pytest.raises(NotAllowed, match=DenialReason.PAUSED.code):
        play_turn(database, slug, guests[0], now=NOON + 2 * HOUR)
    perform_act(database, slug, RESUME, now=NOON + 31 * DAY)
    assert _count_expired_turns(database, NOON + 32 * DAY - 2 * HOUR) == 0
    assert _count_expired_turns(database, NOON + 32 * DAY - HOUR) == 1


@pytest.mark.parametrize("act", [EXTEND, PAUSE])
def test_paused_game_is_neither_extended_nor_paused_again(
    database: Database, slug: str, act: GameRight
) -> None:
    perform_act(database, slug, PAUSE)
    with pytest.raises(NotAllowed, match=DenialReason.MUST_RESUME_FIRST.code):
        perform_act(database, slug, act, extra=DAY)


def test_running_game_is_not_resumed(database: Database, slug: str) -> None:
    with pytest.raises(NotAllowed, match=DenialReason.NOT_PAUSED.code):
        perform_act(database, slug, RESUME)


def test_moderator_who_plays_here_may_not_act(
    database: Database, guests: list[Guest], slug: str
) -> None:
    mo = site_moderator(database)
    slug_with_moderator = deal_game(database, [*guests, mo])
    for act in (EXTEND, PAUSE):
        with pytest.raises(NotFound):
            perform_act(database, slug_with_moderator, act, by=mo, extra=DAY)
    perform_act(database, slug, PAUSE, by=mo)


def test_host_acts_at_a_private_table_but_not_at_a_public_one(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, PAUSE, by=guests[0])
    public_slug = deal_game(database, guests, table_settings(public=True))
    with pytest.raises(NotFound):
        perform_act(database, public_slug, PAUSE, by=guests[0])
    with pytest.raises(NotFound):
        perform_act(database, slug, RESUME, by=guests[1])


@pytest.mark.parametrize("slug", ["zzzzzzzzzzzz", "\x00", "ä", ""])
def test_game_that_does_not_exist_is_not_found(database: Database, slug: str) -> None:
    with pytest.raises(NotFound):
        perform_act(database, slug, PAUSE, by=site_moderator(database))


@pytest.mark.parametrize("reason", ["", "   ", "x" * 501, "bad \x00 text", "\u202e"])
def test_act_needs_a_readable_reason(database: Database, slug: str, reason: str) -> None:
    with pytest.raises(FieldErrors):
        perform_act(database, slug, PAUSE, reason=reason)
    assert ledger_acts(database) == []


def test_act_on_a_position_that_never_was_is_refused(database: Database, slug: str) -> None:
    with pytest.raises(StaleTurn):
        perform_act(database, slug, PAUSE, expected=Position(10**8, 0))
