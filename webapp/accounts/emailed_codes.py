"""Codes sent by email, for signing in and for confirming who one is: requesting one, checking what was typed, and limits on guessing."""

import unicodedata
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

import msgspec

from webapp.accounts import security_log
from webapp.accounts.names import typed_text
from webapp.accounts.queries import accounts, sign_ins
from webapp.accounts.queries.sign_ins import CodePurpose, NewSignIn, SignInRow
from webapp.accounts.security_log import SecurityEventKind
from webapp.accounts.sessions import Device, kept_user_agent
from webapp.kernel.i18n import SUPPORTED_LANGUAGES
from webapp.kernel.keyring import Keyring, hash_of
from webapp.kernel.networks import source_networks
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification

CODE_LIFETIME: Final = timedelta(minutes=10)
"""How long a link or a code is valid."""
_REQUESTS_PER_HOUR: Final = 10
"""Emails for one purpose to one address. Further requests get the same answer, but only one email is sent in a while."""
_REQUESTS_PER_SOURCE_AND_HOUR: Final = 5
"""Emails for one purpose to one address that one network can cause, so that it leaves some to the address's owner."""
_PAUSE_OVER_LIMIT: Final = timedelta(minutes=5)
"""After so long without an email another one is sent even over the limit: no stranger can lock an address out."""
_TRIES_PER_CODE: Final = 5
_GUESSES_PER_DAY: Final = 20
"""Guesses at the codes of one address in all browsers together; its links are not affected."""
_MAX_CODE_LENGTH: Final = 40
_KIND_BY_PURPOSE: Final[dict[CodePurpose, str]] = {
    "sign-in": "sign-in",
    "identity": "identity-code",
}
CodeRefusalReason: TypeAlias = Literal[
    "unknown",
    "expired",
    "used",
    "other-browser",
    "wrong-address",
    "wrong-code",
    "too-many-tries",
    "too-many-guesses",
]


class CodeRefused(msgspec.Struct, frozen=True, kw_only=True):
    """Why a code or a link was refused. ``too-many-guesses``: no code for this address is accepted for a day."""

    reason: CodeRefusalReason
    tries_left: int | None = None


class CodeRequest(Redacted, frozen=True, kw_only=True):
    """A request for an email with a code; only the browser with this key can use it."""

    purpose: CodePurpose
    address: str
    browser_key: str
    language: str
    device: Device = Device()
    invitation_id: int | None = None
    """The invitation to a table that the person is accepting."""


def pause_token(nonce: bytes, keys: Keyring) -> str:
    """Return the token of the link "I didn't request this email"."""
    return keys.link_token("sign-in not requested", nonce)


def request_code(tx: Tx, request: CodeRequest, *, apply_limits: bool = True) -> None:
    """Send an email with a code, unless the address has had too many. The address must be locked."""
    if apply_limits and _is_over_limit(tx, request):
        return
    keys, link = tx.tokens.keys, tx.tokens.new_link(request.purpose)
    row = NewSignIn(
        purpose=request.purpose,
        address=request.address,
        nonce=link.nonce,
        token_hash=link.token_hash,
        pause_hash=hash_of(pause_token(link.nonce, keys)),
        code_hash=keys.code_hash(link.nonce, keys.code(link.nonce)),
        browser_hash=hash_of(request.browser_key),
        user_agent=kept_user_agent(request.device),
        source=_source_of(request),
        language=_supported_language(request.language),
        invitation_id=request.invitation_id,
        requested_at=tx.now,
        expires_at=tx.now + CODE_LIFETIME,
    )
    _queue_email(tx, request.purpose, sign_ins.add_sign_in(tx, row))


def match_code(
    tx: Tx,
    latest_sign_in: SignInRow | None,
    code: str,
    *,
    network_address: str | None = None,
) -> SignInRow | CodeRefused:
    """Return the usable code of the same purpose, browser and address as ``latest_sign_in`` that was typed.

    One typed code is compared with the codes of all these emails, and a wrong one is counted for each: every code has five
    tries, and an address has no more guesses a day than with a single email, because a second email uses them up twice as
    fast. The address is locked meanwhile. Failures are return values, so that the transaction commits the counted tries.
    """
    if latest_sign_in is None:
        return CodeRefused(reason="unknown")
    sign_ins.lock_address(tx, latest_sign_in.address)
    candidates = sign_ins.usable_codes_like(tx, latest_sign_in)
    if not candidates:
        # If it was usable before the lock, it has just been used.
        return CodeRefused(reason=refusal_reason_of(latest_sign_in, tx.now) or "used")
    match = _match_candidates(tx, candidates, code)
    if isinstance(match, CodeRefused):
        _record_refusal(tx, candidates[0], network_address)
    return match


