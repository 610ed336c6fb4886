"""Whether the world may believe our mails: what name servers say of the sender's domain (RFC 7208, RFC 7489)."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import dns.exception
import dns.resolver

from webapp.checkup.finding import Finding, Findings, doubtful, well, wrong
from webapp.config import Settings

Texts: TypeAlias = Callable[[str], Sequence[str]]
"""The TXT records of a name, none where there are none. Raises Unanswered."""

_PATIENCE: Final = 5.0
_FEWEST_LABELS: Final = 2


class Unanswered(Exception):
    """No name server answers here."""


def ask_name_servers(name: str) -> Sequence[str]:
    """The TXT records of a name, as the resolver of this system knows them. Raises Unanswered."""
    try:
        answer = dns.resolver.resolve(name, "TXT", lifetime=_PATIENCE)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return ()
    except (dns.exception.DNSException, OSError) as problem:
        raise Unanswered from problem
    return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]


def look_at_sender(settings: Settings, texts_of: Texts) -> Findings:
    """SPF and DMARC of the domain of MAIL_FROM; nothing while no mail leaves this machine."""
    domain = settings.mail_from.rpartition("@")[2].lower()
    if not settings.smtp_url or domain.endswith((".test", ".localhost")):
        return
    try:
        yield _about_spf(domain, texts_of)
        yield _about_dmarc(domain, texts_of)
    except Unanswered:
        yield doubtful(
            f"No name server answers here: SPF and DMARC of {domain} were not looked at.",
            "Run the doctor where name servers can be reached.",
        )


def _about_spf(domain: str, texts_of: Texts) -> Finding:
    found = [text for text in texts_of(domain) if _is(text, "v=spf1")]
    if len(found) > 1:
        return wrong(
            f"{domain} has {len(found)} SPF records, which counts as none or as an error.",
            "Join them into one.",
        )
    if not found:
        return doubtful(
            f"{domain} has no SPF record: many will take our mails for forged.",
            "Publish a TXT record that names your relay, as its provider tells: v=spf1 include:... -all",
        )
    return well(f"{domain} says who may send for it (SPF).")


def _about_dmarc(domain: str, texts_of: Texts) -> Finding:
    for parent in _upwards(domain):
        if any(_is(text, "v=DMARC1") for text in texts_of(f"_dmarc.{parent}")):
            return well(f"{parent} says what to do with forged mails (DMARC).")
    return doubtful(
        f"{domain} has no DMARC record: large providers refuse mails of such domains.",
        f"Publish a TXT record at _dmarc.{domain}, to begin with: v=DMARC1; p=none",
    )


def _upwards(domain: str) -> list[str]:
    labels = domain.split(".")
    return [".".join(labels[start:]) for start in range(len(labels) - _FEWEST_LABELS + 1)]


def _is(text: str, version: str) -> bool:
    first = text.replace(";", " ").split()[:1]
    return [word.lower() for word in first] == [version.lower()]
