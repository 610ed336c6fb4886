"""Games that are old already: played up to a turn at once, or given a log longer than any real game's."""

import random
from itertools import islice

import msgspec
from sqlalchemy import text, update

from bench.shared.games import Menu, PreparedGame, PreparedTurn, game_at, turns_from
from engine.actions import Action, Discard, Lay
from engine.wire import encode_state
from webapp.services.tx import Database, transaction
from webapp.store.play.turns import GameUpdate, TurnRow
from webapp.store.schema.play import Game

_COLUMNS = {
    "seq": "bigint",
    "seat": "smallint",
    "by": "text",
    "action": "bytea",
    "events": "bytea",
    "at": "timestamptz",
}
_ARRAYS = ", ".join(f"CAST(:{name}_ AS {kind}[])" for name, kind in _COLUMNS.items())
_LOG = text(
    f"INSERT INTO turn (game_id, {', '.join(_COLUMNS)}) SELECT :game_id, * FROM unnest({_ARRAYS})"
)


def play_up_to(
    database: Database, table: PreparedGame, chance: random.Random, *, last: int, extra: int
) -> list[PreparedTurn]:
    """Store a game up to turn ``last`` and return the ``extra`` turns after it; empty, with nothing stored, if the game is shorter."""
    turns = list(
        islice(turns_from(game_at(database, table), table, chance, slow_actions), last + extra)
    )
    writes = [turn.write for turn in turns[:last]]
    if len(turns) < last + extra:
        return []
    _store(database, writes[-1], [row for write in writes for row in write.turns])
    return turns[last:]


def slow_actions(menu: Menu) -> Menu:
    """Return the actions that are no discard and stay away from the goals, or all: rounds then last as long as the cards (E13)."""
    slow = [each for each in menu if not isinstance(each, Discard) and _is_far_from_goals(each)]
    return slow or menu


def _is_far_from_goals(action: Action) -> bool:
    return not isinstance(action, Lay) or action.cell[0] in "-ABCDE"


def extended_game(
    database: Database, table: PreparedGame, chance: random.Random, *, last: int, extra: int
) -> list[PreparedTurn]:
    """Store a game's first turns repeatedly up to ``last`` without changing its position, and return the turns after it."""
    game = game_at(database, table)
    turns = list(islice(turns_from(game, table, chance), 50))
    rows = [row for turn in turns for row in turn.write.turns]
    log = [
        msgspec.structs.replace(rows[number % len(rows)], seq=number)
        for number in range(1, last + 1)
    ]
    state = encode_state(msgspec.structs.replace(game.state, seq=last))
    first = turns[0].write
    old = {name: getattr(game.row, name, None) for name in first.position.__struct_fields__}
    old |= {"seq": last, "turn_seq": last, "state": state, "awaiting_bot": False}
    position = msgspec.structs.replace(first.position, **old)
    _store(database, msgspec.structs.replace(first, position=position), log)
    return list(islice(turns_from(game_at(database, table), table, chance), extra))


def _store(database: Database, last: GameUpdate, log: list[TurnRow]) -> None:
    columns = {f"{name}_": [getattr(row, name) for row in log] for name in _COLUMNS}
    with transaction(database) as tx:
        tx.connection.execute(_LOG, {"game_id": last.game_id, **columns})
        tx.connection.execute(
            update(Game)
            .where(Game.id == last.game_id)
            .values(msgspec.structs.asdict(last.position))
        )
