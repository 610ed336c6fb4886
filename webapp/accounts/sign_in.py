"""Sign-in by email, with a link or a code, and stopping such emails for a day.

There is no sign-up: the first sign-in creates the account, if the site admits the person, and no answer reveals whether there was
one before.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Final, Literal

import msgspec

from webapp.accounts import emailed_codes, security_log
from webapp.accounts.addresses import parse_address
from webapp.accounts.emailed_codes import (
    CodeRefusalReason,
    CodeRefused,
    CodeRequest,
    check_address,
    match_code,
    refusal_reason_of,
)
from webapp.accounts.queries import accounts, sign_ins
from webapp.accounts.queries.sign_ins import SignInRow
from webapp.accounts.security_log import SecurityEventKind
from webapp.accounts.sessions import Device, OpenedSession, open_session, person_for
from webapp.kernel.keyring import Keyring, hash_of
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import NotFound
from webapp.kernel.site_settings import SignUp
from webapp.kernel.tx import Tx
from webapp.lobby.queries import invitations

_PROOF_PURPOSE: Final = "signed in before"
_INVITATION_PATHS: Final = ("/invitations/", "/club-invitations/")
_PAUSE: Final = timedelta(hours=24)


class Browser(Redacted, frozen=True, kw_only=True):
    """The browser of a request."""

    key: str
    """A random value from the browser's cookie: codes, and links without a typed address, work only in the browser that requested them."""
    device: Device = Device()
    address_proofs: Collection[str] = ()
    """One ``address_proof`` for each address that has signed in here."""


class SignInRequest(Redacted, frozen=True, kw_only=True):
    """A request for a sign-in email."""

    address: str
    language: str
    browser: Browser
    sign_up: SignUp = SignUp.OPEN
    """Who may create an account."""
    return_path: str = ""
    """The page to open afterwards, which may be an invitation."""
    accepted_link: str = ""
    """The token of the invitation to a table that the person is accepting: signing in with the email takes the seat."""


def request_sign_in(tx: Tx, request: SignInRequest) -> None:
    """Send an email with a link and a code to the address. Raises FieldErrors for an invalid address.

    Returns nothing, so that no answer reveals whether there is an account, whether the address may create one, whether
    the limit was reached, or whether its owner has stopped such emails for a day.
    """
    address = parse_address(request.address)
    if not may_sign_in(tx, address, request.sign_up, return_path=request.return_path):
        return
    sign_ins.lock_address(tx, address)
    is_proved = _is_proved(address, request.browser, tx.keys)
    if not is_proved and sign_ins.is_paused(tx, address):
        return
    code_request = CodeRequest(
        purpose="sign-in",
        address=address,
        browser_key=request.browser.key,
        language=request.language,
        device=request.browser.device,
        invitation_id=_invitation_id(tx, request.accepted_link),
    )
    emailed_codes.request_code(tx, code_request, apply_limits=not is_proved)


def may_sign_in(tx: Tx, address: str, policy: SignUp, *, return_path: str) -> bool:
    """Return whether an address gets an email to sign in: with an account always, otherwise as the policy says.

    ``return_path`` is the page to open afterwards: someone who opened the link of an invitation is invited.
    """
    if policy is SignUp.OPEN or accounts.has_account(tx, address):
        return True
    if policy is SignUp.CLOSED:
        return False
    token_hash = _invitation_hash(return_path)
    return accounts.is_invited(tx, address, token_hash)


def _invitation_hash(path: str) -> bytes | None:
    for prefix in _INVITATION_PATHS:
        token = path.removeprefix(prefix)
        if token != path and token.isascii():
            return hash_of(token.partition("?")[0])
    return None


def _invitation_id(tx: Tx, link: str) -> int | None:
    found_invitation = invitations.find_by_token(tx, hash_of(link)) if link else None
    return None if found_invitation is None else found_invitation[0].id


def address_proof(address: str, keys: Keyring) -> str:
    """Return what a browser keeps once an address has signed in there; requests with it are not limited.

    Otherwise others could use up the hourly emails of an address and keep its owner from signing in.
    """
    return keys.token(_PROOF_PURPOSE, address.lower())


def _is_proved(address: str, browser: Browser, keys: Keyring) -> bool:
    """Return whether the address has signed in at this browser before; those with an old key count as well."""
    return any(
        keys.is_token(proof, _PROOF_PURPOSE, address.lower()) for proof in browser.address_proofs
    )


