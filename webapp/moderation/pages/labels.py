"""What moderators' pages call acts, statuses, emails and their outcomes, and the steps of a turn."""

from typing import Final

from webapp.kernel.email_outcomes import DROP_REASON_BY_CODE
from webapp.kernel.i18n import N_, Language
from webapp.moderation.timeline import StepKind, TimelineStep
from webapp.play.changes.acts import acts_by_name
from webapp.wording import deadlines
from webapp.wording.acts import actor_sentence
from webapp.wording.deadlines import DeadlineLocale, SeatOfTurn

_LABELS_OF_OTHER_ACTS: Final = {
    "warn": N_("Warn"),
    "ban": N_("Ban"),
    "unban": N_("Lift the ban"),
    "rename-person": N_("Change the name"),
    "dismiss-report": N_("Dismiss a report"),
    "remove-message": N_("Remove a message"),
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
_EMAIL_OUTCOME_LABELS: Final = {
    "pending": N_("Waiting"),
    "sent": N_("Accepted"),
    "dropped": N_("Not needed"),
    "failed": N_("Refused"),
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


def act_label(act: str, language: Language) -> str:
    """Return what the button of an act says; an act that has no button keeps its own name."""
    labels = _act_labels()
    return language.gettext(labels[act]) if act in labels else act


def ledger_acts(language: Language) -> list[tuple[str, str]]:
    """Return every act of the ledger and what it is called, by these names."""
    acts = ((act, language.gettext(label)) for act, label in _act_labels().items())
    return sorted(acts, key=lambda choice: choice[1])


def _act_labels() -> dict[str, str]:
    return {name: act.label for name, act in acts_by_name().items()} | _LABELS_OF_OTHER_ACTS


def group_title(name: str, language: Language) -> str:
    return language.gettext(_GROUP_TITLES[name])


def email_name(kind: str, language: Language) -> str:
    """Return what a kind of email is called; one that no longer exists keeps its own name."""
    # Imported once a moderator looks: web processes send no emails.
    from webapp.mail.email import emails_by_kind

    email = emails_by_kind().get(kind)
    return kind if email is None else language.gettext(email.label)


def email_outcome(status: str, language: Language) -> str:
    return language.gettext(_EMAIL_OUTCOME_LABELS[status])


def email_reason(reason: str, language: Language) -> str:
    """Return why an email was not delivered: our own reasons as sentences, the relay's answer as it is."""
    own_reason = DROP_REASON_BY_CODE.get(reason)
    if own_reason is not None:
        return language.gettext(own_reason.value)
    kind, _, status = reason.partition(" ")
    if kind == "complaint":
        return language.gettext("The player called it spam")
    if kind == "bounced":
        return language.gettext("It came back: %(status)s", status=status)
    return reason


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
