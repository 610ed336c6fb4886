"""What moderators' pages say about a game: why it waits, which acts help, and what happened to its emails."""

from typing import Final

from webapp.i18n import N_, Language
from webapp.rights import GameRight
from webapp.services.moderation.causes import Cause
from webapp.services.moderation.timeline import Happening, Step

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
_ACT_LABELS: Final[dict[GameRight, str]] = {
    GameRight.NUDGE: N_("Nudge"),
    GameRight.EXTEND: N_("Extend"),
    GameRight.PAUSE: N_("Pause"),
    GameRight.RESUME: N_("Resume"),
    GameRight.PLAY_NEUTRAL: N_("Play for them"),
    GameRight.OPEN_SEAT: N_("Open the seat"),
    GameRight.OFFER_SEAT: N_("Offer the seat"),
    GameRight.WITHDRAW_OFFER: N_("Withdraw the offer"),
    GameRight.SEAT_PERSON: N_("Take over the seat"),
    GameRight.SEAT_BOT: N_("Seat a bot"),
    GameRight.REWIND: N_("Rewind"),
    GameRight.CANCEL_GAME: N_("Cancel game"),
    GameRight.RENAME_SEAT: N_("Rename a seat"),
    GameRight.HAND_OVER_TABLE: N_("Hand over table"),
    GameRight.ANNOUNCE_TO_TABLE: N_("Announce"),
    GameRight.RESEND_EMAIL: N_("Resend email"),
}
_OTHER_ACTS: Final = {
    "warn": N_("Warn"),
    "ban": N_("Ban"),
    "unban": N_("Lift the ban"),
    "rename-person": N_("Change the name"),
    "dismiss-report": N_("Dismiss a report"),
    "moderator-add": N_("Make site moderator"),
    "moderator-remove": N_("Remove as site moderator"),
    "peek": N_("Peek"),
    "setting-change": N_("Change a setting"),
    "club-close": N_("Close a club"),
    "club-hand-over": N_("Hand over a club"),
    "announce-to-site": N_("Announce to everyone"),
    "withdraw-announcement": N_("Withdraw an announcement"),
}
_GROUP_TITLES: Final = {
    "reach": N_("Reach the players"),
    "time": N_("Give time"),
    "move-on": N_("Keep the game going"),
    "repair": N_("Put something right"),
}
_EMAIL_NAMES: Final = {
    "sign-in": N_("Sign-in"),
    "invitation": N_("Invitation"),
    "ready-check": N_("Ready check"),
    "table-cancelled": N_("Table cancelled"),
    "dealt": N_("Cards dealt"),
    "your-turn": N_("Turn email"),
    "reminder": N_("Reminder"),
    "round-over": N_("Round over"),
    "game-over": N_("Game over"),
    "warning": N_("Warning"),
    "ban": N_("Ban"),
    "ban-lifted": N_("Ban lifted"),
    "report-decided": N_("Answer to a report"),
    "moderator-act": N_("News from a moderator"),
    "seat-offer": N_("Offer of a seat"),
    "nudge": N_("Nudge"),
    "player-left": N_("A player left"),
    "club-invitation": N_("Invitation to a club"),
    "club-announcement": N_("Announcement of a club"),
    "club-request": N_("Requests to join a club"),
    "club-admitted": N_("Request to a club accepted"),
    "club-declined": N_("Request to a club declined"),
    "club-act": N_("Change by a site moderator to a club"),
    "identity-code": N_("Code to confirm who they are"),
    "address-change": N_("Link to a new address"),
    "address-requested": N_("Notice of a requested address"),
    "address-changed": N_("Notice of a changed address"),
}
_EMAIL_OUTCOMES: Final = {
    "pending": N_("Waiting"),
    "sent": N_("Accepted"),
    "dropped": N_("Not needed"),
    "failed": N_("Refused"),
}
_DROP_REASONS: Final = {
    "unsubscribed": N_("The player has stopped these emails"),
    "moved-on": N_("The game had moved on"),
    "reminder-sent": N_("The reminder was sent instead"),
    "turn-email-sent": N_("The turn email was sent instead"),
    "deadline-moved": N_("The deadline had moved"),
    "too-late": N_("Time had run out"),
    "not-seated": N_("The player had left"),
    "no-address": N_("The account has no address"),
    "banned": N_("The player is banned"),
    "rewound": N_("The game was taken back"),
    "paused": N_("The game is paused"),
}
_STATUSES: Final = {
    "open": N_("open"),
    "ready-check": N_("ready check"),
    "running": N_("running"),
    "paused": N_("paused"),
    "finished": N_("finished"),
    "cancelled": N_("cancelled"),
}
_SCOPES: Final = {
    "game": N_("emails about one table"),
    "club": N_("announcements of a club"),
    "reminders": N_("reminders"),
    "everything": N_("all emails"),
}
_SANCTIONS: Final = {"warning": N_("Warning"), "ban": N_("Ban"), "rename": N_("New name")}
_STEP_SENTENCES: Final[dict[Happening, str]] = {
    Happening.BEGAN: N_("The turn began."),
    Happening.QUEUED: N_("%(email)s: written."),
    Happening.SENT: N_("%(email)s: accepted by the mail server."),
    Happening.DELAYED: N_("%(email)s: not accepted yet. This is the next attempt."),
    Happening.REFUSED: N_("%(email)s: refused by the mail server."),
    Happening.NOT_NEEDED: N_("%(email)s: not sent."),
    Happening.ACT: N_("%(actor)s: %(act)s."),
    Happening.PLAYED: N_("The player played."),
    Happening.BOT_PLAYED: N_("The bot played."),
    Happening.DEFAULTED: N_("Time ran out: a random card was discarded."),
    Happening.MODERATED: N_("A moderator had a random card discarded."),
    Happening.DEADLINE: N_("The deadline."),
}


