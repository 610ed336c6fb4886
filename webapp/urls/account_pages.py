"""The paths of signing in and of everyone's own account."""

from webapp.urls.paths import query_string, quoted_part


def sign_in(return_path: str | None = None) -> str:
    """Return the form that requests a sign-in email; ``return_path`` is the page to open afterwards."""
    return "/sign-in" + query_string(return_path=return_path)


def sign_in_code() -> str:
    return "/sign-in/code"


def sign_in_pause(token: str) -> str:
    """Return the page that stops sign-in emails for a day, for a person who has requested none."""
    return f"/sign-in/not-me/{quoted_part(token)}"


def sign_in_link(token: str) -> str:
    """Return the link in a sign-in email: a GET shows a button, a POST signs in."""
    return f"/sign-in/link/{quoted_part(token)}"


def sign_out() -> str:
    return "/sign-out"


def profile() -> str:
    return "/account"


def session(ref: str) -> str:
    """Return where another browser is signed out (POST)."""
    return f"/account/sessions/{quoted_part(ref)}"


def other_sessions() -> str:
    """Return where all other browsers are signed out (POST)."""
    return "/account/sessions"


def profile_emails() -> str:
    """Return where stopped emails are switched on again (POST)."""
    return "/account/emails"


def account_security() -> str:
    """Return the page of the address, the passkeys and the browsers of an account."""
    return "/account/security"


def account_address() -> str:
    """Return the form for another address."""
    return "/account/address"


def withdraw_address() -> str:
    """Return where a requested change of address is withdrawn (POST)."""
    return "/account/address/withdraw"


def resume_emails() -> str:
    """Return where emails are sent to an address again from which they came back (POST)."""
    return "/account/address/emails"


def address_link(token: str) -> str:
    """Return the link in the email to a new address: a GET shows a button, a POST changes the address."""
    return f"/account/address/{quoted_part(token)}"


def new_passkey() -> str:
    """Return the form that adds a passkey."""
    return "/account/passkeys/new"


def new_passkey_options() -> str:
    """Return where the script fetches what the browser needs to make a passkey (POST, answers with JSON)."""
    return "/account/passkeys/options"


def remove_passkey(ref: str) -> str:
    """Return the page that removes a passkey."""
    return f"/account/passkeys/{quoted_part(ref)}/remove"


def passkey_sign_in() -> str:
    """Return where the answer of a passkey signs in (POST)."""
    return "/sign-in/passkey"


def passkey_sign_in_options() -> str:
    """Return where the script fetches what the browser needs to sign in (POST, answers with JSON)."""
    return "/sign-in/passkey/options"


def identity_passkey() -> str:
    """Return where the answer of a passkey confirms who the viewer is (POST)."""
    return "/account/confirm/passkey"


def identity_passkey_options() -> str:
    """Return where the script fetches what the browser needs to confirm it (POST, answers with JSON)."""
    return "/account/confirm/passkey/options"


def identity() -> str:
    """Return the page on which people prove who they are before a dangerous act."""
    return "/account/confirm"


def identity_code() -> str:
    """Return where a code for that page is requested (POST)."""
    return "/account/confirm/email"


def account_data() -> str:
    """Return the page about the data of an account: its export, and the end of the account."""
    return "/account/data"


def account_export() -> str:
    """Return the page before the download of everything that is stored about the viewer; a POST downloads it."""
    return "/account/export"


def account_deletion() -> str:
    """Return the page that deletes the account."""
    return "/account/delete"


def blocked_people() -> str:
    """Return the list of the people whom the viewer has blocked."""
    return "/account/blocked"


def unblock(ref: str) -> str:
    """Return where a person is unblocked (POST)."""
    return f"/account/blocked/{quoted_part(ref)}"


def muted_people() -> str:
    """Return the list of the people whose messages the viewer does not read."""
    return "/account/muted"


def unmute(ref: str) -> str:
    """Return where a person is unmuted (POST)."""
    return f"/account/muted/{quoted_part(ref)}"
