"""A game and its counterfactual, which a seat cannot tell apart, stored in turn in one running site.

``counterfactual_game`` computes the counterfactual. Here both are stored under the same game of the same people: any difference between
the responses is a leak.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import delete, insert, update
from werkzeug.test import TestResponse

from engine.actions import Action, TakeGold
from engine.rulebook import HouseRules
from engine.state import State
from engine.view import awaiting
from engine.wire import STATE_FORMAT, encode_action, encode_events, encode_state
from tests.leaks.hidden_turns import HiddenTurns, hidden_turns_of
from tests.leaks.output_differences import NEW_TOKENS
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.engine.counterfactual_games import (
    Move,
    PlayedGame,
    counterfactual_game,
    play_moves,
)
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import DEFAULT_HOUSE
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import ScriptedChance, SeededRng
from tests.support.factories import DAY, stored_game
from tests.support.transactions import NOON, transaction
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.clock.held_turn import encode_held_turn
from webapp.clock.schema import DeadlineEvent
from webapp.kernel.tx import Database
from webapp.mail.schema import Notification
from webapp.play.plans import encode_plans
from webapp.play.schema import Game as GameTable
from webapp.play.schema import Turn

LogRow: TypeAlias = dict[str, Any]
SEATED_CHARACTERS = (ALICE, BOB, CAROL, DAVE)
_NEW_IN_EVERY_RESPONSE = re.compile(
    NEW_TOKENS + r"|(?<=^Set-Cookie: ).*|(?<=^X-Request-ID: ).*|(?<=^Date: ).*"
    # How many requests this reader has left, by the machine's clock.
    r"|(?<=^X-RateLimit-Remaining: ).*|(?<=^X-RateLimit-Reset: ).*|(?<=^Retry-After: ).*",
    re.MULTILINE,
)
"""Text that is new in every response, whatever it shows."""


class GamePair(NamedTuple):
    """A game and its counterfactual for one seat, and the site that shows either of them."""

    site: Site
    dealt: DealtGame
    observer: int | None
    visitor: Visitor
    actual: PlayedGame
    counterfactual: PlayedGame

    @property
    def slug(self) -> str:
        return self.dealt.slug

    @property
    def turn_count(self) -> int:
        """The number of turns taken."""
        return len(self.actual.moves)

    def play_both(self, *, until_turn: int | None = None) -> Iterator[PlayedGame]:
        """Store each of the two games, up to a turn or to its end, and yield it while the site shows it."""
        for played_game in (self.actual, self.counterfactual):
            self.store(played_game, until_turn=until_turn)
            yield played_game

    def store(self, played_game: PlayedGame, *, until_turn: int | None = None) -> None:
        """Replace the stored log and position with those of this game, as its turns would have left them."""
        last_turn = self.turn_count if until_turn is None else until_turn
        row = stored_game(self.site.database, self.slug, self.dealt.guests[0]).row
        store_game(
            self.site.database,
            row.id,
            self._log_rows(row.id, played_game),
            played_game.states[last_turn],
            hidden_turns_of(
                self.dealt.guests,
                played_game.states[last_turn],
                self.observer,
                played_game is self.counterfactual,
            ),
        )

    def _log_rows(self, game_id: int, played_game: PlayedGame) -> list[LogRow]:
        is_counterfactual = played_game is self.counterfactual
        return log_rows(
            game_id, played_game, observer=self.observer, is_counterfactual=is_counterfactual
        )


def game_pair(site: Site, played_game: PlayedGame, *, observer: int | None) -> GamePair:
    """Return this game of four, public, and its counterfactual for a seat; observer None is an onlooker."""
    start_state = played_game.game.start
    dealt = site.dealt_game(
        *SEATED_CHARACTERS, rulebook=start_state.rulebook, public=True, house=start_state.house
    )
    visitor = site.signed_out() if observer is None else dealt.visitors[observer]
    visitor.token()
    return GamePair(
        site,
        dealt,
        observer,
        visitor,
        played_game,
        counterfactual_game(played_game, observer, SeededRng(1)),
    )


def random_game(rulebook: str, seed: int, *, house: HouseRules = DEFAULT_HOUSE) -> PlayedGame:
    """Return a game of random length that has not ended."""
    rng = SeededRng(seed)
    chance = ScriptedChance(rng.below(1 << 30))
    game = InMemoryGame(
        rulebook, seats=len(SEATED_CHARACTERS), house=house, starter=None, chance=chance
    )
    return play_moves(
        game,
        20 + rng.below(120),
        lambda game: Move("play", action=mostly_digging_action(game.state, rng)),
    )


def find_game(rulebook: str, is_wanted_state: Callable[[State], bool]) -> tuple[PlayedGame, int]:
    """Return a random game that reaches such a position, and the turn after which it does."""
    for seed in range(100):
        played_game = random_game(rulebook, seed)
        for step, state in enumerate(played_game.states):
            if is_wanted_state(state):
                return played_game, step
    message = "no random game reaches such a position"
    raise AssertionError(message)


def store_game(
    database: Database,
    game_id: int,
    log: list[LogRow],
    state: State,
    hidden_turns: HiddenTurns,
) -> None:
    """Replace the stored log, position, plans and held turn of a game; its notifications are deleted."""
    with transaction(database) as tx:
        tx.execute(delete(Turn).where(Turn.game_id == game_id))
        tx.execute(insert(Turn), log[: state.seq + 1])
        tx.execute(delete(DeadlineEvent).where(DeadlineEvent.game_id == game_id))
        tx.execute(insert(DeadlineEvent), _deadline_rows(log[: state.seq + 1], state))
        tx.execute(delete(Notification).where(Notification.game_id == game_id))
        position = _position_fields(state) | {"plans": encode_plans(hidden_turns.plans)}
        position["held_turn"] = None
        if (held_turn := hidden_turns.held_turn) is not None:
            position |= {"held_turn": encode_held_turn(held_turn), "wake_at": held_turn.due_at}
        tx.execute(update(GameTable).where(GameTable.id == game_id).values(position))


def _deadline_rows(log: list[LogRow], state: State) -> list[LogRow]:
    """Return the beginning of every turn, and the ends of those that were taken."""
    awaited = awaiting(state)
    assert awaited is not None
    seats = [*(row["seat"] for row in log[1:]), awaited.seat]
    common_fields = {"game_id": log[0]["game_id"], "at": NOON, "deadline_at": NOON + DAY}
    start_rows = [
        {**common_fields, "turn_seq": turn_seq, "kind": "started", "seat": seat, "by": "player"}
        for turn_seq, seat in enumerate(seats)
    ]
    end_rows = [
        {
            **common_fields,
            "turn_seq": row["seq"] - 1,
            "kind": "missed" if row["by"] == "clock" else "played",
            "seat": row["seat"],
            "by": "clock" if row["by"] == "clock" else "player",
        }
        for row in log[1:]
    ]
    return start_rows + end_rows


def log_rows(
    game_id: int, played_game: PlayedGame, *, observer: int | None, is_counterfactual: bool
) -> list[LogRow]:
    """Return the rows of a game's log. In the counterfactual all others plan some of their turns and let the server pick their gold."""
    return list(
        _turn_rows(game_id, played_game, observer, "plan" if is_counterfactual else "player")
    )