def sign_in_token(nonce: bytes, keys: Keyring) -> str:
    """Return the token in the link of a sign-in email."""
    return keys.link_token("sign-in", nonce)


def check_link(tx: Tx, token: str, *, browser: Browser) -> Literal["valid"] | CodeRefusalReason:
    """Return whether the link would sign in, or why not. Uses nothing up: mail programs open links too."""
    sign_in_row = sign_ins.find_by_token(tx, hash_of(token))
    return _link_refusal_reason(sign_in_row, browser, tx.now) or "valid"


def sign_in_by_link(
    tx: Tx,
    token: str,
    *,
    browser: Browser,
    typed_address: str = "",
) -> OpenedSession | CodeRefused:
    """Sign in with the link from the email, once: in the browser that requested it, or where its address is typed."""
    sign_in_row = sign_ins.find_by_token(tx, hash_of(token), lock=True)
    refusal_reason = _link_refusal_reason(sign_in_row, browser, tx.now)
    if sign_in_row is None or refusal_reason not in {None, "other-browser"}:
        return CodeRefused(reason=refusal_reason or "unknown")
    if refusal_reason == "other-browser":
        if not typed_address.strip():
            return CodeRefused(reason="other-browser")
        address_refused = check_address(tx, sign_in_row, typed_address)
        if address_refused is not None:
            return address_refused
    return _sign_in(tx, sign_in_row, browser=browser)


def takes_seat(tx: Tx, token: str) -> bool:
    """Return whether signing in with this link takes the seat of an invitation."""
    sign_in_row = sign_ins.find_by_token(tx, hash_of(token))
    return sign_in_row is not None and sign_in_row.invitation_id is not None


def sign_in_by_code(tx: Tx, code: str, *, browser: Browser) -> OpenedSession | CodeRefused:
    """Sign in with the code of any valid email sent to the address that this browser requested last."""
    latest_sign_in = sign_ins.latest_of_browser(tx, hash_of(browser.key))
    match = match_code(
        tx,
        latest_sign_in,
        code,
        network_address=browser.device.network_address,
    )
    if isinstance(match, CodeRefused):
        return match
    return _sign_in(tx, match, browser=browser)


def has_used_link(tx: Tx, token: str, *, cookie: str | None) -> bool:
    """Return whether the person with this cookie has already signed in with this link or its code."""
    sign_in_row = sign_ins.find_by_token(tx, hash_of(token))
    person = person_for(tx, cookie)
    if sign_in_row is None or sign_in_row.used_at is None or person is None:
        return False
    return sign_in_row.address.lower() == person.address.lower()


def is_pause_possible(tx: Tx, token: str) -> bool:
    """Return whether the link in an email still works; it does for about two days. Opening it stops nothing."""
    return sign_ins.address_of_pause_token(tx, hash_of(token)) is not None


def pause_sign_in_emails(tx: Tx, token: str) -> None:
    """Stop the emails, and let those that were sent be of no use; repeating it changes nothing. Raises NotFound."""
    address = sign_ins.address_of_pause_token(tx, hash_of(token))
    if address is None:
        raise NotFound
    sign_ins.lock_address(tx, address)
    if sign_ins.is_paused(tx, address):
        return
    sign_ins.pause(tx, address, until=tx.now + _PAUSE)
    security_log.record(tx, SecurityEventKind.SIGN_IN_PAUSED, account_id=None)


def _sign_in(tx: Tx, sign_in: SignInRow, *, browser: Browser) -> OpenedSession:
    """Mark the sign-in as used, find or create the account, and open a session."""
    sign_ins.mark_used(tx, sign_in.id)
    account = accounts.find_or_create(tx, sign_in.address, language=sign_in.language, zone="UTC")
    opened = open_session(tx, account, device=browser.device)
    return msgspec.structs.replace(opened, invitation_id=sign_in.invitation_id)


def _link_refusal_reason(
    sign_in_row: SignInRow | None, browser: Browser, now: datetime
) -> CodeRefusalReason | None:
    if sign_in_row is None or sign_in_row.purpose != "sign-in":
        return "unknown"
    # Before the browser is compared, because its key changes when a person signs in.
    refusal_reason = refusal_reason_of(sign_in_row, now)
    if refusal_reason is not None:
        return refusal_reason
    return (
        None if compare_digest(sign_in_row.browser_hash, hash_of(browser.key)) else "other-browser"
    )
