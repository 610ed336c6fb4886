from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, update

from engine.actions import Discard
from engine.view import view_for
from engine.wire import decode_action
from tests.support.calls import sweep_with_calls_sent
from tests.support.cast import ALICE
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    fill_with_bots,
    open_table,
    play_bots,
    play_turn,
    sign_in_guest,
    stored_game,
    table_settings,
)
from tests.support.transactions import NOON, pick_first, read_only, transaction
from webapp.clock.sweep import SweepResult
from webapp.kernel.refusals import StaleTurn, Unavailable
from webapp.kernel.tx import Database
from webapp.mail.schema import Notification
from webapp.operations.health import backlog
from webapp.play import access
from webapp.play.queries.clocks import RETRY_AFTER
from webapp.play.schema import Game, Turn
from webapp.play.turns.turns import take_turn

REMINDER_SHARE = NOON + DAY * 0.8
DEADLINE_AT = NOON + DAY
ONE_SECOND = timedelta(seconds=1)


def _sweep(database: Database, now: datetime, limit: int = 200) -> SweepResult:
    with transaction(database) as tx:
        return sweep_with_calls_sent(tx, now=now, random_below=pick_first, limit=limit)


def _reminders(database: Database) -> list[tuple[int | None, int]]:
    with transaction(database) as tx:
        query = select(Notification.account_id, Notification.dedup_key).where(
            Notification.kind == "reminder"
        )
        return [(row[0], row[1]) for row in tx.execute(query)]


def _make_unplayable(database: Database, slug: str, **damage: object) -> None:
    """Damage a game so that every turn in it fails."""
    values = damage or {"state": b"{broken"}
    with transaction(database) as tx:
        tx.execute(update(Game).where(Game.slug == slug).values(values))


def test_sweep_before_the_reminder_does_nothing(
    database: Database, guests: list[Guest], slug: str
) -> None:
    result = _sweep(database, REMINDER_SHARE - ONE_SECOND)
    assert result == SweepResult(reminded_count=0, expired_count=0, failed_count=0, has_more=False)


def test_player_is_reminded_once_after_four_fifths_of_the_time(
    database: Database, guests: list[Guest], slug: str
) -> None:
    assert _sweep(database, REMINDER_SHARE).reminded_count == 1
    assert _sweep(database, REMINDER_SHARE).reminded_count == 0
    assert _sweep(database, DEADLINE_AT - ONE_SECOND).reminded_count == 0
    assert _reminders(database) == [(guests[0].person.id, int(REMINDER_SHARE.timestamp()))]
    assert stored_game(database, slug, guests[0]).row.wake_at == DEADLINE_AT


def test_player_who_moves_in_time_is_not_reminded(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0], now=REMINDER_SHARE - ONE_SECOND)
    assert _sweep(database, REMINDER_SHARE).reminded_count == 0


def test_expired_deadline_plays_the_neutral_action(
    database: Database, guests: list[Guest], slug: str
) -> None:
    hand = stored_game(database, slug, guests[0]).state.hands[0]
    assert _sweep(database, DEADLINE_AT).expired_count == 1
    with transaction(database) as tx:
        turn = tx.execute(select(Turn).where(Turn.seq == 1)).one()
    assert (turn.seat, turn.by, turn.at) == (0, "clock", DEADLINE_AT)
    assert _discarded_card(turn.action) == hand[0]
    later_game = stored_game(database, slug, guests[0])
    assert (later_game.row.awaiting, later_game.row.deadline_at) == (1, DEADLINE_AT + DAY)


def test_second_sweep_plays_nothing_again(
    database: Database, guests: list[Guest], slug: str
) -> None:
    assert _sweep(database, DEADLINE_AT).expired_count == 1
    assert _sweep(database, DEADLINE_AT) == SweepResult(
        reminded_count=0, expired_count=0, failed_count=0, has_more=False
    )


def test_long_neglected_game_advances_one_turn_per_deadline(
    database: Database, guests: list[Guest], slug: str
) -> None:
    now = DEADLINE_AT
    for seq in range(1, 7):
        assert _sweep(database, now).expired_count == 1
        assert stored_game(database, slug, guests[0]).seq == seq
        now += DAY


