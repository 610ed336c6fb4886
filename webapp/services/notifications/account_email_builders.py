"""Build the context of each kind of email about an account: codes, links and changes of its address."""

from datetime import datetime

from webapp.clock import has_passed
from webapp.services.accounts.address_change import change_token
from webapp.services.accounts.emailed_codes import pause_token
from webapp.services.accounts.sign_in import sign_in_token
from webapp.services.notifications.email_context import (
    AddressChangeContext,
    AddressNoticeContext,
    IdentityCodeContext,
    SignInContext,
)
from webapp.services.notifications.email_sources import EmailSource, Superseded, envelope_for


def sign_in(source: EmailSource) -> SignInContext:
    nonce, expires_at = _usable_nonce(source)
    return SignInContext(
        envelope=envelope_for(source),
        code=source.keys.code(nonce),
        link_token=sign_in_token(nonce, source.keys),
        expires_at=expires_at,
        user_agent=source.notification.user_agent or "",
        pause_token=pause_token(nonce, source.keys),
    )


def identity_code(source: EmailSource) -> IdentityCodeContext:
    nonce, expires_at = _usable_nonce(source)
    return IdentityCodeContext(
        envelope=envelope_for(source), code=source.keys.code(nonce), expires_at=expires_at
    )


def address_change(source: EmailSource) -> AddressChangeContext:
    nonce, expires_at = _usable_nonce(source)
    is_taken = source.notification.recipient_id is not None
    return AddressChangeContext(
        envelope=envelope_for(source),
        link_token=None if is_taken else change_token(nonce, source.keys),
        expires_at=expires_at,
    )


def address_requested(source: EmailSource) -> AddressNoticeContext:
    _usable_nonce(source)
    return AddressNoticeContext(envelope=envelope_for(source))


def address_changed(source: EmailSource) -> AddressNoticeContext:
    return AddressNoticeContext(envelope=envelope_for(source))


def _usable_nonce(source: EmailSource) -> tuple[bytes, datetime]:
    """Return the nonce of a code or a link that still works, and when it expires. Raises Superseded."""
    notification = source.notification
    if (
        notification.nonce is None
        or notification.expires_at is None
        or has_passed(notification.expires_at, now=source.now)
    ):
        raise Superseded("expired")
    if notification.is_used:
        raise Superseded("used")
    return notification.nonce, notification.expires_at
