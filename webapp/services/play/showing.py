"""From rows to what a reader may see of them."""

from collections.abc import Iterable, Sequence

import msgspec

from engine.fairness import LABELS
from engine.rulebook import HouseRules
from engine.story import narrate
from engine.wire import decode_events
from webapp.services.play.cards import By, Commitment, HistoryEntry, SeatSummary, TableSummary
from webapp.store.play.rows import GameRow, SeatRow
from webapp.store.play.turn_log import BY_PERSON
from webapp.store.play.turns import TurnRow


def table_summary(row: GameRow) -> TableSummary:
    return TableSummary(
        slug=row.slug,
        rulebook=row.rulebook,
        house=house_of(row),
        seats=row.seat_count,
        taken=sum(not seat.is_free for seat in row.seats),
        allowance=row.allowance,
        public=row.public,
        host=_host_of(row),
        status=row.status,
        opened_at=row.opened_at,
        starter=row.starter,
    )


def seat_summaries(
    row: GameRow, *, me: int | None, gone: Sequence[int] = ()
) -> tuple[SeatSummary, ...]:
    """The seats as everybody sees them; ``me`` is the reader's own."""
    return tuple(_seat_card(seat, row, me, gone) for seat in row.seats)


def commitments_of(row: GameRow) -> tuple[Commitment, ...]:
    return tuple(map(Commitment, LABELS, row.commitments.split()))


def house_of(row: GameRow) -> HouseRules:
    return msgspec.convert(row.house, HouseRules)


def name_of(seat: SeatRow) -> str:
    """The public name of whoever sits here; empty for a free seat."""
    return seat.bot or seat.name or ""


def names_at(row: GameRow, *, joining: int | None = None) -> tuple[str, ...]:
    """The names borne at a table; the one it is called by too, unless its host is who is ``joining``."""
    seated = tuple(name_of(seat) for seat in row.seats if not seat.is_free)
    return seated if row.is_hosted_by(joining) else (*seated, _host_of(row))


def told(turns: Iterable[TurnRow], seat: int | None, *, opened: bool) -> tuple[HistoryEntry, ...]:
    """Turns as this seat may hear them; ``opened`` tells all, once the game has ended."""
    return tuple(_told(turn, seat, opened=opened) for turn in turns)


def since_own(turns: Sequence[TurnRow], seat: int | None) -> Sequence[TurnRow]:
    """The turns after the last one at which this seat's person looked on."""
    last = max((turn.seq for turn in own_last(turns, seat)), default=-1)
    return [turn for turn in turns if turn.seq > last]


def own_last(turns: Sequence[TurnRow], seat: int | None) -> Sequence[TurnRow]:
    """The last turn at which this seat's person looked on, if it is one of these, which are in order."""
    own = [turn for turn in turns if turn.seat == seat and turn.by in BY_PERSON]
    return own[-1:] if seat is not None else ()


def _host_of(row: GameRow) -> str:
    """Whose table it is, in one word for ever: mail programs thread by the subject that names it."""
    if row.host_name is not None:
        return row.host_name
    seat = row.seat_of(row.host_id)
    return row.host if seat is None else name_of(seat)


def _seat_card(seat: SeatRow, row: GameRow, me: int | None, gone: Sequence[int]) -> SeatSummary:
    return SeatSummary(
        number=seat.number,
        name=name_of(seat),
        is_bot=seat.bot is not None,
        is_me=seat.number == me,
        is_free=seat.is_free,
        is_ready=seat.ready,
        has_salt=bool(seat.salt),
        is_gone=seat.number in gone,
        is_awaited=seat.number == row.awaiting,
    )


def _told(turn: TurnRow, seat: int | None, *, opened: bool) -> HistoryEntry:
    events = decode_events(turn.events)
    return HistoryEntry(
        seq=turn.seq,
        seat=turn.seat,
        by=_told_by(turn, seat, opened=opened),
        # To the second: what follows within one would tell how long a bot thought, and so with which role.
        at=turn.at.replace(microsecond=0),
        lines=tuple(line for event in events for line in narrate(event, seat, reveal_all=opened)),
    )


def _told_by(turn: TurnRow, seat: int | None, *, opened: bool) -> By:
    """What somebody left to a plan is nobody else's business before the end; others hear of the player's own turn."""
    is_hidden = turn.by == "plan" and turn.seat != seat and not opened
    return "player" if is_hidden else turn.by  # type: ignore[return-value] # nothing else is ever written there
