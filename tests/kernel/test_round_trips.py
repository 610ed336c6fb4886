"""Numbers of statements: exact budgets, the same on any machine."""

from collections.abc import Callable

import pytest

from engine.view import neutral_action, view_for
from tests.support.factories import Guest, deal_game, play_bots, play_turn, table_settings
from tests.support.game_pages import game_page
from tests.support.statements import recorded_statements, without_begin_and_commit
from tests.support.transactions import KEYS, NOON, pick_first, read_only, transaction
from webapp.clock.sweep import sweep
from webapp.kernel.tx import Database, Tx
from webapp.mail.outbox.delivery import claim
from webapp.mail.preparation import prepare_emails
from webapp.play import access
from webapp.play.turns.turns import take_turn
from webapp.play.views.fairness_page import fairness_page
from webapp.site.home import home_page


def _submit(tx: Tx, slug: str, guest: Guest) -> None:
    loaded_game = access.game_for(tx.at(NOON), slug, guest.cookie, mode="play")
    game = loaded_game.game
    action = neutral_action(view_for(game.state, loaded_game.seat), pick_first)
    take_turn(tx.at(NOON), loaded_game, action, seq=game.seq, by="player")


def test_turn_takes_two_statements_with_session_and_notifications(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with recorded_statements(database) as statements, transaction(database) as tx:
        _submit(tx, slug, guests[0])
    assert len(without_begin_and_commit(statements)) == 2


def test_turn_that_ends_a_round_takes_two_statements(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests[:1], table_settings(seats=3))
    rounds: set[int] = set()
    while True:
        play_bots(database)
        with recorded_statements(database) as statements, transaction(database) as tx:
            loaded_game = access.game_for(tx, slug, guests[0].cookie, mode="play")
            game = loaded_game.game
            if game.status == "finished":
                break
            rounds.add(game.row.round)
            action = neutral_action(view_for(game.state, loaded_game.seat), pick_first)
            take_turn(tx, loaded_game, action, seq=game.seq, by="player")
        assert len(without_begin_and_commit(statements)) == 2
    assert rounds == {1, 2, 3}


@pytest.mark.parametrize(
    "read",
    [
        lambda tx, slug, guest: game_page(tx, slug, guest.cookie, keys=KEYS, now=NOON),
        lambda tx, _slug, guest: home_page(tx.at(NOON), guest.cookie),
        lambda tx, slug, guest: fairness_page(tx.at(NOON), slug, guest.cookie),
    ],
    ids=["table", "home", "fairness"],
)
def test_page_takes_at_most_two_statements(
    database: Database,
    guests: list[Guest],
    slug: str,
    read: Callable[[Tx, str, Guest], object],
) -> None:
    play_turn(database, slug, guests[0])
    with recorded_statements(database) as statements, read_only(database) as tx:
        read(tx, slug, guests[0])
    assert len(without_begin_and_commit(statements)) <= 2


def test_sweep_without_due_games_takes_one_statement(database: Database, slug: str) -> None:
    with recorded_statements(database) as statements, transaction(database) as tx:
        sweep(tx)
    assert len(without_begin_and_commit(statements)) == 1


def test_emails_of_many_games_take_as_many_statements_as_those_of_one(
    database: Database, guests: list[Guest]
) -> None:
    statement_counts = []
    for game_count in (1, 3):
        for _ in range(game_count):
            deal_game(database, guests)
        with recorded_statements(database) as statements, transaction(database) as tx:
            claims = claim(tx)
            prepare_emails(tx, claims)
        assert len(claims) > 4 * game_count
        statement_counts.append(len(without_begin_and_commit(statements)))
    # Claim, read, games, opt-outs, drops, postponement, unsubscribe tokens, tokens of moves; newer ready-checks; emails about first turns; of turns the latest ones, talk and readers.
    assert statement_counts == [13, 13]
