"""How often one address may ask for what costs others something: letters, guesses, tables."""

from typing import Any, Final

from flask import Flask
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address

from webapp.config import Settings

_TIMEOUT: Final = 1
_LIMITS: Final = {
    "sign_in.ask": "10 per minute; 60 per hour",
    "sign_in.try_code": "20 per minute; 100 per hour",
    "sign_in.use_link": "20 per minute; 100 per hour",
    "opening.open_table": "20 per minute; 200 per hour",
    "opening.play_at_once": "20 per minute; 200 per hour",
    "lobby.invite_somebody": "30 per minute; 200 per hour",
}
"""By endpoint. Pages and turns are not counted: a request of theirs shall cost no word with Redis."""


def limit(app: Flask, settings: Settings) -> None:
    """Count these requests in Redis where there is one; in this process where there is none, or it is away."""
    in_redis = settings.redis_url.startswith("redis")
    limiter = Limiter(
        get_remote_address,
        app=app,
        storage_uri=settings.broker_url,
        storage_options=_patience() if in_redis else {},
        in_memory_fallback_enabled=in_redis,
        headers_enabled=True,
    )
    views: dict[str, Any] = app.view_functions
    for endpoint, limits in _LIMITS.items():
        views[endpoint] = limiter.limit(limits)(views[endpoint])


def _patience() -> dict[str, str | int]:
    return {"socket_connect_timeout": _TIMEOUT, "socket_timeout": _TIMEOUT}
