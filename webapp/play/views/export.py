"""The download of a game: all of it once it is finished, and before that only what the viewer may know."""

from typing import Any, Final

import msgspec

from engine.commitments import thaw
from engine.mine import Mine
from engine.record import Record, write_record
from webapp.accounts.person import Viewer
from webapp.kernel.errors import NotInGame
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.play.access import LoadedGame, game_for
from webapp.play.history import history_for
from webapp.play.plans import plan_of
from webapp.play.queries import games, turn_log
from webapp.play.queries.turns import TurnRow
from webapp.play.summaries import name_of
from webapp.play.turns.turn_rows import recorded_turn

_VIEW_FORMAT: Final = "lodepost view 1"


class Export(Redacted, frozen=True, kw_only=True):
    filename: str
    text: str


def export(tx: Tx, slug: str, viewer: Viewer) -> Export:
    """Return a game that is over as a game file, and one under way as JSON of what the viewer may know.

    Raises NotFound, and NotInGame before the deal.
    """
    game, seat, _ = game_for(tx, slug, viewer)
    if not game.is_dealt:
        raise NotInGame
    turns = turn_log.all_turns(tx, game.row.id)
    if game.is_revealed:
        return Export(filename=f"{slug}.game", text=_game_file_text(tx, game, turns))
    return Export(filename=f"{slug}.json", text=_known_game_json(game, seat, turns))


def _game_file_text(tx: Tx, game: LoadedGame, turns: list[TurnRow]) -> str:
    assert game.row.freeze_record is not None
    record = Record(
        table=thaw(game.row.freeze_record),
        freeze=game.row.freeze_record,
        turns=tuple(map(recorded_turn, turns)),
        secrets=games.secrets_of(tx, game.row.id).secrets(),
        head=turns[-1].head.hex(),
    )
    return write_record(record)


def _known_game_json(game: LoadedGame, seat: int | None, turns: list[TurnRow]) -> str:
    plan = None if seat is None else plan_of(game.plans, seat, game.row.seats)
    held_turn = game.row.clock.held_turn
    known_facts = {
        "format": _VIEW_FORMAT,
        "game": game.slug,
        "pace": game.row.pace,
        "seats": [name_of(seat_row) for seat_row in game.row.seats],
        "view": game.view(seat),
        "turn": game.seq,
        "head": turns[-1].head.hex(),
        "history": history_for(turns, seat, reveal_all=False),
        "plan": None if plan is None else plan.plan,
        "held_turn": held_turn.action if held_turn is not None and held_turn.seat == seat else None,
    }
    return (
        msgspec.json.format(msgspec.json.encode(known_facts, enc_hook=_encode_unsupported)).decode()
        + "\n"
    )


def _encode_unsupported(value: Any) -> object:  # noqa: ANN401 - any type that JSON lacks
    if isinstance(value, Mine):
        return {"laid": dict(value.laid)}
    raise NotImplementedError
