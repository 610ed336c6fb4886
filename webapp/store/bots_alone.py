"""Games in which one person plays with bots alone: what someone does there says nothing about playing with people."""

from sqlalchemy import ColumnElement, SQLColumnExpression, and_, exists
from sqlalchemy.orm import aliased

from webapp.store.schema.lobby import Seat, Sitting


def is_alone_with_bots(
    game_id: SQLColumnExpression[int], number: SQLColumnExpression[int | None]
) -> ColumnElement[bool]:
    """Return the condition that only bots have ever had the seats of a game other than this one."""
    seat, sitting = aliased(Seat, name="other_seat"), aliased(Sitting, name="other_sitting")
    other_seat = (seat.game_id == game_id, seat.number != number)
    other_sitting = (sitting.game_id == game_id, sitting.seat != number)
    return and_(
        exists().where(*other_seat),
        ~exists().where(*other_seat, seat.bot_name.is_(None)),
        ~exists().where(*other_sitting, sitting.bot_level.is_(None)),
    )
