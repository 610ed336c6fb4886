"""What the events of the security log are called, their details as sentences, and the names of browsers."""

from collections.abc import Mapping
from typing import Any, Final

from webapp.kernel.i18n import N_, Language

EVENT_NAMES: Final[dict[str, str]] = {
    "sign-in": N_("Signed in"),
    "code-refused": N_("Wrong code"),
    "code-limit-reached": N_("Too many wrong codes"),
    "sign-in-paused": N_("Stopped sign-in emails for a day"),
    "sign-out": N_("Signed out"),
    "session-ended": N_("Signed out another browser"),
    "sign-out-others": N_("Signed out other browsers"),
    "signed-out-by-operator": N_("Ended sessions"),
    "access-denied": N_("Was refused a page"),
    "opted-out": N_("Stopped emails"),
    "resubscribed": N_("Asked for emails again"),
    "identity-confirmed": N_("Confirmed who they are"),
    "passkey-added": N_("Added a passkey"),
    "passkey-removed": N_("Removed a passkey"),
    "address-changed": N_("Changed their email address"),
    "data-exported": N_("Downloaded their data"),
    "account-deleted": N_("Deleted the account"),
    "rights-granted": N_("Granted rights"),
    "rights-removed": N_("Removed rights"),
    "setting-changed": N_("Changed a setting"),
    "operator-command": N_("Ran a command"),
    "peek": N_("Looked at roles and cards"),
    "act": N_("Act of a moderator"),
}
"""The texts by the kinds of the security log."""
_WITH_PASSKEY_TEXT: Final = N_("With a passkey")
_SUBJECT_TEXTS: Final[dict[str, str]] = {
    "sign-in": N_("With a code or a link from an email"),
    "code-limit-reached": N_("Codes for signing in with one email address"),
    "code-refused": N_("A code from an email"),
    "sign-in-paused": N_("An email address whose owner didn't ask to sign in"),
    "sign-out": N_("Their own account"),
    "session-ended": N_("Their own account, in another browser"),
    "sign-out-others": N_("Their own account, in other browsers"),
    "signed-out-by-operator": N_("In all browsers"),
    "opted-out": N_("With the link in an email"),
    "resubscribed": N_("Emails that were stopped"),
    "identity-confirmed": N_("Their own account, before something dangerous"),
    "passkey-added": N_("Their own account"),
    "passkey-removed": N_("Their own account"),
    "address-changed": N_("Their own account"),
    "data-exported": N_("Their own data"),
    "account-deleted": N_("Their own account"),
}
"""The subjects of events that are about no act of a moderator."""
_AREA_TEXTS: Final[dict[str, str]] = {
    "moderation": N_("A page for moderators"),
    "table": N_("A table of other people, or one that doesn't exist"),
    "club": N_("A club of other people, or one that doesn't exist"),
}
"""The texts by the area of a page that was refused."""
KINDS_WITHOUT_SIGN_IN: Final = frozenset(
    {"code-refused", "code-limit-reached", "sign-in-paused", "opted-out", "resubscribed"}
)
"""Events caused by people who are not signed in, and not by the operator, if no person is recorded."""
_BROWSER_USER_AGENT_PARTS: Final = (
    # Browsers also name the browser they imitate, so the imitators come first.
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrom", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEM_USER_AGENT_PARTS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "Mac"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def event_name(kind: str, language: Language) -> str:
    """Return what happened; a kind that this release does not know is shown as it is."""
    return language.gettext(EVENT_NAMES[kind]) if kind in EVENT_NAMES else kind


def event_subject(kind: str, detail: Mapping[str, Any], language: Language) -> str:
    """Return what an event of someone's own account is about; empty for an act of a moderator."""
    if kind == "sign-in" and detail.get("with_passkey"):
        return language.gettext(_WITH_PASSKEY_TEXT)
    if kind == "operator-command":
        return _command_text(detail)
    if kind == "access-denied" and detail.get("area") in _AREA_TEXTS:
        return language.gettext(_AREA_TEXTS[detail["area"]])
    return language.gettext(_SUBJECT_TEXTS[kind]) if kind in _SUBJECT_TEXTS else ""


def _command_text(detail: Mapping[str, Any]) -> str:
    """Return the command and what it was run on, as the operator typed it."""
    subjects = [str(value) for name, value in detail.items() if name != "command"]
    return " ".join(["lodepost", str(detail.get("command", "")), *subjects])


def user_agent_name(user_agent: str, language: Language) -> str:
    """Return the browser and the system named in a User-Agent header; only names of the lists above are ever shown."""
    browser = next((name for part, name in _BROWSER_USER_AGENT_PARTS if part in user_agent), None)
    system_name = next(
        (name for part, name in _SYSTEM_USER_AGENT_PARTS if part in user_agent), None
    )
    if browser is None or system_name is None:
        return browser or system_name or language.gettext("Unknown browser")
    return language.gettext("%(browser)s on %(system)s", browser=browser, system=system_name)
