"""Check that the addresses in the settings fit together and lead to this server."""

from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import SplitResult, urlsplit

from webapp.doctor.result import CheckResult, CheckResults, error, ok, warning
from webapp.kernel import urls
from webapp.kernel.config import Settings
from webapp.kernel.networks import is_loopback

FetchStatus: TypeAlias = Callable[[str], int]
"""Request an address and return the HTTP status. Raises OSError if there is no answer."""

_OK_STATUS = 200
_SERVICE_UNAVAILABLE = 503
_ALL_INTERFACES = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, not bound


def check_addresses(settings: Settings) -> CheckResults:
    """Compare BASE_URL with LISTEN, TRUSTED_PROXIES and SMTP_URL."""
    base_url_parts = urlsplit(settings.base_url)
    yield ok(f"Players use {settings.base_url}; Lodepost listens on {_listen_address(settings)}.")
    if not is_loopback(base_url_parts.hostname or ""):
        yield from _check_public_server(settings, base_url_parts)
    elif settings.smtp_url:
        yield warning(
            "SMTP_URL is set, but BASE_URL is an address of this machine: links in emails will not work elsewhere.",
            "Set BASE_URL to the address that players use.",
        )
    elif _port_of(base_url_parts) != settings.listen_port and not settings.trusted_proxies:
        yield warning(
            f"BASE_URL has port {_port_of(base_url_parts)}, LISTEN has port {settings.listen_port}.",
            "Use the same port in both, or set TRUSTED_PROXIES if there is a proxy in front.",
        )


def check_public_address(settings: Settings, fetch_status: FetchStatus) -> CheckResult:
    """Request this server by its public address."""
    address = urls.absolute_url(settings.base_url, urls.health())
    try:
        status = fetch_status(address)
    except OSError as problem:
        return warning(
            f"{address} does not answer from here: {problem}.",
            "Start the server, and check that DNS, proxy and certificate lead to LISTEN.",
        )
    if status in {_OK_STATUS, _SERVICE_UNAVAILABLE}:
        return ok(f"{address} answers.")
    return warning(
        f"{address} answers with status {status}, so it is not Lodepost.",
        "Set BASE_URL to the address of this server.",
    )


def _check_public_server(settings: Settings, base_url_parts: SplitResult) -> CheckResults:
    if base_url_parts.scheme == "http":
        yield warning(
            "BASE_URL is http: anyone on the network path can read sign-in links and hands.",
            "Put a proxy with a certificate in front (deploy/README.md) and use https.",
        )
    elif not settings.trusted_proxies:
        yield error(
            "BASE_URL is https, which only a proxy can provide, but TRUSTED_PROXIES is 0: "
            "all players seem to have the proxy's address and share one sign-in limit.",
            "Set TRUSTED_PROXIES to the number of your proxies in front, usually 1.",
        )
    if settings.trusted_proxies and settings.listen_host in _ALL_INTERFACES:
        yield warning(
            "LISTEN accepts connections from every network: clients that bypass the proxy can claim any address.",
            "Listen on 127.0.0.1 or an internal network, or close the port to the outside.",
        )
    if not settings.smtp_url:
        yield error(
            "SMTP_URL is not set: emails stay in the data folder, so no one else can sign in.",
            "Set SMTP_URL to a mail server, for example smtp://user:password@mail.example.org:587.",
        )


def _listen_address(settings: Settings) -> str:
    return f"{settings.listen_host} port {settings.listen_port}"


def _port_of(base_url_parts: SplitResult) -> int:
    return base_url_parts.port or (443 if base_url_parts.scheme == "https" else 80)
