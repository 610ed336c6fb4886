"""Statistics, for site moderators: the health of the site, and charts over 30 or 365 days; the choice is in the address."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, time
from typing import Final

from babel.dates import format_skeleton
from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from webapp.accounts.relations import require_site_right
from webapp.kernel import urls
from webapp.kernel.i18n import Language
from webapp.kernel.rights import SiteRight
from webapp.moderation.pages.health_strip import health_items
from webapp.operations.health import site_health
from webapp.operations.statistics import Period, PeriodStatistics, statistics_over
from webapp.picture.charts import ChartData, Series
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, require_viewer
from webapp.wording.figures import Unit, figure_text

ValueOf = Callable[[PeriodStatistics], float | None]


class StatisticsCharts:
    """Makes the charts of one page: they have the same days."""

    def __init__(self, periods: Sequence[PeriodStatistics], language: Language) -> None:
        self._periods = periods
        self._language = language
        years = {period.first_day.year for period in periods}
        skeleton = "MMMd" if len(years) == 1 else "yMMMd"
        self._labels = tuple(_period_label(period, skeleton, language) for period in periods)

    def answer_times(self) -> ChartData:
        _ = self._language.gettext
        median_seconds, slow_seconds = (
            self._newest_value(lambda period: period.median_answer_seconds),
            self._newest_value(lambda period: period.slow_answer_seconds),
        )
        return self._chart(
            "answer-times",
            _("How long turns take"),
            _(
                "Lately, half of the turns were played within about %(half)s, nine of ten within about %(most)s.",
                half=self._value_text(median_seconds, "seconds"),
                most=self._value_text(slow_seconds, "seconds"),
            ),
            {
                _("Half of the turns"): lambda period: period.median_answer_seconds,
                _("Nine of ten turns"): lambda period: period.slow_answer_seconds,
            },
            "seconds",
        )

    def late_turns(self) -> ChartData:
        _ = self._language.gettext
        turns = sum(period.turns or 0 for period in self._periods)
        late_turns = sum((period.turns or 0) * (period.late_share or 0) for period in self._periods)
        share = self._value_text(late_turns / turns if turns else None, "percent")
        return self._chart(
            "late-turns",
            _("Late turns"),
            _("Over the whole time, %(share)s of all turns were played by the clock.", share=share),
            {_("Late turns"): lambda period: period.late_share},
            "percent",
        )

    def active_games(self) -> ChartData:
        _ = self._language.gettext
        newest_text = self._value_text(
            self._newest_value(lambda period: period.active_games), "count"
        )
        return self._chart(
            "active-games",
            _("Active games"),
            _("Games in which someone played on a day. Lately: %(games)s.", games=newest_text),
            {_("Active games"): lambda period: period.active_games},
        )

    def emails(self) -> ChartData:
        _ = self._language.gettext
        text = _(
            "%(sent)s emails were sent, %(dropped)s were no longer needed, %(failed)s were refused.",
            sent=self._total_text(lambda period: period.emails_sent),
            dropped=self._total_text(lambda period: period.emails_dropped),
            failed=self._total_text(lambda period: period.emails_failed),
        )
        return self._chart(
            "emails",
            _("Emails"),
            text,
            {
                _("Sent"): lambda period: period.emails_sent,
                _("No longer needed"): lambda period: period.emails_dropped,
                _("Refused"): lambda period: period.emails_failed,
            },
        )

    def people(self) -> ChartData:
        _ = self._language.gettext
        text = _(
            "People signed in %(sign_ins)s times and created %(accounts)s accounts.",
            sign_ins=self._total_text(lambda period: period.sign_ins),
            accounts=self._total_text(lambda period: period.new_accounts),
        )
        return self._chart(
            "people",
            _("Sign-ins and new accounts"),
            text,
            {
                _("Sign-ins"): lambda period: period.sign_ins,
                _("New accounts"): lambda period: period.new_accounts,
            },
        )

    def _chart(
        self, key: str, title: str, summary: str, lines: dict[str, ValueOf], unit: Unit = "count"
    ) -> ChartData:
        series = (
            Series(name, tuple(value_of(period) for period in self._periods))
            for name, value_of in lines.items()
        )
        return ChartData(key, title, summary, self._labels, tuple(series), unit)

    def _newest_value(self, value_of: ValueOf) -> float | None:
        known_values = (value_of(period) for period in reversed(self._periods))
        return next((value for value in known_values if value is not None), None)

    def _total_text(self, value_of: ValueOf) -> str:
        return self._value_text(sum(value_of(period) or 0 for period in self._periods), "count")

    def _value_text(self, value: float | None, unit: Unit) -> str:
        return figure_text(value, unit, self._language)


_PERIOD_BY_PARAMETER: Final[dict[str, Period]] = {"30": 30, "365": 365}
pages = Blueprint("statistics", __name__)


@pages.get(urls.statistics.rule)
def show_statistics() -> ResponseReturnValue:
    """Show the health of the site and the charts."""
    days, now = _PERIOD_BY_PARAMETER.get(request.args.get("days", ""), 30), current_context().now()
    with current_context().read_only() as tx:
        viewer = require_site_right(require_viewer(tx), SiteRight.VIEW_STATISTICS)
        health, statistics = site_health(tx), statistics_over(tx, days=days)
    language = locale_of(viewer).language
    return render_page(
        "moderation/statistics.html",
        viewer=viewer,
        nav_position=PagePosition(urls.statistics()),
        health=health_items(health, language, now=now),
        charts=StatisticsCharts(statistics.periods, language),
        today=statistics.today,
        counted_day_count=statistics.counted_day_count,
        days=days,
        periods=tuple(_PERIOD_BY_PARAMETER.values()),
    )


def _period_label(period: PeriodStatistics, skeleton: str, language: Language) -> str:
    midnight = datetime.combine(period.first_day, time(), UTC)
    return format_skeleton(skeleton, midnight, tzinfo=UTC, locale=language.locale)
