"""Votes of the people at a table: unanimous, with an expiry, and carried out in the transaction of the last yes."""

import pytest
from sqlalchemy import text

from engine.events import GameShortened
from engine.record_reading import read_record
from engine.verification import verify_record
from tests.support.acts import recipients
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    play_to_end,
    play_turn,
    stored_game,
    table_settings,
)
from tests.support.transactions import NOON, transaction
from tests.support.votes import (
    CANCEL,
    HOUR,
    PAUSE,
    RESUME,
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
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.tx import Database
from webapp.operations.consistency import inspect_database
from webapp.play.views.fairness_page import export
from webapp.play.votes import LONGEST_PAUSE, VOTE_DURATION


def test_everyone_agreeing_pauses_the_game_in_the_same_transaction(
    database: Database, guests: list[Guest], slug: str
) -> None:
    propose_as(database, slug, guests[0], PAUSE)
    answer_as(database, slug, guests[1])
    assert status_of(database, slug, guests[0]) == GameStatus.RUNNING
    answer_as(database, slug, guests[2])
    assert status_of(database, slug, guests[0]) == GameStatus.PAUSED
    assert vote_outcomes(database) == ["passed"]
    page = page_of(database, slug, guests[1])
    assert page.pause_act is not None
    assert (page.pause_act.acted_as, page.pause_act.reason) == (
        "vote",
        "Everyone who plays has agreed.",
    )
    assert len(recipients(database, "vote-opened")) == 2
    assert len(recipients(database, "moderator-act")) == 3


def test_one_no_ends_the_vote_and_changes_nothing(
    database: Database, guests: list[Guest], slug: str
) -> None:
    propose_as(database, slug, guests[0], CANCEL)
    answer_as(database, slug, guests[1], is_yes=False)
    assert status_of(database, slug, guests[0]) == GameStatus.RUNNING
    assert vote_outcomes(database) == ["rejected"]
    assert len(recipients(database, "vote-ended")) == 3
    with pytest.raises(NotAllowed, match=DenialReason.VOTE_OVER.code):
        answer_as(database, slug, guests[2])


def test_rejected_kind_of_vote_waits_a_day_and_another_kind_does_not(
    database: Database, guests: list[Guest], slug: str
) -> None:
    propose_as(database, slug, guests[0], PAUSE)
    answer_as(database, slug, guests[1], is_yes=False)
    with pytest.raises(NotAllowed, match=DenialReason.VOTE_LOST_RECENTLY.code):
        propose_as(database, slug, guests[2], PAUSE, NOON + DAY - HOUR)
    assert PAUSE not in page_of(database, slug, guests[0]).possible_votes
    propose_as(database, slug, guests[2], SHORTEN, NOON + HOUR)
    answer_as(database, slug, guests[0], is_yes=False, now=NOON + HOUR)
    propose_as(database, slug, guests[2], PAUSE, NOON + DAY)
    assert vote_outcomes(database) == ["rejected", "rejected", None]


def test_only_one_vote_is_open_at_a_time(
    database: Database, guests: list[Guest], slug: str
) -> None:
    propose_as(database, slug, guests[0], PAUSE)
    for kind in (PAUSE, CANCEL, SHORTEN):
        with pytest.raises(NotAllowed, match=DenialReason.VOTE_OPEN.code):
            propose_as(database, slug, guests[1], kind)
    assert page_of(database, slug, guests[0]).possible_votes == ()


def test_vote_without_all_answers_expires_after_three_days(
    database: Database, guests: list[Guest], slug: str
) -> None:
    propose_as(database, slug, guests[0], PAUSE)
    end = NOON + VOTE_DURATION
    assert sweep_votes(database, end - HOUR) == 0
    with pytest.raises(NotAllowed, match=DenialReason.VOTE_OVER.code):
        answer_as(database, slug, guests[1], now=end)
    assert sweep_votes(database, end) == 1
    assert sweep_votes(database, end) == 0
    assert vote_outcomes(database) == ["expired"]
    assert len(recipients(database, "vote-ended")) == 3


def test_bots_have_no_vote_and_a_lone_person_decides_at_once(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests[:1], table_settings(seats=4))
    propose_as(database, slug, guests[0], CANCEL)
    assert status_of(database, slug, guests[0]) == GameStatus.CANCELLED
    assert recipients(database, "vote-opened") == []


def test_answers_are_shown_as_counts_only(
    database: Database, guests: list[Guest], slug: str
) -> None:
    propose_as(database, slug, guests[0], PAUSE)
    answer_as(database, slug, guests[1])
    votes = [page_of(database, slug, guest).vote for guest in guests]
    assert [vote and (vote.agreed_count, vote.voter_count) for vote in votes] == [(2, 3)] * 3
    assert [vote and vote.may_answer for vote in votes] == [False, False, True]


def test_vote_cannot_be_changed_and_a_repeated_answer_changes_nothing(
    database: Database, guests: list[Guest], slug: str
) -> None:
    propose_as(database, slug, guests[0], PAUSE)
    answer_as(database, slug, guests[1])
    answer_as(database, slug, guests[1])
    with pytest.raises(NotAllowed, match=DenialReason.ANSWERED_ALREADY.code):
        answer_as(database, slug, guests[1], is_yes=False)
    assert vote_outcomes(database) == [None]


def test_shortened_game_ends_after_this_round_and_its_record_verifies(
    database: Database, database_url: str, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    deadline_at = stored_game(database, slug, guests[0]).row.deadline_at
    let_vote_pass(database, slug, guests, SHORTEN, NOON + HOUR)
    game = stored_game(database, slug, guests[0])
    assert (game.row.deadline_at, game.row.awaiting, game.state.house.rounds) == (deadline_at, 1, 1)
    assert len(recipients(database, "vote-ended")) == 3
    assert SHORTEN not in page_of(database, slug, guests[0], NOON + HOUR).possible_votes
    play_to_end(database, slug, guests)
    finished_game = stored_game(database, slug, guests[0])
    assert (finished_game.status, finished_game.row.round) == (GameStatus.FINISHED, 1)
    assert inspect_database(database_url).inconsistencies == ()
    with transaction(database) as tx:
        record = read_record(export(tx, slug, guests[0].cookie).text.encode())
    assert verify_record(record).is_sound
    assert [turn.by for turn in record.turns if isinstance(turn.events[0], GameShortened)] == [
        "vote"
    ]


def test_last_round_cannot_be_shortened(database: Database, guests: list[Guest]) -> None:
    slug = deal_game(database, guests)
    let_vote_pass(database, slug, guests, SHORTEN)
    with pytest.raises(NotAllowed, match=DenialReason.LAST_ROUND.code):
        propose_as(database, slug, guests[1], SHORTEN)


def test_pause_by_vote_ends_by_vote_with_the_time_that_was_left(
    database: Database, guests: list[Guest], slug: str
) -> None:
    let_vote_pass(database, slug, guests, PAUSE, NOON + HOUR)
    let_vote_pass(database, slug, guests, RESUME, NOON + 5 * DAY)
    row = stored_game(database, slug, guests[0]).row
    assert row.status == GameStatus.RUNNING
    assert row.deadline_at == NOON + 5 * DAY + DAY - HOUR
    assert sweep_votes(database, NOON + 99 * DAY) == 0


def test_pause_by_vote_ends_by_itself_after_thirty_days(
    database: Database, guests: list[Guest], slug: str
) -> None:
    let_vote_pass(database, slug, guests, PAUSE, NOON + HOUR)
    end = NOON + HOUR + LONGEST_PAUSE
    assert sweep_votes(database, end - HOUR) == 0
    assert sweep_votes(database, end) == 1
    row = stored_game(database, slug, guests[0]).row
    assert (row.status, row.deadline_at) == (GameStatus.RUNNING, end + DAY - HOUR)
    assert len(recipients(database, "moderator-act")) == 6
    assert sweep_votes(database, end + DAY) == 0


def test_game_that_cannot_be_read_does_not_hold_up_the_votes_of_others(
    database: Database, guests: list[Guest]
) -> None:
    for slug in [deal_game(database, guests) for _ in range(2)]:
        propose_as(database, slug, guests[0], PAUSE)
    with transaction(database) as tx:
        tx.execute(text("UPDATE game SET state_format = 0"))
        broken_log = "UPDATE turn SET events = '' WHERE game_id = (SELECT min(id) FROM game)"
        tx.execute(text(broken_log))
    sweep_votes(database, NOON + VOTE_DURATION)
    assert vote_outcomes(database) == [None, "expired"]
