from sqlalchemy import select

from engine.actions import ChooseGoal, Discard, Lay
from engine.mine import Mine
from engine.view import Awaiting
from tests.support.acts import HOUR, perform_act
from tests.support.calls import sweep_with_calls_sent
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    play_bots,
    play_turn,
    stored_game,
    table_settings,
)
from tests.support.plans import (
    change_state,
    emails_since,
    last_notification_id,
    make_plan,
    plans_by_seat,
    turns,
)
from tests.support.statements import recorded_statements
from tests.support.transactions import NOON, pick_first, transaction
from webapp.clock.schema import DeadlineEvent
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.play.plans import PlanEnd
from webapp.play.schema import Turn
from webapp.play.views.history_page import history_page


def hands_of(database: Database, slug: str, guest: Guest) -> tuple[tuple[str, ...], ...]:
    return stored_game(database, slug, guest).state.hands


def test_four_plans_in_a_row_make_five_turns_with_one_email(
    database: Database, five_guests: list[Guest]
) -> None:
    slug = deal_game(database, five_guests)
    hands = hands_of(database, slug, five_guests[0])
    for guest in five_guests[1:]:
        make_plan(database, slug, guest)
    newest = last_notification_id(database)
    result = play_turn(database, slug, five_guests[0], now=NOON + HOUR)
    game = stored_game(database, slug, five_guests[0])
    assert result.seq == game.seq == 5
    assert turns(database)[1:] == [
        (1, 0, "player"),
        *((seat + 1, seat, "plan") for seat in (1, 2, 3, 4)),
    ]
    assert emails_since(database, newest) == [("your-turn", five_guests[0].person.id)]
    assert (game.row.awaiting, game.row.turn_seq) == (0, 5)
    assert game.row.deadline_at == NOON + HOUR + DAY
    assert game.row.plans is None
    assert sorted(game.state.discards) == sorted(hand[0] for hand in hands)
    with transaction(database) as tx:
        times = set(tx.connection.scalars(select(Turn.at).where(Turn.seq > 0)))
    assert times == {NOON + HOUR}


def test_five_planned_turns_take_as_many_statements_as_one(
    database: Database, five_guests: list[Guest]
) -> None:
    slug = deal_game(database, five_guests)
    with recorded_statements(database) as statements_without_plans:
        play_turn(database, slug, five_guests[0])
    for guest in [*five_guests[2:], five_guests[0]]:
        make_plan(database, slug, guest)
    with recorded_statements(database) as statements_with_plans:
        play_turn(database, slug, five_guests[1])
    assert stored_game(database, slug, five_guests[0]).seq == 6
    assert len(statements_with_plans) == len(statements_without_plans)


def test_planned_turn_is_marked_for_its_player_alone(
    database: Database, guests: list[Guest], slug: str
) -> None:
    make_plan(database, slug, guests[1])
    play_turn(database, slug, guests[0])
    with transaction(database) as tx:
        sources = [history_page(tx, slug, guest.cookie).entries[-1].by for guest in guests]
    assert sources == ["player", "plan", "player"]


def test_first_legal_action_is_played_and_the_plan_is_gone(
    database: Database, guests: list[Guest], slug: str
) -> None:
    change_state(
        database, slug, guests[0], hands=(("map",), ("path-tb", "path-rl", "map"), ("map",))
    )
    make_plan(database, slug, guests[1], Lay("path-rl", "C5"), Lay("path-rl", "B5"), Discard("map"))
    play_turn(database, slug, guests[0])
    game = stored_game(database, slug, guests[0])
    assert game.state.mine.laid["B5"] == "path-rl"
    assert (game.row.awaiting, game.row.plans) == (2, None)


def test_plan_without_a_legal_action_asks_its_player(
    database: Database, guests: list[Guest], slug: str
) -> None:
    change_state(
        database, slug, guests[0], hands=(("map",), ("path-tb", "path-rl", "map"), ("map",))
    )
    make_plan(database, slug, guests[1], Lay("path-rl", "C5"))
    newest = last_notification_id(database)
    play_turn(database, slug, guests[0])
    game = stored_game(database, slug, guests[0])
    assert (game.seq, game.row.awaiting) == (1, 1)
    assert emails_since(database, newest) == [("your-turn", guests[1].person.id)]
    plan = plans_by_seat(database, slug, guests[1])[1]
    assert (plan.plan, plan.end) == (None, PlanEnd.NOTHING_LEGAL)
    play_turn(database, slug, guests[1])
    assert stored_game(database, slug, guests[0]).row.plans is None


def test_plan_follows_the_turns_of_bots_and_of_the_clock(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests[:2])
    make_plan(database, slug, guests[1])
    with transaction(database) as tx:
        sweep_with_calls_sent(tx, now=NOON + 2 * DAY, random_below=pick_first)
    assert [by for _, _, by in turns(database)][1:] == ["clock", "plan"]
    make_plan(database, slug, guests[0], now=NOON + 2 * DAY)
    play_bots(database, now=NOON + 2 * DAY)
    assert [by for _, _, by in turns(database)][1:] == ["clock", "plan", "bot", "plan"]
    assert stored_game(database, slug, guests[0]).row.awaiting == 1


def test_plan_follows_the_neutral_action_of_a_moderator(
    database: Database, guests: list[Guest], slug: str
) -> None:
    make_plan(database, slug, guests[1])
    perform_act(database, slug, GameRight.PLAY_NEUTRAL)
    assert [by for _, _, by in turns(database)][1:] == ["moderator", "plan"]


def test_plan_that_reaches_two_goals_asks_its_player_which_to_reveal(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests, table_settings(rulebook="et-2007"))
    state = stored_game(database, slug, guests[0]).state
    laid = {"A5": "start"} | dict.fromkeys(("B5", "C5", "D5", "E5", "F5", "G5"), "path-rl")
    laid |= {"H4": "path-trb", "H3": "path-rb"}
    mine = Mine(
        continue_path=state.mine.continue_path,
        build_from_goal_alone=state.mine.build_from_goal_alone,
        laid=laid,
    )
    change_state(
        database,
        slug,
        guests[0],
        mine=mine,
        goals=("stone-tl", "stone-tr", "treasure"),
        hands=(("map",), ("path-trbl", "map"), ("map",)),
    )
    make_plan(database, slug, guests[1], Lay("path-trbl", "H5"))
    newest = last_notification_id(database)
    play_turn(database, slug, guests[0], now=NOON + HOUR)
    game = stored_game(database, slug, guests[0])
    assert [by for _, _, by in turns(database)][1:] == ["player", "plan"]
    assert game.view(1).awaiting == Awaiting(1, "goal", ("I3", "I5"))
    assert game.row.deadline_at == NOON + HOUR + DAY
    assert emails_since(database, newest) == [("your-turn", guests[1].person.id)]
    play_turn(database, slug, guests[1], ChooseGoal("I3"), now=NOON + 2 * HOUR)
    query = select(DeadlineEvent.seat).where(DeadlineEvent.kind == "played")
    with transaction(database) as tx:
        assert sorted(tx.connection.scalars(query)) == [0, 1]
