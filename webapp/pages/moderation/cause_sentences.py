"""Why a game waits, in plain words: a label for the list and a sentence for each cause."""

from typing import Final

from webapp.i18n import N_, Language
from webapp.services.moderation.causes import WaitCause

CAUSE_LABELS: Final[dict[WaitCause, str]] = {
    WaitCause.GAME_OVER: N_("Over"),
    WaitCause.SEATS_FREE: N_("Free seats"),
    WaitCause.READY_CHECK: N_("Ready check"),
    WaitCause.PAUSED: N_("Paused"),
    WaitCause.GAME_ON_HOLD: N_("On hold"),
    WaitCause.TURN_FAILING: N_("Failing"),
    WaitCause.TURN_OVERDUE: N_("Overdue"),
    WaitCause.BOT_STUCK: N_("Bot stuck"),
    WaitCause.BOT: N_("Bot's turn"),
    WaitCause.NO_PLAYER: N_("Empty seat"),
    WaitCause.PLAYER_BANNED: N_("Banned"),
    WaitCause.EMAIL_REFUSED: N_("Not delivered"),
    WaitCause.EMAIL_DELAYED: N_("Delayed"),
    WaitCause.EMAIL_NOT_SENT: N_("Not sent"),
    WaitCause.PLAYER_OPTED_OUT: N_("Emails stopped"),
    WaitCause.EMAIL_QUEUED: N_("Email on its way"),
    WaitCause.PLAYER_NOT_NOTIFIED: N_("No email"),
    WaitCause.PLAYER_REMINDED: N_("Silent, reminded"),
    WaitCause.PLAYER_SILENT: N_("Silent"),
}
_CAUSE_SENTENCES: Final[dict[WaitCause, str]] = {
    WaitCause.GAME_OVER: N_("Nothing waits here any more."),
    WaitCause.SEATS_FREE: N_("Waiting for players to take the free seats."),
    WaitCause.READY_CHECK: N_("Waiting until everyone has confirmed that they're ready."),
    WaitCause.PAUSED: N_("The game is paused. No one can play, and no time runs."),
    WaitCause.GAME_ON_HOLD: N_(
        "A check found that the game and its log differ. The clock and bots leave it alone until the operator has repaired it."
    ),
    WaitCause.TURN_FAILING: N_(
        "Time ran out, but the clock couldn't play for %(player)s. It tries again every few minutes."
    ),
    WaitCause.TURN_OVERDUE: N_("Time ran out, and the clock hasn't come by yet. Is it running?"),
    WaitCause.BOT_STUCK: N_(
        "The bot %(player)s should have played within seconds. Are workers running?"
    ),
    WaitCause.BOT: N_("The bot %(player)s is playing."),
    WaitCause.NO_PLAYER: N_("No one sits in the seat whose turn it is."),
    WaitCause.PLAYER_BANNED: N_("%(player)s is banned and can't play."),
    WaitCause.EMAIL_REFUSED: N_(
        "%(player)s doesn't know: the mail server refused the email about this turn."
    ),
    WaitCause.EMAIL_DELAYED: N_(
        "%(player)s may not know: the mail server hasn't accepted the email yet. We keep trying."
    ),
    WaitCause.EMAIL_NOT_SENT: N_(
        "%(player)s doesn't know: the email hasn't been sent yet. Are mail workers running?"
    ),
    WaitCause.PLAYER_OPTED_OUT: N_(
        "%(player)s has stopped our emails, so they only notice if they look."
    ),
    WaitCause.EMAIL_QUEUED: N_("The email to %(player)s is on its way."),
    WaitCause.PLAYER_NOT_NOTIFIED: N_(
        "There's no record of an email to %(player)s about this turn."
    ),
    WaitCause.PLAYER_REMINDED: N_("%(player)s got the email and a reminder, and hasn't answered."),
    WaitCause.PLAYER_SILENT: N_("%(player)s got the email and hasn't answered."),
}


def cause_label(cause: WaitCause, language: Language) -> str:
    """Return a cause in a word or two."""
    return language.gettext(CAUSE_LABELS[cause])


def cause_sentence(cause: WaitCause, player: str | None, language: Language) -> str:
    """Return why a game waits, in plain words."""
    return language.gettext(_CAUSE_SENTENCES[cause], player=player or "")
