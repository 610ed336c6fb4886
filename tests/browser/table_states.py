"""Games in every state that the table page can show, each with the player who sees it and the address."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final, NamedTuple

from playwright.sync_api import Browser, Page

from engine.rulebook import HouseRules
from tests.support.browser_contexts import open_context
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import play_bots, play_turn, stored_game
from tests.support.held_turns import enable_held_turns
from tests.support.moderation import pause
from tests.support.page_robot import discard_form, seeded_random_below, take_turn
from tests.support.stored_positions import TUNNEL, change_position, set_hand
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls

PHONE: Final = {"width": 360, "height": 740}
DESKTOP: Final = {"width": 1280, "height": 800}
HAND: Final = ("path-rbl", "path-trbl", "break-cart", "map", "rockfall", "repair-lantern-cart")
MINE: Final = TUNNEL | {"C5": "path-trbl", "C4": "path-rb", "D4": "path-trl"}
WIDE_MINE: Final = MINE | {f"-{column}5": "path-rl" for column in "ABCD"}


class TableState(NamedTuple):
    """A page of a table as one visitor sees it, and whether it is also looked at with everything on it open."""

    visitor: Visitor
    path: str
    is_opened: bool = False


def game_on_turn(
    site: Site, *, hand: tuple[str, ...] = HAND, laid: dict[str, str] = MINE, **position: Any
) -> DealtGame:
    """Return a game in which the others have played since Alice's last turn, and she has this hand."""
    game = site.dealt_game(ALICE, BOB, CAROL)
    for seat, visitor in enumerate(game.visitors):
        set_hand(site, game, seat, "map")
        visitor.send(discard_form(visitor, game.slug))
    change_position(site, game, laid=laid, **position)
    set_hand(site, game, 0, *hand)
    return game


def game_with_talk(site: Site) -> DealtGame:
    """Return a game in which Alice is on turn, has read a message, and has marked someone and noted why."""
    game = game_on_turn(site, broken=(("cart",), (), ()))
    alice, bob, _ = game.visitors
    table = urls.game(game.slug)
    bob.send(bob.page(table).form(urls.messages(game.slug)), message="Was that you, @Alice?")
    alice.send(
        alice.page(table).form(urls.notes(game.slug)), note="Bob digs north.", mark="1 suspect"
    )
    return game


def game_with_choice_of_goal(site: Site) -> DealtGame:
    """Return a game in which Alice has reached two goals and chooses one."""
    game = site.dealt_game(ALICE, BOB, CAROL, rulebook="et-2007")
    set_hand(site, game, 0, "path-trb")
    change_position(site, game, laid=TUNNEL | {"G5": "path-rl", "H5": "path-tl", "H4": "path-rb"})
    _confirm(game, card="path-trb", cell="I4", turned=1)
    return game


def game_with_choice_of_stone(site: Site) -> DealtGame:
    """Return a game in which Alice has reached a stone that fits neither way round."""
    game = site.dealt_game(ALICE, BOB, CAROL)
    set_hand(site, game, 0, "path-rl")
    goals = ("treasure", "stone-tl", "stone-tr")
    change_position(site, game, laid=TUNNEL | {"G5": "path-rl", "I4": "path-rl"}, goals=goals)
    _confirm(game, card="path-rl", cell="H5")
    return game


def game_with_choice_of_gold(site: Site) -> DealtGame:
    """Return a game in which Alice has reached the treasure and chooses a gold card."""
    game = site.dealt_game(ALICE, BOB, CAROL)
    game.visitors[0].post(urls.profile(), name="Alice", language="en", zone="UTC")
    set_hand(site, game, 0, "path-rl")
    change_position(
        site,
        game,
        laid=TUNNEL | {"G5": "path-rl"},
        goals=("stone-tl", "treasure", "stone-tr"),
        roles=("digger", "digger", "saboteur"),
        pile=(3, 2, 1),
    )
    _confirm(game, card="path-rl", cell="H5")
    return game


def finished_game(site: Site, prepare: Callable[[DealtGame], object] = repr) -> DealtGame:
    """Return a game of one round that Alice has just won, prepared before she does."""
    game = site.dealt_game(ALICE, BOB, CAROL, house=HouseRules(rounds=1))
    prepare(game)
    change_position(
        site,
        game,
        laid=TUNNEL | {"G5": "path-rl"},
        goals=("stone-tl", "treasure", "stone-tr"),
        roles=("digger", "saboteur", "saboteur"),
    )
    set_hand(site, game, 0, "path-rl")
    _confirm(game, card="path-rl", cell="H5")
    return game


