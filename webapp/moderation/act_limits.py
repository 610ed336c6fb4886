"""Limits of acts that repetition could add up: extensions of one turn, and emails to a whole table.

The ledger is the source of all
counts, so acts on pages, on many games at once and on the command line share them.
"""

from datetime import timedelta
from typing import Any, Final

from webapp.kernel.errors import DenialReason, LimitReached, NotAllowed
from webapp.kernel.rights import OPERATOR, Relation
from webapp.kernel.tx import Tx
from webapp.moderation.queries import ledger
from webapp.moderation.queries.games_under_moderation import GameUnderModeration
from webapp.moderation.queries.ledger import ActCount
from webapp.play.changes.acts import Act, acts_by_name

LIMIT_WINDOW: Final = timedelta(days=1)
"""The time over which acts are counted for their limits."""
MAX_EMAILED_ACTS_IN_GAME: Final = 12
"""Acts on one game within ``LIMIT_WINDOW`` of which everyone there gets an email, of all kinds together. A paused game can always be
resumed."""


def lock_actor(tx: Tx, actor_id: int | None, act: Act[Any]) -> None:
    """Let acts of this actor that have a limit be counted one after the other, also on different games.

    Games are locked before.
    """
    if act.limit is not None:
        ledger.lock_actor(tx, actor_id)


def require_within_limits(
    tx: Tx, game: GameUnderModeration, act: Act[Any], *, actor_id: int | None
) -> None:
    """Raise NotAllowed if this act was performed too often in the present turn, and what ``require_below_act_limits`` raises."""
    if act.turn_limit is not None:
        acts_in_turn = ledger.count_acts(tx, game.id, act.name, from_seq=game.turn_seq)
        if acts_in_turn >= act.turn_limit.most:
            raise NotAllowed(act.turn_limit.denial)
    _require_turn_interval(tx, game, act)
    require_below_act_limits(tx, game, act, actor_id=actor_id)


def require_below_act_limits(
    tx: Tx, game: GameUnderModeration, act: Act[Any], *, actor_id: int | None
) -> None:
    """Raise LimitReached if the act was performed too often of late, in this game or by this actor in all games."""
    limit = act.limit
    if limit is None:
        return
    act_count = ActCount(
        act=act.name, game_id=game.id, actor_id=actor_id, since=tx.now - LIMIT_WINDOW
    )
    nth_act_in_game_at, nth_act_by_actor_at = ledger.nth_newest_times(
        tx, act_count, limit.per_game, limit.per_actor
    )
    if nth_act_in_game_at is not None:
        raise LimitReached(
            DenialReason.ACT_LIMIT_OF_GAME_REACHED,
            limit=limit.per_game,
            possible_at=nth_act_in_game_at + LIMIT_WINDOW,
        )
    if nth_act_by_actor_at is not None:
        raise LimitReached(
            DenialReason.ACT_LIMIT_OF_ACTOR_REACHED,
            limit=limit.per_actor,
            possible_at=nth_act_by_actor_at + LIMIT_WINDOW,
        )


def require_below_shared_limit(
    tx: Tx, game: GameUnderModeration, act: Act[Any], *, acted_as: str
) -> None:
    """Raise LimitReached if the people at the table have had enough emails about acts today.

    Site moderators and the operator put things right, also then.
    """
    if act.is_beyond_shared_limit or acted_as in {Relation.SITE_MODERATOR, OPERATOR}:
        return
    nth_emailed_act_at = ledger.nth_newest_time_of_others(
        tx,
        game.id,
        [other.name for other in acts_by_name().values() if other.informs != "table"],
        since=tx.now - LIMIT_WINDOW,
        limit=MAX_EMAILED_ACTS_IN_GAME,
    )
    if nth_emailed_act_at is not None:
        raise LimitReached(
            DenialReason.EMAILED_ENOUGH_TODAY,
            limit=MAX_EMAILED_ACTS_IN_GAME,
            possible_at=nth_emailed_act_at + LIMIT_WINDOW,
        )


def _require_turn_interval(tx: Tx, game: GameUnderModeration, act: Act[Any]) -> None:
    if act.turn_interval is None:
        return
    length, denial = act.turn_interval
    performed_at = ledger.newest_time_in_turn(tx, game.id, act.name, from_seq=game.turn_seq)
    if performed_at is not None and performed_at > tx.now - length:
        raise LimitReached(denial, limit=1, possible_at=performed_at + length)
