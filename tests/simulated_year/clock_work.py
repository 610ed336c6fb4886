"""What workers do for the clock in a simulated year: they sweep deadlines, give lost time back after outages, and end votes."""

from collections.abc import Sequence
from datetime import datetime

from tests.simulated_year.site import Site
from tests.support.transactions import using
from webapp.clock.pace.calendar import Interval
from webapp.clock.sweep import sweep
from webapp.operations import mail_outages, maintenance
from webapp.operations.processes import record_sweep
from webapp.play import votes


def sweep_deadlines(site: Site, *, now: datetime) -> bool:
    """Sweep one batch of games as a worker does; return False if deadlines wait for the end of an outage of email."""
    settle_mail_outage(site, now=now)
    with site.transaction() as tx:
        is_email_down = mail_outages.is_email_down(tx.at(now))
        sweep(using(tx.at(now), random_below=site.random_below), is_held_only=is_email_down)
    return not is_email_down


def settle_mail_outage(site: Site, *, now: datetime) -> None:
    """Move all clocks after an outage of email, as every sweep does."""
    with site.transaction() as tx:
        mail_outages.settle_outage(tx.at(now))
    _shift_clocks(site, now)


def make_up_for_server_outage(site: Site, outage: Interval) -> None:
    """Move all clocks after an outage of the server, in which the last sweep was before it began."""
    with site.transaction() as tx:
        record_sweep(tx, swept_at=outage.start)
    with site.transaction() as tx:
        maintenance.detect_outage(tx.at(outage.end))
    _shift_clocks(site, outage.end)


class PlannedMaintenance:
    """Closes the site for maintenance and opens it again, as the operator does."""

    def __init__(self, site: Site, intervals: Sequence[Interval]) -> None:
        self._site = site
        self._changes = [at for interval in intervals for at in interval]
        self._is_closed = False

    @property
    def next_change_at(self) -> datetime | None:
        """Return when the site is closed or opened next; None if it is not any more."""
        return self._changes[0] if self._changes else None

    def change(self, *, now: datetime) -> None:
        """Close the site, or open it and move all clocks, as the first sweep after it does."""
        del self._changes[0]
        step = maintenance.end if self._is_closed else maintenance.begin
        with self._site.transaction() as tx:
            step(tx.at(now))
        if self._is_closed:
            _shift_clocks(self._site, now)
        self._is_closed = not self._is_closed


def end_due_votes(site: Site, *, now: datetime) -> None:
    """End the votes and agreed pauses whose time is up, as a worker does."""
    game_id: int | None = 0
    while game_id is not None:
        with site.transaction() as tx:
            game_id = votes.end_next_due_votes(tx.at(now), after_id=game_id)


def _shift_clocks(site: Site, now: datetime) -> None:
    has_more = True
    while has_more:
        with site.transaction() as tx:
            has_more = maintenance.shift_next_games(tx.at(now))
