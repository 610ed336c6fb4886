"""Games that are old already: played up to a turn at once, or given a log longer than any real game's."""

import random
from itertools import islice

import msgspec
from sqlalchemy import text, update

from bench.shared.games import Actions, PreparedGame, PreparedTurn, load_game, prepared_turns
from engine.actions import Action, Discard, Lay
from engine.wire import encode_state
from tests.support.transactions import transaction
from webapp.kernel.tx import Database
from webapp.play.queries.turns import GameUpdate, TurnRow
from webapp.play.schema import Game

_TURN_COLUMNS = {
    "seq": "integer",
    "seat": "smallint",
    "by": "text",
    "action": "bytea",
    "events": "bytea",
    "head": "bytea",
    "at": "timestamptz",
}
_COLUMN_ARRAYS = ", ".join(f"CAST(:{name}_ AS {kind}[])" for name, kind in _TURN_COLUMNS.items())
_INSERT_TURNS = text(
    f"INSERT INTO turn (game_id, {', '.join(_TURN_COLUMNS)}) SELECT :game_id, * FROM unnest({_COLUMN_ARRAYS})"
)


def play_up_to(
    database: Database,
    table: PreparedGame,
    chance: random.Random,
    *,
    last_turn: int,
    extra_turns: int,
) -> list[PreparedTurn]:
    """Store a game up to ``last_turn`` and return the ``extra_turns`` after it; empty, with nothing stored, if the game is shorter."""
    turns = list(
        islice(
            prepared_turns(load_game(database, table), table, chance, actions_that_prolong_rounds),
            last_turn + extra_turns,
        )
    )
    updates = [turn.game_update for turn in turns[:last_turn]]
    if len(turns) < last_turn + extra_turns:
        return []
    _store_game(
        database, updates[-1], [row for game_update in updates for row in game_update.turns]
    )
    return turns[last_turn:]


def actions_that_prolong_rounds(choices: Actions) -> Actions:
    """Return the actions that are no discard and stay away from the goals, or all: rounds then last as long as the cards (E13)."""
    slow_choices = [
        action
        for action in choices
        if not isinstance(action, Discard) and _is_far_from_goals(action)
    ]
    return slow_choices or choices


def _is_far_from_goals(action: Action) -> bool:
    return not isinstance(action, Lay) or action.cell[0] in "-ABCDE"


def next_turns_of_extended_game(
    database: Database,
    table: PreparedGame,
    chance: random.Random,
    *,
    last_turn: int,
    extra_turns: int,
) -> list[PreparedTurn]:
    """Store a game's first turns repeatedly up to ``last_turn`` without changing its position, and return the turns after it."""
    game = load_game(database, table)
    turns = list(islice(prepared_turns(game, table, chance), 50))
    rows = [row for turn in turns for row in turn.game_update.turns]
    turn_log = [
        msgspec.structs.replace(rows[number % len(rows)], seq=number)
        for number in range(1, last_turn + 1)
    ]
    state = encode_state(msgspec.structs.replace(game.state, seq=last_turn))
    first_update = turns[0].game_update
    position_fields = {
        name: getattr(game.row, name, None) for name in first_update.position.__struct_fields__
    }
    position_fields |= {
        "seq": last_turn,
        "turn_seq": last_turn,
        "state": state,
        "awaiting_bot": False,
    }
    position = msgspec.structs.replace(first_update.position, **position_fields)
    _store_game(database, msgspec.structs.replace(first_update, position=position), turn_log)
    return list(islice(prepared_turns(load_game(database, table), table, chance), extra_turns))


def _store_game(database: Database, last_update: GameUpdate, log: list[TurnRow]) -> None:
    columns = {f"{name}_": [getattr(row, name) for row in log] for name in _TURN_COLUMNS}
    with transaction(database) as tx:
        tx.execute(_INSERT_TURNS, {"game_id": last_update.game_id, **columns})
        tx.execute(
            update(Game)
            .where(Game.id == last_update.game_id)
            .values(**msgspec.structs.asdict(last_update.position), head=log[-1].head)
        )
