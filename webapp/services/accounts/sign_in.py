"""Sign-in by email, with a link or a code.

There is no sign-up: the first sign-in creates the account, and no answer reveals whether there was one before.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Final, Literal, TypeAlias

import msgspec

from webapp.languages import SUPPORTED_LANGUAGES
from webapp.services.accounts.addresses import parse_address
from webapp.services.accounts.code_guesses import codes_to_compare, guesses_left_today, tries_left
from webapp.services.accounts.sessions import SignedIn, open_session, person_for
from webapp.services.keys import Keyring, RandomBytes, hash_of
from webapp.services.tx import Tx
from webapp.store.accounts import sign_ins
from webapp.store.accounts.sign_ins import NewSignIn, SignInRow
from webapp.store.notifications import outbox
from webapp.store.notifications.outbox import NewNotification
from webapp.store.redacted import Redacted

SIGN_IN_LIFETIME: Final = timedelta(minutes=10)
"""How long a link or a code is valid."""
_REQUESTS_PER_HOUR: Final = 10
"""Emails sent to one address; further requests get the same answer, but no email is sent."""
_NONCE_SIZE: Final = 16
_MAX_CODE_LENGTH: Final = 40

NotSignedInReason: TypeAlias = Literal[
    "unknown",
    "expired",
    "used",
    "other-browser",
    "wrong-code",
    "too-many-tries",
    "too-many-guesses",
]


class Browser(Redacted, frozen=True, kw_only=True):
    """The browser of a request."""

    key: str
    """A random value from the browser's cookie: links and codes work only in the browser that requested them."""
    user_agent: str = ""
    address_proofs: Collection[str] = ()
    """One ``address_proof`` for each address that has signed in here."""


class SignInRequest(Redacted, frozen=True, kw_only=True):
    """A request for a sign-in email."""

    address: str
    language: str
    browser: Browser


class NotSignedIn(msgspec.Struct, frozen=True, kw_only=True):
    """Why a sign-in failed. ``too-many-guesses``: no code for this address is accepted for a day, in any browser."""

    reason: NotSignedInReason
    tries_left: int | None = None


def request_sign_in(
    tx: Tx, request: SignInRequest, *, keys: Keyring, tokens: RandomBytes, now: datetime
) -> None:
    """Send an email with a link and a code to the address. Raises FieldErrors for an invalid address.

    Returns nothing, so that no answer reveals whether there is an account or whether the limit was reached.
    """
    address = parse_address(request.address)
    sign_ins.lock_address(tx.connection, address)
    is_proved = address_proof(address, keys) in request.browser.address_proofs
    if not is_proved and _is_over_hourly_limit(tx, address, now):
        return
    nonce = tokens(_NONCE_SIZE)
    sign_in = NewSignIn(
        address=address,
        nonce=nonce,
        token_hash=hash_of(sign_in_token(nonce, keys)),
        code_hash=keys.code_hash(nonce, keys.code(nonce)),
        browser_hash=hash_of(request.browser.key),
        language=_supported_language(request.language),
        requested_at=now,
        expires_at=now + SIGN_IN_LIFETIME,
    )
    _queue_email(tx, sign_ins.add(tx.connection, sign_in), now=now)


def address_proof(address: str, keys: Keyring) -> str:
    """Return what a browser keeps once an address has signed in there; requests with it are not limited.

    Otherwise others could use up the hourly emails of an address and keep its owner from signing in.
    """
    return keys.token("signed in before", address.lower())


def sign_in_token(nonce: bytes, keys: Keyring) -> str:
    """Return the token in the link of a sign-in email."""
    return keys.token("sign-in", nonce)


def check_link(
    tx: Tx, token: str, *, browser: Browser, now: datetime
) -> Literal["valid"] | NotSignedInReason:
    """Return whether the link would sign in, or why not. Uses nothing up: mail programs open links too."""
    found = sign_ins.find_by_token(tx.connection, hash_of(token))
    return _obstacle(found, browser, now) or "valid"