def check_address(tx: Tx, row: SignInRow, typed_address: str) -> CodeRefused | None:
    """Return why a link is refused in a browser that did not request it; the address that it was sent to must be typed there.

    Otherwise anyone could sign others in to an account of their own, by sending them the link of an email to themselves.
    Failures are return values, so that the transaction commits the counted tries. Needs the row locked.
    """
    if row.tries >= _TRIES_PER_CODE:
        return CodeRefused(reason="too-many-tries", tries_left=0)
    if typed_text(typed_address).lower() == row.address.lower():
        return None
    sign_ins.add_try(tx, [row])
    return CodeRefused(reason="wrong-address", tries_left=_TRIES_PER_CODE - row.tries - 1)


def refusal_reason_of(row: SignInRow, now: datetime) -> CodeRefusalReason | None:
    """Return why a code that was sent can no longer be used, if so."""
    if row.used_at is not None:
        return "used"
    return "expired" if row.expires_at <= now else None


def _is_over_limit(tx: Tx, request: CodeRequest) -> bool:
    source = _source_of(request)
    counts = sign_ins.count_requests(
        tx,
        request.purpose,
        request.address,
        source=source,
        since=tx.now - timedelta(hours=1),
    )
    if source is not None and counts.from_source >= _REQUESTS_PER_SOURCE_AND_HOUR:
        return True
    is_recent = counts.newest_at is not None and tx.now - counts.newest_at < _PAUSE_OVER_LIMIT
    return counts.total >= _REQUESTS_PER_HOUR and is_recent


def _source_of(request: CodeRequest) -> str | None:
    address = request.device.network_address
    return None if address is None else source_networks(address).home


def _supported_language(code: str) -> str:
    return code if code in SUPPORTED_LANGUAGES else SUPPORTED_LANGUAGES[0]


def _queue_email(tx: Tx, purpose: CodePurpose, code_id: int) -> None:
    notification = NewNotification(
        kind=_KIND_BY_PURPOSE[purpose],
        game_id=None,
        account_id=None,
        dedup_key=code_id,
        due_at=tx.now,
    )
    outbox.enqueue(tx, [notification])


def _match_candidates(
    tx: Tx, candidates: Sequence[SignInRow], code: str
) -> SignInRow | CodeRefused:
    newest_code = candidates[0]
    guesses_left = _guesses_left_today(tx, newest_code.purpose, newest_code.address)
    compared_indexes = _codes_to_compare([row.tries for row in candidates], guesses_left)
    if not compared_indexes:
        reason: CodeRefusalReason = "too-many-guesses" if guesses_left <= 0 else "too-many-tries"
        return CodeRefused(reason=reason, tries_left=0)
    rows = [candidates[index] for index in compared_indexes]
    digits = _digits(code)
    matches = [row for row in rows if tx.keys.is_code(digits, row.nonce, row.code_hash)]
    sign_ins.add_try(tx, matches[:1] or rows)
    if matches:
        return matches[0]
    if guesses_left <= len(rows):
        security_log.record(tx, SecurityEventKind.CODE_LIMIT_REACHED, account_id=None)
    tries_left_count = _tries_left([row.tries + 1 for row in rows], guesses_left - len(rows))
    return CodeRefused(reason="wrong-code", tries_left=tries_left_count)


def _guesses_left_today(tx: Tx, purpose: CodePurpose, address: str) -> int:
    """Return how many more guesses at this address's codes are allowed, in all browsers.

    Counted for each purpose, so that a stranger who guesses at sign-in codes cannot keep a person from confirming who they are.
    """
    since = tx.now - timedelta(days=1)
    return _GUESSES_PER_DAY - sign_ins.count_tries(tx, purpose, address, since=since)


def _codes_to_compare(tries: Sequence[int], guesses_left: int) -> list[int]:
    """Return the indexes of the codes that one typed code is compared with.

    These are the codes with tries left (``tries`` lists those already used), at most as many as today's remaining guesses.
    """
    open_code_indexes = [index for index, count in enumerate(tries) if count < _TRIES_PER_CODE]
    return open_code_indexes[: max(guesses_left, 0)]


def _tries_left(tries: Sequence[int], guesses_left: int) -> int:
    """Return how many more codes can be typed, given the tries used of each open code."""
    compared_indexes = _codes_to_compare(tries, guesses_left)
    if not compared_indexes:
        return 0
    tries_after_guess = [tries[index] + 1 for index in compared_indexes]
    return 1 + _tries_left(tries_after_guess, guesses_left - len(compared_indexes))


def _digits(code: str) -> str:
    """Return the digits of the typed code: spaces and dashes are often copied along."""
    return "".join(
        str(unicodedata.decimal(character))
        for character in code[:_MAX_CODE_LENGTH]
        if character.isdecimal()
    )


def _record_refusal(tx: Tx, sign_in: SignInRow, network_address: str | None) -> None:
    """Record whose code was guessed at, if the address has an account; who did it is not known."""
    account = accounts.find_by_address(tx, sign_in.address)
    security_log.record(
        tx,
        SecurityEventKind.CODE_REFUSED,
        account_id=None,
        network_address=network_address,
        detail={} if account is None else {"account": account.id},
    )
