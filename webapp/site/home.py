"""The home page: the viewer's games by urgency, the archive of finished ones, and the tables that anyone may join."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from engine.mine import Mine
from engine.rulebooks.catalogue import RULEBOOKS
from engine.view import view_for
from engine.wire import STATE_FORMAT, decode_state, decode_winners
from webapp.accounts.person import Person, Viewer
from webapp.accounts.sessions import person_for
from webapp.kernel.database import is_storable
from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.play.lost_seats import returning_seat
from webapp.play.queries import games, results
from webapp.play.queries.results import OwnRecord, OwnResultFilter, OwnResultRow
from webapp.play.queries.rows import GameRow, SeatRow
from webapp.play.summaries import TableSummary, name_of, table_summary

GAMES_PER_PAGE: Final = 25
_YEAR_DIGITS: Final = 4
_IS_WON: Final = {"won": True, "lost": False}


class ArchivePage(Redacted, frozen=True, kw_only=True):
    games: tuple[OwnResultRow, ...]
    record: OwnRecord
    """What the games that the filter leaves add up to."""
    clubs: tuple[tuple[str, str], ...]
    """The clubs in which the viewer has finished games, as slugs and names."""
    next_before: str | None
    """The game after which the next page begins; None on the last one."""


_LIST_LIMIT: Final = 50
_FINISHED_LIMIT: Final = 3
"""The archive has all finished games."""
_NO_DEADLINE: Final = datetime.max.replace(tzinfo=UTC)


class MyGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game of the viewer, as the home page lists it."""

    table: TableSummary
    my_turn: bool
    """It is the viewer's turn and they don't hold it, or the table waits for the viewer to be ready."""
    held_until: datetime | None = None
    """When the turn that the viewer holds is played; None if they hold none."""
    is_seat_lost: bool = False
    """The viewer has missed too many turns: their seat is open, and they can take it back."""
    deadline_at: datetime | None
    waiting_for: str
    """The name of the player on turn; empty before the deal and after the end."""
    seq: int
    round: int
    i_won: bool
    """The viewer is the winner or one of the winners."""
    opponents: tuple[str, ...]
    """The names of the others at the table, in the order of their seats."""
    mine: Mine | None = None
    """The mine as everyone at the table sees it; None before the deal, and if this release cannot read the position."""
    other_winners: tuple[str, ...]
    """The names of all winners except the viewer; empty until the game is over."""


class HomePage(Redacted, frozen=True, kw_only=True):
    me: Person | None
    my_running_games: tuple[MyGame, ...]
    open_tables: tuple[TableSummary, ...]
    has_unlisted_tables: bool
    """Whether there may be more open tables than are listed."""
    finished_games: tuple[MyGame, ...]
    """The latest of them only."""


def home_page(tx: Tx, viewer: Viewer) -> HomePage:
    """Return the viewer's games, those that wait for the viewer first, and the tables that anyone may join."""
    me = viewer if isinstance(viewer, Person) else person_for(tx, viewer)
    account_id = None if me is None else me.id
    rows = games.find_listed(tx, account_id, limit=_LIST_LIMIT)
    own_rows = [row for row in rows if _is_own_game(row, account_id)]
    rows_to_join = [row for row in _newest_first(rows) if not _is_own_game(row, account_id)]
    running = (_my_game(row, account_id) for row in own_rows if not _is_finished(row))
    return HomePage(
        me=me,
        my_running_games=tuple(sorted(running, key=_urgency)),
        open_tables=tuple(map(table_summary, rows_to_join)),
        has_unlisted_tables=_may_have_more(rows_to_join),
        finished_games=tuple(
            _my_game(row, account_id)
            for row in [row for row in _newest_first(own_rows) if _is_finished(row)][
                :_FINISHED_LIMIT
            ]
        ),
    )


def next_slug(tx: Tx, viewer: Viewer, *, after: str = "") -> str | None:
    """Return the game that waits for the viewer and has the least time left; None if there is none.

    With ``after``, a game that the viewer leaves for later, it is the one that is listed behind that game.
    """
    page = home_page(tx, viewer)
    slugs = [game.table.slug for game in page.my_running_games if game.my_turn]
    later_slugs = slugs[slugs.index(after) + 1 :] if after in slugs else slugs
    return next(iter(later_slugs), None)


def _may_have_more(rows: Sequence[GameRow]) -> bool:
    """Return whether the list of open tables is as long as it can be, of all hosts together or of one."""
    counts = Counter(row.host_id for row in rows if row.public)
    return len(rows) >= _LIST_LIMIT or games.MAX_LISTED_TABLES_OF_HOST in counts.values()


