"""The page of a game that is running or finished, built field by field for one viewer."""

from datetime import datetime
from typing import Final

from engine.actions import Action
from engine.view import View, legal_actions, view_for
from webapp.game_status import GameStatus
from webapp.services.accounts.person import Person
from webapp.services.play.access import GameAccess
from webapp.services.play.history import (
    HistoryEntry,
    history_for,
    last_own_turn,
    turns_since_own,
)
from webapp.services.play.summaries import (
    SeatSummary,
    TableSummary,
    seat_summaries,
    table_summary,
)
from webapp.services.tx import Tx
from webapp.store.play import turn_log
from webapp.store.play.turn_log import TurnsWanted
from webapp.store.redacted import Redacted

_LATEST_TURNS: Final = 20


class TablePage(Redacted, frozen=True, kw_only=True):
    """A running or finished game as one seat or an onlooker may see it."""

    me: Person | None
    seat: int | None
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    menu: tuple[Action, ...]
    """Everything the viewer may do now; empty unless the game waits for the viewer."""
    since_own: tuple[HistoryEntry, ...]
    """The turns after the viewer's own last turn, oldest first; for an onlooker the latest turns."""
    own: HistoryEntry | None
    """The viewer's own last turn, unless it lies too many turns back."""
    turn_started_at: datetime | None
    deadline_at: datetime | None
    """None while a bot is on turn, and once the game is over."""


def table_page(tx: Tx, access: GameAccess) -> TablePage:
    game, seat, person = access
    view = view_for(game.state, seat)
    wanted = TurnsWanted(game.row.id, seat, game.seq - _LATEST_TURNS)
    [turns] = turn_log.recent_turns(tx.connection, [wanted])
    since = turns_since_own(turns, seat) if seat is not None else turns[-_LATEST_TURNS:]
    own = last_own_turn(turns, seat)
    over = game.status == GameStatus.FINISHED
    return TablePage(
        me=person,
        seat=seat,
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat, gone=view.gone),
        view=view,
        menu=tuple(legal_actions(view)),
        since_own=history_for(since, seat, reveal_all=over),
        own=None if own is None else history_for([own], seat, reveal_all=over)[0],
        turn_started_at=None if over else game.row.turn_started_at,
        deadline_at=game.row.deadline_at,
    )
