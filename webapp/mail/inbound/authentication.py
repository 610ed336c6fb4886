"""Whether it is proven that an email comes from the domain in its From: what the host's own mail server has found (RFC 8601), or its signature."""

from typing import Any, Final

import authres

from webapp.mail.inbound.reading import ReceivedEmail
from webapp.mail.inbound.signatures import is_signed_by
from webapp.txt_records import FetchTexts

_MAX_RESULTS: Final = 20


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
