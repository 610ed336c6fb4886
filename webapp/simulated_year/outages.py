"""The three outages of a simulated year: two of the server and one of the relay."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from webapp.pace.calendar import Interval
from webapp.simulated_year.chance import Random

_SERVER_HOURS: Final = (6.0, 52.0)
_RELAY_HOURS: Final = 30.0


class Outages(NamedTuple):
    """When the server is down, and when its relay takes no email."""

    server: tuple[Interval, ...]
    relay: tuple[Interval, ...]

    def server_outage_at(self, at: datetime) -> Interval | None:
        """Return the outage of the server in which an instant lies."""
        return next((outage for outage in self.server if outage.start <= at < outage.end), None)

    def is_relay_down(self, at: datetime) -> bool:
        return any(outage.start <= at < outage.end for outage in self.relay)


def draw_outages(rng: Random, *, start: datetime) -> Outages:
    """Return three outages on different days while many games run."""
    first, second, third = (
        start + timedelta(days=days, hours=rng.uniform(0, 24)) for days in (9, 18, 27)
    )
    return Outages(
        server=(
            Interval(first, first + timedelta(hours=_SERVER_HOURS[0])),
            Interval(third, third + timedelta(hours=_SERVER_HOURS[1])),
        ),
        relay=(Interval(second, second + timedelta(hours=_RELAY_HOURS)),),
    )
