"""No one decides alone about a game while another player can still get their seat back."""

import pytest
from sqlalchemy import text

from tests.support.acts import act_preview, perform_act, undo_act
from tests.support.factories import DAY, Guest, play_turn, stored_game
from tests.support.late_games import miss_turn, set_late_rules, take_seat
from tests.support.transactions import NOON, transaction
from tests.support.votes import (
    CANCEL,
    HOUR,
    PAUSE,
    SHORTEN,
    answer_as,
    let_vote_pass,
    page_of,
    propose_as,
    status_of,
    sweep_votes,
    vote_outcomes,
)
from webapp.kernel.game_status import GameStatus
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.play.votes import LONGEST_PAUSE, WAIT_FOR_PLAYER, VoteKind


@pytest.mark.parametrize("kind", [PAUSE, CANCEL, SHORTEN])
def test_player_cannot_vote_alone_while_all_other_seats_are_open(
    database: Database, guests: list[Guest], slug: str, kind: VoteKind
) -> None:
    entries = [perform_act(database, slug, GameRight.OPEN_SEAT, seat=seat) for seat in (1, 2)]
    with pytest.raises(NotAllowed, match=DenialReason.VOTE_WAITS_FOR_PLAYER.code):
        propose_as(database, slug, guests[0], kind, NOON + HOUR)
    page = page_of(database, slug, guests[0], NOON + HOUR)
    assert (page.possible_votes, page.is_vote_waiting) == ((), True)
    for entry in entries:
        undo_act(database, slug, GameRight.OPEN_SEAT, entry)
    assert status_of(database, slug, guests[0]) == GameStatus.RUNNING
    page = page_of(database, slug, guests[0], NOON + HOUR)
    assert (kind in page.possible_votes, page.is_vote_waiting) == (True, False)


def test_host_takes_no_seat_from_another_player(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with pytest.raises(NotFound):
        perform_act(database, slug, GameRight.OPEN_SEAT, by=guests[0], seat=1)
    for act in (perform_act, act_preview):
        with pytest.raises(NotAllowed, match=DenialReason.PERSON_HOLDS_SEAT.code):
            act(database, slug, GameRight.SEAT_BOT, by=guests[0], seat=1)
    seated_ids = [seat.account_id for seat in stored_game(database, slug, guests[0]).row.seats]
    assert seated_ids == [guest.person.id for guest in guests]


def test_one_person_among_bots_decides_alone(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for seat in (1, 2):
        perform_act(database, slug, GameRight.OPEN_SEAT, seat=seat)
        perform_act(database, slug, GameRight.SEAT_BOT, by=guests[0], seat=seat)
    propose_as(database, slug, guests[0], SHORTEN, NOON + HOUR)
    assert vote_outcomes(database) == ["passed"]


def test_vote_does_not_pass_without_the_player_whose_seat_was_opened_meanwhile(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug)
    play_turn(database, slug, guests[0])
    propose_as(database, slug, guests[0], SHORTEN, NOON + DAY - HOUR)
    answer_as(database, slug, guests[2], now=NOON + DAY - HOUR)
    miss_turn(database, slug, guests[1])
    with pytest.raises(NotAllowed, match=DenialReason.VOTE_OUTDATED.code):
        answer_as(database, slug, guests[2], now=NOON + DAY)
    take_seat(database, slug, guests[1])
    answer_as(database, slug, guests[1], is_yes=False, now=NOON + DAY)
    assert vote_outcomes(database) == ["rejected"]


def test_game_whose_open_seat_no_one_takes_can_be_cancelled_after_fourteen_days(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, GameRight.OPEN_SEAT, seat=2)
    end = NOON + WAIT_FOR_PLAYER
    with pytest.raises(NotAllowed, match=DenialReason.VOTE_WAITS_FOR_PLAYER.code):
        propose_as(database, slug, guests[0], CANCEL, end - HOUR)
    assert page_of(database, slug, guests[0], end).possible_votes == (CANCEL,)
    for kind in (PAUSE, SHORTEN):
        with pytest.raises(NotAllowed, match=DenialReason.VOTE_WAITS_FOR_PLAYER.code):
            propose_as(database, slug, guests[0], kind, end)
    let_vote_pass(database, slug, guests[:2], CANCEL, end)
    assert status_of(database, slug, guests[0]) == GameStatus.CANCELLED


def test_players_vote_again_once_a_bot_has_the_open_seat(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, GameRight.OPEN_SEAT, seat=2)
    perform_act(database, slug, GameRight.SEAT_BOT, seat=2)
    let_vote_pass(database, slug, guests[:2], PAUSE, NOON + HOUR)
    assert status_of(database, slug, guests[0]) == GameStatus.PAUSED


def test_players_vote_without_someone_who_has_deleted_their_account(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, GameRight.OPEN_SEAT, seat=2)
    with transaction(database) as tx:
        tx.execute(text("UPDATE seat SET leaver_id = NULL"))
    let_vote_pass(database, slug, guests[:2], SHORTEN, NOON + HOUR)
    assert vote_outcomes(database) == ["passed"]


def test_pause_by_vote_ends_after_thirty_days_even_if_a_seat_was_opened_meanwhile(
    database: Database, guests: list[Guest], slug: str
) -> None:
    let_vote_pass(database, slug, guests, PAUSE)
    perform_act(database, slug, GameRight.OPEN_SEAT, seat=2, now=NOON + HOUR)
    assert sweep_votes(database, NOON + LONGEST_PAUSE) == 1
    assert status_of(database, slug, guests[0]) == GameStatus.RUNNING