def sign_in_by_link(
    tx: Tx, token: str, *, browser: Browser, tokens: RandomBytes, now: datetime
) -> SignedIn | NotSignedIn:
    """Sign in with the link from the email, once, in the browser that requested it."""
    found = sign_ins.find_by_token(tx.connection, hash_of(token), lock=True)
    obstacle = _obstacle(found, browser, now)
    if obstacle is not None:
        return NotSignedIn(reason=obstacle)
    assert found is not None
    return open_session(tx, found, user_agent=browser.user_agent, tokens=tokens, now=now)


def sign_in_by_code(
    tx: Tx, code: str, *, browser: Browser, keys: Keyring, tokens: RandomBytes, now: datetime
) -> SignedIn | NotSignedIn:
    """Sign in with the code of any valid email sent to the address that this browser requested last.

    One typed code is compared with the codes of all these emails, and a wrong one is counted for each: every code has five
    tries, and an address has no more guesses a day than with a single email, because a second email uses them up twice as
    fast. The address is locked meanwhile. Failures are return values, so that the transaction commits the counted tries.
    """
    latest = sign_ins.latest_of_browser(tx.connection, hash_of(browser.key))
    if latest is None:
        return NotSignedIn(reason="unknown")
    sign_ins.lock_address(tx.connection, latest.address)
    candidates = sign_ins.usable_like(tx.connection, latest, now=now)
    if not candidates:
        # If it was usable before the lock, it has just been used.
        return NotSignedIn(reason=_obstacle(latest, browser, now) or "used")
    match = _match_code(tx, candidates, code, keys=keys, now=now)
    if isinstance(match, NotSignedIn):
        return match
    return open_session(tx, match, user_agent=browser.user_agent, tokens=tokens, now=now)


def has_used_link(tx: Tx, token: str, *, cookie: str | None, now: datetime) -> bool:
    """Return whether the person with this cookie has already signed in with this link or its code."""
    found = sign_ins.find_by_token(tx.connection, hash_of(token))
    person = person_for(tx, cookie, now=now)
    if found is None or found.used_at is None or person is None:
        return False
    return found.address.lower() == person.address.lower()


def _supported_language(code: str) -> str:
    return code if code in SUPPORTED_LANGUAGES else SUPPORTED_LANGUAGES[0]


def _is_over_hourly_limit(tx: Tx, address: str, now: datetime) -> bool:
    hour_ago = now - timedelta(hours=1)
    requests = sign_ins.count_requests(tx.connection, address, since=hour_ago)
    return requests >= _REQUESTS_PER_HOUR


def _queue_email(tx: Tx, sign_in_id: int, *, now: datetime) -> None:
    notification = NewNotification(
        kind="sign-in", game_id=None, account_id=None, dedup_key=sign_in_id, due_at=now
    )
    outbox.enqueue(tx.connection, [notification])
    tx.nudges.add("emails")


def _obstacle(found: SignInRow | None, browser: Browser, now: datetime) -> NotSignedInReason | None:
    if found is None:
        return "unknown"
    # Before the browser is compared, because its key changes when a person signs in.
    if found.used_at is not None:
        return "used"
    if found.expires_at <= now:
        return "expired"
    return None if compare_digest(found.browser_hash, hash_of(browser.key)) else "other-browser"


def _match_code(
    tx: Tx, candidates: Sequence[SignInRow], code: str, *, keys: Keyring, now: datetime
) -> SignInRow | NotSignedIn:
    """Return the sign-in with this code; count a wrong code for every sign-in it was compared with."""
    guesses_left = guesses_left_today(tx, candidates[0].address, now=now)
    compared = codes_to_compare([row.tries for row in candidates], guesses_left)
    if not compared:
        reason: NotSignedInReason = "too-many-guesses" if guesses_left <= 0 else "too-many-tries"
        return NotSignedIn(reason=reason, tries_left=0)
    rows = [candidates[index] for index in compared]
    digits = _digits(code)
    matches = [
        row for row in rows if compare_digest(keys.code_hash(row.nonce, digits), row.code_hash)
    ]
    sign_ins.count_try(tx.connection, matches[:1] or rows)
    if matches:
        return matches[0]
    left = tries_left([row.tries + 1 for row in rows], guesses_left - len(rows))
    return NotSignedIn(reason="wrong-code", tries_left=left)


def _digits(code: str) -> str:
    """Return the digits of the typed code: spaces and dashes are often copied along."""
    return "".join(character for character in code[:_MAX_CODE_LENGTH] if character.isdecimal())
