"""Figures for metrics: sums that all processes count together, and totals that a worker counts from time to time."""

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import Insert, insert

from webapp.kernel.game_status import GameStatus
from webapp.kernel.tx import Tx
from webapp.operations.schema import SiteFigure
from webapp.play.schema import Game


class FigureKey(NamedTuple):
    """What is counted."""

    name: str
    label: str = ""


def add(tx: Tx, counts: Mapping[FigureKey, int]) -> None:
    """Add to figures. Their rows stay locked until the end of the transaction, so this should be its last statement."""
    statement = _insert(counts)
    if statement is not None:
        added = SiteFigure.value + statement.excluded.value
        tx.execute(_or_update(statement, value=added))


def set_figures(tx: Tx, values: Mapping[FigureKey, int]) -> None:
    """Replace figures."""
    statement = _insert(values)
    if statement is not None:
        tx.execute(_or_update(statement, value=statement.excluded.value))


def all_figures(tx: Tx) -> dict[FigureKey, int]:
    """Return every figure that was ever stored."""
    rows = tx.execute(select(SiteFigure.name, SiteFigure.label, SiteFigure.value))
    return {FigureKey(row[0], row[1]): row[2] for row in rows}


def games_and_turns(tx: Tx) -> dict[str, tuple[int, int]]:
    """Return how many games there are of every status, and how many turns these have. Reads the whole table of games."""
    turns = func.coalesce(func.sum(Game.seq + 1), 0)
    rows = tx.execute(select(Game.status, func.count(), turns).group_by(Game.status))
    counts = {row[0]: (int(row[1]), int(row[2])) for row in rows}
    return {status: counts.get(status, (0, 0)) for status in GameStatus}


def _insert(values: Mapping[FigureKey, int]) -> Insert | None:
    # In one order, so that two transactions never wait for each other.
    rows = [
        {"name": key.name, "label": key.label, "value": value}
        for key, value in sorted(values.items())
    ]
    return insert(SiteFigure).values(rows) if rows else None


def _or_update(statement: Insert, **columns: object) -> Insert:
    return statement.on_conflict_do_update(
        index_elements=[SiteFigure.name, SiteFigure.label], set_=columns
    )
