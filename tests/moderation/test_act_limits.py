"""Acts that email the whole table are limited by game and by actor; the ledger is what is counted."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from tests.support.acts import (
    HOUR,
    act_preview,
    ledger_acts,
    limit_of,
    perform_act,
    recipients,
    site_moderator,
    undo_act,
)
from tests.support.blocked_requests import wait_until_blocked_or_done
from tests.support.factories import DAY, Guest, deal_game, play_turn
from tests.support.outbox_steps import collect_emails
from tests.support.transactions import NOON, transaction
from webapp.kernel.refusals import DenialReason, LimitReached, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.mail.outbox.delivery import claim, postpone
from webapp.moderation.bulk_acts import MOST_GAMES
from webapp.moderation.performing import (
    LIMIT_WINDOW,
    MAX_EMAILED_ACTS_IN_GAME,
    TIME_TO_UNDO,
    ActRequest,
    perform_act_request,
)
from webapp.moderation.queries import ledger
from webapp.moderation.queries.ledger import NewLedgerEntry
from webapp.play.changes.acts import MAX_ACTS_BY_ACTOR, ActInput, acts_by_name

ANNOUNCE, PAUSE, RESUME = GameRight.ANNOUNCE_TO_TABLE, GameRight.PAUSE, GameRight.RESUME
OPEN = GameRight.OPEN_SEAT


def _store_acts(
    database: Database, act: GameRight, count: int, *, actor_id: int | None, at: datetime
) -> None:
    """Store entries about no game of these tests, as acts on many games leave them."""
    with transaction(database) as tx:
        for number in range(count):
            entry = NewLedgerEntry(
                act=act,
                actor_id=actor_id,
                acted_as="site-moderator",
                reason="moving",
                form_id=f"stored {act} {actor_id} {number}",
                at=at + timedelta(minutes=number),
            )
            assert ledger.add(tx, entry) is not None


def test_table_gets_a_limited_number_of_messages_a_day(
    database: Database, guests: list[Guest], slug: str
) -> None:
    limit = limit_of(ANNOUNCE).per_game
    for number in range(limit):
        perform_act(database, slug, ANNOUNCE, by=guests[0], now=NOON + number * HOUR)
    with pytest.raises(
        LimitReached, match=DenialReason.ACT_LIMIT_OF_GAME_REACHED.code
    ) as error_info:
        perform_act(database, slug, ANNOUNCE, by=guests[0], now=NOON + limit * HOUR)
    assert (error_info.value.limit, error_info.value.possible_at) == (limit, NOON + LIMIT_WINDOW)
    assert len(recipients(database)) == limit * 3
    perform_act(database, slug, ANNOUNCE, by=guests[0], now=NOON + LIMIT_WINDOW)


def test_operator_and_moderators_share_the_limit_of_a_game(
    database: Database, guests: list[Guest], slug: str
) -> None:
    mo = site_moderator(database)
    for _ in range(limit_of(ANNOUNCE).per_game - 1):
        perform_act(database, slug, ANNOUNCE)
    perform_act(database, slug, ANNOUNCE, by=guests[0])
    for by in (None, guests[0], mo):
        with pytest.raises(LimitReached, match=DenialReason.ACT_LIMIT_OF_GAME_REACHED.code):
            act_preview(database, slug, ANNOUNCE, by=by)
    perform_act(database, deal_game(database, guests), ANNOUNCE, by=mo)


def test_undoing_again_and_again_is_limited_too(database: Database, slug: str) -> None:
    for _ in range(limit_of(PAUSE).per_game):
        undo_act(database, slug, PAUSE, perform_act(database, slug, PAUSE))
    with pytest.raises(LimitReached, match=DenialReason.ACT_LIMIT_OF_GAME_REACHED.code):
        perform_act(database, slug, PAUSE)


def test_paused_game_can_always_be_resumed(database: Database, slug: str) -> None:
    assert limit_of(RESUME).per_game > limit_of(PAUSE).per_game
    for hour in range(4 * 24):
        for act in (PAUSE, RESUME):
            try:
                perform_act(database, slug, act, now=NOON + hour * 3 * HOUR)
            except LimitReached:
                assert act == PAUSE
                break
    acts_in_ledger = ledger_acts(database)
    assert (
        acts_in_ledger.count("pause") == acts_in_ledger.count("resume") > limit_of(PAUSE).per_game
    )


def test_seat_is_not_opened_and_given_back_all_day(database: Database, slug: str) -> None:
    for _ in range(limit_of(OPEN).per_game):
        undo_act(database, slug, OPEN, perform_act(database, slug, OPEN, seat=1))
    with pytest.raises(LimitReached, match=DenialReason.ACT_LIMIT_OF_GAME_REACHED.code):
        perform_act(database, slug, OPEN, seat=1)


def test_moderator_acts_on_a_limited_number_of_games_a_day(database: Database, slug: str) -> None:
    mo, limit = site_moderator(database), limit_of(ANNOUNCE).per_actor
    _store_acts(database, ANNOUNCE, limit, actor_id=mo.person.id, at=NOON)
    now = NOON + 5 * HOUR
    with pytest.raises(
        LimitReached, match=DenialReason.ACT_LIMIT_OF_ACTOR_REACHED.code
    ) as error_info:
        perform_act(database, slug, ANNOUNCE, by=mo, now=now)
    assert error_info.value.possible_at == NOON + LIMIT_WINDOW
    perform_act(database, slug, ANNOUNCE, now=now)
    perform_act(database, slug, PAUSE, by=mo, now=now)


@pytest.mark.parametrize("is_operator", [False, True])
def test_acts_of_one_actor_on_two_games_at_once_are_counted_one_after_the_other(
    database: Database, guests: list[Guest], slug: str, *, is_operator: bool
) -> None:
    mo = None if is_operator else site_moderator(database)
    actor_id = None if mo is None else mo.person.id
    _store_acts(database, PAUSE, limit_of(PAUSE).per_actor - 1, actor_id=actor_id, at=NOON)
    other_slug, now = deal_game(database, guests), NOON + 5 * HOUR
    request = ActRequest(
        actor=None if mo is None else mo.person,
        slug=slug,
        act=acts_by_name()[PAUSE],
        given=ActInput(),
        reason="moving",
        form_id="the last one",
    )
    with ThreadPoolExecutor(1) as pool:
        with transaction(database, now) as tx:
            perform_act_request(tx, request)
            other_attempt = pool.submit(perform_act, database, other_slug, PAUSE, by=mo, now=now)
            wait_until_blocked_or_done(database, other_attempt)
            assert not other_attempt.done()
        with pytest.raises(LimitReached, match=DenialReason.ACT_LIMIT_OF_ACTOR_REACHED.code):
            other_attempt.result()


def test_operator_has_a_limit_of_their_own(database: Database, slug: str) -> None:
    _store_acts(database, PAUSE, limit_of(PAUSE).per_actor, actor_id=None, at=NOON)
    with pytest.raises(LimitReached, match=DenialReason.ACT_LIMIT_OF_ACTOR_REACHED.code):
        perform_act(database, slug, PAUSE, now=NOON + 5 * HOUR)


def test_limits_leave_room_for_acts_on_many_games() -> None:
    assert MAX_ACTS_BY_ACTOR > 2 * MOST_GAMES


def test_second_nudge_says_when_it_is_possible_again(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, GameRight.NUDGE, by=guests[1])
    with pytest.raises(NotAllowed, match=DenialReason.NUDGED_TODAY.code) as error_info:
        act_preview(database, slug, GameRight.NUDGE, by=guests[2], now=NOON + HOUR)
    assert isinstance(error_info.value, LimitReached)
    assert error_info.value.possible_at == NOON + LIMIT_WINDOW


def test_acts_of_all_kinds_share_a_limit_of_emails_to_the_table(
    database: Database, guests: list[Guest], slug: str
) -> None:
    host, mo = guests[0], site_moderator(database)
    play_turn(database, slug, host)

    def do_everything() -> None:
        for hour in range(12):
            now = NOON + hour * HOUR / 2
            perform_act(database, slug, GameRight.ANNOUNCE_TO_TABLE, by=host, now=now)
            perform_act(database, slug, GameRight.EXTEND, by=host, extra=HOUR, now=now)
            perform_act(database, slug, PAUSE, by=host, now=now)
            perform_act(database, slug, RESUME, by=host, now=now)

    with pytest.raises(LimitReached) as error_info:
        do_everything()
    assert error_info.value.reason in {
        DenialReason.EMAILED_ENOUGH_TODAY,
        DenialReason.ACT_LIMIT_OF_GAME_REACHED,
    }
    emailed_acts = [act for act in ledger_acts(database) if act not in {"resume", "nudge"}]
    assert len(emailed_acts) <= MAX_EMAILED_ACTS_IN_GAME
    later = NOON + 12 * HOUR
    perform_act(database, slug, PAUSE, by=mo, now=later)


def test_act_that_is_undone_at_once_is_emailed_to_no_one(
    database: Database, guests: list[Guest], slug: str
) -> None:
    host = guests[0]
    play_turn(database, slug, host)
    entry = perform_act(database, slug, GameRight.EXTEND, by=host, extra=DAY)
    assert collect_emails(database, kind="moderator-act") == []
    undo_act(database, slug, GameRight.EXTEND, entry, by=host, now=NOON + TIME_TO_UNDO / 2)
    assert collect_emails(database, kind="moderator-act", now=NOON + HOUR) == []


def test_undoing_is_emailed_to_those_who_may_have_got_an_email_about_the_act(
    database: Database, guests: list[Guest], slug: str
) -> None:
    host, sent_at = guests[0], NOON + TIME_TO_UNDO
    play_turn(database, slug, host)
    entry = perform_act(database, slug, GameRight.EXTEND, by=host, extra=DAY)
    with transaction(database, sent_at) as tx:
        for each in claim(tx):
            # The message, which is not stored here, was lost in a crash of Postgres.
            postpone(tx, each, code="the answer is lost")
    undo_act(database, slug, GameRight.EXTEND, entry, by=host, now=sent_at)
    emails = collect_emails(database, kind="moderator-act", now=sent_at + TIME_TO_UNDO)
    assert len(emails) == 2 * len(guests)


def test_undoing_is_emailed_to_those_who_got_an_email_about_the_act(
    database: Database, guests: list[Guest], slug: str
) -> None:
    host, sent_at = guests[0], NOON + TIME_TO_UNDO
    play_turn(database, slug, host)
    entry = perform_act(database, slug, GameRight.EXTEND, by=host, extra=DAY)
    assert len(collect_emails(database, kind="moderator-act", now=sent_at)) == len(guests)
    undo_act(database, slug, GameRight.EXTEND, entry, by=host, now=sent_at)
    emails = collect_emails(database, kind="moderator-act", now=sent_at + TIME_TO_UNDO)
    assert len(emails) == len(guests)
