"""Why a game waits, in plain words: a label for the list and a sentence for each cause."""

from typing import Final

from webapp.i18n import N_, Language
from webapp.services.moderation.causes import Cause

CAUSE_LABELS: Final[dict[Cause, str]] = {
    Cause.OVER: N_("Over"),
    Cause.SEATS_FREE: N_("Free seats"),
    Cause.READY_CHECK: N_("Ready check"),
    Cause.PAUSED: N_("Paused"),
    Cause.ON_HOLD: N_("On hold"),
    Cause.FAILING: N_("Failing"),
    Cause.OVERDUE: N_("Overdue"),
    Cause.BOT_STUCK: N_("Bot stuck"),
    Cause.BOT: N_("Bot's turn"),
    Cause.NO_PLAYER: N_("Empty seat"),
    Cause.BANNED: N_("Banned"),
    Cause.REFUSED: N_("Not delivered"),
    Cause.DELAYED: N_("Delayed"),
    Cause.NOT_SENT: N_("Not sent"),
    Cause.OPTED_OUT: N_("Emails stopped"),
    Cause.QUEUED: N_("Email on its way"),
    Cause.NOT_NOTIFIED: N_("No email"),
    Cause.REMINDED: N_("Silent, reminded"),
    Cause.SILENT: N_("Silent"),
}
_CAUSE_SENTENCES: Final[dict[Cause, str]] = {
    Cause.OVER: N_("Nothing waits here any more."),
    Cause.SEATS_FREE: N_("Waiting for players to take the free seats."),
    Cause.READY_CHECK: N_("Waiting until everyone has confirmed that they're ready."),
    Cause.PAUSED: N_("The game is paused. No one can play, and no time runs."),
    Cause.ON_HOLD: N_(
        "A check found that the game and its log differ. The clock and bots leave it alone until the operator has repaired it."
    ),
    Cause.FAILING: N_(
        "Time ran out, but the clock couldn't play for %(player)s. It tries again every few minutes."
    ),
    Cause.OVERDUE: N_("Time ran out, and the clock hasn't come by yet. Is it running?"),
    Cause.BOT_STUCK: N_(
        "The bot %(player)s should have played within seconds. Are workers running?"
    ),
    Cause.BOT: N_("The bot %(player)s is playing."),
    Cause.NO_PLAYER: N_("No one sits in the seat whose turn it is."),
    Cause.BANNED: N_("%(player)s is banned and can't play."),
    Cause.REFUSED: N_(
        "%(player)s doesn't know: the mail server refused the email about this turn."
    ),
    Cause.DELAYED: N_(
        "%(player)s may not know: the mail server hasn't accepted the email yet. We keep trying."
    ),
    Cause.NOT_SENT: N_(
        "%(player)s doesn't know: the email hasn't been sent yet. Are mail workers running?"
    ),
    Cause.OPTED_OUT: N_("%(player)s has stopped our emails, so they only notice if they look."),
    Cause.QUEUED: N_("The email to %(player)s is on its way."),
    Cause.NOT_NOTIFIED: N_("There's no record of an email to %(player)s about this turn."),
    Cause.REMINDED: N_("%(player)s got the email and a reminder, and hasn't answered."),
    Cause.SILENT: N_("%(player)s got the email and hasn't answered."),
}


def cause_label(cause: Cause, language: Language) -> str:
    """Return a cause in a word or two."""
    return language.gettext(CAUSE_LABELS[cause])


def cause_sentence(cause: Cause, player: str | None, language: Language) -> str:
    """Return why a game waits, in plain words."""
    return language.gettext(_CAUSE_SENTENCES[cause], player=player or "")