def cause_label(cause: Cause, language: Language) -> str:
    """Return a cause in a word or two."""
    return language.gettext(CAUSE_LABELS[cause])


def cause_sentence(cause: Cause, player: str | None, language: Language) -> str:
    """Return why a game waits, in plain words."""
    return language.gettext(_CAUSE_SENTENCES[cause], player=player or "")


def act_label(act: GameRight | str, language: Language) -> str:
    """Return what the button of an act says; an act that has no button keeps its own name."""
    names: dict[str, str] = _OTHER_ACTS | {
        right.value: label for right, label in _ACT_LABELS.items()
    }
    return language.gettext(names[act]) if act in names else str(act)


def ledger_acts(language: Language) -> list[tuple[str, str]]:
    """Return every act of the ledger and what it is called, by these names."""
    acts = [right.value for right in _ACT_LABELS] + list(_OTHER_ACTS)
    return sorted(((act, act_label(act, language)) for act in acts), key=lambda choice: choice[1])


def group_title(name: str, language: Language) -> str:
    return language.gettext(_GROUP_TITLES[name])


def email_name(kind: str, language: Language) -> str:
    return language.gettext(_EMAIL_NAMES[kind]) if kind in _EMAIL_NAMES else kind


def email_outcome(status: str, language: Language) -> str:
    return language.gettext(_EMAIL_OUTCOMES[status])


def email_reason(reason: str, language: Language) -> str:
    """Return why an email was not sent: our own reasons as sentences, the relay's answer as it is."""
    return language.gettext(_DROP_REASONS[reason]) if reason in _DROP_REASONS else reason


def status_label(status: str, language: Language) -> str:
    return language.gettext(_STATUSES[status])


def scope_label(scope: str, language: Language) -> str:
    return language.gettext(_SCOPES.get(scope, scope))


def sanction_label(kind: str, language: Language) -> str:
    return language.gettext(_SANCTIONS[kind])


def step_sentence(step: Step, language: Language) -> str:
    """Return one line of a turn's timeline."""
    entry = step.entry
    actor = entry.actor_name if entry and entry.actor_name else language.gettext("A moderator")
    return language.gettext(
        _STEP_SENTENCES[step.happening],
        email=email_name(step.email_kind, language) if step.email_kind else "",
        actor=actor,
        act=act_label(entry.act, language) if entry else "",
    )
