from datetime import UTC, datetime


def utc_now() -> datetime:
    """Return this instant, in UTC; the only place of Lodepost that reads the clock."""
    return datetime.now(UTC)
