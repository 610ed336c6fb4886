"""The health of the site in plain words: for each figure its value, its course, and what to do if it is bad."""

from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple

from webapp.kernel import urls
from webapp.kernel.i18n import Language
from webapp.operations.health import HealthFigure, SiteHealth
from webapp.wording.figures import figure_text
from webapp.wording.times import relative_time

Severity = Literal["good", "warn", "bad"]

_LATE_SECONDS: Final = timedelta(minutes=5).total_seconds()
"""An email or a deadline that has been waiting for longer than this needs attention, as for `lodepost doctor`."""
_MAX_BEAT_AGE: Final = timedelta(minutes=2)


class Advice(NamedTuple):
    """What to do, and the page where it can be done, if there is one."""

    text: str
    href: str | None = None


class HealthItem(NamedTuple):
    """One figure of the strip; ``advice`` only if something is to be done."""

    label: str
    value: str
    severity: Severity
    half_hourly_values: tuple[float | None, ...]
    advice: Advice | None = None


def health_items(health: SiteHealth, language: Language, *, now: datetime) -> list[HealthItem]:
    """Return the figures in the order in which a moderator needs them."""
    _ = language.gettext
    return [
        _waiting_item(
            _("Most overdue deadline"),
            health.most_overdue,
            Advice(_("Show the stuck games"), urls.moderation(state="stuck")),
            language,
        ),
        _waiting_item(
            _("Oldest email waiting"),
            health.oldest_email,
            Advice(_("The operator's command lodepost doctor shows what the mail server says.")),
            language,
        ),
        _count_item(_("Emails waiting"), health.pending_emails, language),
        _failed_emails_item(health, language),
        _workers_item(health, language, now),
        _sweeps_item(health, language, now),
        _count_item(_("Sign-ins in a day"), health.sign_ins, language),
    ]


def _waiting_item(
    label: str, figure: HealthFigure, advice: Advice, language: Language
) -> HealthItem:
    is_late = figure.now > _LATE_SECONDS
    value = figure_text(figure.now, "seconds", language) if figure.now else language.gettext("None")
    return HealthItem(
        label,
        value,
        "bad" if is_late else "good",
        figure.half_hourly_values,
        advice if is_late else None,
    )


def _count_item(label: str, figure: HealthFigure, language: Language) -> HealthItem:
    return HealthItem(
        label, figure_text(figure.now, "count", language), "good", figure.half_hourly_values
    )


def _failed_emails_item(health: SiteHealth, language: Language) -> HealthItem:
    item = _count_item(
        language.gettext("Emails refused in an hour"), health.failed_emails, language
    )
    if health.untaken_emails:
        text = language.ngettext(
            "%(num)s email waits because the mail server doesn't take it. The operator's command lodepost status shows why.",
            "%(num)s emails wait because the mail server doesn't take them. The operator's command lodepost status shows why.",
            health.untaken_emails,
        )
        value = figure_text(
            (health.failed_emails.now or 0) + health.untaken_emails, "count", language
        )
        return item._replace(value=value, severity="bad", advice=Advice(text))
    if not health.failed_emails.now:
        return item
    advice = language.gettext("See which share of all emails was refused")
    return item._replace(severity="warn", advice=Advice(advice, f"{urls.statistics()}#emails"))


def _workers_item(health: SiteHealth, language: Language, now: datetime) -> HealthItem:
    item = _count_item(language.gettext("Workers running"), health.workers, language)
    if health.clock_ahead:
        return item._replace(severity="bad", advice=_wrong_clock_advice(health, language))
    if health.workers.now:
        return item
    text = language.gettext("No worker is running: no email is sent and no deadline is watched.")
    if health.worker_seen_at is not None:
        seen_text = relative_time(health.worker_seen_at, now=now, language=language)
        text = language.gettext("The last worker was seen %(ago)s. Start one.", ago=seen_text)
    return item._replace(severity="bad", advice=Advice(text))


def _wrong_clock_advice(health: SiteHealth, language: Language) -> Advice:
    seconds = int(abs(health.clock_ahead).total_seconds())
    difference = figure_text(seconds, "seconds", language)
    return Advice(
        language.gettext(
            "A worker's clock is wrong by %(time)s, so it plays no turn and sends no email. Synchronise the clocks with NTP.",
            time=difference,
        )
    )


def _sweeps_item(health: SiteHealth, language: Language, now: datetime) -> HealthItem:
    item = _count_item(
        language.gettext("Checks for deadlines in 5 minutes"), health.sweeps, language
    )
    seen_at = health.beat_seen_at
    if seen_at is None or now - seen_at > _MAX_BEAT_AGE:
        text = language.gettext("Deadlines are not being checked: start the schedule (beat).")
        return item._replace(severity="bad", advice=Advice(text))
    if health.slow_sweeps:
        text = language.ngettext(
            "%(num)s check in a day took longer than 5 seconds.",
            "%(num)s checks in a day took longer than 5 seconds.",
            health.slow_sweeps,
        )
        return item._replace(severity="warn", advice=Advice(text))
    return item
