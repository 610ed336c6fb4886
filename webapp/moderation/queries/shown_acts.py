"""Acts of moderators as everyone at a table may read them, as JSON beside the game or the notification that is read anyway."""

from typing import Any, Final

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    Select,
    Text,
    cast,
    exists,
    func,
    literal_column,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import aliased

from webapp.accounts.schema import Account
from webapp.kernel.public_acts import ShownAct
from webapp.lobby.schema import Seat, Sitting
from webapp.moderation.schema import LedgerEntry

MAX_SHOWN_ACTS: Final = 50
"""The newest acts that a table's page shows, and as many peeks, which other acts must not push off it."""
_PEEK: Final[ColumnElement[str]] = literal_column("'peek'", Text)


def acts_json(game_id: ColumnElement[int]) -> ColumnElement[str | None]:
    """Return a subquery for the newest acts on a game, and its newest peeks however old they are, newest first."""
    newest_acts = union_all(
        _newest_acts_query(game_id, LedgerEntry.act != _PEEK),
        _newest_acts_query(game_id, LedgerEntry.act == _PEEK),
    )
    return _as_json(newest_acts.lateral("entry"))


def peeks_json(game_id: ColumnElement[int]) -> ColumnElement[str | None]:
    """Return a subquery for the newest peeks into a game, newest first."""
    return _as_json(_newest_acts_query(game_id, LedgerEntry.act == _PEEK).lateral("entry"))


def _newest_acts_query(game_id: ColumnElement[int], condition: ColumnElement[bool]) -> Select[Any]:
    return (
        select(LedgerEntry)
        .where(LedgerEntry.game_id == game_id, condition)
        .order_by(LedgerEntry.id.desc())
        .limit(MAX_SHOWN_ACTS)
        .correlate_except(LedgerEntry)
    )


def _as_json(newest_acts: FromClause) -> ColumnElement[str | None]:
    entry = aliased(LedgerEntry, newest_acts)
    rows = aggregate_order_by(_act_columns(entry), entry.id.desc())
    return select(cast(func.json_agg(rows), Text)).select_from(newest_acts).scalar_subquery()


def act_json(entry_id: ColumnElement[int]) -> ColumnElement[str | None]:
    """Return a subquery for one act."""
    entry = aliased(LedgerEntry, name="entry")
    return (
        select(cast(_act_columns(entry), Text)).where(entry.id == entry_id).correlate_except(entry)
    ).scalar_subquery()


def decode_acts(text: str | None) -> tuple[ShownAct, ...]:
    """Return the value of ``acts_json`` or ``peeks_json`` as structs."""
    return () if text is None else _ACTS_DECODER.decode(text)


def decode_act(text: str | None) -> ShownAct | None:
    """Return the value of ``act_json`` as a struct."""
    return None if text is None else _ACT_DECODER.decode(text)


def _act_columns(entry: type[LedgerEntry]) -> ColumnElement[Any]:
    actor = aliased(Account, name="actor")
    undoing = aliased(LedgerEntry, name="undoing")
    return func.json_build_array(
        entry.id,
        entry.at,
        entry.act,
        entry.acted_as,
        select(actor.name).where(actor.id == entry.actor_id).scalar_subquery(),
        entry.seat,
        func.coalesce(name_at_table(entry), literal_column("''", Text)),
        func.coalesce(entry.seq, literal_column("0")),
        entry.before,
        entry.after,
        entry.reason,
        entry.undoes.is_not(None),
        exists().where(undoing.undoes == entry.id),
        _offerer_name(entry),
    )


def _offerer_name(entry: type[LedgerEntry]) -> ColumnElement[str | None]:
    offerer = aliased(Account, name="offerer")
    offered_by = cast(entry.before["offered_by"].astext, BigInteger)
    return select(offerer.name).where(offerer.id == offered_by).scalar_subquery()


def name_at_table(entry: type[LedgerEntry]) -> ColumnElement[str | None]:
    """Return a subquery for the name of the player that an act was about, as their seat has it."""
    seat = aliased(Seat, name="act_seat")
    present_name = select(seat.name).where(
        seat.game_id == entry.game_id, seat.account_id == entry.account_id
    )
    former_name_at_table = (
        select(Sitting.name)
        .where(Sitting.game_id == entry.game_id, Sitting.account_id == entry.account_id)
        .limit(1)
    )
    current_seat = aliased(Seat, name="act_seat_now")
    current_seat_name = select(func.coalesce(current_seat.bot_name, current_seat.name)).where(
        current_seat.game_id == entry.game_id, current_seat.number == entry.seat
    )
    return func.coalesce(
        present_name.scalar_subquery(),
        former_name_at_table.scalar_subquery(),
        current_seat_name.scalar_subquery(),
    )


_ACTS_DECODER = msgspec.json.Decoder(tuple[ShownAct, ...], strict=False)
_ACT_DECODER = msgspec.json.Decoder(ShownAct, strict=False)
