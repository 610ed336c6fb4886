"""What all pages of moderators share: the viewer, and the sentences that their templates use."""

from functools import partial
from typing import Final

from flask import Response

from webapp.accounts.person import Person
from webapp.kernel.i18n import N_, Language
from webapp.moderation.causes import WaitCause
from webapp.moderation.pages import labels
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of
from webapp.wording.acts import actor_sentence, reason_sentence
from webapp.wording.deadlines import DeadlineLocale

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
    WaitCause.PLAYER_REMINDED: N_("Reminded"),
    WaitCause.PLAYER_NOTIFIED: N_("Email sent"),
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
    WaitCause.PLAYER_REMINDED: N_(
        "%(player)s got the email and a reminder, and hasn't played yet."
    ),
    WaitCause.PLAYER_NOTIFIED: N_("%(player)s got the email and hasn't played yet."),
}


def render_moderation(
    template: str, *, viewer: Person, path: str, status: int = 200, **context: object
) -> Response:
    """Return a page of moderation, whose template may name causes, acts and emails."""
    locale = locale_of(viewer)
    language = locale.language
    deadline_locale = DeadlineLocale(language, locale.zone, locale.now)
    return render_page(
        template,
        viewer=viewer,
        nav_position=PagePosition(path),
        status=status,
        cause_label=partial(cause_label, language=language),
        cause_sentence=partial(cause_sentence, language=language),
        act_label=partial(labels.act_label, language=language),
        group_title=partial(labels.group_title, language=language),
        email_name=partial(labels.email_name, language=language),
        email_outcome=partial(labels.email_outcome, language=language),
        email_reason=partial(labels.email_reason, language=language),
        status_label=partial(labels.status_label, language=language),
        scope_label=partial(labels.scope_label, language=language),
        sanction_label=partial(labels.sanction_label, language=language),
        step_sentence=partial(labels.step_sentence, locale=deadline_locale),
        actor_sentence=partial(actor_sentence, language=language),
        reason_sentence=partial(reason_sentence, language=language),
        **context,
    )


def cause_label(cause: WaitCause, language: Language) -> str:
    """Return a cause in a word or two."""
    return language.gettext(CAUSE_LABELS[cause])


def cause_sentence(cause: WaitCause, player: str | None, language: Language) -> str:
    """Return why a game waits, in plain words."""
    return language.gettext(_CAUSE_SENTENCES[cause], player=player or "")