def _turn_rows(
    game_id: int, played_game: PlayedGame, observer: int | None, plan_source: str
) -> Iterator[LogRow]:
    actions = [None, *(move.action for move in played_game.moves)]
    for seq, events in enumerate(played_game.game.log):
        awaited = awaiting(played_game.states[seq - 1]) if seq else None
        action, seat = actions[seq], None if awaited is None else awaited.seat
        yield {
            "game_id": game_id,
            "seq": seq,
            "seat": seat,
            "by": _turn_source(
                seq, action, plan_source=plan_source if seat != observer else "player"
            ),
            "action": None if action is None else encode_action(action),
            "events": encode_events(events),
            "head": head_of_both_games(seq),
            "at": NOON,
        }


def head_of_both_games(seq: int) -> bytes:
    """Return the head after a turn. Real ones differ by nonces that no reader can know; ``test_secrecy_of_heads`` is about those."""
    return hashlib.sha256(f"turn {seq} of either game".encode()).digest()


def _turn_source(seq: int, action: Action | None, *, plan_source: str) -> str:
    if seq % 7 == 3 and not isinstance(action, TakeGold):
        return "clock"
    return plan_source if seq % 2 or isinstance(action, TakeGold) else "player"


def _position_fields(state: State) -> dict[str, object]:
    awaited = awaiting(state)
    assert awaited is not None
    return {
        "seq": state.seq,
        "head": head_of_both_games(state.seq),
        "state": encode_state(state),
        "state_format": STATE_FORMAT,
        "awaiting": awaited.seat,
        "round": state.round,
        "turn_seq": state.seq,
        "turn_started_at": NOON,
        "deadline_at": NOON + DAY,
        "wake_at": NOON + DAY,
    }


def response_text(response: TestResponse) -> str:
    """Return status, headers and body of a response, without the parts that are new in every response."""
    text = f"{response.status}\n{response.headers}\n{response.get_data(as_text=True)}"
    return _NEW_IN_EVERY_RESPONSE.sub("", text).replace("\r\n", "\n")
