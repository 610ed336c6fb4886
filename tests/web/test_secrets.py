"""Two worlds that a seat cannot tell apart give it the same pages, byte for byte."""

import re
from typing import Any

import pytest
from sqlalchemy import update

from engine.events import Dealt
from engine.evolve import blank, fold
from engine.wire import encode_events, encode_state
from tests.cast import ALICE, BOB, CAROL, EVERYBODY, MALLORY
from tests.factories import look, play
from tests.web.visiting import Door, Seated, Visitor
from webapp import urls
from webapp.services.tx import transaction
from webapp.store.models import Game, Turn

_NEW_EVERY_TIME = re.compile(r'name="csrf_token" value="[^"]*"')


def pages(visitor: Visitor, slug: str) -> str:
    """Everything of a game that this visitor can see, choices and refusals included."""
    paths = [
        urls.game(slug),
        urls.game(slug, card="map"),
        urls.game(slug, card="map", cell="I5"),
        urls.game(slug, card="path-trbl", cell="B5"),
        urls.history(slug),
        urls.history(slug, until=0),
        urls.fairness(slug),
        urls.export(slug),
        urls.home(),
    ]
    seen = [visitor.get(path).text for path in paths]
    attempts: list[dict[str, str]] = [
        {"do": "discard", "card": "map"},
        {"do": "look", "cell": "I5"},
        {"do": "rockfall", "cell": "B5"},
        {"do": "lay", "card": "path-trbl", "cell": "C5", "turned": "0"},
        {"do": "pass"},
    ]
    # Somebody else is on turn, so that none of these is taken.
    seen += [visitor.post(urls.turns(slug), seq="0", **attempt).text for attempt in attempts]
    return _NEW_EVERY_TIME.sub("", "\n".join(seen))


def change_the_world(door: Door, game: Seated, *, known_to: int | None) -> None:
    """Give the stored game other hands, roles, goals, deck and gold wherever this seat cannot know them."""
    stored = look(door.database, game.slug, game.guests[0])
    state, known = stored.state, {known_to}
    others = [seat for seat in range(state.seats) if seat not in known]
    dealt = Dealt(
        round=1,
        starter=state.first_starter,
        roles=passed_on(state.roles, others),
        aside=state.aside,
        goals=(state.goals[1], state.goals[2], state.goals[0]),
        hands=passed_on(state.hands, others),
        deck=state.deck[::-1],
        pile=state.pile[::-1],
    )
    changed = fold(blank(state.rulebook, state.house, state.seats), [(dealt,)])
    assert changed != state
    with transaction(door.database) as tx:
        rows, turns = update(Game), update(Turn)
        tx.connection.execute(
            rows.where(Game.id == stored.row.id).values(state=encode_state(changed))
        )
        tx.connection.execute(
            turns.where(Turn.game_id == stored.row.id).values(events=encode_events((dealt,)))
        )


def passed_on(values: tuple[Any, ...], seats: list[int]) -> tuple[Any, ...]:
    moved = dict(zip(seats, [*seats[1:], seats[0]], strict=True))
    return tuple(values[moved.get(seat, seat)] for seat in range(len(values)))


@pytest.mark.parametrize("seat", [1, 2])
def test_a_seat_s_pages_tell_it_nothing_it_may_not_know(door: Door, seat: int) -> None:
    game = door.seated(ALICE, BOB, CAROL, public=True)
    visitor = game.visitors[seat]
    here = pages(visitor, game.slug)
    change_the_world(door, game, known_to=seat)
    assert pages(visitor, game.slug) == here
    assert "card-tile" in here


def test_an_onlooker_s_pages_tell_nothing_of_hands_roles_and_goals(door: Door) -> None:
    game = door.seated(ALICE, BOB, CAROL, public=True)
    for onlooker in (door.stranger, lambda: door.signed_in(MALLORY)):
        here = pages(onlooker(), game.slug)
        change_the_world(door, game, known_to=None)
        assert pages(onlooker(), game.slug) == here


def test_the_test_above_would_notice(door: Door) -> None:
    game = door.seated(ALICE, BOB, CAROL, public=True)
    here = pages(game.visitors[1], game.slug)
    change_the_world(door, game, known_to=None)
    assert pages(game.visitors[1], game.slug) != here


def test_no_page_of_a_game_holds_an_address_a_number_of_an_account_or_a_token(door: Door) -> None:
    game = door.seated(ALICE, BOB, CAROL, public=True)
    play(door.database, game.slug, game.guests[0])
    for visitor in (*game.visitors, door.stranger()):
        seen = pages(visitor, game.slug)
        assert not any(character.address in seen for character in EVERYBODY)
        assert not any(guest.cookie in seen for guest in game.guests)
