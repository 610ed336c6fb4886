"""Recovery: the log is the truth, and a snapshot that is not what the log folds to is made anew."""

import msgspec

from engine.state import State
from engine.wire import STATE_FORMAT, decode_state, encode_state
from webapp.services.access import state_from_log
from webapp.services.tx import Tx
from webapp.store import games, log, snapshots
from webapp.store.game_rows import GameRow


class Mended(msgspec.Struct, frozen=True, kw_only=True):
    """What was looked at: how many games, the slugs of those whose snapshot was wrong, and where to go on."""

    checked: int
    mended: tuple[str, ...]
    last: int | None
    """Give it to the next call; None when that was all."""


def mend_snapshots(tx: Tx, *, after: int = 0, limit: int = 100) -> Mended:
    """Look at the next games, and make anew from the log every snapshot that differs from it."""
    ids = snapshots.dealt_after(tx.connection, after, limit=limit)
    rows = games.find_many(tx.connection, ids).values() if ids else ()
    mended = tuple(row.slug for row in rows if _mend(tx, row))
    return Mended(checked=len(ids), mended=mended, last=ids[-1] if len(ids) == limit else None)


def _mend(tx: Tx, row: GameRow) -> bool:
    """Replace a snapshot that is not what the log says; whether it was replaced."""
    turns = [turn for turn in log.all_turns(tx.connection, row.id) if turn.seq <= row.seq]
    truth = state_from_log(row, turns)
    if _snapshot(row) == truth:
        return False
    return snapshots.replace_snapshot(
        tx.connection, row.id, seq=row.seq, state=encode_state(truth), state_format=STATE_FORMAT
    )


def _snapshot(row: GameRow) -> State | None:
    if row.state is None or row.state_format != STATE_FORMAT:
        return None
    try:
        return decode_state(row.state)
    except msgspec.DecodeError:
        return None
