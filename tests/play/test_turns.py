from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import func, select

from engine.actions import Discard, Lay
from engine.errors import IllegalAction, Reason
from engine.rulebook import HouseRules
from engine.view import neutral_action, view_for
from tests.support.cast import DAVE, MALLORY
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    play_to_end,
    play_turn,
    sign_in_guest,
    stored_game,
    table_settings,
)
from tests.support.transactions import NOON, late_transaction, pick_first, transaction
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound, StaleTurn
from webapp.kernel.tx import Database, Tx
from webapp.mail.schema import Notification
from webapp.play import access
from webapp.play.access import state_from_log
from webapp.play.queries import turn_log
from webapp.play.schema import Turn
from webapp.play.turns.turns import take_turn


def test_turn_is_logged_advances_the_game_and_notifies_the_next_player(
    database: Database, guests: list[Guest], slug: str
) -> None:
    earlier_game = stored_game(database, slug, guests[0])
    taken_turn = play_turn(database, slug, guests[0], now=NOON + timedelta(hours=1))
    later_game = stored_game(database, slug, guests[0])
    assert taken_turn.seq == later_game.seq == earlier_game.seq + 1
    assert later_game.row.awaiting == 1
    assert later_game.row.turn_started_at == NOON + timedelta(hours=1)
    assert later_game.row.deadline_at == NOON + timedelta(hours=1) + DAY
    assert _notified_accounts(database, kind="your-turn", seq=later_game.seq) == [
        guests[1].person.id
    ]


def test_snapshot_equals_the_folded_log(database: Database, guests: list[Guest], slug: str) -> None:
    for guest in guests:
        play_turn(database, slug, guest)
    game = stored_game(database, slug, guests[0])
    with transaction(database) as tx:
        folded_state = state_from_log(game.row, turn_log.all_turns(tx, game.row.id))
    assert folded_state == game.state


