"""Sentences for what services and forms refuse. Each says what is wrong and what would be right."""

from typing import Final

from webapp.i18n import N_, Language
from webapp.services.accounts.sign_in import NotSignedIn, NotSignedInReason
from webapp.services.errors import Denied, FieldError

_FIELD_ERRORS: Final[dict[str, str]] = {
    "required": N_("Please fill this in."),
    "too-long": N_("This is too long: at most %(max)s characters, please."),
    "not-an-address": N_("This is not a mail address. It should look like name@example.org."),
    "unknown": N_("This is not one of the choices. Please pick one that is listed."),
    "out-of-range": N_("This must be a number from %(low)s to %(high)s."),
    "not-a-number": N_("This must be a whole number, written with digits."),
    "control-characters": N_(
        "This holds characters that cannot be shown. Please type plain text on one line."
    ),
    "duplicate": N_("This address was invited before; the invitation still holds."),
    "too-many": N_("That is one too many: at most %(max)s."),
    "not-a-cell": N_("This is no cell of the mine. A cell is a column and a row, such as D5."),
}
_ERRORS_OF_ONE_FIELD: Final[dict[tuple[str, str], str]] = {
    ("seats", "out-of-range"): N_("A table has %(low)s to %(high)s seats."),
    ("starter", "out-of-range"): N_(
        "This table has no such seat. Please pick one of its seats, or leave it to chance."
    ),
    ("seat", "out-of-range"): N_("This table has no such seat. Please pick a free one."),
    ("allowance", "out-of-range"): N_(
        "A turn may take from five minutes to thirty days. Please choose something between."
    ),
    ("rulebook", "unknown"): N_("There is no such rulebook. Please pick one that is listed."),
    ("salt", "too-long"): N_("The pinch of salt is too long: at most %(max)s bytes, please."),
    ("address", "too-many"): N_(
        "This table has invited as many people as it may: %(max)s. Hand on its link instead."
    ),
    ("name", "brackets"): N_(
        "Please leave out brackets: what stands in them behind a name is said by this server."
    ),
    ("name", "taken"): N_(
        "Somebody at this table is called %(name)s, and the others could take you for each other. "
        "Please choose a name that looks different."
    ),
    ("zone", "unknown"): N_("This is no time zone that is known here. Please pick one listed."),
}
_DENIED: Final[dict[Denied, str]] = {
    Denied.NOT_HOST: N_("Only the host, who opened this table, can do that."),
    Denied.NOT_OPEN: N_("The cards are dealt or the table was cancelled: its seats are settled."),
    Denied.NOT_RUNNING: N_("This game is not running: no turn can be taken in it."),
    Denied.TABLE_FULL: N_("All seats of this table are taken."),
    Denied.SEAT_TAKEN: N_("Somebody sits there already. Please choose a free seat."),
    Denied.ALREADY_SEATED: N_("You sit at this table already."),
    Denied.NOT_SEATED: N_("You do not sit at this table."),
    Denied.NO_NAME: N_("Please choose a name first: the others at the table will see it."),
    Denied.FREE_SEATS: N_(
        "There are free seats still. Once every seat is taken, everybody is asked to be ready."
    ),
    Denied.INVITATION_USED: N_(
        "Somebody has used this invitation: it was for one person. Ask for another one."
    ),
    Denied.TOO_MANY_TABLES: N_(
        "You have opened many tables that have not begun. Begin or cancel one of them first."
    ),
}
_NOT_SIGNED_IN: Final[dict[NotSignedInReason, str]] = {
    "unknown": N_("This link or code is not known here. Ask for a new letter below."),
    "expired": N_("This link or code is too old: it is good for ten minutes. Ask for a new one."),
    "used": N_("This link or code was used before: each is good for once. Ask for a new one."),
    "other-browser": N_(
        "This link was asked for in another browser. Open it there, or ask for a letter from here."
    ),
    "too-many-tries": N_(
        "There were too many wrong codes. The letter's link still works: open it in this browser, "
        "or ask for a new letter."
    ),
    "too-many-guesses": N_(
        "Too many wrong codes were typed for this address today, perhaps by somebody else. For a day "
        "no code is taken for it. The letter's link still works: open it in this browser."
    ),
}
_CSRF: Final = N_(
    "The form did not carry the mark of this browser: it was open for too long, or you have signed in or out since. "
    "Nothing was changed. Please send it once more."
)
_STALE_TURN: Final = N_(
    "The game has moved on since this page was made. Nothing was done twice; this is how it stands now."
)
_LAST_TRY: Final = N_(
    "That is not the code of the letter, and it was the last try. The letter's link still works: "
    "open it in this browser."
)


def field_sentence(error: FieldError, language: Language) -> str:
    """Return what is wrong with one field of a form."""
    message = _ERRORS_OF_ONE_FIELD.get((error.field, error.code)) or _FIELD_ERRORS[error.code]
    return language.gettext(message, **error.params)


def denied_sentence(reason: Denied, language: Language) -> str:
    """Return why an action is not allowed now."""
    return language.gettext(_DENIED[reason])


def csrf_sentence(language: Language) -> str:
    """Return that the form does not belong to this browser's session."""
    return language.gettext(_CSRF)


def stale_turn_sentence(language: Language) -> str:
    """Return that the game has moved on since the page was made."""
    return language.gettext(_STALE_TURN)


def not_signed_in_sentence(refused: NotSignedIn, language: Language) -> str:
    """Return why a link or a code did not sign the browser in."""
    if refused.reason != "wrong-code":
        return language.gettext(_NOT_SIGNED_IN[refused.reason])
    if not refused.tries_left:
        return language.gettext(_LAST_TRY)
    return language.ngettext(
        "That is not the code of the letter. You have %(num)s try left.",
        "That is not the code of the letter. You have %(num)s tries left.",
        refused.tries_left,
    )
