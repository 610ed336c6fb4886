"""What only the pages of a game need besides its row: opt-outs and a former seat of the viewer, acts of moderators, votes, the last outage, a rematch, and messages."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, exists, null

from webapp.store.clock.votes import decode_votes, latest_votes_json
from webapp.store.lobby.rematches import decode_rematch, rematch_json
from webapp.store.moderation.shown_acts import acts_json, decode_acts
from webapp.store.notifications.opt_outs import opt_outs_json
from webapp.store.play.messages import decode_messages, latest_messages_json
from webapp.store.play.rows import GameRow
from webapp.store.schema.accounts import Account
from webapp.store.schema.lobby import Sitting
from webapp.store.schema.play import Game
from webapp.store.site.maintenance import decode_period, latest_outage_json

NULL_PAGE_COLUMNS: Final = tuple(
    null().label(name)
    for name in ("opt_outs", "acts", "has_sat", "votes", "outage", "rematch", "messages")
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
        latest_outage_json(),
        rematch_json(viewer.id),
        latest_messages_json(game_id, viewer.id),
    )


def with_page_values(game: GameRow, values: Sequence[Any]) -> GameRow:
    """Return the game with the values of these columns."""
    _, acts, has_sat, latest_votes, latest_outage, rematch, messages = values
    if not any(values[1:]):
        return game
    return msgspec.structs.replace(
        game,
        acts=decode_acts(acts),
        has_viewer_sat=bool(has_sat),
        latest_votes=decode_votes(latest_votes),
        latest_outage=decode_period(latest_outage),
        rematch=decode_rematch(rematch),
        messages=decode_messages(messages),
    )