def _is_own_game(row: GameRow, account_id: int | None) -> bool:
    return (
        row.is_hosted_by(account_id)
        or row.seat_of(account_id) is not None
        or returning_seat(row, account_id) is not None
    )


def _is_finished(row: GameRow) -> bool:
    return row.status.is_over


def _newest_first(rows: Iterable[GameRow]) -> list[GameRow]:
    return sorted(rows, key=lambda row: (row.opened_at, row.id), reverse=True)


def _my_game(row: GameRow, account_id: int | None) -> MyGame:
    my_seat, winners = row.seat_of(account_id), _winner_rows(row)
    awaited_seat = None if row.awaiting is None else row.seats[row.awaiting]
    held_until = _held_until(row, account_id)
    return MyGame(
        table=table_summary(row),
        my_turn=held_until is None and _waits_for(row, my_seat),
        held_until=held_until,
        is_seat_lost=returning_seat(row, account_id) is not None,
        deadline_at=None if row.status == GameStatus.PAUSED else row.deadline_at,
        waiting_for="" if awaited_seat is None else name_of(awaited_seat),
        seq=row.seq,
        round=row.round,
        i_won=my_seat in winners,
        opponents=tuple(
            name_of(seat) for seat in row.seats if seat != my_seat and not seat.is_free
        ),
        mine=_mine(row),
        other_winners=tuple(name_of(seat) for seat in winners if seat != my_seat),
    )


def _mine(row: GameRow) -> Mine | None:
    """Return the mine as an onlooker sees it."""
    if row.state is None or row.state_format != STATE_FORMAT:
        return None
    try:
        return view_for(decode_state(row.state), None).mine
    except msgspec.DecodeError:
        return None


def _winner_rows(row: GameRow) -> tuple[SeatRow, ...]:
    """Return the winning seats of a finished game; empty if this release cannot read its snapshot."""
    if row.status != GameStatus.FINISHED or row.state is None or row.state_format != STATE_FORMAT:
        return ()
    try:
        return tuple(row.seats[number] for number in decode_winners(row.state))
    except msgspec.DecodeError:
        # One damaged snapshot must not take the list of all other games away; the audit rebuilds it.
        return ()


def _waits_for(row: GameRow, seat: SeatRow | None) -> bool:
    if seat is None or row.status == GameStatus.PAUSED or row.status.is_over:
        return False
    if row.status == GameStatus.READY_CHECK:
        return not seat.is_ready
    return row.awaiting == seat.number


def _held_until(row: GameRow, account_id: int | None) -> datetime | None:
    held_turn = row.clock.held_turn
    if held_turn is None or held_turn.account_id != account_id:
        return None
    return held_turn.due_at


def _urgency(game: MyGame) -> tuple[bool, bool, datetime, str]:
    """Sort first the games that wait for the viewer, among them those that someone else may enter instead; tables before the deal come last."""
    is_urgent = game.my_turn or game.is_seat_lost
    is_in_lobby = game.table.status.is_before_deal and not is_urgent
    return not is_urgent, is_in_lobby, game.deadline_at or _NO_DEADLINE, game.table.slug


def archive_page(
    tx: Tx, person: Person, query: Mapping[str, str | None], *, before: str | None
) -> ArchivePage:
    """Return a page of the person's finished games. A game ``before`` that is not theirs leads to an empty page."""
    result_filter = _filter_from(query)
    rows = results.own_results(
        tx,
        person.id,
        result_filter,
        before=before if before is None or is_storable(before) else "",
        limit=GAMES_PER_PAGE + 1,
    )
    games = rows[:GAMES_PER_PAGE]
    return ArchivePage(
        games=games,
        record=results.own_record(tx, person.id, result_filter),
        clubs=results.clubs_of_results(tx, person.id),
        next_before=games[-1].slug if len(rows) > GAMES_PER_PAGE else None,
    )


def _filter_from(query: Mapping[str, str | None]) -> OwnResultFilter:
    """Return the filter of an address; what means nothing filters nothing."""
    club, rulebook, year = (query.get(name) or "" for name in ("club", "rulebook", "year"))
    is_year = year.isascii() and year.isdigit() and len(year) == _YEAR_DIGITS
    return OwnResultFilter(
        opponent=_storable(query.get("opponent")),
        club=club if club.isascii() and club.isalnum() else None,
        rulebook=rulebook if rulebook in RULEBOOKS else None,
        is_won=_IS_WON.get(query.get("result") or ""),
        year=int(year) if is_year else None,
    )


def _storable(name: str | None) -> str | None:
    """Return a name without what Postgres rejects."""
    if name is None:
        return None
    return name.replace("\0", "").encode("utf-8", "ignore").decode()
