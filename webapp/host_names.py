"""Host names and IP addresses: loopback, IDNA encoding, and their form in a URL."""

import ipaddress

import idna


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
