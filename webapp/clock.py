from datetime import UTC, datetime
from functools import cache
from zoneinfo import available_timezones


def utc_now() -> datetime:
    """Return this instant, in UTC; the only place of Lodepost that reads the clock."""
    return datetime.now(UTC)


@cache
def known_zones() -> frozenset[str]:
    """The names of all time zones. Looked for once: that walks a folder of some six hundred files."""
    return frozenset(available_timezones())
