"""What a player may know of the people of a game: who else sits there, and who sat in each seat when."""

import msgspec

from webapp.accounts import blocks
from webapp.accounts.person import Person
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess, LoadedGame
from webapp.play.queries import changes
from webapp.play.queries.changes import FormerSitting
from webapp.play.queries.rows import GameRow
from webapp.play.summaries import TableSummary, name_of, table_summary


class SeatHistory(msgspec.Struct, frozen=True, kw_only=True):
    """Who had a seat before the player who has it now, in order."""

    seat: int
    former_sittings: tuple[FormerSitting, ...]
    name: str
    """The player who has it now."""
    is_open: bool


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


def _other_account(game: LoadedGame, seat: int, person: Person | None) -> int | None:
    """Return the account in this seat, unless it is the person's own, a bot's or a deleted one."""
    if not 0 <= seat < len(game.row.seats):
        return None
    row = game.row.seats[seat]
    is_own = person is not None and row.account_id == person.id
    return None if is_own or not row.name else row.account_id
