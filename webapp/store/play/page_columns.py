"""What only the pages of a game need besides its row: opt-outs and a former seat of the viewer, acts of moderators, and votes."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, exists, null

from webapp.store.clock.votes import decode_votes, latest_votes_json
from webapp.store.moderation.shown_acts import acts_json, decode_acts
from webapp.store.notifications.opt_outs import opt_outs_json
from webapp.store.play.rows import GameRow
from webapp.store.schema.accounts import Account
from webapp.store.schema.lobby import Sitting
from webapp.store.schema.play import Game

NULL_PAGE_COLUMNS: Final = tuple(
    null().label(name) for name in ("opt_outs", "acts", "has_sat", "votes")
)
"""For statements whose answer is no page: the answer to a turn shows none of this."""


def page_columns(viewer: type[Account]) -> tuple[ColumnElement[Any], ...]:
    """Return the columns for this viewer; the first is their opt-outs."""
    game_id = Game.__table__.c.id
    return (
        opt_outs_json(viewer, at_table=True),
        acts_json(game_id),
        exists().where(Sitting.game_id == Game.id, Sitting.account_id == viewer.id),
        latest_votes_json(game_id),
    )


def with_page_values(game: GameRow, values: Sequence[Any]) -> GameRow:
    """Return the game with the values of these columns."""
    _, acts, has_sat, latest_votes = values
    if acts is None and not has_sat and latest_votes is None:
        return game
    return msgspec.structs.replace(
        game,
        acts=decode_acts(acts),
        has_viewer_sat=bool(has_sat),
        latest_votes=decode_votes(latest_votes),
    )
