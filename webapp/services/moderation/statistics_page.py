"""The page of statistics, for site moderators: the health of the site now, and what happened on the last days.

Two statements besides that of the viewer.
"""

import msgspec

from webapp.rights import SiteRight
from webapp.services.accounts.person import Person
from webapp.services.moderation.relations import require_site_right
from webapp.services.operations.health import SiteHealth, site_health
from webapp.services.operations.statistics import Period, SiteStatistics, statistics_over
from webapp.services.tx import Tx


class StatisticsPage(msgspec.Struct, frozen=True, kw_only=True):
    """What the page shows."""

    health: SiteHealth
    statistics: SiteStatistics


def statistics_page(tx: Tx, viewer: Person | None, *, days: Period) -> StatisticsPage:
    """Return the health of the site and the statistics of the last days. Raises NotFound without the right."""
    require_site_right(viewer, SiteRight.VIEW_STATISTICS)
    return StatisticsPage(health=site_health(tx), statistics=statistics_over(tx, days=days))
