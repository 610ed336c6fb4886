"""A game to take away: the whole of it after its end, before that no more than its reader has seen."""

from datetime import datetime
from typing import Any, Final

import msgspec

from engine.fairness import Secrets, thaw
from engine.mine import Mine
from engine.record import Record, RecordedTurn, write_record
from engine.view import view_for
from engine.wire import decode_action, decode_events
from webapp.game_status import GameStatus
from webapp.services.accounts.person import Viewer
from webapp.services.errors import NotFound
from webapp.services.play.access import LoadedGame, game_for
from webapp.services.play.page_data import Export
from webapp.services.play.showing import name_of, told
from webapp.services.tx import Tx
from webapp.store.play import games, turn_log
from webapp.store.play.turns import TurnRow

_FORMAT: Final = "lodepost view 1"


def export(tx: Tx, slug: str, viewer: Viewer, *, now: datetime) -> Export:
    """The game file after the end; before it, what the asker may see, as JSON. Raises NotFound before the deal."""
    game, seat, _ = game_for(tx, slug, viewer, now=now)
    if not game.status.is_dealt:
        raise NotFound
    turns = turn_log.all_turns(tx.connection, game.row.id)
    if game.status == GameStatus.FINISHED:
        return Export(filename=f"{slug}.game", text=_whole(tx, game, turns), finished=True)
    return Export(filename=f"{slug}.json", text=_seen(game, seat, turns), finished=False)


def _whole(tx: Tx, game: LoadedGame, turns: list[TurnRow]) -> str:
    assert game.row.record is not None
    secret = games.secrets_of(tx.connection, game.row.id)
    record = Record(
        table=thaw(game.row.record),
        freeze=game.row.record,
        turns=tuple(map(_recorded, turns)),
        secrets=Secrets(
            gold=secret.gold,
            round_1=secret.round_1,
            round_2=secret.round_2,
            round_3=secret.round_3,
        ),
    )
    return write_record(record)


def _recorded(turn: TurnRow) -> RecordedTurn:
    return RecordedTurn(
        seat=turn.seat,
        by=turn.by,  # type: ignore[arg-type] # nothing else is ever written there
        action=None if turn.action is None else decode_action(turn.action),
        events=decode_events(turn.events),
    )


def _seen(game: LoadedGame, seat: int | None, turns: list[TurnRow]) -> str:
    seen = {
        "format": _FORMAT,
        "game": game.slug,
        "seats": [name_of(sitter) for sitter in game.row.seats],
        "view": view_for(game.state, seat),
        "history": told(turns, seat, opened=False),
    }
    return msgspec.json.format(msgspec.json.encode(seen, enc_hook=_laid)).decode() + "\n"


def _laid(value: Any) -> object:  # noqa: ANN401 - whatever JSON has no word for
    if isinstance(value, Mine):
        return {"laid": dict(value.laid)}
    raise NotImplementedError
