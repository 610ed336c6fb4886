"""How often one address may request what costs others something: emails, guesses at codes, tables."""

from typing import Any, Final

from flask import Flask
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address

from webapp.config import Settings

_REDIS_TIMEOUT_SECONDS: Final = 1
_LIMIT_BY_ENDPOINT: Final = {
    "sign_in.request_sign_in": "10 per minute; 60 per hour",
    "sign_in.sign_in_with_code": "20 per minute; 100 per hour",
    "sign_in.sign_in_with_link": "20 per minute; 100 per hour",
    "passkey_proofs.sign_in": "20 per minute; 100 per hour",
    "passkey_proofs.begin_sign_in": "20 per minute; 200 per hour",
    "identity.request_identity_code": "10 per minute; 60 per hour",
    "identity.confirm_identity": "20 per minute; 100 per hour",
    "data.download": "5 per minute; 20 per hour",
    "data.delete_account": "10 per minute; 60 per hour",
    "address.request_change": "10 per minute; 60 per hour",
    "new_table.open_table": "20 per minute; 200 per hour",
    "new_table.open_bot_game": "20 per minute; 200 per hour",
    "lobby.invite": "30 per minute; 200 per hour",
}
"""By endpoint. Pages and turns have no limit, so that they need no round trip to Redis."""


def limit_rates(app: Flask, settings: Settings) -> None:
    """Count these requests in Redis if it is configured; in this process otherwise, or while Redis is away."""
    uses_redis = settings.redis_url.startswith("redis")
    limiter = Limiter(
        get_remote_address,
        app=app,
        storage_uri=settings.broker_url,
        storage_options=_redis_timeout_options() if uses_redis else {},
        in_memory_fallback_enabled=uses_redis,
        headers_enabled=True,
    )
    views: dict[str, Any] = app.view_functions
    for endpoint, limits in _LIMIT_BY_ENDPOINT.items():
        views[endpoint] = limiter.limit(limits)(views[endpoint])


def _redis_timeout_options() -> dict[str, str | int]:
    return {
        "socket_connect_timeout": _REDIS_TIMEOUT_SECONDS,
        "socket_timeout": _REDIS_TIMEOUT_SECONDS,
    }
