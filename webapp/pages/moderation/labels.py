"""What moderators' pages call acts, statuses, emails and their outcomes, and the steps of a turn."""

from typing import Final

from webapp.i18n import N_, Language
from webapp.rights import GameRight
from webapp.services.email_kinds import DropReason
from webapp.services.moderation.timeline import StepKind, TimelineStep
from webapp.wording import deadlines
from webapp.wording.acts import actor_sentence
from webapp.wording.deadlines import DeadlineLocale, SeatOfTurn

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
_OTHER_ACT_LABELS: Final = {
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
    "ready-check-missed": N_("Seat lost in the ready check"),
    "ready-check-over": N_("Ready check over"),
    "player-removed": N_("Removed by the host"),
    "table-waiting": N_("Table still waiting for players"),
    "table-cancelled": N_("Table cancelled"),
    "dealt": N_("Cards dealt"),
    "your-turn": N_("Turn email"),
    "reminder": N_("Reminder"),
    "turn-missed": N_("A missed turn"),
    "seat-opened": N_("Their seat is open"),
    "open-seats": N_("Games that need a player"),
    "deadlines-moved": N_("Moved deadlines"),
    "briefing": N_("They took over a seat"),
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
    "vote-opened": N_("A vote to answer"),
    "vote-ended": N_("End of a vote"),
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
_EMAIL_OUTCOME_LABELS: Final = {
    "pending": N_("Waiting"),
    "sent": N_("Accepted"),
    "dropped": N_("Not needed"),
    "failed": N_("Refused"),
}
DROP_REASON_TEXTS: Final[dict[DropReason, str]] = {
    "unsubscribed": N_("The player has stopped these emails"),
    "undone": N_("It was undone before the email was sent"),
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
    "seated": N_("They have a seat there already"),
    "full": N_("Every seat was taken"),
    "ready": N_("They had confirmed already"),
    "accepted": N_("The invitation had been accepted"),
    "answered": N_("It had been answered"),
    "expired": N_("The code or link had expired"),
    "used": N_("The code or link had been used"),
    "lifted": N_("The ban had been lifted"),
    "closed": N_("The club was closed"),
    "member": N_("They're a member of the club already"),
    "not-member": N_("They're no longer a member of the club"),
    "not-moderator": N_("They no longer moderate the club"),
    "no-act": N_("What it was about no longer exists"),
    "no-club": N_("The club no longer exists"),
    "no-game": N_("The table no longer exists"),
    "no-report": N_("The report no longer exists"),
    "no-sanction": N_("The sanction no longer exists"),
    "no-vote": N_("The vote no longer exists"),
}
_STATUS_LABELS: Final = {
    "open": N_("open"),
    "ready-check": N_("ready check"),
    "running": N_("running"),
    "paused": N_("paused"),
    "finished": N_("finished"),
    "cancelled": N_("cancelled"),
}
_SCOPE_LABELS: Final = {
    "game": N_("emails about one table"),
    "club": N_("announcements of a club"),
    "reminders": N_("reminders"),
    "everything": N_("all emails"),
}
_SANCTION_LABELS: Final = {"warning": N_("Warning"), "ban": N_("Ban"), "rename": N_("New name")}
_STEP_SENTENCES: Final[dict[StepKind, str]] = {
    StepKind.TURN_BEGAN: N_("The turn began."),
    StepKind.EMAIL_QUEUED: N_("%(email)s: written."),
    StepKind.EMAIL_SENT: N_("%(email)s: accepted by the mail server."),
    StepKind.EMAIL_DELAYED: N_("%(email)s: not accepted yet. This is the next attempt."),
    StepKind.EMAIL_REFUSED: N_("%(email)s: refused by the mail server."),
    StepKind.EMAIL_NOT_NEEDED: N_("%(email)s: not sent."),
    StepKind.MODERATOR_ACT: N_("%(actor)s: %(act)s."),
    StepKind.PLAYED: N_("The player played."),
    StepKind.BOT_PLAYED: N_("The bot played."),
    StepKind.PLAYED_BY_CLOCK: N_("Time ran out: a random card was discarded."),
    StepKind.PLAYED_BY_MODERATOR: N_("A moderator had a random card discarded."),
    StepKind.DEADLINE: N_("The deadline."),
}


def act_label(act: GameRight | str, language: Language) -> str:
    """Return what the button of an act says; an act that has no button keeps its own name."""
    names: dict[str, str] = _OTHER_ACT_LABELS | {
        right.value: label for right, label in _ACT_LABELS.items()
    }
    return language.gettext(names[act]) if act in names else str(act)


def ledger_acts(language: Language) -> list[tuple[str, str]]:
    """Return every act of the ledger and what it is called, by these names."""
    acts = [right.value for right in _ACT_LABELS] + list(_OTHER_ACT_LABELS)
    return sorted(((act, act_label(act, language)) for act in acts), key=lambda choice: choice[1])


def group_title(name: str, language: Language) -> str:
    return language.gettext(_GROUP_TITLES[name])


def email_name(kind: str, language: Language) -> str:
    return language.gettext(_EMAIL_NAMES[kind]) if kind in _EMAIL_NAMES else kind


def email_outcome(status: str, language: Language) -> str:
    return language.gettext(_EMAIL_OUTCOME_LABELS[status])


def email_reason(reason: str, language: Language) -> str:
    """Return why an email was not sent: our own reasons as sentences, the relay's answer as it is."""
    return language.gettext(DROP_REASON_TEXTS[reason]) if reason in DROP_REASON_TEXTS else reason


def status_label(status: str, language: Language) -> str:
    return language.gettext(_STATUS_LABELS[status])


def scope_label(scope: str, language: Language) -> str:
    return language.gettext(_SCOPE_LABELS.get(scope, scope))


def sanction_label(kind: str, language: Language) -> str:
    return language.gettext(_SANCTION_LABELS[kind])


def step_sentence(step: TimelineStep, start: SeatOfTurn | None, locale: DeadlineLocale) -> str:
    """Return one line of a turn's timeline; ``start`` says whose turn it was. Of the clock it is what the players read."""
    if step.clock is not None and start is not None:
        return deadlines.step_sentence(step.clock, start, locale)
    entry, language = step.entry, locale.language
    actor = actor_sentence(entry.actor_name, entry.acted_as, language) if entry else ""
    return language.gettext(
        _STEP_SENTENCES[step.kind],
        email=email_name(step.email_kind, language) if step.email_kind else "",
        actor=actor,
        act=act_label(entry.act, language) if entry else "",
    )
