"""TXT records of the DNS, through the system's resolver."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

FetchTexts: TypeAlias = Callable[[str], Sequence[str]]
"""Return the TXT records of a name, empty if there are none. Raises DnsUnavailable."""

_TIMEOUT_SECONDS: Final = 5.0


class DnsUnavailable(Exception):
    """No name server answers."""


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
