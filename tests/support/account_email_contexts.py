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


def sign_in(**changed_fields: Any) -> SignInContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("sign-in"),
        "code": "042137",
        "link_token": "link-token",
        "expires_at": NOW + timedelta(minutes=10),
        "pause_token": "pause-token",
        "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    }
    return SignInContext(**(defaults | changed_fields))


def identity_code_context(**changed_fields: Any) -> IdentityCodeContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("identity-code"),
        "code": "042137",
        "expires_at": NOW + timedelta(minutes=10),
    }
    return IdentityCodeContext(**(defaults | changed_fields))


def address_change_context(**changed_fields: Any) -> AddressChangeContext:
    defaults: dict[str, Any] = {
        "envelope": envelope_for("address-change", name=""),
        "link_token": "link-token",
        "expires_at": NOW + timedelta(days=1),
    }
    return AddressChangeContext(**(defaults | changed_fields))


def address_requested_context(**changed_fields: Any) -> AddressNoticeContext:
    return AddressNoticeContext(
        **({"envelope": envelope_for("address-requested")} | changed_fields)
    )


def address_changed_context(**changed_fields: Any) -> AddressNoticeContext:
    return AddressNoticeContext(**({"envelope": envelope_for("address-changed")} | changed_fields))
