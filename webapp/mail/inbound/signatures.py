"""Whether an email is signed by the domain in its From: DKIM (RFC 6376), aligned as the DMARC record of that domain asks (RFC 7489 3.1.1).

This is what counts where the host's own mail server proves nothing. SPF does not: behind that server its client is not known.
"""

import logging
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from webapp.txt_records import DnsUnavailable, FetchTexts

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_MAX_SIGNATURES: Final = 4
_LOG: Final = logging.Logger("dkim", level=logging.CRITICAL)  # noqa: LOG001 - belongs to no tree, so that nothing is passed on
"""Takes what the library says of emails."""


def is_signed_by(raw: bytes, domain: str, fetch_texts: FetchTexts) -> bool:
    """Return whether a whole email has a valid signature of this domain, or of another one in its organization if its DMARC record allows that."""
    try:
        signers = list(_signing_domains(raw, fetch_texts))
        if domain in signers:
            return True
        return any(_is_aligned(signer, domain, fetch_texts) for signer in signers)
    except DnsUnavailable:
        return False


def _signing_domains(raw: bytes, fetch_texts: FetchTexts) -> Iterator[str]:
    """Yield the domains of valid signatures that cover the whole body."""
    # Only a worker to which signed emails come needs it.
    import dkim

    def key_of(name: bytes, timeout: float = 0) -> bytes | None:
        del timeout
        records = fetch_texts(name.decode("ascii").rstrip("."))
        return records[0].encode() if len(records) == 1 else None

    for index in range(_MAX_SIGNATURES):
        try:
            message = dkim.DKIM(raw, logger=_LOG)
            is_valid = message.verify(index, dnsfunc=key_of)
        except DnsUnavailable:
            raise
        except Exception:  # noqa: BLE001 - whatever the library can't read is no signature
            is_valid = False
        # With a length, anyone may have added to the body (RFC 6376 8.2).
        if is_valid and b"l" not in message.signature_fields:
            yield message.domain.decode("ascii", "replace").lower()


def _is_aligned(signer: str, domain: str, fetch_texts: FetchTexts) -> bool:
    """Return whether a signature of one domain counts for emails from another one (relaxed alignment)."""
    organization = _public_suffixes().privatesuffix(domain)
    if organization is None or _public_suffixes().privatesuffix(signer) != organization:
        return False
    record = _dmarc_record(domain, fetch_texts) or _dmarc_record(organization, fetch_texts)
    return bool(record) and record.get("adkim", "r") == "r"


def _dmarc_record(domain: str, fetch_texts: FetchTexts) -> dict[str, str]:
    """Return the tags of a domain's DMARC record; empty if there is none, or more than one (RFC 7489 6.6.3)."""
    records = [text for text in fetch_texts(f"_dmarc.{domain}") if text.startswith("v=DMARC1")]
    if len(records) != 1:
        return {}
    tags = (tag.partition("=") for tag in records[0].split(";"))
    return {name.strip().lower(): value.strip().lower() for name, _, value in tags}


@cache
def _public_suffixes() -> "PublicSuffixList":
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
