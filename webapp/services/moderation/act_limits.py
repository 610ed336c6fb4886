"""Limits of acts that repetition could add up: extensions of one turn, and emails to a whole table.

The ledger is the source of all
counts, so acts on pages, on many games at once and on the command line share them.
"""

from datetime import timedelta
from typing import Final, NamedTuple

from webapp.rights import OPERATOR, GameRight, Relation
from webapp.services.accounts.person import Person
from webapp.services.errors import DenialReason, LimitReached, NotAllowed
from webapp.services.moderation.act_emails import ACTS_WITHOUT_EMAIL
from webapp.services.play.table_changes import NUDGE_INTERVAL
from webapp.services.tx import Tx
from webapp.store.moderation import act_counts, ledger
from webapp.store.moderation.act_counts import ActCount
from webapp.store.moderation.games_under_moderation import GameUnderModeration

EXTENSIONS_PER_TURN: Final = 3
LIMIT_WINDOW: Final = timedelta(days=1)
"""The time over which acts are counted for ``ACT_LIMITS``."""
MAX_ACTS_BY_ACTOR: Final = 150
"""Of one kind of act within ``LIMIT_WINDOW``: three times as many games as one form can hold."""


MAX_EMAILED_ACTS_IN_GAME: Final = 12
"""Acts on one game within ``LIMIT_WINDOW`` of which everyone there gets an email, of all kinds together. A paused game can always be
resumed."""


class ActLimit(NamedTuple):
    """How many acts of a kind are allowed within ``LIMIT_WINDOW``."""

    per_game: int
    per_actor: int = MAX_ACTS_BY_ACTOR


ACT_LIMITS: Final[dict[GameRight, ActLimit]] = {
    GameRight.NUDGE: ActLimit(12),
    GameRight.EXTEND: ActLimit(12),
    GameRight.PAUSE: ActLimit(4),
    # One more than pauses, so that a paused game can always be resumed.
    GameRight.RESUME: ActLimit(5),
    GameRight.PLAY_NEUTRAL: ActLimit(20),
    GameRight.OPEN_SEAT: ActLimit(6, 40),
    GameRight.OFFER_SEAT: ActLimit(5, 15),
    GameRight.WITHDRAW_OFFER: ActLimit(10, 40),
    GameRight.SEAT_BOT: ActLimit(10, 40),
    GameRight.REWIND: ActLimit(6, 40),
    GameRight.RENAME_SEAT: ActLimit(6, 40),
    GameRight.HAND_OVER_TABLE: ActLimit(4, 40),
    GameRight.ANNOUNCE_TO_TABLE: ActLimit(4),
    GameRight.RESEND_EMAIL: ActLimit(20),
}
"""The acts that send emails and can be repeated. What was undone counts too: its emails may have been sent."""
_ACTS_BEYOND_SHARED_LIMIT: Final = ACTS_WITHOUT_EMAIL | {GameRight.NUDGE, GameRight.RESUME}


def lock_actor(tx: Tx, actor: Person | None, act: GameRight) -> None:
    """Let acts of this actor that have a limit be counted one after the other, also on different games.

    Games are locked before.
    """
    if act in ACT_LIMITS:
        act_counts.lock_actor(tx.connection, None if actor is None else actor.id)


def require_within_limits(
    tx: Tx, game: GameUnderModeration, act: GameRight, *, actor: Person | None
) -> None:
    """Raise NotAllowed if this act was performed too often in the present turn, and what ``require_below_act_limits`` raises."""
    if act == GameRight.EXTEND:
        extensions = ledger.count_acts(tx.connection, game.id, act, from_seq=game.turn_seq)
        if extensions >= EXTENSIONS_PER_TURN:
            raise NotAllowed(DenialReason.TOO_MANY_EXTENSIONS)
    if act == GameRight.NUDGE:
        _require_no_nudge_today(tx, game)
    require_below_act_limits(tx, game, act, actor=actor)


def require_below_act_limits(
    tx: Tx, game: GameUnderModeration, act: GameRight, *, actor: Person | None
) -> None:
    """Raise LimitReached if the act was performed too often of late, in this game or by this actor in all games."""
    limit = ACT_LIMITS.get(act)
    if limit is None:
        return
    act_count = ActCount(
        act=act,
        game_id=game.id,
        actor_id=None if actor is None else actor.id,
        since=tx.now - LIMIT_WINDOW,
    )
    nth_act_in_game_at, nth_act_by_actor_at = act_counts.nth_newest_times(
        tx.connection, act_count, limit.per_game, limit.per_actor
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
    tx: Tx, game: GameUnderModeration, act: GameRight, *, acted_as: str
) -> None:
    """Raise LimitReached if the people at the table have had enough emails about acts today.

    Site moderators and the operator put things right, also then.
    """
    if act in _ACTS_BEYOND_SHARED_LIMIT or acted_as in {Relation.SITE_MODERATOR, OPERATOR}:
        return
    nth_emailed_act_at = act_counts.nth_newest_time_of_others(
        tx.connection,
        game.id,
        _ACTS_BEYOND_SHARED_LIMIT - {GameRight.RESUME},
        since=tx.now - LIMIT_WINDOW,
        limit=MAX_EMAILED_ACTS_IN_GAME,
    )
    if nth_emailed_act_at is not None:
        raise LimitReached(
            DenialReason.EMAILED_ENOUGH_TODAY,
            limit=MAX_EMAILED_ACTS_IN_GAME,
            possible_at=nth_emailed_act_at + LIMIT_WINDOW,
        )


def _require_no_nudge_today(tx: Tx, game: GameUnderModeration) -> None:
    nudged_at = act_counts.newest_time_in_turn(
        tx.connection, game.id, GameRight.NUDGE, from_seq=game.turn_seq
    )
    if nudged_at is not None and nudged_at > tx.now - NUDGE_INTERVAL:
        raise LimitReached(
            DenialReason.NUDGED_TODAY, limit=1, possible_at=nudged_at + NUDGE_INTERVAL
        )