def game_on_hold(site: Site) -> DealtGame:
    """Return a game in which Alice has chosen a turn that is held for ten minutes."""
    game = game_on_turn(site)
    enable_held_turns(site.database, game.guests[0])
    _confirm(game, card="path-rbl", cell="A4")
    return game


def paused_game(site: Site) -> DealtGame:
    game = game_on_turn(site)
    pause(site.database, game.slug, at=site.clock.now)
    return game


def game_without_alice(site: Site) -> DealtGame:
    """Return a game that waits for Alice, who is away for three days."""
    game = game_on_turn(site)
    last_day = (site.clock.now + timedelta(days=3)).date().isoformat()
    assert (
        game.visitors[0].post(urls.start_holiday(), **{"now-last_day": last_day}).status_code == 303
    )
    return game


def game_after_a_round(site: Site, prepare: Callable[[DealtGame], object] = repr) -> DealtGame:
    """Return a game whose second round has just begun, as it was really played: its pages fold its log."""
    game = site.dealt_game(ALICE, BOB, CAROL)
    prepare(game)
    while (position := stored_game(site.database, game.slug, game.guests[0])).row.round == 1:
        assert position.row.awaiting is not None
        play_turn(site.database, game.slug, game.guests[position.row.awaiting])
    return game


def played_game(site: Site, *, turns: int = 6, rounds: int = 3) -> DealtGame:
    """Return a game after so many turns, or its end, in which bots have played: its history can be shown."""
    game = site.dealt_game(ALICE, house=HouseRules(rounds=rounds), seed="played")
    random_below = seeded_random_below("played")
    for _ in range(turns):
        play_bots(site.database)
        if stored_game(site.database, game.slug, game.guests[0]).row.awaiting is None:
            break
        take_turn(game.visitors[0], game.slug, random_below)
    play_bots(site.database)
    return game


def _confirm(game: DealtGame, **selection: str | int) -> None:
    alice = game.visitors[0]
    form = alice.page(urls.game(game.slug, **selection)).form_named("confirm")
    assert alice.send(form).status_code == 303


def _seen_by(number: int, game: DealtGame, **selection: str | int) -> TableState:
    return TableState(game.visitors[number], urls.game(game.slug, **selection))


STATES: Final[dict[str, Callable[[Site], TableState]]] = {
    "own turn": lambda site: _seen_by(0, game_with_talk(site))._replace(is_opened=True),
    "card chosen": lambda site: _seen_by(0, game_on_turn(site), card="path-rbl"),
    "preview": lambda site: _seen_by(0, game_on_turn(site), card="path-rbl", cell="A4"),
    "player to choose": lambda site: _seen_by(0, game_on_turn(site), card="break-cart"),
    "map": lambda site: _seen_by(0, game_on_turn(site), card="map"),
    "rockfall": lambda site: _seen_by(0, game_on_turn(site), card="rockfall"),
    "broken tool": lambda site: _seen_by(
        0, game_on_turn(site, broken=(("cart",), ("lantern",), ()))
    ),
    "waiting": lambda site: _seen_by(1, game_on_turn(site)),
    "wide mine": lambda site: _seen_by(0, game_on_turn(site, laid=WIDE_MINE), card="path-rbl"),
    "waiting at a wide mine": lambda site: _seen_by(1, game_on_turn(site, laid=WIDE_MINE)),
    "choice of goal": lambda site: _seen_by(0, game_with_choice_of_goal(site)),
    "choice of stone": lambda site: _seen_by(0, game_with_choice_of_stone(site)),
    "choice of gold": lambda site: _seen_by(0, game_with_choice_of_gold(site)),
    "held turn": lambda site: _seen_by(0, game_on_hold(site)),
    "paused": lambda site: _seen_by(0, paused_game(site)),
    "away": lambda site: _seen_by(0, game_without_alice(site)),
    "waiting for a player who is away": lambda site: _seen_by(1, game_without_alice(site)),
    "round over": lambda site: _seen_by(1, game_after_a_round(site))._replace(is_opened=True),
    "game over": lambda site: _seen_by(0, finished_game(site))._replace(is_opened=True),
}


@contextmanager
def opened_page(browser: Browser, address: str, visitor: Visitor, **options: Any) -> Iterator[Page]:
    """Yield an empty page of a browser in which the visitor is signed in: on a phone, without scripts."""
    context = open_context(
        browser, **{"base_url": address, "viewport": PHONE, "java_script_enabled": False} | options
    )
    if cookie := visitor.client.get_cookie("lodepost"):
        context.add_cookies([{"name": "lodepost", "value": cookie.value, "url": address}])
    page = context.new_page()
    yield page
    # A script may just have asked for something that the test answers in the browser's place.
    page.unroute_all(behavior="ignoreErrors")
    context.close()