def test_concurrent_sweeps_play_a_turn_once(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with ThreadPoolExecutor(4) as pool:
        expired_counts = [
            result.expired_count
            for result in pool.map(lambda _: _sweep(database, DEADLINE_AT), range(8))
        ]
    assert sum(expired_counts) == 1
    assert stored_game(database, slug, guests[0]).seq == 1


def test_sweep_skips_a_locked_game(database: Database, guests: list[Guest], slug: str) -> None:
    other = deal_game(database, guests)
    with transaction(database) as tx:
        access.game_for(tx, slug, guests[0].cookie, mode="change")
        assert _sweep(database, DEADLINE_AT).expired_count == 1
    assert stored_game(database, other, guests[0]).seq == 1
    assert _sweep(database, DEADLINE_AT).expired_count == 1


def test_race_of_player_and_sweep_writes_one_turn(
    database: Database, guests: list[Guest], slug: str
) -> None:
    def play_as_player(shown_game: access.LoadedGame, now: datetime) -> str:
        card = view_for(shown_game.state, 0).hand[0]
        try:
            with transaction(database, now) as tx:
                loaded_game = access.game_for(tx, slug, guests[0].cookie, mode="play")
                take_turn(tx, loaded_game, Discard(card), seq=shown_game.seq, by="player")
        except StaleTurn:
            return "stale"
        return "taken"

    for seq in range(0, 9, 3):
        now = DEADLINE_AT + seq * DAY
        shown_game = stored_game(database, slug, guests[0])
        with ThreadPoolExecutor(2) as pool:
            submit, clock = (
                pool.submit(play_as_player, shown_game, now),
                pool.submit(_sweep, database, now),
            )
            outcomes = (submit.result(), clock.result().expired_count)
        assert outcomes in {("taken", 0), ("stale", 1)}
        assert stored_game(database, slug, guests[0]).seq == seq + 1
        # Alice is on turn again, and her deadline has passed when the next race begins.
        for guest in guests[1:]:
            play_turn(database, slug, guest, now=DEADLINE_AT + (seq + 2) * DAY)


@pytest.mark.parametrize("damage", [{"state": b"{broken"}, {"pace": {"bank": "broken"}}])
def test_broken_game_is_postponed_and_others_are_played(
    database: Database, guests: list[Guest], slug: str, damage: dict[str, object]
) -> None:
    other = deal_game(database, guests)
    _make_unplayable(database, slug, **damage)
    result = _sweep(database, DEADLINE_AT)
    assert (result.expired_count, result.failed_count) == (1, 1)
    assert stored_game(database, other, guests[0]).seq == 1
    assert _sweep(database, DEADLINE_AT).failed_count == 0
    assert _sweep(database, DEADLINE_AT + RETRY_AFTER).failed_count == 1


def test_busy_database_does_not_postpone_the_game(
    database: Database, guests: list[Guest], slug: str
) -> None:
    earlier_row = stored_game(database, slug, guests[0]).row

    def exceed_statement_timeout(_: int) -> int:
        tx.connection.exec_driver_sql("SET LOCAL statement_timeout = 20; SELECT pg_sleep(5)")
        return 0

    with pytest.raises(Unavailable), transaction(database) as tx:
        sweep_with_calls_sent(tx, now=NOON + 2 * DAY, random_below=exceed_statement_timeout)
    assert stored_game(database, slug, guests[0]).row == earlier_row


def test_update_refused_by_the_database_is_found_and_postponed(
    database: Database, guests: list[Guest], slug: str
) -> None:
    other = deal_game(database, guests)
    with transaction(database) as tx:
        # The next row of the log exists already, so the game can never advance.
        game_id = tx.execute(select(Game.id).where(Game.slug == slug)).scalar_one()
        tx.connection.exec_driver_sql(
            "INSERT INTO turn (game_id, seq, by, events, head, at) "
            f"SELECT {game_id}, 1, 'player', events, head, at FROM turn WHERE game_id = {game_id}"
        )
    result = _sweep(database, DEADLINE_AT)
    assert (result.expired_count, result.failed_count) == (1, 1)
    assert stored_game(database, other, guests[0]).seq == 1
    assert stored_game(database, slug, guests[0]).seq == 0


def test_broken_game_counts_as_overdue(database: Database, guests: list[Guest], slug: str) -> None:
    _make_unplayable(database, slug)
    _sweep(database, DEADLINE_AT + ONE_SECOND)
    with read_only(database, DEADLINE_AT + 2 * ONE_SECOND) as tx:
        waiting_games = backlog(tx)
    assert waiting_games.most_overdue_deadline == 2 * ONE_SECOND


def test_game_within_its_deadline_is_not_overdue(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with read_only(database, NOON + ONE_SECOND) as tx:
        waiting_games = backlog(tx)
    assert waiting_games.most_overdue_deadline is None
    assert waiting_games.most_overdue_bot is None
    assert waiting_games.oldest_unsent_email == ONE_SECOND


def test_sweep_stops_at_its_limit_and_reports_more(database: Database, guests: list[Guest]) -> None:
    slugs = [deal_game(database, guests) for _ in range(3)]
    assert [_sweep(database, DEADLINE_AT, limit=2).has_more for _ in range(2)] == [True, False]
    assert [stored_game(database, slug, guests[0]).seq for slug in slugs] == [1, 1, 1]


def test_bots_have_no_deadline(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice, table_settings(starter=1))
    fill_with_bots(database, slug, alice)
    row = stored_game(database, slug, alice).row
    assert (row.awaiting, row.deadline_at, row.remind_at) == (1, None, None)
    assert _sweep(database, NOON + 30 * DAY) == SweepResult(
        reminded_count=0, expired_count=0, failed_count=0, has_more=False
    )
    play_bots(database, now=NOON + 30 * DAY)
    assert stored_game(database, slug, alice).row.deadline_at == NOON + 31 * DAY


@pytest.mark.parametrize("kind", ["reminder", "deadline"])
def test_deadline_and_reminder_do_not_depend_on_role_or_hand(
    database: Database, guests: list[Guest], kind: str
) -> None:
    """C6: the times are the same for every role and hand."""
    instants = set()
    for _ in range(6):
        slug = deal_game(database, guests)
        row = stored_game(database, slug, guests[0]).row
        instants.add(row.remind_at if kind == "reminder" else row.deadline_at)
    assert instants == {REMINDER_SHARE if kind == "reminder" else DEADLINE_AT}


def test_neutral_action_uses_the_given_random_choice(
    database: Database, guests: list[Guest], slug: str
) -> None:
    hand = stored_game(database, slug, guests[0]).state.hands[0]
    with transaction(database) as tx:
        sweep_with_calls_sent(tx, now=DEADLINE_AT, random_below=lambda n: n - 1)
    with transaction(database) as tx:
        action = tx.execute(select(Turn.action).where(Turn.seq == 1)).scalar_one()
    assert _discarded_card(action) == hand[-1]


def _discarded_card(action: bytes | None) -> str:
    assert action is not None
    read = decode_action(action)
    assert isinstance(read, Discard)
    return read.card
