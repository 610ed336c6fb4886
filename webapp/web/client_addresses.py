"""The address of a client as proxies write it into X-Forwarded-For: with a port, in brackets, or not at all."""

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from werkzeug.middleware.proxy_fix import ProxyFix

from webapp.kernel.networks import address_in

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_MAX_QUOTED_LENGTH: Final = 60
_log = logging.getLogger(__name__)


def trust_proxies(application: "WSGIApplication", count: int) -> "WSGIApplication":
    """Return an application for which so many proxies in front say where a request comes from."""
    return ProxyFix(
        _AddressReader(application), x_for=count, x_proto=count, x_host=0, x_port=0, x_prefix=0
    )


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
