"""Sentences about emailed codes and links that are refused."""

from typing import Final

from webapp.accounts.emailed_codes import CodeRefusalReason, CodeRefused
from webapp.kernel.i18n import N_, Language

_CODE_REFUSED_TEXTS: Final[dict[CodeRefusalReason, str]] = {
    "unknown": N_("That link or code doesn't work. Ask for a new one below."),
    "expired": N_("That link or code has expired. They work for 10 minutes. Ask for a new one."),
    "used": N_("That link or code has already been used. Each works once. Ask for a new one."),
    "other-browser": N_(
        "This link was requested in another browser. Open it there, or ask for a new one here."
    ),
    "wrong-address": N_(
        "That isn't the address we sent this link to. Please check it and try again."
    ),
    "too-many-tries": N_(
        "Too many wrong codes. The link in the email still works: open it in this browser, or ask for a new email."
    ),
    "too-many-guesses": N_(
        "Too many wrong codes for this address today, perhaps from someone else. You can't use codes for a day. "
        "The link in the email still works: open it in this browser."
    ),
}
_IDENTITY_CODE_TEXTS: Final[dict[CodeRefusalReason, str]] = {
    "unknown": N_("We haven't sent you a code yet. Ask for one below."),
    "expired": N_("That code has expired. Codes work for 10 minutes. Ask for a new one."),
    "used": N_("That code has already been used. Each works once. Ask for a new one."),
    "too-many-tries": N_("Too many wrong codes. Ask for a new one."),
    "too-many-guesses": N_("Too many wrong codes today. Please try again tomorrow."),
}
_LAST_TRY_TEXT: Final = N_(
    "That isn't the code we sent, and it was your last try. The link in the email still works: open it in this browser."
)


def not_signed_in_sentence(code_refused: CodeRefused, language: Language) -> str:
    """Return why a link or a code did not sign the browser in."""
    if code_refused.reason != "wrong-code":
        return language.gettext(_CODE_REFUSED_TEXTS[code_refused.reason])
    if not code_refused.tries_left:
        return language.gettext(_LAST_TRY_TEXT)
    return _tries_left_sentence(code_refused.tries_left, language)


def identity_refused_sentence(code_refused: CodeRefused, language: Language) -> str:
    """Return why a code did not confirm who the viewer is."""
    if code_refused.reason == "wrong-code" and code_refused.tries_left:
        return _tries_left_sentence(code_refused.tries_left, language)
    reason = "too-many-tries" if code_refused.reason == "wrong-code" else code_refused.reason
    return language.gettext(_IDENTITY_CODE_TEXTS[reason])


def _tries_left_sentence(tries_left: int, language: Language) -> str:
    return language.ngettext(
        "That isn't the code we sent. You have %(num)s try left.",
        "That isn't the code we sent. You have %(num)s tries left.",
        tries_left,
    )
