"""Games whose players miss turns: the rules of their tables, and sweeps that play for them."""

from datetime import datetime, timedelta

import msgspec
from sqlalchemy import select, update

from tests.support.calls import sweep_with_calls_sent
from tests.support.factories import DAY, Guest, stored_game
from tests.support.transactions import NOON, pick_first, transaction
from webapp.clock.pace.pace import LateRules, ReplacementPolicy, late_rules_json
from webapp.clock.sweep import SweepResult
from webapp.kernel.tx import Database
from webapp.lobby.open_seats import take_open_seat
from webapp.mail.schema import Notification
from webapp.play.schema import Game


def set_late_rules(
    database: Database,
    slug: str,
    *,
    limit: int = 1,
    replacement: ReplacementPolicy = "volunteers",
    absence_cap: timedelta | None = None,
    lowest_reliability: int = 0,
) -> None:
    """Let seats open after so many missed turns; with a cap, absences stop the clock for as long."""
    rules = LateRules(
        strikes_until_open=limit, replacement=replacement, lowest_reliability=lowest_reliability
    )
    if absence_cap is not None:
        rules = msgspec.structs.replace(rules, absence="stop", absence_cap=absence_cap)
    with transaction(database) as tx:
        values = {"late_rules": late_rules_json(rules)}
        tx.execute(update(Game).where(Game.slug == slug).values(values))


def make_public(database: Database, slug: str) -> None:
    """Let everyone see this table."""
    with transaction(database) as tx:
        tx.execute(update(Game).where(Game.slug == slug).values(public=True))


def sweep_at(database: Database, now: datetime) -> SweepResult:
    """Sweep after every player has been called to their turn."""
    with transaction(database) as tx:
        return sweep_with_calls_sent(tx, now=now, random_below=pick_first, limit=200)


def miss_turn(database: Database, slug: str, guest: Guest) -> datetime:
    """Let the clock play for the person on turn, and return when."""
    deadline_at = stored_game(database, slug, guest).row.deadline_at
    assert deadline_at is not None
    sweep_at(database, deadline_at)
    return deadline_at


def let_time_run_out(database: Database, slug: str, *, now: datetime = NOON) -> None:
    """Let the clock play in one game alone, whose deadline is moved to this instant."""
    values = {"deadline_at": now, "wake_at": now}
    with transaction(database) as tx:
        tx.execute(update(Game).where(Game.slug == slug).values(values))
    sweep_at(database, now)


def take_seat(
    database: Database,
    slug: str,
    guest: Guest,
    *,
    link: str = "",
    name: str = "",
    now: datetime = NOON + DAY,
) -> None:
    """Take the open seat of a game, as its page does."""
    with transaction(database, now) as tx:
        take_open_seat(tx, slug, guest.person, link=link, name=name)


def emails_of_kinds(database: Database, *kinds: str) -> list[tuple[str, int | None, int]]:
    """Return kind, recipient and dedup key of the queued emails of these kinds, oldest first."""
    query = (
        select(Notification.kind, Notification.account_id, Notification.dedup_key)
        .where(Notification.kind.in_(kinds))
        .order_by(Notification.id)
    )
    with transaction(database) as tx:
        return [(row[0], row[1], row[2]) for row in tx.execute(query)]
