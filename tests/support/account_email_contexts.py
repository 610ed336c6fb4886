"""Contexts of the emails about an account: codes, links and changes of its address."""

from datetime import timedelta
from typing import Any

from tests.support.email_envelopes import NOW, envelope_for
from webapp.services.notifications.email_context import (
    AddressChangeContext,
    AddressNoticeContext,
    IdentityCodeContext,
    SignInContext,
)


def sign_in(**changed: Any) -> SignInContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("sign-in"),
        "code": "042137",
        "link_token": "link-token",
        "expires_at": NOW + timedelta(minutes=10),
    }
    return SignInContext(**(defaults | changed))


def identity_code(**changed: Any) -> IdentityCodeContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("identity-code"),
        "code": "042137",
        "expires_at": NOW + timedelta(minutes=10),
    }
    return IdentityCodeContext(**(defaults | changed))


def address_change(**changed: Any) -> AddressChangeContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("address-change", name=""),
        "link_token": "link-token",
        "expires_at": NOW + timedelta(days=1),
    }
    return AddressChangeContext(**(defaults | changed))


def address_requested(**changed: Any) -> AddressNoticeContext:
    return AddressNoticeContext(**({"envelope": envelope_for("address-requested")} | changed))


def address_changed(**changed: Any) -> AddressNoticeContext:
    return AddressNoticeContext(**({"envelope": envelope_for("address-changed")} | changed))
