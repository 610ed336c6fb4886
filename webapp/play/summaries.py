"""Tables and seats as everyone who may see a table sees them: in the lobby, on the table page and in emails."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from engine.commitments import SECRET_LABELS
from engine.rulebook import HouseRules
from webapp.clock.pace.calendar import away_until
from webapp.clock.pace.pace import LateRules, Pace, bank_of
from webapp.kernel.game_status import GameStatus
from webapp.play.queries.rows import ClubLabel, GameRow, SeatRow


class TableSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a table and how far it has come."""

    slug: str
    rulebook: str
    house: HouseRules
    seats: int
    taken: int
    pace: Pace
    public: bool
    host: str
    """The host's name as of the opening of the table; it never changes, so that players recognise the table in the subjects of emails."""
    status: GameStatus
    opened_at: datetime
    starter: int | None
    """The seat that starts round one; None leaves it to chance (R6)."""
    club: ClubLabel | None = None
    """The club of the table, if the viewer is one of its members."""
    late_rules: LateRules = LateRules()
    table_name: str = ""
    """What the host called the table as they opened it; empty for the usual name. It never changes either, except that a moderator can remove it."""


class SeatSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A seat as everyone sees it; ``is_me`` marks the viewer's own."""

    number: int
    name: str
    is_bot: bool
    is_me: bool
    is_free: bool
    is_ready: bool
    has_salt: bool
    is_gone: bool
    is_awaited: bool
    bot_level: str | None = None
    """How well the bot plays; None for people and free seats."""
    away_until: datetime | None = None
    """The time until which the person is away; others are shown the day. None if they are there."""
    bank: timedelta = timedelta(0)
    """What was in the time bank as the present or latest turn began; nothing for bots and free seats."""


class Commitment(msgspec.Struct, frozen=True):
    """The hash of a secret that was drawn before anyone sat down, in hexadecimal."""

    label: str
    digest: str


class Head(msgspec.Struct, frozen=True):
    """The head of the chain of turns: what players compare with the record of the finished game. It reveals nothing."""

    seq: int
    """The last turn that it covers."""
    digest: str
    """The head in hexadecimal."""


def table_summary(row: GameRow) -> TableSummary:
    return TableSummary(
        slug=row.slug,
        rulebook=row.rulebook,
        house=msgspec.convert(row.house, HouseRules),
        seats=row.seat_count,
        taken=sum(not seat.is_free for seat in row.seats),
        pace=row.pace,
        public=row.public,
        host=row.host_name,
        table_name=row.table_name,
        status=row.status,
        opened_at=row.opened_at,
        starter=row.starter,
        late_rules=row.late_rules,
        club=row.club_of_viewer,
    )


def seat_summaries(
    row: GameRow, *, me: int | None, gone: Sequence[int] = (), now: datetime | None = None
) -> tuple[SeatSummary, ...]:
    """Return the seats of a game; ``me`` is the viewer's own, ``gone`` are those given up.

    Who is away now is only for those who sit there; without ``now`` it stays unknown.
    """
    seats = tuple(_seat_summary(seat, row, me, gone) for seat in row.seats)
    if now is None or row.status.is_over:
        return seats
    return tuple(
        msgspec.structs.replace(summary, away_until=away_until(seat.away or (), now))
        for summary, seat in zip(seats, row.seats, strict=True)
    )


def commitments_of(row: GameRow) -> tuple[Commitment, ...]:
    return tuple(map(Commitment, SECRET_LABELS, row.commitments.split()))


def head_of(row: GameRow) -> Head:
    """Return the present head of a game that was dealt."""
    assert row.head is not None
    return Head(row.seq, row.head.hex())


def name_of(seat: SeatRow) -> str:
    """Return the public name of the player or bot in this seat, or "" for a free seat."""
    return seat.bot_name or seat.name or ""


def names_at(row: GameRow, *, joining_account_id: int | None = None) -> tuple[str, ...]:
    """Return the names in use at a table, including its host's, unless the host is the one who joins."""
    seated_names = tuple(name_of(seat) for seat in row.seats if not seat.is_free)
    return seated_names if row.is_hosted_by(joining_account_id) else (*seated_names, row.host_name)


def _seat_summary(seat: SeatRow, row: GameRow, me: int | None, gone: Sequence[int]) -> SeatSummary:
    return SeatSummary(
        number=seat.number,
        name=name_of(seat),
        is_bot=seat.is_bot,
        is_me=seat.number == me,
        is_free=seat.is_free,
        is_ready=seat.is_ready,
        has_salt=bool(seat.salt),
        is_gone=seat.number in gone,
        is_awaited=seat.number == row.awaiting,
        bot_level=seat.bot_level,
        bank=bank_of(seat.bank, row.pace) if seat.account_id is not None else timedelta(0),
    )
