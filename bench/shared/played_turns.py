"""Whole turns as a player makes them: the pages on the way, the form, and the table after it.

A browser without scripts loads whole pages; the script of the table page loads the board of a choice instead.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from bench.shared.games import (
    Players,
    PreparedGame,
    PreparedTurn,
    SignedInBrowser,
    deal_games,
    get_request,
    load_game,
    prepared_turns,
)
from engine.actions import Action
from engine.view import legal_actions, view_for
from webapp.kernel import urls
from webapp.play.access import LoadedGame
from webapp.play.pages.table import action_from

PAGE_COUNT = 5


class PlayedTurn(NamedTuple):
    """The requests of a played turn."""

    page_before: bytes
    choices: Sequence[bytes]
    """The picked card, another place for it, or again that place, and the picked place, as the script loads them."""
    choice_pages: Sequence[bytes]
    """The same as whole pages."""
    post: bytes
    page_after: bytes


def first_played_turns(
    players: Players, game_count: int, *, length: int, chance: random.Random
) -> list[list[PlayedTurn]]:
    """Create new games and return the first played turns of each; games that are over earlier are left out."""
    games: list[list[PlayedTurn]] = []
    while len(games) < game_count:
        for table in deal_games(players, game_count - len(games)):
            game = load_game(players.database, table)
            played_turns: list[PlayedTurn] = []
            for turn in prepared_turns(game, table, chance):
                played_turns.append(_played_turn(table, game, turn))
                game = turn.game_after
                if len(played_turns) == length:
                    games.append(played_turns)
                    break
    return games


def _played_turn(table: PreparedGame, game: LoadedGame, turn: PreparedTurn) -> PlayedTurn:
    seat = game.row.awaiting
    assert seat is not None
    action = action_from(turn.form)
    picked = urls.game_with_action(table.slug, action)
    card = _card_in(picked)
    others = [
        other
        for other in legal_actions(view_for(game.state, seat))
        if other != action and _card_in(urls.game_with_action(table.slug, other)) == card
    ]
    choice_paths = (
        urls.game(table.slug, card=card),
        _other_place(table.slug, others, picked),
        picked,
    )
    browser: SignedInBrowser = table.browsers[seat]
    return PlayedTurn(
        get_request(urls.game(table.slug), browser),
        [get_request(_board_path(table.slug, path), browser) for path in choice_paths],
        [get_request(path, browser) for path in choice_paths],
        turn.request,
        get_request(urls.game(table.slug), browser),
    )


def _other_place(slug: str, others: Sequence[Action], picked: str) -> str:
    return urls.game_with_action(slug, others[0]) if others else picked


def _board_path(slug: str, path: str) -> str:
    """Return where the script loads the choice that a page with this path shows."""
    return f"{urls.choice(slug)}?{urlsplit(path).query}"


def _card_in(path: str) -> str | None:
    """Return the card that a page of a game shows as picked, if any."""
    [card] = parse_qs(urlsplit(path).query).get("card", [None])
    return card
