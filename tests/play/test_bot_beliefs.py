import pytest

from engine.bots.belief import belief_of
from engine.rulebook import HouseRules
from engine.view import view_for
from tests.support.acts import perform_act
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import (
    Guest,
    deal_game,
    play_bots,
    play_to_end,
    play_turn,
    sign_in_guest,
    sign_in_guests,
    stored_game,
    table_settings,
)
from tests.support.transactions import transaction
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.play.access import state_from_log
from webapp.play.bots.bot_beliefs import bots_of, round_beliefs
from webapp.play.history import history_for
from webapp.play.queries import turn_log
from webapp.play.views.history_page import HistoryPage, history_page


@pytest.fixture
def guests(database: Database) -> list[Guest]:
    return sign_in_guests(database, ALICE, BOB)


@pytest.fixture
def slug(database: Database, guests: list[Guest]) -> str:
    """A game of Alice, Bob and two bots, with two rounds."""
    return deal_game(database, guests, table_settings(seats=4, house=HouseRules(rounds=2)))


def _page(database: Database, slug: str, guest: Guest, **page_options: int) -> HistoryPage:
    with transaction(database) as tx:
        return history_page(tx, slug, guest.cookie, **page_options)


def test_nothing_is_shown_before_the_end_not_even_of_a_finished_round(
    database: Database, guests: list[Guest], slug: str
) -> None:
    while stored_game(database, slug, guests[0]).row.round == 1:
        play_bots(database)
        row = stored_game(database, slug, guests[0]).row
        if row.round == 1 and row.awaiting is not None:
            play_turn(database, slug, guests[row.awaiting])
    for until_turn in (0, 5, stored_game(database, slug, guests[0]).seq):
        page = _page(database, slug, guests[0], until=until_turn, bot=0)
        assert (page.bots, page.beliefs) == ((), None)


def test_beliefs_are_those_of_the_seat_at_each_turn(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_to_end(database, slug, guests)
    beliefs = _page(database, slug, guests[0], until=9, bot=1).beliefs
    assert beliefs is not None
    assert (beliefs.bot.seat, beliefs.bot.level, beliefs.round) == (3, "steady", 1)
    assert beliefs.seqs == tuple(range(10))
    with transaction(database) as tx:
        row = stored_game(database, slug, guests[0]).row
        log = turn_log.all_turns(tx, row.id)
    for seq in (0, 4, 9):
        view = view_for(state_from_log(row, log[: seq + 1]), 3)
        entries = history_for(log[: seq + 1], 3, reveal_all=False)
        lines = [line for entry in entries for line in entry.lines]
        assert beliefs.suspicions[seq] == belief_of(view, lines).saboteur_probabilities


def test_beliefs_of_the_second_round_begin_with_its_deal(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_to_end(database, slug, guests)
    beliefs = _page(database, slug, guests[0], bot=0).beliefs
    assert beliefs is not None
    assert beliefs.round == 2
    assert beliefs.seqs[0] > 4
    assert len(beliefs.seqs) == len(beliefs.suspicions)
    first_round = _page(database, slug, guests[0], until=beliefs.seqs[0] - 1, bot=0).beliefs
    assert first_round is not None
    assert first_round.round == 1


def test_nothing_is_computed_until_a_bot_is_chosen(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_to_end(database, slug, guests)
    page = _page(database, slug, guests[0])
    assert page.beliefs is None
    assert len(page.bots) == 2


def test_number_without_a_bot_means_the_first_one(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_to_end(database, slug, guests)
    page = _page(database, slug, guests[0], bot=999)
    assert page.beliefs is not None
    assert page.beliefs.bot == page.bots[0]


def test_substitute_bot_has_beliefs_while_it_sits(
    database: Database, guests: list[Guest], slug: str
) -> None:
    carol = sign_in_guest(database, CAROL)
    perform_act(database, slug, GameRight.SEAT_BOT, seat=1, bot_level="keen")
    play_turn(database, slug, guests[0])
    play_bots(database)
    play_turn(database, slug, guests[0])
    last_seq = stored_game(database, slug, guests[0]).seq
    perform_act(
        database, slug, GameRight.SEAT_PERSON, seat=1, name=CAROL.name, address=CAROL.address
    )
    play_to_end(database, slug, [guests[0], carol])
    page = _page(database, slug, guests[0], until=last_seq + 5, bot=0)
    assert [(bot.seat, bot.level) for bot in page.bots] == [
        (1, "keen"),
        (2, "steady"),
        (3, "steady"),
    ]
    assert page.beliefs is not None
    # Turn 1 is the one with which it took over.
    assert page.beliefs.seqs == tuple(range(1, last_seq + 1))


def test_same_round_is_computed_once(database: Database, guests: list[Guest], slug: str) -> None:
    play_to_end(database, slug, guests)
    with transaction(database) as tx:
        game = stored_game(database, slug, guests[0])
        log = turn_log.all_turns(tx, game.row.id)
        bot = bots_of(tx, game)[0]
        first_beliefs = round_beliefs(game, log, bot, seq=1)
        assert round_beliefs(game, log, bot, seq=5) is first_beliefs
