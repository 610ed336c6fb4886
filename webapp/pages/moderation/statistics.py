"""Statistics, for site moderators: the health of the site, and charts over 30 or 365 days; the choice is in the address."""

from typing import Final

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.moderation.health_strip import health_items
from webapp.pages.moderation.statistics_charts import StatisticsCharts
from webapp.services.moderation.statistics_page import statistics_page
from webapp.services.operations.statistics import Period
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, require_viewer

_PERIOD_BY_PARAMETER: Final[dict[str, Period]] = {"30": 30, "365": 365}
pages = Blueprint("statistics", __name__)


@pages.get(urls.statistics.rule)
def show_statistics() -> ResponseReturnValue:
    """Show the health of the site and the charts."""
    days, now = _PERIOD_BY_PARAMETER.get(request.args.get("days", ""), 30), current_context().now()
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        page = statistics_page(tx, viewer, days=days)
    language = locale_of(viewer).language
    return render_page(
        "moderation/statistics.html",
        viewer=viewer,
        nav_position=PagePosition(urls.statistics()),
        health=health_items(page.health, language, now=now),
        charts=StatisticsCharts(page.statistics.periods, language),
        today=page.statistics.today,
        counted_day_count=page.statistics.counted_day_count,
        days=days,
        periods=tuple(_PERIOD_BY_PARAMETER.values()),
    )
