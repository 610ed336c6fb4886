"""What someone who has just taken over a seat needs to know: exactly what the seat has seen, and who sits where since when."""

from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from engine.cards import Card
from engine.narration import Line, LineKey
from engine.view import View
from webapp.accounts import blocks
from webapp.accounts.person import Person, Viewer
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess, LoadedGame, game_for
from webapp.play.history import HistoryEntry, history_for
from webapp.play.queries import changes, turn_log
from webapp.play.queries.changes import FormerSitting
from webapp.play.queries.rows import GameRow
from webapp.play.summaries import SeatSummary, TableSummary, name_of, seat_summaries, table_summary


class SeatHistory(msgspec.Struct, frozen=True, kw_only=True):
    """Who had a seat before the player who has it now, in order."""

    seat: int
    former_sittings: tuple[FormerSitting, ...]
    name: str
    """The player who has it now."""
    is_open: bool


class BriefingPage(Redacted, frozen=True, kw_only=True):
    """The game as the viewer's seat knows it; nothing of it comes from another seat."""

    me: Person
    seat: int
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    view: View
    discards: tuple[Card, ...]
    """The cards that the seat has discarded in this round, oldest first."""
    seat_histories: tuple[SeatHistory, ...]
    """The seats that have changed hands."""
    deadline_at: datetime | None
    """None while the game is paused, or waits for a bot."""


def briefing_page(tx: Tx, slug: str, viewer: Viewer) -> BriefingPage:
    """Return the briefing of the viewer's seat. Raises NotFound without one, and before the deal."""
    game, seat, person = game_for(tx, slug, viewer)
    if seat is None or person is None or not game.is_dealt:
        raise NotFound
    view = game.view(seat)
    turns = turn_log.all_turns(tx, game.row.id)
    entries = history_for(turns, seat, reveal_all=False)
    return BriefingPage(
        me=person,
        seat=seat,
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat, gone=view.gone),
        view=view,
        discards=discards_of_round(entries),
        seat_histories=seat_histories(tx, game.row),
        deadline_at=None if game.row.paused_at else game.row.deadline_at,
    )


def seat_histories(tx: Tx, row: GameRow) -> tuple[SeatHistory, ...]:
    """Return who sat when in the seats that have changed hands."""
    sittings = changes.sittings_of(tx, row.id)
    return tuple(
        SeatHistory(
            seat=number,
            former_sittings=tuple(former_sittings),
            name=name_of(row.seats[number]),
            is_open=row.seats[number].is_free,
        )
        for number, former_sittings in sittings.items()
    )


def discards_of_round(entries: Sequence[HistoryEntry]) -> tuple[Card, ...]:
    """Return the cards that this seat, whose history it is, has discarded since the last deal."""
    discards: list[Card] = []
    for line in _lines(entries):
        if line.key is LineKey.ROUND_DEALT:
            discards.clear()
        elif line.key is LineKey.CARD_DISCARDED and line.card is not None:
            discards.append(line.card)
    return tuple(discards)


def _lines(entries: Iterable[HistoryEntry]) -> list[Line]:
    return [line for entry in entries for line in entry.lines]


class OtherPlayer(msgspec.Struct, frozen=True, kw_only=True):
    """A person in a seat who is not the viewer."""

    seat: int
    name: str


class PlayersPage(msgspec.Struct, frozen=True, kw_only=True):
    table: TableSummary
    others: tuple[OtherPlayer, ...]
    seat_histories: tuple[SeatHistory, ...]
    """The seats that have changed hands."""


def players_page(tx: Tx, access: GameAccess) -> PlayersPage:
    """Return the other people at the table, without bots and deleted accounts, and who sat in each seat when."""
    other_players = tuple(
        OtherPlayer(seat=seat.number, name=name_of(seat))
        for seat in access.game.row.seats
        if _other_account(access.game, seat.number, access.person) is not None
    )
    return PlayersPage(
        table=table_summary(access.game.row),
        others=other_players,
        seat_histories=seat_histories(tx, access.game.row),
    )


def block_player(tx: Tx, game: LoadedGame, person: Person, seat: int) -> str:
    """Block the person in this seat and return their name at the table. Raises NotFound if there is no other person."""
    account_id = _other_account(game, seat, person)
    if account_id is None:
        raise NotFound
    name = name_of(game.row.seats[seat])
    blocks.block_account(tx, person, account_id, name=name)
    return name


def _other_account(game: LoadedGame, seat: int, person: Person | None) -> int | None:
    """Return the account in this seat, unless it is the person's own, a bot's or a deleted one."""
    if not 0 <= seat < len(game.row.seats):
        return None
    row = game.row.seats[seat]
    is_own = person is not None and row.account_id == person.id
    return None if is_own or not row.name else row.account_id
