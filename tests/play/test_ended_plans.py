import msgspec
import pytest
from sqlalchemy import update

from engine.actions import Break, Discard, Lay, Look
from engine.mine import Mine
from engine.plans import CancelCondition
from tests.support.acts import HOUR, perform_act
from tests.support.cast import DAVE
from tests.support.factories import Guest, deal_game, play_turn, sign_in_guest, stored_game
from tests.support.plans import (
    change_state,
    emails_since,
    last_notification_id,
    make_plan,
    plans_by_seat,
    turns,
)
from tests.support.transactions import NOON, transaction
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.play.plans import PlanEnd
from webapp.play.schema import Game


def test_surprise_cancels_a_plan_and_keeps_only_the_reason(
    database: Database, guests: list[Guest], slug: str
) -> None:
    change_state(database, slug, guests[0], hands=(("path-rl",), ("map",), ("map",)))
    for guest in guests[1:]:
        make_plan(
            database,
            slug,
            guest,
            Look("I5"),
            Discard("map"),
            conditions=(CancelCondition.AREA_CHANGED,)
            if guest is guests[2]
            else tuple(CancelCondition),
        )
    change_state(database, slug, guests[0], hands=(("path-rl",), ("path-rl", "map"), ("map",)))
    make_plan(
        database,
        slug,
        guests[1],
        Lay("path-rl", "B5"),
        conditions=(CancelCondition.AREA_CHANGED,),
    )
    play_turn(database, slug, guests[0], Lay("path-rl", "B5"))
    plans = plans_by_seat(database, slug, guests[0])
    assert (plans[1].plan, plans[1].end) == (None, PlanEnd.AREA_CHANGED)
    assert plans[2].plan is not None
    assert stored_game(database, slug, guests[0]).row.awaiting == 1


def test_planned_turn_can_cancel_the_plan_after_it(
    database: Database, guests: list[Guest], slug: str
) -> None:
    change_state(
        database, slug, guests[0], hands=(("map",), ("break-cart", "map"), ("map", "rockfall"))
    )
    make_plan(database, slug, guests[1], Break("break-cart", 2))
    make_plan(
        database, slug, guests[2], Discard("map"), conditions=(CancelCondition.OWN_TOOL_BROKEN,)
    )
    play_turn(database, slug, guests[0])
    game = stored_game(database, slug, guests[0])
    assert (game.seq, game.row.awaiting) == (2, 2)
    assert plans_by_seat(database, slug, guests[0])[2].end is PlanEnd.OWN_TOOL_BROKEN


def test_end_of_a_round_deletes_every_plan(
    database: Database, guests: list[Guest], slug: str
) -> None:
    """Bob's plan reaches the treasure; the server picks the gold, and the next round is dealt."""
    state = stored_game(database, slug, guests[0]).state
    tunnel = {"A5": "start"} | dict.fromkeys(("B5", "C5", "D5", "E5", "F5", "G5"), "path-rl")
    mine = Mine(
        continue_path=state.mine.continue_path,
        build_from_goal_alone=state.mine.build_from_goal_alone,
        laid=tunnel,
    )
    change_state(
        database,
        slug,
        guests[0],
        mine=mine,
        goals=("stone-tl", "treasure", "stone-tr"),
        roles=("digger",) * 3,
        hands=(("map",), ("path-rl",), ("map",)),
    )
    make_plan(database, slug, guests[1], Lay("path-rl", "H5"))
    make_plan(database, slug, guests[2], Discard("map"))
    newest = last_notification_id(database)
    play_turn(database, slug, guests[0])
    game = stored_game(database, slug, guests[0])
    assert (game.row.round, game.row.plans) == (2, None)
    assert {by for _, _, by in turns(database)[2:]} == {"plan", "server"}
    assert state.hands != game.state.hands
    kinds = [kind for kind, _ in emails_since(database, newest)]
    assert sorted(kinds) == ["round-over"] * 3 + ["your-turn"]


