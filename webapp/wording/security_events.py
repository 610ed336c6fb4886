"""What the events of the security log are called, and their details as sentences."""

from collections.abc import Mapping
from typing import Any, Final

from webapp.i18n import N_, Language

EVENT_NAMES: Final[dict[str, str]] = {
    "sign-in": N_("Signed in"),
    "code-limit-reached": N_("Too many wrong codes"),
    "sign-out-others": N_("Signed out other browsers"),
    "identity-confirmed": N_("Confirmed who they are"),
    "passkey-added": N_("Added a passkey"),
    "passkey-removed": N_("Removed a passkey"),
    "address-changed": N_("Changed their email address"),
    "data-exported": N_("Downloaded their data"),
    "account-deleted": N_("Deleted the account"),
    "rights-granted": N_("Granted rights"),
    "rights-removed": N_("Removed rights"),
    "setting-changed": N_("Changed a setting"),
    "peek": N_("Looked at roles and cards"),
    "act": N_("Act of a moderator"),
}
"""By the kinds of the security log."""
_DETAIL_SENTENCES: Final[dict[str, str]] = {
    "ledger": N_("Ledger entry %(value)s"),
    "act": N_("Act: %(value)s"),
    "with_passkey": N_("With a passkey"),
    "sessions": N_("Browsers: %(value)s"),
}


def event_name(kind: str, language: Language) -> str:
    """Return what happened; a kind that this release does not know is shown as it is."""
    return language.gettext(EVENT_NAMES[kind]) if kind in EVENT_NAMES else kind


def detail_sentences(detail: Mapping[str, Any], language: Language) -> list[str]:
    """Return the details of an event, one sentence for each."""
    return [
        _detail_sentence(name, value, language)
        for name, value in sorted(detail.items())
        if value is not False
    ]


def _detail_sentence(name: str, value: object, language: Language) -> str:
    """Return one detail; one that this release does not know is shown as it is."""
    if name not in _DETAIL_SENTENCES:
        return f"{name}: {value}"
    return language.gettext(_DETAIL_SENTENCES[name], value=str(value))
