"""The outages of a simulated year: two of the server, one of the relay and a maintenance, and what attempts to send emails notice."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from tests.simulated_year.seeded_random import Random
from webapp.clock.pace.calendar import Interval

_SERVER_OUTAGE_HOURS: Final = (6.0, 52.0)
_RELAY_OUTAGE_HOURS: Final = 30.0
_MAINTENANCE_HOURS: Final = 8.0
_LONGEST_PAUSE: Final = timedelta(minutes=70)
"""Longer than between two attempts to send an email: then none was due any more."""

_TIME_TO_SETTLE: Final = timedelta(days=4)


class Outages(NamedTuple):
    """When the server is down, when its relay takes no email, and when the site is closed for maintenance."""

    server: tuple[Interval, ...]
    relay: tuple[Interval, ...]
    maintenance: tuple[Interval, ...] = ()

    def server_outage_at(self, at: datetime) -> Interval | None:
        """Return the outage of the server in which an instant lies."""
        return next((outage for outage in self.server if outage.start <= at < outage.end), None)

    def maintenance_at(self, at: datetime) -> Interval | None:
        """Return the maintenance in which an instant lies."""
        return next((stop for stop in self.maintenance if stop.start <= at < stop.end), None)

    def is_site_open(self, at: datetime) -> bool:
        """Return whether people can use the site at an instant."""
        return self.server_outage_at(at) is None and self.maintenance_at(at) is None

    def is_relay_down(self, at: datetime) -> bool:
        return any(outage.start <= at < outage.end for outage in self.relay)


def draw_outages(rng: Random, *, start: datetime) -> Outages:
    """Return four outages on different days while many games run."""
    first, second, third, fourth = (
        start + timedelta(days=days, hours=rng.uniform(0, 24)) for days in (9, 18, 27, 23)
    )
    return Outages(
        server=(
            Interval(first, first + timedelta(hours=_SERVER_OUTAGE_HOURS[0])),
            Interval(third, third + timedelta(hours=_SERVER_OUTAGE_HOURS[1])),
        ),
        relay=(Interval(second, second + timedelta(hours=_RELAY_OUTAGE_HOURS)),),
        maintenance=(Interval(fourth, fourth + timedelta(hours=_MAINTENANCE_HOURS)),),
    )


class NoticedOutages:
    """When attempts to reach the relay failed: from the first one until an email was accepted.

    An outage in which no email was due keeps no player waiting, and no one can know of it.
    """

    def __init__(self) -> None:
        self._outages: list[Interval] = []
        self._is_over = True

    def add_failure(self, at: datetime) -> None:
        """Note an attempt that failed."""
        if self._is_over or at - self._outages[-1].end > _LONGEST_PAUSE:
            self._outages.append(Interval(at, at))
            self._is_over = False
        self._extend(at)

    def add_success(self, at: datetime) -> None:
        """Note that an email was accepted."""
        if not self._is_over and at - self._outages[-1].end <= _LONGEST_PAUSE:
            self._extend(at)
        self._is_over = True

    def may_be_unsettled(self, now: datetime) -> bool:
        """Return whether clocks may still have to be moved for the last outage; long after it they have been."""
        return bool(self._outages) and now - self._outages[-1].end < _TIME_TO_SETTLE

    def intervals(self) -> tuple[Interval, ...]:
        """Return the outages, the earliest first."""
        return tuple(self._outages)

    def _extend(self, end: datetime) -> None:
        self._outages[-1] = Interval(self._outages[-1].start, end)
