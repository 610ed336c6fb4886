"""Confirming who one is before a dangerous act: with a code sent by email, or with a passkey.

A session that was opened or confirmed in the last minutes is enough; otherwise the act waits for a page that asks for the code.
"""

from datetime import timedelta
from typing import Final

from webapp.accounts import emailed_codes, security_log
from webapp.accounts.emailed_codes import CodeRefused, CodeRequest, match_code
from webapp.accounts.person import Person
from webapp.accounts.queries import sessions, sign_ins
from webapp.accounts.queries.sessions import SessionFacts
from webapp.accounts.security_log import SecurityEventKind
from webapp.kernel.keyring import hash_of
from webapp.kernel.tx import Tx

CONFIRMATION_LIFETIME: Final = timedelta(minutes=15)
"""How long dangerous acts are possible after a person has proved who they are."""


class IdentityUnconfirmed(Exception):
    """The act needs a person who has just proved who they are. Answered by a redirect to the page that asks for it."""


def session_facts(tx: Tx, token: str | None) -> SessionFacts | None:
    """Return when the person with this session last proved who they are, and whether with a passkey; None if it has ended."""
    return sessions.find_session_facts(tx, hash_of(token or ""))


def is_confirmed(tx: Tx, token: str | None) -> bool:
    """Return whether the person with this session has proved in the last minutes who they are."""
    facts = session_facts(tx, token)
    return facts is not None and facts.confirmed_at > tx.now - CONFIRMATION_LIFETIME


def require_confirmed(tx: Tx, token: str | None) -> None:
    """Raise IdentityUnconfirmed unless the person with this session has proved in the last minutes who they are."""
    if not is_confirmed(tx, token):
        raise IdentityUnconfirmed


def request_identity_code(tx: Tx, person: Person, *, token: str) -> None:
    """Email a code to the person's own address; it works in this session only."""
    sign_ins.lock_address(tx, person.address)
    request = CodeRequest(
        purpose="identity", address=person.address, browser_key=token, language=person.language
    )
    emailed_codes.request_code(tx, request)


def confirm_by_code(
    tx: Tx,
    person: Person,
    code: str,
    *,
    token: str,
) -> CodeRefused | None:
    """Record that the person has proved who they are, or return why the code was refused."""
    latest_sign_in = sign_ins.latest_of_browser(tx, hash_of(token), "identity")
    if latest_sign_in is not None and latest_sign_in.address.lower() != person.address.lower():
        # It was sent before the account got its present address.
        latest_sign_in = None
    match = match_code(tx, latest_sign_in, code)
    if isinstance(match, CodeRefused):
        return match
    sign_ins.mark_used(tx, match.id)
    sessions.confirm(tx, hash_of(token))
    security_log.record(tx, SecurityEventKind.IDENTITY_CONFIRMED, account_id=person.id)
    return None
