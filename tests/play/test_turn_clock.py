"""When a new clock starts, and when the clock of a turn keeps running."""

from datetime import timedelta

import msgspec
import pytest
from sqlalchemy import select, update

from engine.actions import ChooseGoal, Discard, Lay
from engine.cells import GOAL_CELLS
from engine.mine import Mine
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import GoldChoice, State
from engine.view import Awaiting
from engine.wire import encode_state
from tests.support.factories import DAY, Guest, deal_game, play_turn, stored_game, table_settings
from tests.support.transactions import NOON, read_only, transaction
from webapp.accounts.profile import change_profile
from webapp.kernel.tx import Database
from webapp.mail.schema import Notification
from webapp.play.history import history_for
from webapp.play.queries.turn_log import all_turns
from webapp.play.schema import Game
from webapp.play.turns.turns import is_same_turn

LATER = NOON + timedelta(hours=5)


def _store_position(database: Database, slug: str, state: State) -> None:
    """Replace the stored position of a game."""
    with transaction(database) as tx:
        tx.execute(update(Game).where(Game.slug == slug).values(state=encode_state(state)))


def _position_beside_two_goals(state: State) -> State:
    """A mine in which a crossing at I4 reaches the upper and the middle goal at once (R28)."""
    rules = RULEBOOKS[state.rulebook]
    mine = Mine(
        continue_path=rules.continue_path, build_from_goal_alone=rules.build_from_goal_alone
    )
    for column in "BCDEFGH":
        mine = mine.with_card(f"{column}5", "path-trbl")
    mine = mine.with_card("H4", "path-trbl")
    hands = (("path-trbl", *state.hands[0][1:]), *state.hands[1:])
    goals = ("stone-tl", "stone-tr", "treasure")
    return msgspec.structs.replace(state, mine=mine, hands=hands, goals=goals)


def _turn_email_seqs(database: Database) -> list[int | None]:
    with transaction(database) as tx:
        query = (
            select(Notification.seq)
            .where(Notification.kind == "your-turn")
            .order_by(Notification.id)
        )
        return list(tx.execute(query).scalars())


def test_choice_within_a_turn_keeps_the_deadline_and_sends_no_email(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests, table_settings(rulebook="et-2007"))
    _store_position(
        database, slug, _position_beside_two_goals(stored_game(database, slug, guests[0]).state)
    )
    play_turn(database, slug, guests[0], Lay("path-trbl", "I4"), now=LATER)
    row = stored_game(database, slug, guests[0]).row
    assert (row.awaiting, row.seq, row.turn_seq) == (0, 1, 0)
    assert (row.turn_started_at, row.deadline_at) == (NOON, NOON + DAY)
    assert _turn_email_seqs(database) == [0]
    play_turn(database, slug, guests[0], ChooseGoal(GOAL_CELLS[0]), now=LATER)
    later_row = stored_game(database, slug, guests[0]).row
    assert later_row.turn_seq > 0
    assert later_row.turn_started_at == LATER
    assert later_row.deadline_at == LATER + DAY


def test_gold_choice_gets_the_whole_time_of_a_turn(database: Database, guests: list[Guest]) -> None:
    for guest in guests:
        _let_choose_gold(database, guest)
    slug = deal_game(database, guests)
    state = _position_beside_treasure(stored_game(database, slug, guests[0]).state)
    _store_position(database, slug, state)
    play_turn(database, slug, guests[0], Lay("path-trbl", "I4"), now=LATER)
    game = stored_game(database, slug, guests[0])
    assert isinstance(game.state.choice, GoldChoice)
    assert game.row.deadline_at == LATER + DAY
    assert _turn_email_seqs(database) == [0, 1]


def test_equal_gold_is_picked_also_for_players_who_choose_themselves(
    database: Database, guests: list[Guest]
) -> None:
    for guest in guests:
        _let_choose_gold(database, guest)
    slug = deal_game(database, guests)
    state = stored_game(database, slug, guests[0]).state
    _store_position(database, slug, _position_beside_treasure(state, pile=(2, 2, 2)))
    result = play_turn(database, slug, guests[0], Lay("path-trbl", "I4"), now=LATER)
    game = stored_game(database, slug, guests[0])
    assert (result.seq, game.row.round) == (3, 2)
    assert game.state.gold == ((2,), (2,), (2,))
    with read_only(database) as tx:
        picks = all_turns(tx, game.row.id)[2:]
    assert [pick.by for pick in picks] == ["server", "server"]
    # Until the end others see a pick of the player.
    picker = picks[0].seat
    for seat in range(3):
        entry = history_for(picks, seat, reveal_all=False)[0]
        assert entry.by == ("server" if seat == picker else "player")
    assert history_for(picks, None, reveal_all=True)[0].by == "server"


def _let_choose_gold(database: Database, guest: Guest) -> None:
    with transaction(database) as tx:
        name = guest.person.name
        change_profile(tx, guest.person, name=name, language="en", zone="UTC", picks_gold=False)


def _position_beside_treasure(state: State, *, pile: tuple[int, ...] = (3, 2, 1)) -> State:
    position = _position_beside_two_goals(state)
    goals = ("treasure", "stone-tl", "stone-tr")
    return msgspec.structs.replace(position, goals=goals, roles=("digger",) * 3, pile=pile)


def test_automatic_gold_picks_and_the_next_deal_follow_in_the_same_update(
    database: Database, guests: list[Guest], slug: str
) -> None:
    _store_position(
        database, slug, _position_beside_treasure(stored_game(database, slug, guests[0]).state)
    )
    result = play_turn(database, slug, guests[0], Lay("path-trbl", "I4"), now=LATER)
    game = stored_game(database, slug, guests[0])
    # The card and two gold picks: the player who gets the last card has nothing to choose.
    assert (result.seq, game.seq, game.row.round) == (3, 3, 2)
    assert [len(cards) for cards in game.state.gold] == [1, 1, 1]
    assert game.state.gold[0][0] == max(cards[0] for cards in game.state.gold)
    assert (game.row.turn_seq, game.row.deadline_at) == (3, LATER + DAY)


@pytest.mark.parametrize(
    "before, later_row, is_same",
    [
        (None, Awaiting(0, "turn"), False),
        (Awaiting(0, "turn"), None, False),
        (Awaiting(0, "turn"), Awaiting(1, "turn"), False),
        (Awaiting(0, "turn"), Awaiting(0, "turn"), False),
        (Awaiting(0, "turn"), Awaiting(0, "goal"), True),
        (Awaiting(0, "goal"), Awaiting(0, "way-round"), True),
        (Awaiting(0, "turn"), Awaiting(0, "gold"), False),
        (Awaiting(0, "gold"), Awaiting(0, "turn"), False),
    ],
)
def test_turn_continues_only_with_a_choice_of_the_same_player(
    before: Awaiting | None, later_row: Awaiting | None, *, is_same: bool
) -> None:
    assert is_same_turn(before, later_row) is is_same


def test_each_turn_gets_the_time_allowed_at_its_table(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests, table_settings(allowance=timedelta(minutes=7)))
    card = stored_game(database, slug, guests[0]).state.hands[0][0]
    play_turn(database, slug, guests[0], Discard(card), now=LATER)
    row = stored_game(database, slug, guests[0]).row
    assert row.deadline_at == LATER + timedelta(minutes=7)
    assert row.remind_at == row.wake_at == LATER + timedelta(minutes=7) * 0.8
