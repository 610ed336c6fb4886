"""The page that proves the deal: commitments, the freeze record, and at the end the secrets; and the file of a game, which anyone can verify."""

import hashlib
from typing import Any, Final

import msgspec

from engine.commitments import thaw
from engine.mine import Mine
from engine.record import Record, write_record
from webapp.accounts.person import Person, Viewer
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import NotInGame
from webapp.kernel.tx import Tx
from webapp.play.access import LoadedGame, game_for
from webapp.play.history import history_for
from webapp.play.plans import plan_of
from webapp.play.queries import games, turn_log
from webapp.play.queries.turns import TurnRow
from webapp.play.summaries import (
    Commitment,
    Head,
    SeatSummary,
    TableSummary,
    commitments_of,
    name_of,
    seat_summaries,
    table_summary,
)
from webapp.play.turns.turns import recorded_turn

_VIEW_FORMAT: Final = "lodepost view 1"


class Export(Redacted, frozen=True, kw_only=True):
    filename: str
    text: str


class RevealedSecret(Redacted, frozen=True):
    """A secret of the deal, in hexadecimal, revealed because the game is over."""

    label: str
    secret: str


class Salt(msgspec.Struct, frozen=True):
    """The words that a player added to the shuffles; public once they are frozen."""

    name: str
    words: str


class FairnessPage(Redacted, frozen=True, kw_only=True):
    me: Person | None
    seat: int | None
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    commitments: tuple[Commitment, ...]
    record: bytes | None
    """The freeze record; None before the deal."""
    salts: tuple[Salt, ...]
    """What each seat added to the shuffles, as the freeze record has it; empty before the deal."""
    record_digest: str | None
    """SHA-256 of the freeze record, in hexadecimal."""
    heads: tuple[Head, ...]
    """The head of the chain after every turn, the latest first; empty before the deal."""
    secrets: tuple[RevealedSecret, ...]
    """Empty until the game is finished or cancelled."""


def fairness_page(tx: Tx, slug: str, viewer: Viewer) -> FairnessPage:
    """Return everything by which a viewer can check the deal. Raises NotFound."""
    game, seat, person = game_for(tx, slug, viewer)
    record = game.row.freeze_record
    return FairnessPage(
        me=person,
        seat=seat,
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat),
        commitments=commitments_of(game.row),
        record=record,
        salts=_salts(record),
        record_digest=None if record is None else hashlib.sha256(record).hexdigest(),
        heads=_latest_heads(tx, game) if game.is_dealt else (),
        secrets=_revealed_secrets(tx, game) if game.status.is_over else (),
    )


def _salts(record: bytes | None) -> tuple[Salt, ...]:
    if record is None:
        return ()
    return tuple(Salt(seat.name, seat.salt.decode()) for seat in thaw(record).seats)


def _latest_heads(tx: Tx, game: LoadedGame) -> tuple[Head, ...]:
    heads = enumerate(turn_log.heads(tx, game.row.id))
    return tuple(Head(seq, head.hex()) for seq, head in heads)[::-1]


def _revealed_secrets(tx: Tx, game: LoadedGame) -> tuple[RevealedSecret, ...]:
    secrets = games.secrets_of(tx, game.row.id).secrets()
    return tuple(
        RevealedSecret(label, secret.hex()) for label, secret in secrets.by_label().items()
    )


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
