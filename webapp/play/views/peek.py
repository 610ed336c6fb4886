"""What a peek shows: every role, hand and goal of a game, as of the turn that was recorded.

The only use case that shows these to someone who does not play. An import contract lets no module use it but the page of
the peek, and it returns nothing unless a committed record says that this person would look.
"""

from datetime import datetime, timedelta
from typing import Final

from engine.cards import Card, Goal, Role
from webapp.accounts.person import Person
from webapp.kernel.database import is_storable
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Tx
from webapp.moderation.queries import games_under_moderation, moderators
from webapp.play.access import state_from_log
from webapp.play.queries import games, turn_log

PEEK_DURATION: Final = timedelta(minutes=15)
"""How long after its record a peek can be opened."""


class PeekedSeat(Redacted, frozen=True, kw_only=True):
    """What one seat holds."""

    name: str
    bot_level: str | None
    role: Role
    hand: tuple[Card, ...]
    gold: tuple[int, ...]


class PeekedGame(Redacted, frozen=True, kw_only=True):
    """The secrets of a game after turn ``seq``; goals are top first."""

    slug: str
    host: str
    table_name: str
    seq: int
    peeked_at: datetime
    seats: tuple[PeekedSeat, ...]
    goals: tuple[Goal, ...]


def peeked_game(tx: Tx, viewer: Person, slug: str) -> PeekedGame:
    """Return the secrets that the viewer's latest record is about. Raises NotFound if there is no recent one."""
    game = games_under_moderation.find(tx, slug) if is_storable(slug) else None
    if game is None:
        raise NotFound
    peek = moderators.newest_peek(tx, game.id, viewer.id, since=tx.now - PEEK_DURATION)
    if peek is None or moderators.has_had_or_may_take_seat(tx, game.id, viewer.id):
        raise NotFound
    row = games.find_many_to_play(tx, [game.id]).get(game.id)
    if row is None:
        raise NotFound
    turns = [
        turn
        for turn in turn_log.all_turns(tx, game.id)
        if turn.seq <= peek.seq and turn.at <= peek.at
    ]
    state = state_from_log(row, turns)
    seats = tuple(
        PeekedSeat(
            name=seat.shown_name,
            bot_level=seat.bot_level,
            role=state.roles[seat.number],
            hand=state.hands[seat.number],
            gold=state.gold[seat.number] if state.gold else (),
        )
        for seat in game.seats
    )
    return PeekedGame(
        slug=slug,
        host=game.host_name,
        table_name=game.table_name,
        seq=peek.seq,
        peeked_at=peek.at,
        seats=seats,
        goals=state.goals,
    )
