"""The page that proves the deal: commitments, the freeze record, and at the end the secrets."""

import hashlib

import msgspec

from engine.commitments import thaw
from webapp.accounts.person import Person, Viewer
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.play.access import LoadedGame, game_for
from webapp.play.queries import games, turn_log
from webapp.play.summaries import (
    Commitment,
    Head,
    SeatSummary,
    TableSummary,
    commitments_of,
    seat_summaries,
    table_summary,
)


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
