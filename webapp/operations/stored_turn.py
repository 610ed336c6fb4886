"""One turn as it is stored, with every secret, for the operator. An import contract lets only `lodepost show` use this."""

from collections.abc import Iterator
from typing import Final

import msgspec

from engine.wire import STATE_FORMAT, encode_state, stored_json
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Tx
from webapp.operations.consistency import state_from_log
from webapp.operations.queries.logged_games import Log, LoggedGame, next_games

_INDENT: Final = "  "


def turn_lines(tx: Tx, game_id: int, seq: int) -> Iterator[str]:
    """Yield the lines about turn ``seq``: its action, its events, and the position after it. Raises NotFound."""
    game, log = next_games(tx, game_id - 1, limit=1)[0]
    turn = next((turn for turn in log if turn.seq == seq), None)
    if turn is None:
        raise NotFound
    seat = "the table" if turn.seat is None else f"seat {turn.seat + 1}"
    yield f"Turn {turn.seq} of {game.slug}: {seat}, by {turn.by}"
    if turn.action is not None:
        yield "Action:"
        yield from _lines_of(turn.action)
    yield "Events:"
    yield from _lines_of(turn.events)
    if seq == game.seq and game.state is not None:
        format_note = "" if game.state_format == STATE_FORMAT else f", format {game.state_format}"
        yield f"Position as stored{format_note}:"
        yield from _lines_of(game.state)
    else:
        yield "Position from the log:"
        yield from _lines_of_position(game, [turn for turn in log if turn.seq <= seq])


def _lines_of_position(game: LoggedGame, log: Log) -> Iterator[str]:
    try:
        state = encode_state(state_from_log(game, log))
    except Exception:  # noqa: BLE001 - damaged rows may fail in any way
        yield f"{_INDENT}The log does not lead to a position; run `lodepost audit`."
    else:
        yield from _lines_of(state)


def _lines_of(value: bytes) -> Iterator[str]:
    """Yield the JSON in a stored value: a line for each event, and for each field of anything else."""
    try:
        content = msgspec.json.decode(stored_json(value))
    except msgspec.DecodeError:
        yield f"{_INDENT}{len(value)} bytes that cannot be read: {value[:40].hex()}"
        return
    items = content.items() if isinstance(content, dict) else enumerate(content, start=1)
    for name, item in items:
        yield f"{_INDENT}{name}: {msgspec.json.encode(item).decode()}"
