"""Games that are old already: played to a turn in one go, or given a log as long as no real game's."""

import random
from itertools import islice

import msgspec
from sqlalchemy import text, update

from bench.shared.play import Menu, Table, Turn, game_at, turns_from
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


def aged(
    database: Database, table: Table, chance: random.Random, *, last: int, spare: int
) -> list[Turn]:
    """Play a game until turn ``last`` is written; the turns after it, nothing being written where ``spare`` are too many."""
    turns = list(
        islice(turns_from(game_at(database, table), table, chance, without_haste), last + spare)
    )
    writes = [turn.write for turn in turns[:last]]
    if len(turns) < last + spare:
        return []
    _write_down(database, writes[-1], [row for write in writes for row in write.turns])
    return turns[last:]


def without_haste(menu: Menu) -> Menu:
    """What leaves the goals alone and is no discard, if there is such: rounds last as long as the cards do (E13)."""
    slow = [each for each in menu if not isinstance(each, Discard) and _is_far_from_goals(each)]
    return slow or menu


def _is_far_from_goals(action: Action) -> bool:
    return not isinstance(action, Lay) or action.cell[0] in "-ABCDE"


def lengthened(
    database: Database, table: Table, chance: random.Random, *, last: int, spare: int
) -> list[Turn]:
    """GameUpdate a game's first turns again and again up to ``last``, its position as it was; the turns after that."""
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
    _write_down(database, msgspec.structs.replace(first, position=position), log)
    return list(islice(turns_from(game_at(database, table), table, chance), spare))


def _write_down(database: Database, last: GameUpdate, log: list[TurnRow]) -> None:
    columns = {f"{name}_": [getattr(row, name) for row in log] for name in _COLUMNS}
    with transaction(database) as tx:
        tx.connection.execute(_LOG, {"game_id": last.game_id, **columns})
        tx.connection.execute(
            update(Game)
            .where(Game.id == last.game_id)
            .values(msgspec.structs.asdict(last.position))
        )
