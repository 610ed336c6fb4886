"""Check whether an email comes from the domain in its From: by the results of the host's own mail server (RFC 8601), or else by a signature.

A signature is DKIM (RFC 6376), aligned as the DMARC record of that domain asks (RFC 7489 3.1.1). SPF does not count: behind the
host's mail server, the client that sent the email is not known.
"""

import logging
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import authres

from webapp.kernel.networks import DnsUnavailable, FetchTexts
from webapp.mail.inbound.reading import ReceivedEmail

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


_MAX_RESULTS: Final = 20
_MAX_SIGNATURES: Final = 4
_LOG: Final = logging.Logger("dkim", level=logging.CRITICAL)  # noqa: LOG001 - belongs to no tree, so that nothing is passed on
"""Takes what the library says of emails."""


def is_sender_proven(
    email: ReceivedEmail, raw: bytes, *, authserv_id: str, fetch_texts: FetchTexts
) -> bool:
    """Return whether an email comes from the domain in its From.

    ``authserv_id`` names the mail server whose results count; without one, the email's own signature does.
    """
    if authserv_id:
        return is_authenticated(email, authserv_id)
    domain = email.sender.rpartition("@")[2]
    return bool(domain) and is_signed_by(raw, domain, fetch_texts)


def is_authenticated(email: ReceivedEmail, authserv_id: str) -> bool:
    """Return whether the topmost results that this server has written say that DMARC passed for the domain in From.

    The server must remove results that claim its name from incoming emails (RFC 8601 5), so only the topmost field with it counts.
    """
    if not email.sender:
        return False
    domain = email.sender.rpartition("@")[2].lower()
    for value in email.authentication_results[:_MAX_RESULTS]:
        results = _parse_results(value)
        if results is None and (not value or value.lower().startswith(authserv_id)):
            # It may be the server's own, and then those below it count for nothing.
            return False
        if results is not None and str(results.authserv_id).lower() == authserv_id:
            return any(
                each.method.lower() == "dmarc"
                and each.result.lower() == "pass"
                and _domain_of(each) == domain
                for each in results.results
            )
    return False


def _parse_results(value: str) -> Any:  # noqa: ANN401 - the library has no types
    try:
        return authres.AuthenticationResultsHeader.parse_value(value)
    except (authres.AuthResError, RecursionError, ValueError):
        return None


def _domain_of(result: Any) -> str:  # noqa: ANN401 - the library has no types
    """Return the domain of From for which a result was found."""
    return next(
        (
            str(each.value).lower().rpartition("@")[2]
            for each in result.properties
            if (each.type, each.name) == ("header", "from")
        ),
        "",
    )


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
