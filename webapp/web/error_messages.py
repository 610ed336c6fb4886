"""Sentences for what services and forms refuse. Each says what is wrong and what would be right."""

from typing import Final

from webapp.i18n import N_, Language
from webapp.services.accounts.sign_in import NotSignedIn, NotSignedInReason
from webapp.services.errors import Denied, FieldError

_FIELD_ERROR_TEXTS: Final[dict[str, str]] = {
    "required": N_("Please fill this in."),
    "too-long": N_("Please use at most %(max)s characters."),
    "not-an-address": N_("Please enter an email address, like name@example.org."),
    "unknown": N_("Please pick one of the choices listed."),
    "out-of-range": N_("Please enter a number from %(low)s to %(high)s."),
    "not-a-number": N_("Please enter a whole number, such as 2."),
    "control-characters": N_(
        "This contains characters we can't show. Please use plain text on one line."
    ),
    "duplicate": N_("You've already invited this address. That invitation still works."),
    "too-many": N_("That's too many. The limit is %(max)s."),
    "not-a-cell": N_("That isn't a cell of the mine. Cells are a column and a row, such as D5."),
}
_TEXTS_OF_ONE_FIELD: Final[dict[tuple[str, str], str]] = {
    ("seats", "out-of-range"): N_("A table has %(low)s to %(high)s players."),
    ("starter", "out-of-range"): N_(
        "This table doesn't have that seat. Please pick another, or choose at random."
    ),
    ("seat", "out-of-range"): N_("This table doesn't have that seat. Please pick a free one."),
    ("allowance", "out-of-range"): N_("Please choose a time from five minutes to thirty days."),
    ("rulebook", "unknown"): N_("Please pick one of the rulebooks listed."),
    ("salt", "too-long"): N_("Your random words are too long. Please use at most %(max)s bytes."),
    ("address", "too-many"): N_(
        "This table has sent all of its %(max)s invitations. Share its link instead."
    ),
    ("name", "brackets"): N_("Names can't contain brackets."),
    ("name", "taken"): N_(
        "That looks too much like %(name)s, another player at this table. Please choose a different name."
    ),
    ("zone", "unknown"): N_("We don't know that time zone. Please pick one from the list."),
}
_DENIED_TEXTS: Final[dict[Denied, str]] = {
    Denied.NOT_HOST: N_("Only the host of this table can do that."),
    Denied.LOBBY_CLOSED: N_(
        "The game has started or the table was cancelled, so its seats can't change."
    ),
    Denied.NOT_RUNNING: N_("This game isn't running, so you can't play a turn."),
    Denied.TABLE_FULL: N_("All seats at this table are taken."),
    Denied.SEAT_TAKEN: N_("That seat is taken. Please choose a free one."),
    Denied.ALREADY_SEATED: N_("You already have a seat at this table."),
    Denied.NOT_SEATED: N_("You don't have a seat at this table."),
    Denied.NO_NAME: N_("Please choose a name first. Other players will see it."),
    Denied.FREE_SEATS: N_(
        "There are still free seats. Once they're all taken, everyone is asked to confirm that they're ready."
    ),
    Denied.INVITATION_USED: N_(
        "This invitation has already been used. Each invitation is for one person. Please ask for another one."
    ),
    Denied.TOO_MANY_TABLES: N_(
        "You have too many tables that haven't started. Start or cancel one of them first."
    ),
}
_NOT_SIGNED_IN_TEXTS: Final[dict[NotSignedInReason, str]] = {
    "unknown": N_("That link or code doesn't work. Ask for a new one below."),
    "expired": N_("That link or code has expired. They work for 10 minutes. Ask for a new one."),
    "used": N_("That link or code has already been used. Each works once. Ask for a new one."),
    "other-browser": N_(
        "This link was requested in another browser. Open it there, or ask for a new one here."
    ),
    "too-many-tries": N_(
        "Too many wrong codes. The link in the email still works: open it in this browser, or ask for a new email."
    ),
    "too-many-guesses": N_(
        "Too many wrong codes for this address today, perhaps from someone else. You can't use codes for a day. "
        "The link in the email still works: open it in this browser."
    ),
}
_CSRF_TEXT: Final = N_("This page had expired. Nothing was changed. Please try again.")
_STALE_TURN_TEXT: Final = N_(
    "This page was out of date, so we ignored that move. Nothing was played twice. Here's how things stand now."
)
_LAST_TRY_TEXT: Final = N_(
    "That isn't the code we sent, and it was your last try. The link in the email still works: open it in this browser."
)


def field_sentence(error: FieldError, language: Language) -> str:
    """Return what is wrong with one field of a form."""
    message = _TEXTS_OF_ONE_FIELD.get((error.field, error.code)) or _FIELD_ERROR_TEXTS[error.code]
    return language.gettext(message, **error.params)


def denied_sentence(reason: Denied, language: Language) -> str:
    """Return why an action is not allowed now."""
    return language.gettext(_DENIED_TEXTS[reason])


def csrf_sentence(language: Language) -> str:
    """Return that the form does not belong to this browser's session."""
    return language.gettext(_CSRF_TEXT)


def stale_turn_sentence(language: Language) -> str:
    """Return that the game has moved on since the page was made."""
    return language.gettext(_STALE_TURN_TEXT)


def not_signed_in_sentence(refused: NotSignedIn, language: Language) -> str:
    """Return why a link or a code did not sign the browser in."""
    if refused.reason != "wrong-code":
        return language.gettext(_NOT_SIGNED_IN_TEXTS[refused.reason])
    if not refused.tries_left:
        return language.gettext(_LAST_TRY_TEXT)
    return language.ngettext(
        "That isn't the code we sent. You have %(num)s try left.",
        "That isn't the code we sent. You have %(num)s tries left.",
        refused.tries_left,
    )
