"""What workers do for the clock in a simulated year: they sweep deadlines, and give lost time back after outages."""

from datetime import datetime

from webapp.pace.calendar import Interval
from webapp.services.operations import mail_outages, maintenance
from webapp.services.operations.site_health import record_sweep
from webapp.services.play.deadlines import sweep
from webapp.simulated_year.visits import Site


def sweep_deadlines(site: Site, *, now: datetime) -> bool:
    """Sweep one batch of games as a worker does; return False if deadlines wait for the end of an outage of email."""
    settle_mail_outage(site, now=now)
    with site.transaction() as tx:
        is_email_down = mail_outages.is_email_down(tx, now=now)
        sweep(tx, now=now, random_below=site.random_below, is_held_only=is_email_down)
    return not is_email_down


def settle_mail_outage(site: Site, *, now: datetime) -> None:
    """Move all clocks after an outage of email, as every sweep does."""
    with site.transaction() as tx:
        mail_outages.settle_outage(tx, now=now)
    _shift_clocks(site, now)


def make_up_for_server_outage(site: Site, outage: Interval) -> None:
    """Move all clocks after an outage of the server, in which the last sweep was before it began."""
    with site.transaction() as tx:
        record_sweep(tx, swept_at=outage.start)
    with site.transaction() as tx:
        maintenance.detect_outage(tx, now=outage.end)
    _shift_clocks(site, outage.end)


def _shift_clocks(site: Site, now: datetime) -> None:
    has_more = True
    while has_more:
        with site.transaction() as tx:
            has_more = maintenance.shift_next_games(tx, now=now)
