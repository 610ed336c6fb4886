"""What pages show. Everything secret stays behind this module: what it gives is for one reader, built field by field."""

import hashlib
from datetime import datetime
from typing import Final

from engine.fairness import LABELS, thaw
from engine.view import legal_actions, view_for
from webapp.game_status import GameStatus
from webapp.services.accounts.person import Person, Viewer
from webapp.services.errors import NotFound
from webapp.services.play.access import LoadedGame, game_for, state_from_log
from webapp.services.play.page_data import (
    FairnessPage,
    HistoryPage,
    Opened,
    Salt,
    TablePage,
)
from webapp.services.play.showing import (
    commitments_of,
    own_last,
    seat_cards,
    since_own,
    table_card,
    told,
)
from webapp.services.tx import Tx
from webapp.store.play import games, turn_log
from webapp.store.play.turn_log import Asked

_LATEST: Final = 20


def table_page(tx: Tx, game: LoadedGame, seat: int | None, me: Person | None) -> TablePage:
    view = view_for(game.state, seat)
    [turns] = turn_log.news(tx.connection, [Asked(game.row.id, seat, game.seq - _LATEST)])
    over = game.status == GameStatus.FINISHED
    since = since_own(turns, seat) if seat is not None else turns[-_LATEST:]
    own = told(own_last(turns, seat), seat, opened=over)
    return TablePage(
        me=me,
        seat=seat,
        table=table_card(game.row),
        seats=seat_cards(game.row, me=seat, gone=view.gone),
        view=view,
        menu=tuple(legal_actions(view)),
        since=told(since, seat, opened=over),
        own=own[0] if own else None,
        turn_started_at=None if over else game.row.turn_started_at,
        deadline_at=game.row.deadline_at,
    )


def history_page(
    tx: Tx, slug: str, viewer: Viewer, *, until: int | None = None, now: datetime
) -> HistoryPage:
    """Every turn up to ``until``, and the table as the reader saw it then. Raises NotFound, also for a turn that was not."""
    game, seat, me = game_for(tx, slug, viewer, now=now)
    stop = game.seq if until is None else until
    if not game.status.is_dealt or not 0 <= stop <= game.seq:
        raise NotFound
    turns = [turn for turn in turn_log.all_turns(tx.connection, game.row.id) if turn.seq <= stop]
    return HistoryPage(
        me=me,
        seat=seat,
        table=table_card(game.row),
        seats=seat_cards(game.row, me=seat),
        told=told(turns, seat, opened=game.status == GameStatus.FINISHED),
        view=view_for(state_from_log(game.row, turns), seat),
        until=stop,
        newest=game.seq,
    )


def fairness_page(tx: Tx, slug: str, viewer: Viewer, *, now: datetime) -> FairnessPage:
    """What proves the deal: commitments, the frozen record, and at the end the secrets. Raises NotFound."""
    game, seat, me = game_for(tx, slug, viewer, now=now)
    record = game.row.record
    return FairnessPage(
        me=me,
        seat=seat,
        table=table_card(game.row),
        seats=seat_cards(game.row, me=seat),
        commitments=commitments_of(game.row),
        record=record,
        salts=_salts(record),
        record_digest=None if record is None else hashlib.sha256(record).hexdigest(),
        opened=_opened(tx, game) if game.status.is_over else (),
    )


def _salts(record: bytes | None) -> tuple[Salt, ...]:
    if record is None:
        return ()
    return tuple(Salt(seat.name, seat.salt.decode()) for seat in thaw(record).seats)


def _opened(tx: Tx, game: LoadedGame) -> tuple[Opened, ...]:
    secret = games.secrets_of(tx.connection, game.row.id)
    drawn = (secret.gold, secret.round_1, secret.round_2, secret.round_3)
    return tuple(map(Opened, LABELS, map(bytes.hex, drawn)))
