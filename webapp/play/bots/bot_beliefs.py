"""What bots believed, turn by turn: shown once the game is over, and computed then.

Nothing of it is stored. A belief follows from the view and the history of the bot's seat at that turn, as it did when the bot
decided, and the log has both. The latest rounds that someone looked at are kept in memory.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Final, NamedTuple

import msgspec

from engine.bots.belief import belief_of
from engine.events import Event
from engine.evolve import initial_state, positions
from engine.narration import Line, narrate
from engine.rulebook import HouseRules
from engine.state import State
from engine.view import view_for
from engine.wire import decode_events
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.play.access import LoadedGame
from webapp.play.queries import changes
from webapp.play.queries.rows import GameRow
from webapp.play.queries.turns import TurnRow

_MOST_CACHED_ROUNDS: Final = 64


class BotSitting(NamedTuple):
    """A bot and the turns after which it sat in a seat, both included."""

    seat: int
    name: str
    level: str | None
    first_seq: int
    last_seq: int


class RoundBeliefs(Redacted, frozen=True, kw_only=True):
    """How likely a bot thought each seat to be a saboteur, after every turn of a round that it saw."""

    bot: BotSitting
    round: int
    seqs: tuple[int, ...]
    suspicions: tuple[tuple[float, ...], ...]
    """A row for each of these turns, with a probability for each seat."""

    def beliefs_until(self, seq: int) -> "RoundBeliefs":
        """Return the beliefs until a turn."""
        count = sum(played_seq <= seq for played_seq in self.seqs)
        return msgspec.structs.replace(
            self, seqs=self.seqs[:count], suspicions=self.suspicions[:count]
        )


def bots_of(tx: Tx, game: LoadedGame) -> tuple[BotSitting, ...]:
    """Return every bot that has played in a game that is over, by seat and in order; none before the end."""
    if not game.is_revealed:
        return ()
    former_sittings = changes.sittings_of(tx, game.row.id)
    bots = []
    for seat in game.row.seats:
        first_seq = 0
        for name, level, until, _ in former_sittings.get(seat.number, ()):
            bots += (
                [] if level is None else [BotSitting(seat.number, name, level, first_seq, until)]
            )
            first_seq = until + 1
        if seat.bot_name is not None:
            bots.append(BotSitting(seat.number, seat.bot_name, seat.bot_level, first_seq, game.seq))
    return tuple(bots)


def round_beliefs(
    game: LoadedGame, turns: Sequence[TurnRow], bot: BotSitting, *, seq: int
) -> RoundBeliefs:
    """Return what a bot of a game that is over believed in the round of turn ``seq``; ``turns`` is the whole log."""
    assert game.is_revealed
    log = [decode_events(turn.events) for turn in turns]
    states = positions(_initial_state_of(game.row), log)
    key = _RoundKey(game.row.id, game.seq, bot, states[seq].round)
    beliefs = _cache.find(key)
    if beliefs is None:
        beliefs = _beliefs(states, log, bot, key.round)
        _cache.put(key, beliefs)
    return beliefs


def _beliefs(
    states: Sequence[State], log: Sequence[Iterable[Event]], bot: BotSitting, round_number: int
) -> RoundBeliefs:
    lines: list[Line] = []
    seqs: list[int] = []
    suspicions: list[tuple[float, ...]] = []
    for seq, (state, events) in enumerate(zip(states, log, strict=True)):
        lines += [line for event in events for line in narrate(event, bot.seat)]
        # Once the round is over, every role is known.
        is_played = state.round == round_number and len(state.results) < round_number
        if is_played and bot.first_seq <= seq <= bot.last_seq:
            seqs.append(seq)
            suspicions.append(belief_of(view_for(state, bot.seat), lines).saboteur_probabilities)
    return RoundBeliefs(bot=bot, round=round_number, seqs=tuple(seqs), suspicions=tuple(suspicions))


def _initial_state_of(row: GameRow) -> State:
    return initial_state(row.rulebook, msgspec.convert(row.house, HouseRules), row.seat_count)


class _RoundKey(NamedTuple):
    """A round as a bot saw it; ``seq`` is the last turn of the game, which only a moderator can change now."""

    game_id: int
    seq: int
    bot: BotSitting
    round: int


class _BeliefCache:
    """The rounds that were looked at last."""

    def __init__(self) -> None:
        self._rounds: OrderedDict[_RoundKey, RoundBeliefs] = OrderedDict()
        self._lock = Lock()

    def find(self, key: _RoundKey) -> RoundBeliefs | None:
        with self._lock:
            return self._rounds.get(key)

    def put(self, key: _RoundKey, beliefs: RoundBeliefs) -> None:
        with self._lock:
            self._rounds[key] = beliefs
            while len(self._rounds) > _MOST_CACHED_ROUNDS:
                self._rounds.popitem(last=False)


_cache: Final = _BeliefCache()
