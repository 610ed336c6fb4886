"""The settings of the site as they are stored: only those that were ever changed have a row."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert

from webapp.kernel.tx import Tx
from webapp.operations.schema import SiteSetting


def stored_values(tx: Tx) -> dict[str, Any]:
    """Return every stored value by the name of its setting."""
    rows = tx.execute(select(SiteSetting.name, SiteSetting.value))
    return {row.name: row.value for row in rows}


def lock(tx: Tx) -> None:
    """Make other transactions that change settings wait until this one ends; reading is not held up."""
    tx.execute(text("LOCK TABLE site_setting IN SHARE ROW EXCLUSIVE MODE"))


def store_values(tx: Tx, value_by_name: Mapping[str, Any]) -> None:
    """Store new values of some settings."""
    statement = insert(SiteSetting)
    statement = statement.on_conflict_do_update(
        index_elements=[SiteSetting.name],
        set_={"value": statement.excluded["value"]},
    )
    rows = [{"name": name, "value": value} for name, value in value_by_name.items()]
    tx.execute(statement, rows)
