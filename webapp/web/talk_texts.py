"""Why table talk, private notes and marks are refused, as sentences."""

from typing import Final

from webapp.i18n import N_
from webapp.services.errors import DenialReason

TALK_FIELD_TEXTS: Final[dict[tuple[str, str], str]] = {
    ("message", "required"): N_("There's nothing in your message yet. Please write something."),
    ("message", "too-long"): N_("Please use at most %(max)s characters for a message."),
    ("message", "not-plain-text"): N_(
        "Your message contains characters that are invisible or hide the text around them. Please use plain text."
    ),
    ("note", "too-long"): N_("Please use at most %(max)s characters for your notes."),
}
DENIED_TALK_TEXTS: Final[dict[DenialReason, str]] = {
    DenialReason.TOO_MANY_MESSAGES: N_(
        "You've written a lot here in the last hour. Please give the others time to read it, and try again later."
    ),
    DenialReason.TALK_OVER: N_(
        "This game ended more than 30 days ago, so its table talk is closed."
    ),
    DenialReason.MESSAGE_FIXED: N_(
        "A message can be changed or deleted for 5 minutes. This one is older than that."
    ),
    DenialReason.OWN_MESSAGE: N_("That's your own message."),
}
