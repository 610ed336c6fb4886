"""How the turns of a game began and ended that a rewind takes back."""

from typing import Final

from sqlalchemy import Connection, func, select
from sqlalchemy.orm import aliased

from webapp.clock.turn import ClockEvent
from webapp.store.schema.clock import DeadlineEvent

_START_AND_END_KINDS: Final = ("started", "played", "late", "missed")


def turn_starts_and_ends_since(
    connection: Connection, game_id: int, seq: int, *, includes_turn_before: bool
) -> tuple[ClockEvent, ...]:
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
        select(*(getattr(event, name) for name in ClockEvent.__struct_fields__))
        .where(event.game_id == game_id, event.turn_seq >= first_turn)
        .where(event.kind.in_(_START_AND_END_KINDS), ~was_undone)
        .order_by(event.id)
    )
    return tuple(ClockEvent(**row) for row in rows.mappings())
