"""Games as moderators act on them: locked, with the public facts that rights and limits depend on."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Select, Text, cast, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from webapp.clock.queries.maintenance import MaintenanceRow, unfinished_json
from webapp.clubs.schema import Club
from webapp.kernel.game_status import GameStatus
from webapp.kernel.json_columns import decode_row, decode_rows
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Sitting
from webapp.moderation.queries.public_columns import GAME, SEAT
from webapp.moderation.schema import LedgerEntry


class SeatUnderModeration(msgspec.Struct, frozen=True, array_like=True):
    """A seat as everyone sees it; open if it has neither an account nor a bot."""

    number: int
    account_id: int | None
    bot_name: str | None
    name: str | None
    bot_level: str | None

    @property
    def is_open(self) -> bool:
        return self.account_id is None and self.bot_name is None

    @property
    def shown_name(self) -> str:
        return self.bot_name or self.name or ""


class GameUnderModeration(msgspec.Struct, frozen=True, kw_only=True):
    """The public facts of a game; ``last_entry`` is the newest entry of the ledger about it but peeks, or 0."""

    id: int
    slug: str
    host_id: int
    host_name: str
    table_name: str
    club_id: int | None
    club_slug: str | None
    public: bool
    status: GameStatus
    seq: int
    turn_seq: int
    awaiting: int | None
    deadline_at: datetime | None
    paused_at: datetime | None
    seats: tuple[SeatUnderModeration, ...]
    sat: tuple[int, ...]
    """The accounts of the people who had a seat before the ones who have it now."""
    last_entry: int
    maintenance: MaintenanceRow | None
    """The maintenance of the site that is not over, or whose length is not yet added to all clocks."""

    @property
    def former_player_ids(self) -> frozenset[int]:
        """The accounts that may not moderate the game before it ends, because they had a seat in it."""
        return frozenset() if self.status.is_over else frozenset(self.sat)

    @property
    def people(self) -> frozenset[int]:
        """The accounts of the people who sit at the table."""
        return frozenset(seat.account_id for seat in self.seats if seat.account_id is not None)

    def seat(self, number: int | None) -> SeatUnderModeration | None:
        """Return the seat with this number, if the table has it."""
        return next((seat for seat in self.seats if seat.number == number), None)


def find(tx: Tx, slug: str) -> GameUnderModeration | None:
    """Return the game of this slug."""
    row = tx.execute(_QUERY.where(GAME.c.slug == slug)).first()
    if row is None:
        return None
    columns = row._asdict()
    return GameUnderModeration(
        **columns
        | {
            "status": GameStatus(columns["status"]),
            "seats": decode_rows(columns["seats"], SeatUnderModeration),
            "sat": tuple(columns["sat"]),
            "maintenance": decode_row(columns["maintenance"], MaintenanceRow),
        }
    )


def names_of_tables(tx: Tx, slugs: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return the names of the hosts of these tables and what they called them, by their slugs."""
    query = select(GAME.c.slug, GAME.c.host_name, GAME.c.table_name)
    rows = tx.execute(query.where(GAME.c.slug.in_(slugs)))
    return {row.slug: (row.host_name, row.table_name) for row in rows}


def lock(tx: Tx, slug: str) -> GameUnderModeration | None:
    """Lock the game of this slug until the transaction ends, and return it as it is then."""
    # Lock first, read second: a statement that waits for a lock reads other tables as they were before it waited.
    tx.execute(select(GAME.c.id).where(GAME.c.slug == slug).with_for_update())
    return find(tx, slug)


def lock_many(tx: Tx, slugs: Collection[str]) -> None:
    """Lock games until the transaction ends, by id, the order in which everyone locks several games."""
    query = select(GAME.c.id).where(GAME.c.slug.in_(slugs))
    tx.execute(query.order_by(GAME.c.id).with_for_update())


def _seats() -> ColumnElement[str]:
    row = SEAT.c
    seat = func.json_build_array(row.number, row.account_id, row.bot_name, row.name, row.bot_level)
    return (
        select(cast(func.json_agg(aggregate_order_by(seat, SEAT.c.number)), Text))
        .where(SEAT.c.game_id == GAME.c.id)
        .correlate(GAME)
        .scalar_subquery()
    )


def _former_player_ids_query() -> ColumnElement[list[int]]:
    """Return a subquery for the accounts of the former players of a game."""
    accounts = (
        select(Sitting.account_id)
        .where(Sitting.game_id == GAME.c.id, Sitting.account_id.is_not(None))
        .correlate(GAME)
    )
    return func.array(accounts.scalar_subquery())


def _last_entry() -> ColumnElement[int]:
    newest_entry = (
        select(func.max(LedgerEntry.id))
        # A peek changes nothing, and its number in a form would tell players of it before the game ends.
        .where(LedgerEntry.game_id == GAME.c.id, LedgerEntry.act != "peek")
        .correlate(GAME)
        .scalar_subquery()
    )
    return func.coalesce(newest_entry, 0)


_QUERY: Select[Any] = select(
    GAME.c.id,
    GAME.c.slug,
    GAME.c.host_id,
    GAME.c.host_name,
    GAME.c.table_name,
    GAME.c.club_id,
    select(Club.slug).where(Club.id == GAME.c.club_id).scalar_subquery().label("club_slug"),
    GAME.c.public,
    GAME.c.status,
    GAME.c.seq,
    GAME.c.turn_seq,
    GAME.c.awaiting,
    GAME.c.deadline_at,
    GAME.c.paused_at,
    _seats().label("seats"),
    _former_player_ids_query().label("sat"),
    _last_entry().label("last_entry"),
    unfinished_json().label("maintenance"),
)
