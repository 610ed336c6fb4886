"""Host names and network addresses: loopback, IDNA, TXT records of the DNS, and the networks that a request comes from.

One customer of a provider has one IPv4 address, or many of IPv6.
"""

import ipaddress
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

import idna

FetchTexts: TypeAlias = Callable[[str], Sequence[str]]
"""Return the TXT records of a name, empty if there are none. Raises DnsUnavailable."""
_TIMEOUT_SECONDS: Final = 5.0


class DnsUnavailable(Exception):
    """No name server answers."""


def is_loopback(host: str) -> bool:
    """Return whether a host name or address, without port or brackets, always means this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def ascii_host(host: str) -> str:
    """Return the name as it is written in headers and DNS queries. Raises UnicodeError if it has no such form."""
    # The standard library's codec implements IDNA 2003, in which some names mean a different domain.
    return host.lower() if host.isascii() else idna.encode(host, uts46=True).decode("ascii")


def host_in_url(host: str) -> str:
    """Return the host as it is written in a URL, with an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


_PREFIX_LENGTHS: Final = (64, 56, 48)


class SourceNetworks(NamedTuple):
    """The networks of an address from which its owner can choose others: a home, a customer, a site."""

    home: str
    customer: str
    site: str


def source_networks(address: str | None) -> SourceNetworks:
    """Return the networks of /64, /56 and /48 of an IPv6 address. An IPv4 address has only itself, also within IPv6."""
    try:
        parsed = ipaddress.ip_address((address or "").partition("%")[0])
    except ValueError:
        return SourceNetworks("unknown", "unknown", "unknown")
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is None:
            return SourceNetworks(*(_network(parsed, length) for length in _PREFIX_LENGTHS))
        parsed = parsed.ipv4_mapped
    return SourceNetworks(str(parsed), str(parsed), str(parsed))


def address_in(text: str) -> str | None:
    """Return the address in ``203.0.113.7:50001``, ``[2001:db8::1]:443`` or an address alone; None if there is none."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ipaddress.ip_address(text.partition("%")[0]))
    except ValueError:
        return None


def is_ipv6_source(address: str | None) -> bool:
    """Return whether an address is one of many that its owner can choose from."""
    networks = source_networks(address)
    return networks.home != networks.customer


def _network(address: ipaddress.IPv6Address, prefix_length: int) -> str:
    return str(ipaddress.ip_network((address, prefix_length), strict=False))


def fetch_txt_records(name: str) -> Sequence[str]:
    """Ask the system's resolver for the TXT records of a name. Raises DnsUnavailable."""
    # Most processes never ask.
    import dns.exception
    import dns.resolver

    try:
        answer = dns.resolver.resolve(name, "TXT", lifetime=_TIMEOUT_SECONDS)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return ()
    except (dns.exception.DNSException, OSError) as problem:
        raise DnsUnavailable from problem
    return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]
