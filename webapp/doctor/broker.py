"""Check that Redis answers."""

from typing import Final
from urllib.parse import urlsplit

import redis

from webapp.doctor.result import CheckResult, error, ok, warning
from webapp.kernel.config import Settings

_TIMEOUT_SECONDS: Final = 5
_CHECKED_KEY: Final = "lodepost-doctor"


def check_redis(settings: Settings) -> CheckResult:
    """Let the broker store something for a second, if one is configured."""
    if not settings.redis_url:
        return _check_missing_redis(settings)
    address = _address_of(settings.redis_url)
    try:
        with _connection(settings.redis_url) as connection:
            connection.ping()
            # Without memory, or as a replica, it answers and takes nothing.
            connection.set(_CHECKED_KEY, "", ex=1)
    except redis.ResponseError as problem:
        return error(
            f"Redis at {address} answers, but takes no jobs: {_one_line(problem)}.",
            "Give it memory (maxmemory) and no read-only role. Until then workers start jobs by their own clock.",
        )
    except (redis.RedisError, OSError, ValueError) as problem:
        return error(
            f"Redis at {address} does not answer: {_one_line(problem)}.",
            "Start it, or set REDIS_URL to where it is. Until then play continues and emails are delayed.",
        )
    return ok(f"Redis at {address} answers.")


def _one_line(problem: Exception) -> str:
    return " ".join(f"{type(problem).__name__}: {problem}".split()).rstrip(".")


def redis_version(settings: Settings) -> str | None:
    """Return the version of Redis; None if none is configured, or it does not say."""
    if not settings.redis_url:
        return None
    try:
        with _connection(settings.redis_url) as connection:
            return str(connection.info("server")["redis_version"])
    except (redis.RedisError, OSError, ValueError, KeyError):
        return None


def _connection(url: str) -> redis.Redis:
    return redis.Redis.from_url(
        url, socket_timeout=_TIMEOUT_SECONDS, socket_connect_timeout=_TIMEOUT_SECONDS
    )


def _check_missing_redis(settings: Settings) -> CheckResult:
    if not settings.database_url:
        return ok("Redis is not configured; `lodepost serve` does not need it.")
    return warning(
        "DATABASE_URL is set but REDIS_URL is not: only `lodepost serve` works like that.",
        "Set REDIS_URL for web, worker and beat.",
    )


def _address_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.hostname} port {parts.port or 6379}"
