"""Change of address: confirmed with a link that goes to the new address, and announced to the old one.

No answer reveals whether the new address has an account: if it has, its owner gets an email that says so instead of the link.
"""

from datetime import datetime, timedelta
from typing import Final

from webapp.accounts import security_log
from webapp.accounts.addresses import parse_address
from webapp.accounts.person import Person
from webapp.accounts.queries import accounts, address_changes, recipients, sign_ins
from webapp.accounts.queries.address_changes import AddressChangeRow, NewAddressChange
from webapp.accounts.recipient_limits import may_be_emailed
from webapp.accounts.security_log import SecurityEventKind
from webapp.kernel.keyring import Keyring, hash_of
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed, NotFound
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification

_PURPOSE: Final = "address-change"
LINK_LIFETIME: Final = timedelta(days=1)
_REQUESTS_PER_DAY: Final = 5


class PendingChange(Redacted, frozen=True, kw_only=True):
    """A change that waits for the link in the email to the new address."""

    new_address: str
    expires_at: datetime


def request_change(tx: Tx, person: Person, typed_address: str) -> None:
    """Email a link to the new address and a warning to the present one; an earlier request is withdrawn.

    No link is sent to a mailbox that has had enough emails today that it did not ask for; the answer is the same.
    Raises FieldErrors for an address that is invalid or the present one, or for too many requests.
    """
    address = parse_address(typed_address)
    if address.lower() == person.address.lower():
        raise FieldErrors(FieldError("address", "unchanged"))
    accounts.lock_account(tx, person.id)
    _check_daily_limit(tx, person)
    recipients.lock_recipient(tx, address)
    is_emailed = may_be_emailed(tx, address)
    address_changes.withdraw(tx, person.id)
    link = tx.tokens.new_link(_PURPOSE)
    change = NewAddressChange(
        account_id=person.id,
        old_address=person.address,
        new_address=address,
        nonce=link.nonce,
        token_hash=link.token_hash,
        requested_at=tx.now,
        expires_at=tx.now + LINK_LIFETIME,
    )
    change_id = address_changes.add(tx, change)
    if is_emailed:
        _queue_emails(tx, "address-change", change_id=change_id)
    _queue_emails(tx, "address-requested", change_id=change_id)


def change_token(nonce: bytes, keys: Keyring) -> str:
    """Return the token in the link of the email to the new address."""
    return keys.link_token(_PURPOSE, nonce)


def pending_change(tx: Tx, person: Person) -> PendingChange | None:
    """Return the change that waits for its link, if there is one."""
    row = address_changes.find_open_change(tx, person.id)
    return None if row is None else _pending_change(row)


def change_of_token(tx: Tx, person: Person, token: str) -> PendingChange:
    """Return the change that the link would carry out. Uses nothing up. Raises NotFound."""
    return _pending_change(_find_open_change(tx, person, token))


def confirm_change(tx: Tx, person: Person, token: str) -> str:
    """Give the person's account its new address and return it. Raises NotFound, and NotAllowed if it is taken by now.

    Only the person who requested the change can use the link. Otherwise one could make a stranger confirm an account that
    is not theirs.
    """
    accounts.lock_account(tx, person.id)
    change = _find_open_change(tx, person, token)
    sign_ins.lock_address(tx, change.new_address)
    if not address_changes.apply_change(tx, change):
        raise NotAllowed(DenialReason.ADDRESS_TAKEN)
    security_log.record(tx, SecurityEventKind.ADDRESS_CHANGED, account_id=person.id)
    _queue_emails(tx, "address-changed", change_id=change.id)
    return change.new_address


def withdraw_change(tx: Tx, person: Person) -> None:
    """Make the link of the open change useless; change nothing if there is none."""
    address_changes.withdraw(tx, person.id)


def _check_daily_limit(tx: Tx, person: Person) -> None:
    since = tx.now - timedelta(days=1)
    if address_changes.count_requests(tx, person.id, since=since) >= _REQUESTS_PER_DAY:
        raise FieldErrors(FieldError("address", "too-often"))


def _find_open_change(tx: Tx, person: Person, token: str) -> AddressChangeRow:
    change = address_changes.find_open_change_with_token(tx, person.id, hash_of(token))
    if change is None:
        raise NotFound
    return change


def _pending_change(row: AddressChangeRow) -> PendingChange:
    return PendingChange(new_address=row.new_address, expires_at=row.expires_at)


def _queue_emails(tx: Tx, *kinds: str, change_id: int) -> None:
    notifications = [
        NewNotification(
            kind=kind, game_id=None, account_id=None, dedup_key=change_id, due_at=tx.now
        )
        for kind in kinds
    ]
    outbox.enqueue(tx, notifications)
