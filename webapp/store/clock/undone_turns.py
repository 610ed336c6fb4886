"""How the turns of a game began and ended that a rewind takes back."""

from datetime import timedelta
from typing import Final

from sqlalchemy import Connection, func, select
from sqlalchemy.orm import aliased

from webapp.store.redacted import Redacted
from webapp.store.schema.clock import DeadlineEvent

_START_AND_END_KINDS: Final = ("started", "played", "late", "missed")


class TurnStartOrEndRow(Redacted, frozen=True, kw_only=True):
    """The beginning or the end of a turn; ``bank`` and ``absence_used`` are what its player had left and had used as it began."""

    turn_seq: int
    kind: str
    seat: int | None
    account_id: int | None
    cause: str
    bank: timedelta | None
    absence_used: timedelta | None


def turn_starts_and_ends_since(
    connection: Connection, game_id: int, seq: int, *, includes_turn_before: bool
) -> tuple[TurnStartOrEndRow, ...]:
    """Return how the turns began and ended that began at a position or later, the earliest first, without those taken back before.

    With ``includes_turn_before`` also the last turn that began before it.
    """
    event, undoing = DeadlineEvent, aliased(DeadlineEvent)
    was_undone = (
        select(undoing.id)
        .where(undoing.game_id == event.game_id, undoing.turn_seq == event.turn_seq)
        .where(undoing.kind == "undone")
        .exists()
    )
    turn_before = (
        select(func.max(undoing.turn_seq))
        .where(undoing.game_id == game_id, undoing.turn_seq < seq)
        .scalar_subquery()
    )
    first_turn = func.coalesce(turn_before, seq) if includes_turn_before else seq
    rows = connection.execute(
        select(*(getattr(event, name) for name in TurnStartOrEndRow.__struct_fields__))
        .where(event.game_id == game_id, event.turn_seq >= first_turn)
        .where(event.kind.in_(_START_AND_END_KINDS), ~was_undone)
        .order_by(event.id)
    )
    return tuple(TurnStartOrEndRow(**row) for row in rows.mappings())
