"""How often one source may request what costs others something: emails, guesses at codes, tables; and whose address a request comes from.

A source is an IPv4 address, or an IPv6 network of /64. Its /56 and /48 have wider limits, because the owner of one of these
can use all its /64 networks. Emails have a limit for all sources together, too.
"""

import logging
import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, request
from flask_limiter import Limiter
from werkzeug.middleware.proxy_fix import ProxyFix

from webapp.kernel.config import Settings
from webapp.kernel.networks import address_in, is_ipv6_source, source_networks
from webapp.kernel.refusals import Unavailable
from webapp.logs.fields import event_fields
from webapp.operations.alarms import raise_alarm
from webapp.web.context import current_context
from webapp.web.session import address_proofs

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_MAX_QUOTED_LENGTH: Final = 60
_log = logging.getLogger(__name__)


class _AddressReader:
    """Removes what is not part of an address. What is still none counts as the proxy's, and is logged once."""

    def __init__(self, application: "WSGIApplication") -> None:
        self._application = application
        self._is_reported = False

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        proxy_environ: dict[str, Any] = environ["werkzeug.proxy_fix.orig"]
        forwarded, proxy_address = environ.get("REMOTE_ADDR"), proxy_environ["REMOTE_ADDR"]
        if forwarded != proxy_address:
            address = address_in(forwarded or "")
            if address is None:
                self._report(forwarded or "")
            environ["REMOTE_ADDR"] = address or proxy_address
        return self._application(environ, start_response)

    def _report(self, forwarded: str) -> None:
        if not self._is_reported:
            self._is_reported = True
            _log.warning(
                "The proxy writes %r into X-Forwarded-For, which is no address: all its clients share the limits of one. "
                "Let it write addresses; this is logged once.",
                forwarded[:_MAX_QUOTED_LENGTH],
            )


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
    "shared_game.show_picture": "60 per minute; 600 per hour",
}
"""The limits by endpoint. Pages and turns have no limit, so that they need no round trip to Redis."""
_CUSTOMER_FACTOR: Final = 4
"""A /56 may request so many times as much as a /64."""
_SITE_FACTOR: Final = 16
"""A /48 may."""
_EMAILS_PER_HOUR_BY_ENDPOINT: Final = {
    "sign_in.request_sign_in": 1000,
    "identity.request_identity_code": 1000,
    "address.request_change": 500,
    "lobby.invite": 2000,
}
"""The limits for all sources together. Browsers in which someone has signed in before are not limited by them."""
_ALARM_PAUSE: Final = timedelta(minutes=1)
"""A process counts the alarm at most once in this time, so that refusing a flood costs nothing."""


def limit_rates(app: Flask, settings: Settings) -> None:
    """Count these requests in Redis if it is configured; in this process otherwise, or while Redis is away."""
    uses_redis = settings.redis_url.startswith("redis")
    limiter = Limiter(
        _home_network,
        app=app,
        request_identifier=_limited_endpoint,
        storage_uri=settings.broker_url,
        storage_options=_redis_timeout_options() if uses_redis else {},
        in_memory_fallback_enabled=uses_redis,
        headers_enabled=True,
        # Limits are checked from the narrowest to the widest: one refused source uses up nothing of what others share.
        fail_on_first_breach=True,
    )
    alarm = _SiteLimitAlarm()
    views: dict[str, Any] = app.view_functions
    for endpoint, limits in _LIMIT_BY_ENDPOINT.items():
        views[endpoint] = limiter.limit(limits)(views[endpoint])
        for factor, name in ((_CUSTOMER_FACTOR, "customer"), (_SITE_FACTOR, "site")):
            views[endpoint] = limiter.limit(
                _multiplied(limits, factor),
                key_func=partial(_wider_network, name),
                exempt_when=_has_one_address,
            )(views[endpoint])
        if endpoint in _EMAILS_PER_HOUR_BY_ENDPOINT:
            views[endpoint] = limiter.limit(
                f"{_EMAILS_PER_HOUR_BY_ENDPOINT[endpoint]} per hour",
                key_func=_all_sources,
                exempt_when=_is_known_browser,
                on_breach=alarm,
            )(views[endpoint])


class _SiteLimitAlarm:
    """Raises the alarm when all sources together have reached a limit."""

    def __init__(self) -> None:
        self._raised_at: datetime | None = None
        self._lock = Lock()

    def __call__(self, _: object) -> None:
        now = current_context().now()
        with self._lock:
            if self._raised_at is not None and now - self._raised_at < _ALARM_PAUSE:
                return
            self._raised_at = now
        try:
            with current_context().transaction() as tx:
                is_logged = raise_alarm(tx, "site-limit")
        except Unavailable:
            is_logged = True
        if is_logged:
            _log.error(
                "All sources together have reached the hourly limit of %s.",
                request.endpoint,
                extra=event_fields("alarm", alarm="site-limit", endpoint=request.endpoint),
            )


def _limited_endpoint() -> str:
    """Return the endpoint of a request that has a limit; empty for all others, about which the limiter then asks nothing."""
    endpoint = request.endpoint or ""
    return endpoint if endpoint in _LIMIT_BY_ENDPOINT else ""


def _home_network() -> str:
    return source_networks(request.remote_addr).home


def _wider_network(name: str) -> str:
    return str(getattr(source_networks(request.remote_addr), name))


def _has_one_address() -> bool:
    return not is_ipv6_source(request.remote_addr)


def _all_sources() -> str:
    return "all"


def _is_known_browser() -> bool:
    """Return whether someone has signed in in this browser before, as its signed cookie says."""
    return bool(address_proofs())


def _multiplied(limits: str, factor: int) -> str:
    return re.sub(r"\d+", lambda number: str(int(number[0]) * factor), limits)


def _redis_timeout_options() -> dict[str, str | int]:
    return {
        "socket_connect_timeout": _REDIS_TIMEOUT_SECONDS,
        "socket_timeout": _REDIS_TIMEOUT_SECONDS,
    }


def trust_proxies(application: "WSGIApplication", count: int) -> "WSGIApplication":
    """Return an application for which so many proxies in front say where a request comes from."""
    return ProxyFix(
        _AddressReader(application), x_for=count, x_proto=count, x_host=0, x_port=0, x_prefix=0
    )
