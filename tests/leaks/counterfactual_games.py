"""Two worlds that a seat cannot tell apart, laid under one running site in turn; whatever differs on the wire is a leak.

``counterfactual_game`` makes the other world; here both are stored, row by row, under the same game of the same people.
"""

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
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.engine.counterfactual_games import (
    Move,
    PlayedGame,
    counterfactual_game,
    play_moves,
)
from tests.support.engine.logged_game import LoggedGame
from tests.support.engine.positions import DEFAULT_HOUSE
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import ScriptedChance, SeededRng
from tests.support.factories import DAY, NOON, look
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.services.tx import Database, transaction
from webapp.store.schema.notifications import Notification
from webapp.store.schema.play import Game as GameTable
from webapp.store.schema.play import Turn

LogRow: TypeAlias = dict[str, Any]
SEATS = (ALICE, BOB, CAROL, DAVE)
_OWN_MARKS = re.compile(
    r'nonce="[\w-]+"|nonce-[\w-]+|name="(?:csrf_token|form_id)" value="[^"]+"|(?<=^Set-Cookie: ).*'
    # How often this reader has asked for what is counted, by the clock of the machine.
    r"|(?<=^X-RateLimit-Remaining: ).*|(?<=^X-RateLimit-Reset: ).*|(?<=^Retry-After: ).*",
    re.MULTILINE,
)
"""What is new in every answer, whatever it tells."""


class Worlds(NamedTuple):
    """A seat's own world and the other one, and the site where it plays in either."""

    site: Site
    seated: DealtGame
    observer: int | None
    visitor: Visitor
    here: PlayedGame
    there: PlayedGame

    @property
    def slug(self) -> str:
        return self.seated.slug

    @property
    def steps(self) -> int:
        """How many turns were taken."""
        return len(self.here.moves)

    def each(self, *, until: int | None = None) -> Iterator[PlayedGame]:
        """Both worlds after a turn, the last one unless told otherwise, each under the site while it is looked at."""
        for told in (self.here, self.there):
            self.lay(told, until=until)
            yield told

    def lay(self, told: PlayedGame, *, until: int | None = None) -> None:
        """Put this world's log and position where the game's were, as turns would have left them."""
        stop = self.steps if until is None else until
        row = look(self.site.database, self.slug, self.seated.guests[0]).row
        lay(self.site.database, row.id, self._log_of(row.id, told), told.states[stop])

    def _log_of(self, game_id: int, told: PlayedGame) -> list[LogRow]:
        return log_of(game_id, told, observer=self.observer, other=told is self.there)


def worlds(site: Site, here: PlayedGame, *, observer: int | None) -> Worlds:
    """A public game of four as it has gone, and its twin for this seat; None is an onlooker."""
    start = here.game.start
    seated = site.dealt_game(*SEATS, rulebook=start.rulebook, public=True, house=start.house)
    visitor = site.signed_out() if observer is None else seated.visitors[observer]
    visitor.token()
    return Worlds(
        site, seated, observer, visitor, here, counterfactual_game(here, observer, SeededRng(1))
    )


def some_game(rulebook: str, seed: int, *, house: HouseRules = DEFAULT_HOUSE) -> PlayedGame:
    """A game of some length, not over."""
    rng = SeededRng(seed)
    chance = ScriptedChance(rng.below(1 << 30))
    game = LoggedGame(rulebook, seats=len(SEATS), house=house, starter=None, chance=chance)
    return play_moves(
        game,
        20 + rng.below(120),
        lambda game: Move("play", action=mostly_digging_action(game.state, rng)),
    )


def game_in_which(rulebook: str, wanted: Callable[[State], bool]) -> tuple[PlayedGame, int]:
    """Some game that comes to such a position, and the turn after which it stands there."""
    for seed in range(100):
        told = some_game(rulebook, seed)
        for step, state in enumerate(told.states):
            if wanted(state):
                return told, step
    message = "no game came to that"
    raise AssertionError(message)


def lay(database: Database, game_id: int, log: list[LogRow], state: State) -> None:
    """Put this log, as far as this position, where the game's was; no letter is owed of it."""
    with transaction(database) as tx:
        tx.connection.execute(delete(Turn).where(Turn.game_id == game_id))
        tx.connection.execute(insert(Turn), log[: state.seq + 1])
        tx.connection.execute(delete(Notification).where(Notification.game_id == game_id))
        position = _position(state)
        tx.connection.execute(update(GameTable).where(GameTable.id == game_id).values(position))


def log_of(game_id: int, told: PlayedGame, *, observer: int | None, other: bool) -> list[LogRow]:
    """The rows of a game's log. In the ``other`` world all but the observer left their picks of gold to the server."""
    return list(_turns(game_id, told, observer, "plan" if other else "player"))


def _turns(game_id: int, told: PlayedGame, observer: int | None, pick: str) -> Iterator[LogRow]:
    actions = [None, *(move.action for move in told.moves)]
    for seq, events in enumerate(told.game.log):
        due = awaiting(told.states[seq - 1]) if seq else None
        action, seat = actions[seq], None if due is None else due.seat
        yield {
            "game_id": game_id,
            "seq": seq,
            "seat": seat,
            "by": _by(seq, action, hidden=pick if seat != observer else "player"),
            "action": None if action is None else encode_action(action),
            "events": encode_events(events),
            "at": NOON,
        }


def _by(seq: int, action: Action | None, *, hidden: str) -> str:
    if isinstance(action, TakeGold):
        return hidden
    return "clock" if seq % 7 == 3 else "player"


def _position(state: State) -> dict[str, object]:
    due = awaiting(state)
    assert due is not None
    return {
        "seq": state.seq,
        "state": encode_state(state),
        "state_format": STATE_FORMAT,
        "awaiting": due.seat,
        "round": state.round,
        "turn_seq": state.seq,
        "turn_started_at": NOON,
        "deadline_at": NOON + DAY,
        "wake_at": NOON + DAY,
    }


def wire(answer: TestResponse) -> str:
    """All that an answer says: status, header and body, without the marks that are new in every one."""
    text = f"{answer.status}\n{answer.headers}\n{answer.get_data(as_text=True)}"
    return _OWN_MARKS.sub("", text).replace("\r\n", "\n")