def test_snapshot_of_an_unknown_format_is_rebuilt_from_the_log(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    earlier_state = stored_game(database, slug, guests[0]).state
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("UPDATE game SET state = 'old', state_format = 0")
    assert stored_game(database, slug, guests[0]).state == earlier_state
    play_turn(database, slug, guests[1])
    assert stored_game(database, slug, guests[0]).seq == 2


@pytest.mark.parametrize("open_transaction", [transaction, late_transaction])
def test_concurrent_submits_of_one_turn_write_it_once(
    database: Database,
    guests: list[Guest],
    slug: str,
    open_transaction: Callable[[Database], AbstractContextManager[Tx]],
) -> None:
    barrier = Barrier(2)

    def submit() -> str:
        with open_transaction(database) as tx:
            loaded_game = access.game_for(tx, slug, guests[0].cookie, mode="play")
            game = loaded_game.game
            action = neutral_action(view_for(game.state, loaded_game.seat), pick_first)
            barrier.wait(120)
            try:
                take_turn(tx, loaded_game, action, seq=game.seq, by="player")
            except StaleTurn:
                return "stale"
            return "taken"

    with ThreadPoolExecutor(2) as pool:
        outcomes = [
            submission.result() for submission in [pool.submit(submit), pool.submit(submit)]
        ]
    assert sorted(outcomes) == ["stale", "taken"]
    assert _count(database, Turn) == 2
    assert len(_notified_accounts(database, kind="your-turn", seq=1)) == 1


def test_turn_from_an_old_page_is_stale_and_reports_the_current_seq(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    with transaction(database) as tx:
        loaded_game = access.game_for(tx, slug, guests[0].cookie, mode="play")
        game = loaded_game.game
        action = Discard(game.state.hands[0][0])
        with pytest.raises(StaleTurn) as error_info:
            take_turn(tx, loaded_game, action, seq=0, by="player")
    assert error_info.value.seq == 1


def test_action_out_of_turn_is_refused_and_changes_nothing(
    database: Database, guests: list[Guest], slug: str
) -> None:
    card = stored_game(database, slug, guests[1]).state.hands[1][0]
    with pytest.raises(IllegalAction) as error_info:
        play_turn(database, slug, guests[1], Discard(card))
    assert error_info.value.reason is Reason.NOT_YOUR_TURN
    assert stored_game(database, slug, guests[0]).seq == 0


def test_illegal_action_is_refused_with_its_reason(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with pytest.raises(IllegalAction) as error_info:
        play_turn(database, slug, guests[0], Lay("path-trbl", "Z9"))
    assert error_info.value.reason in {Reason.NOT_IN_HAND, Reason.NOT_BESIDE}
    assert _count(database, Turn) == 1


def test_turn_of_a_stranger_is_not_found(database: Database, slug: str) -> None:
    mallory = sign_in_guest(database, MALLORY)
    with pytest.raises(NotFound):
        play_turn(database, slug, mallory, Discard("map"))


def test_turn_of_an_onlooker_is_not_allowed(database: Database, guests: list[Guest]) -> None:
    slug = deal_game(database, guests, table_settings(public=True))
    dave = sign_in_guest(database, DAVE)
    with pytest.raises(NotAllowed) as error_info:
        play_turn(database, slug, dave, Discard("map"))
    assert error_info.value.reason is DenialReason.NOT_SEATED


def test_process_that_dies_before_commit_leaves_no_trace_of_a_turn(
    database: Database, guests: list[Guest], slug: str
) -> None:
    notifications = _count(database, Notification)

    def fail_before_commit() -> None:
        with transaction(database) as tx:
            loaded_game = access.game_for(tx, slug, guests[0].cookie, mode="play")
            game = loaded_game.game
            action = neutral_action(view_for(game.state, loaded_game.seat), pick_first)
            take_turn(tx, loaded_game, action, seq=game.seq, by="player")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_before_commit()
    assert stored_game(database, slug, guests[0]).seq == 0
    assert _count(database, Turn) == 1
    assert _count(database, Notification) == notifications


def test_finished_game_refuses_turns_and_notifies_every_player(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests, table_settings(house=_one_round()))
    play_to_end(database, slug, guests)
    game = stored_game(database, slug, guests[0])
    assert game.status == "finished"
    assert (game.row.awaiting, game.row.deadline_at, game.row.wake_at) == (None, None, None)
    with transaction(database) as tx:
        assert state_from_log(game.row, turn_log.all_turns(tx, game.row.id)) == game.state
    assert _notified_accounts(database, kind="game-over") == [guest.person.id for guest in guests]
    with pytest.raises(IllegalAction) as error_info:
        play_turn(database, slug, guests[0], Discard("map"))
    assert error_info.value.reason is Reason.GAME_OVER


def test_turn_that_ends_a_round_deals_the_next(
    database: Database, guests: list[Guest], slug: str
) -> None:
    while stored_game(database, slug, guests[0]).row.round == 1:
        seat = stored_game(database, slug, guests[0]).row.awaiting
        assert seat is not None
        play_turn(database, slug, guests[seat])
    game = stored_game(database, slug, guests[0])
    assert (game.row.round, game.status) == (2, "running")
    assert _notified_accounts(database, kind="round-over") == [guest.person.id for guest in guests]
    assert len(_notified_accounts(database, kind="your-turn", seq=game.seq)) == 1


def test_reprs_of_a_game_show_no_secret(database: Database, guests: list[Guest], slug: str) -> None:
    game = stored_game(database, slug, guests[0])
    shown_reprs = "".join(map(repr, (game, game.row, game.state, game.row.secret)))
    assert not any(card in shown_reprs for hand in game.state.hands for card in hand)
    assert "digger" not in shown_reprs


def _one_round() -> HouseRules:
    return HouseRules(rounds=1)


def _count(database: Database, table: type[Turn | Notification]) -> int:
    with transaction(database) as tx:
        return tx.execute(select(func.count()).select_from(table)).scalar_one()


def _notified_accounts(
    database: Database, *, kind: str, seq: int | None = None
) -> list[int | None]:
    """Return the accounts notified in this way, in the order of their notifications."""
    query = (
        select(Notification.account_id).where(Notification.kind == kind).order_by(Notification.id)
    )
    with transaction(database) as tx:
        account_ids = tx.execute(query if seq is None else query.where(Notification.seq == seq))
        return [row[0] for row in account_ids]
