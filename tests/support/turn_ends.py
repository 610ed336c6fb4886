"""Ends of turns as the clock records them, from which the reliability of players is counted."""

from datetime import timedelta
from typing import Any

from sqlalchemy import insert

from tests.support.cast import Character
from tests.support.factories import DAY, sign_in_guest
from tests.support.transactions import NOON, transaction
from webapp.clock.schema import DeadlineEvent
from webapp.kernel.tx import Database


def store_turn_ends(
    database: Database,
    character: Character,
    kinds: list[str],
    *,
    interval: timedelta = DAY,
    **fields: Any,
) -> None:
    """Store turns of a person that ended like this, the last of them at noon."""
    account_id = sign_in_guest(database, character).person.id
    common_fields = {"account_id": account_id, "by": "player", "seat": 0, "cause": ""} | fields
    rows = [
        {
            **common_fields,
            "game_id": number,
            "turn_seq": 1,
            "kind": kind,
            "at": NOON - number * interval,
        }
        for number, kind in enumerate(kinds)
    ]
    if not rows:
        return
    with transaction(database) as tx:
        tx.execute(insert(DeadlineEvent), rows)
