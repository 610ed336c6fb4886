"""Whether the addresses in the settings fit each other, and lead here."""

from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import SplitResult, urlsplit

from webapp import urls
from webapp.checkup.finding import Finding, Findings, doubtful, well, wrong
from webapp.config import Settings, is_loopback

Fetch: TypeAlias = Callable[[str], int]
"""Ask for an address; the status of the answer. Raises OSError where there is none."""

_OK = 200
_BUSY = 503
_EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, not bound


def look_at_addresses(settings: Settings) -> Findings:
    """BASE_URL beside LISTEN, TRUSTED_PROXIES and SMTP_URL."""
    base = urlsplit(settings.base_url)
    local = is_loopback(base.hostname or "")
    yield well(f"Players come to {settings.base_url}; Lodepost listens at {_listen(settings)}.")
    if not local:
        yield from _for_the_world(settings, base)
    elif settings.smtp_url:
        yield doubtful(
            "SMTP_URL sends mails into the world, but BASE_URL names this machine: links in them lead nowhere.",
            "Set BASE_URL to what players type to come here.",
        )
    elif _port_of(base) != settings.listen_port and not settings.trusted_proxies:
        yield doubtful(
            f"BASE_URL names port {_port_of(base)}, and LISTEN port {settings.listen_port}.",
            "Name the same port in both, or set TRUSTED_PROXIES if a proxy stands between.",
        )


def look_from_outside(settings: Settings, fetch: Fetch) -> Finding:
    """Ask for this very server by its public name."""
    address = urls.absolute(settings.base_url, urls.health())
    try:
        status = fetch(address)
    except OSError as problem:
        return doubtful(
            f"{address} does not answer from here: {problem}.",
            "Start the server, and see that the name, the proxy and its certificate lead to LISTEN.",
        )
    if status in {_OK, _BUSY}:
        return well(f"{address} answers.")
    return doubtful(
        f"{address} answers {status}: something else lives there.", "Set BASE_URL to this server."
    )


def _for_the_world(settings: Settings, base: SplitResult) -> Findings:
    if base.scheme == "http":
        yield doubtful(
            "BASE_URL is http: whoever is on the way can read sign-in links and hands.",
            "Put a proxy with a certificate in front (deploy/README.md) and name https.",
        )
    elif not settings.trusted_proxies:
        yield wrong(
            "BASE_URL is https, which Lodepost does not speak, and TRUSTED_PROXIES is 0: "
            "everybody seems to come from the proxy, and shares one limit for signing in.",
            "Set TRUSTED_PROXIES to how many proxies of yours stand in front, usually 1.",
        )
    if settings.trusted_proxies and settings.listen_host in _EVERYWHERE:
        yield doubtful(
            "LISTEN is open to every network: who comes past the proxy can say any address is theirs.",
            "Listen at 127.0.0.1 or at an inner network, or close the port outside.",
        )
    if not settings.smtp_url:
        yield wrong(
            "SMTP_URL is not set: mails stay in the data folder, and nobody else can sign in.",
            "Set SMTP_URL to a mail server, for example smtp://user:password@mail.example.org:587.",
        )


def _listen(settings: Settings) -> str:
    return f"{settings.listen_host} port {settings.listen_port}"


def _port_of(base: SplitResult) -> int:
    return base.port or (443 if base.scheme == "https" else 80)
