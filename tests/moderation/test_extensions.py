"""Limits of extensions: by repetition, by undoing, by maintenance."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.acts import HOUR, act_preview, perform_act, undo_act
from tests.support.factories import DAY, Guest, deal_game, play_turn, stored_game, table_settings
from tests.support.transactions import NOON, transaction
from webapp.clock.turn import FARTHEST_DEADLINE
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.moderation.acts.extend import LONGEST_EXTENSION
from webapp.operations import maintenance

DEADLINE = NOON + DAY
EXTEND, PAUSE = GameRight.EXTEND, GameRight.PAUSE


def test_turn_is_extended_three_times_at_most(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for _ in range(3):
        perform_act(database, slug, EXTEND, extra=DAY)
    with pytest.raises(NotAllowed, match=DenialReason.TOO_MANY_EXTENSIONS.code):
        perform_act(database, slug, EXTEND, extra=DAY)
    play_turn(database, slug, guests[0])
    perform_act(database, slug, EXTEND, extra=DAY)


def test_undoing_of_an_extension_cannot_be_undone(
    database: Database, guests: list[Guest], slug: str
) -> None:
    """It would not count as an extension, and so there would be no limit."""
    entry = perform_act(database, slug, EXTEND, extra=DAY)
    undo_entry = undo_act(database, slug, EXTEND, entry)
    with pytest.raises(NotAllowed, match=DenialReason.CANNOT_BE_UNDONE.code):
        undo_act(database, slug, EXTEND, undo_entry)
    assert stored_game(database, slug, guests[0]).row.deadline_at == DEADLINE


def test_changed_form_with_a_used_form_id_is_refused(database: Database, slug: str) -> None:
    shown_position = act_preview(database, slug, EXTEND, extra=DAY).position
    sent_fields = {"form_id": "one", "expected": shown_position}
    entry = perform_act(database, slug, EXTEND, extra=DAY, **sent_fields)
    assert perform_act(database, slug, EXTEND, extra=DAY, **sent_fields) == entry
    for changed_fields in ({"extra": 2 * DAY}, {"extra": DAY, "reason": "asked twice"}):
        with pytest.raises(NotAllowed, match=DenialReason.CHANGED_MEANWHILE.code):
            perform_act(database, slug, EXTEND, **sent_fields, **changed_fields)


def test_time_without_clock_is_not_given_twice(
    database: Database, guests: list[Guest], slug: str
) -> None:
    """The end of a maintenance adds its length, so an extension in between may not."""
    with transaction(database) as tx:
        maintenance.begin(tx)
    long_after_deadline = DEADLINE + 10 * DAY
    perform_act(database, slug, EXTEND, extra=2 * DAY, now=long_after_deadline)
    entry = perform_act(database, slug, EXTEND, extra=DAY, now=long_after_deadline)
    undo_act(database, slug, EXTEND, entry, now=long_after_deadline)
    pause_change = act_preview(database, slug, PAUSE, now=long_after_deadline).change
    assert pause_change.after.time_left == 3 * DAY
    with transaction(database, long_after_deadline) as tx:
        maintenance.end(tx)
        maintenance.shift_next_games(tx)
    assert stored_game(database, slug, guests[0]).row.deadline_at == long_after_deadline + 3 * DAY


@pytest.mark.parametrize(
    "extra",
    [
        timedelta(0),
        -DAY,
        timedelta(seconds=1),
        LONGEST_EXTENSION + HOUR,
        timedelta(days=10**6),
    ],
)
def test_absurd_extension_is_refused(database: Database, slug: str, extra: timedelta) -> None:
    with pytest.raises(FieldErrors):
        perform_act(database, slug, EXTEND, extra=extra)


def test_deadline_far_away_is_not_moved_further(database: Database, guests: list[Guest]) -> None:
    slug = deal_game(database, guests, table_settings(allowance=timedelta(days=30)))
    with pytest.raises(NotAllowed, match=DenialReason.DEADLINE_TOO_FAR.code):
        perform_act(database, slug, EXTEND, extra=DAY)
    perform_act(database, slug, EXTEND, extra=2 * DAY, now=NOON + DAY)
    assert stored_game(database, slug, guests[0]).row.deadline_at == NOON + DAY + FARTHEST_DEADLINE


def test_overdue_deadline_is_extended_from_now(
    database: Database, guests: list[Guest], slug: str
) -> None:
    now = DEADLINE + HOUR
    perform_act(database, slug, EXTEND, extra=DAY, now=now)
    assert stored_game(database, slug, guests[0]).row.deadline_at == now + DAY


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=10,
)
@given(
    extension_minutes=st.lists(st.integers(1, 14 * 24 * 60), max_size=3),
    late=st.integers(0, 40 * 24 * 60),
)
def test_extensions_move_the_deadline_later_but_never_beyond_the_cap(
    database: Database, guests: list[Guest], extension_minutes: list[int], late: int
) -> None:
    slug, now = deal_game(database, guests), NOON + timedelta(minutes=late)
    earlier_deadline = DEADLINE
    for minutes in extension_minutes:
        perform_act(database, slug, EXTEND, extra=timedelta(minutes=minutes), now=now)
        later_deadline = stored_game(database, slug, guests[0]).row.deadline_at
        assert later_deadline is not None
        assert earlier_deadline < later_deadline <= now + FARTHEST_DEADLINE
        earlier_deadline = later_deadline
