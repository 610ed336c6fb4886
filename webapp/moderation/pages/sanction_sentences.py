"""What an act on a person is called, and what it will do, for its preview."""

from datetime import datetime
from typing import Final

from webapp.kernel.i18n import N_, Language
from webapp.moderation.sanctions import SanctionPreview
from webapp.web.session import Locale
from webapp.wording import times

_DECISION_LABELS: Final = {
    "dismiss": N_("Dismiss"),
    "warn": N_("Warn"),
    "rename": N_("Change the name"),
    "ban": N_("Ban"),
    "unban": N_("Lift the ban"),
}
_REPORT_KIND_LABELS: Final = {
    "name": N_("A name"),
    "stalling": N_("Stalling the game"),
    "unfair": N_("Unfair play"),
    "other": N_("Something else"),
    "appeal": N_("Appeal"),
}
_EFFECT_TEXTS: Final = {
    "dismiss": N_("Nothing happens to %(name)s."),
    "warn": N_(
        "%(name)s gets an email with this reason, and sees it on their home page until they confirm it."
    ),
    "rename": N_(
        "%(name)s becomes %(new_name)s. They keep the names at tables that they've joined already, and get an email with this reason."
    ),
    "ban": N_(
        "%(name)s can't sign in or play until %(until)s, and gets an email with this reason and a way to appeal."
    ),
    "unban": N_("%(name)s can sign in and play again at once."),
}


def decision_label(decision: str, language: Language) -> str:
    return language.gettext(_DECISION_LABELS[decision])


def report_kind_label(kind: str, language: Language) -> str:
    return language.gettext(_REPORT_KIND_LABELS[kind])


def preview_sentence(kind: str, preview: SanctionPreview, locale: Locale, *, now: datetime) -> str:
    """Return what an act will do."""
    language, until = locale.language, preview.until
    until_text = (
        times.absolute_time(until, now=now, zone=locale.zone, language=language) if until else ""
    )
    return language.gettext(
        _EFFECT_TEXTS[kind], name=preview.name, new_name=preview.new_name, until=until_text
    )
