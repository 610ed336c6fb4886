"""Votes end when moderators decide, when others sit at the table, and when the game is over."""

import pytest
from sqlalchemy import text

from tests.support.acts import ledger_acts, perform_act, recipients
from tests.support.factories import DAY, Guest, deal_short_game, play_to_end, play_turn
from tests.support.transactions import NOON, transaction
from tests.support.votes import (
    CANCEL,
    HOUR,
    PAUSE,
    RESUME,
    answer_as,
    let_vote_pass,
    newest_vote_id,
    page_of,
    propose_as,
    status_of,
    sweep_votes,
    vote_outcomes,
)
from webapp.kernel.game_status import GameStatus
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database


def test_moderator_ends_a_pause_by_vote_for_good(
    database: Database, guests: list[Guest], slug: str
) -> None:
    let_vote_pass(database, slug, guests, PAUSE)
    perform_act(database, slug, GameRight.RESUME, now=NOON + HOUR)
    perform_act(database, slug, GameRight.PAUSE, now=NOON + 2 * HOUR)
    assert sweep_votes(database, NOON + 99 * DAY) == 0
    assert status_of(database, slug, guests[0]) == GameStatus.PAUSED


def test_rewind_leaves_a_pause_by_vote_to_the_players(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    let_vote_pass(database, slug, guests, PAUSE)
    perform_act(database, slug, GameRight.REWIND, turn=0, now=NOON + HOUR)
    assert status_of(database, slug, guests[0]) == GameStatus.PAUSED
    propose_as(database, slug, guests[0], RESUME, NOON + 2 * HOUR)
    answer_as(database, slug, guests[1], is_yes=False, now=NOON + 2 * HOUR)
    assert sweep_votes(database, NOON + 31 * DAY) == 1
    assert status_of(database, slug, guests[0]) == GameStatus.RUNNING


def test_players_cannot_resume_what_a_moderator_has_paused(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, GameRight.PAUSE)
    with pytest.raises(NotAllowed, match=DenialReason.PAUSED_BY_MODERATOR.code):
        propose_as(database, slug, guests[0], RESUME)


@pytest.mark.parametrize("act", [GameRight.PAUSE, GameRight.CANCEL_GAME, GameRight.OPEN_SEAT])
def test_act_of_a_moderator_ends_an_open_vote(
    database: Database, guests: list[Guest], slug: str, act: GameRight
) -> None:
    propose_as(database, slug, guests[0], PAUSE)
    vote_id = newest_vote_id(database)
    perform_act(database, slug, act, seat=2 if act == GameRight.OPEN_SEAT else None)
    assert vote_outcomes(database) == ["outdated"]
    with pytest.raises(NotAllowed, match=DenialReason.VOTE_OVER.code):
        answer_as(database, slug, guests[1], vote_id=vote_id)


def test_vote_is_outdated_once_others_sit_at_the_table(
    database: Database, guests: list[Guest], slug: str
) -> None:
    propose_as(database, slug, guests[0], PAUSE)
    with transaction(database) as tx:
        tx.execute(text("UPDATE seat SET account_id = NULL WHERE number = 2"))
    assert page_of(database, slug, guests[1]).vote is None
    with pytest.raises(NotAllowed, match=DenialReason.VOTE_OUTDATED.code):
        answer_as(database, slug, guests[1])
    propose_as(database, slug, guests[1], PAUSE)
    answer_as(database, slug, guests[0])
    assert vote_outcomes(database) == ["outdated", "passed"]
    assert recipients(database, "vote-ended") == []


def test_substitute_who_came_later_has_no_vote(
    database: Database, guests: list[Guest], slug: str
) -> None:
    propose_as(database, slug, guests[0], PAUSE)
    with transaction(database) as tx:
        tx.execute(text("DELETE FROM ballot WHERE is_yes IS NULL"))
    with pytest.raises(NotAllowed, match=DenialReason.JOINED_AFTER_VOTE.code):
        answer_as(database, slug, guests[1])


def test_vote_after_the_end_of_the_game_is_refused(database: Database, guests: list[Guest]) -> None:
    slug = deal_short_game(database, guests)
    propose_as(database, slug, guests[0], CANCEL)
    play_to_end(database, slug, guests)
    with pytest.raises(NotAllowed, match=DenialReason.VOTE_OUTDATED.code):
        answer_as(database, slug, guests[1])
    with pytest.raises(NotAllowed, match=DenialReason.GAME_NOT_UNDER_WAY.code):
        propose_as(database, slug, guests[1], PAUSE)
    assert sweep_votes(database, NOON + 9 * DAY) == 1
    assert vote_outcomes(database) == ["outdated"]
    assert ledger_acts(database) == []