def test_full_circle_of_passes_ends_plans_e13(database: Database, guests: list[Guest]) -> None:
    slug = deal_game(database, guests)
    change_state(database, slug, guests[0], deck=(), hands=(("map", "map"),) * 3)
    for guest in guests[1:]:
        make_plan(database, slug, guest)
    play_turn(database, slug, guests[0])
    game = stored_game(database, slug, guests[0])
    assert (game.state.results[0].ending, game.row.plans) == ("circle-of-passes", None)
    assert [by for _, _, by in turns(database)][1:4] == ["player", "plan", "plan"]


def test_plan_stays_while_the_game_is_paused_and_can_be_changed(
    database: Database, guests: list[Guest], slug: str
) -> None:
    make_plan(database, slug, guests[1])
    perform_act(database, slug, GameRight.PAUSE)
    make_plan(database, slug, guests[2])
    perform_act(database, slug, GameRight.RESUME, now=NOON + HOUR)
    play_turn(database, slug, guests[0], now=NOON + HOUR)
    assert [by for _, _, by in turns(database)][1:] == ["player", "plan", "plan"]


def test_rewind_ends_every_plan(database: Database, guests: list[Guest], slug: str) -> None:
    play_turn(database, slug, guests[0])
    make_plan(database, slug, guests[2])
    make_plan(database, slug, guests[0])
    perform_act(database, slug, GameRight.REWIND, turn=0)
    assert {plan.end for plan in plans_by_seat(database, slug, guests[0]).values()} == {
        PlanEnd.REWOUND
    }
    play_turn(database, slug, guests[0])
    assert turns(database)[-1] == (3, 0, "player")


def test_cancelled_game_keeps_no_plan(database: Database, guests: list[Guest], slug: str) -> None:
    make_plan(database, slug, guests[1])
    perform_act(database, slug, GameRight.CANCEL_GAME)
    assert stored_game(database, slug, guests[0]).row.plans is None
    with pytest.raises(NotAllowed, match=DenialReason.NOTHING_TO_PLAN.code):
        make_plan(database, slug, guests[1])


def test_plan_ends_when_a_bot_takes_over_its_seat(
    database: Database, guests: list[Guest], slug: str
) -> None:
    make_plan(database, slug, guests[1])
    make_plan(database, slug, guests[2])
    perform_act(database, slug, GameRight.SEAT_BOT, seat=1)
    assert list(plans_by_seat(database, slug, guests[0])) == [2]
    play_turn(database, slug, guests[0])
    game = stored_game(database, slug, guests[0])
    assert (game.row.awaiting, game.row.plans is None) == (1, False)


def test_substitute_does_not_inherit_a_plan(
    database: Database, guests: list[Guest], slug: str
) -> None:
    dave = sign_in_guest(database, DAVE)
    make_plan(database, slug, guests[1])
    perform_act(
        database, slug, GameRight.SEAT_PERSON, seat=1, name=dave.person.name, address=DAVE.address
    )
    play_turn(database, slug, guests[0])
    game = stored_game(database, slug, guests[0])
    assert (game.row.awaiting, game.row.plans) == (1, None)
    assert turns(database)[-1][2] == "player"


def test_plan_of_someone_who_no_longer_sits_there_is_never_followed(
    database: Database, guests: list[Guest], slug: str
) -> None:
    make_plan(database, slug, guests[1])
    [plan] = stored_game(database, slug, guests[0]).plans
    foreign_plan = msgspec.structs.replace(plan, account_id=guests[0].person.id)
    with transaction(database) as tx:
        tx.execute(update(Game).values(plans=msgspec.json.encode((foreign_plan,))))
    play_turn(database, slug, guests[0])
    assert stored_game(database, slug, guests[0]).row.awaiting == 1


def test_unreadable_plans_do_not_stop_the_game(
    database: Database, guests: list[Guest], slug: str, caplog: pytest.LogCaptureFixture
) -> None:
    with transaction(database) as tx:
        tx.execute(update(Game).values(plans=b'[{"seat":1,"plan":"secret map"}]'))
    play_turn(database, slug, guests[0])
    assert stored_game(database, slug, guests[0]).row.plans is None
    assert "plans of a game cannot be read" in caplog.text
    assert "secret" not in caplog.text
