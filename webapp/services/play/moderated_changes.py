"""The changes that moderators may make to a dealt game, by the right they need. All of them return public facts only."""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from webapp.rights import GameRight
from webapp.services.errors import DenialReason, NotAllowed
from webapp.services.play.access import load_game
from webapp.services.play.clock_changes import extend_deadline, pause, resume
from webapp.services.play.game_changes import cancel, play_neutral, rewind
from webapp.services.play.public_change import ChangeInput, ChangeSource, PlannedChange
from webapp.services.play.seat_changes import rename_seat, seat_bot, seat_person
from webapp.services.play.seat_offers import offer_seat, withdraw_offer
from webapp.services.play.seat_openings import open_seat
from webapp.services.play.table_changes import (
    announce_to_table,
    hand_over_table,
    nudge,
    resend_email,
)
from webapp.services.play.undoing import UNDO_RULES, RecordedChange
from webapp.services.tx import Tx
from webapp.store.clock import votes
from webapp.store.moderation.games_under_moderation import GameUnderModeration
from webapp.store.play import games

Planner: TypeAlias = Callable[[ChangeSource], PlannedChange]

PLANNERS: Final[dict[GameRight, Planner]] = {
    GameRight.NUDGE: nudge,
    GameRight.EXTEND: extend_deadline,
    GameRight.PAUSE: pause,
    GameRight.RESUME: resume,
    GameRight.PLAY_NEUTRAL: play_neutral,
    GameRight.OPEN_SEAT: open_seat,
    GameRight.OFFER_SEAT: offer_seat,
    GameRight.WITHDRAW_OFFER: withdraw_offer,
    GameRight.SEAT_PERSON: seat_person,
    GameRight.SEAT_BOT: seat_bot,
    GameRight.REWIND: rewind,
    GameRight.CANCEL_GAME: cancel,
    GameRight.RENAME_SEAT: rename_seat,
    GameRight.HAND_OVER_TABLE: hand_over_table,
    GameRight.ANNOUNCE_TO_TABLE: announce_to_table,
    GameRight.RESEND_EMAIL: resend_email,
}

_ACTS_THAT_OUTDATE_VOTES: Final = {
    GameRight.PAUSE,
    GameRight.RESUME,
    GameRight.CANCEL_GAME,
    GameRight.REWIND,
    GameRight.OPEN_SEAT,
    GameRight.SEAT_BOT,
}
"""Seating a person outdates a vote too, because then others sit at the table than those who may vote."""
_ACTS_THAT_KEEP_PAUSES: Final = {GameRight.OPEN_SEAT, GameRight.SEAT_BOT, GameRight.REWIND}
"""The pause that the players agreed on continues, and ends by itself: neither other people at the table nor another position change that."""


def plan_change(
    tx: Tx,
    game: GameUnderModeration,
    act: GameRight,
    change_input: ChangeInput,
    *,
    random_below: Callable[[int], int],
) -> PlannedChange:
    """Plan an act on a game that the caller has locked; write nothing. Raises NotAllowed and FieldErrors."""
    source = _change_source(tx, game, change_input, random_below=random_below)
    return _with_outdated_votes(act, PLANNERS[act](source), source)


def plan_undoing(
    tx: Tx,
    game: GameUnderModeration,
    act: GameRight,
    recorded_change: RecordedChange,
    acting_input: ChangeInput,
) -> tuple[GameRight, PlannedChange]:
    """Plan to undo an act, and return it with the act as which that is recorded. Raises NotAllowed.

    ``acting_input`` says who undoes it, and nothing else.
    """
    undoing = UNDO_RULES.get(act)
    if undoing is None:
        raise NotAllowed(DenialReason.CANNOT_BE_UNDONE)
    source = _change_source(tx, game, acting_input, random_below=_pick_first)
    planned_change = undoing.plan(source, recorded_change)
    return undoing.act, _with_outdated_votes(undoing.act, planned_change, source)


def _with_outdated_votes(
    act: GameRight, planned_change: PlannedChange, source: ChangeSource
) -> PlannedChange:
    """Return the change with the end of the players' open vote, and of their pause, if it decides what they vote on."""
    if act not in _ACTS_THAT_OUTDATE_VOTES:
        return planned_change

    def write(tx: Tx) -> None:
        planned_change.write(tx)
        votes.mark_outdated(
            tx.connection,
            source.game.row.id,
            is_pause_over=act not in _ACTS_THAT_KEEP_PAUSES,
            now=source.now,
        )

    return msgspec.structs.replace(planned_change, write=write)


def _change_source(
    tx: Tx,
    game: GameUnderModeration,
    change_input: ChangeInput,
    *,
    random_below: Callable[[int], int],
) -> ChangeSource:
    row = games.find_many_to_play(tx.connection, [game.id])[game.id]
    return ChangeSource(
        tx, load_game(tx, row), change_input, tx.now, random_below, game.maintenance
    )


def _pick_first(_: int) -> int:
    return 0
