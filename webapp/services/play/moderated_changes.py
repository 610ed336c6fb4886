"""The change of an act on a game: what it is planned from, and how it is written."""

from collections.abc import Callable
from typing import Any

from webapp.services.play.access import load_game
from webapp.services.play.acts import Act
from webapp.services.play.change_writer import write_change
from webapp.services.play.public_change import Actor, ChangeSource, PlannedChange, pick_first
from webapp.services.tx import Tx
from webapp.store.clock import votes
from webapp.store.moderation.games_under_moderation import GameUnderModeration
from webapp.store.play import games


def change_source(
    tx: Tx,
    game: GameUnderModeration,
    actor: Actor,
    *,
    random_below: Callable[[int], int] = pick_first,
) -> ChangeSource:
    """Return what a change of this game is planned from. Without chance it discards no card: for previews."""
    row = games.find_many_to_play(tx.connection, [game.id])[game.id]
    return ChangeSource(tx, load_game(tx, row), tx.now, random_below, game.maintenance, actor=actor)


def write_act(source: ChangeSource, act: Act[Any], planned_change: PlannedChange) -> None:
    """Write the change of an act to the locked game. It ends the players' open vote, and their pause, if it decides what they vote on."""
    write_change(source, planned_change)
    if act.outdates_votes:
        votes.mark_outdated(
            source.tx.connection,
            source.game.row.id,
            is_pause_over=act.ends_agreed_pause,
            now=source.now,
        )
