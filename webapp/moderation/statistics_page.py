"""The page of statistics, for site moderators: the health of the site now, and what happened on the last days.

Two statements besides that of the viewer.
"""

import msgspec

from webapp.accounts.person import Person
from webapp.accounts.relations import require_site_right
from webapp.kernel.rights import SiteRight
from webapp.kernel.tx import Tx
from webapp.operations.health import SiteHealth, site_health
from webapp.operations.statistics import Period, SiteStatistics, statistics_over


class StatisticsPage(msgspec.Struct, frozen=True, kw_only=True):
    """What the page shows."""

    health: SiteHealth
    statistics: SiteStatistics


def statistics_page(tx: Tx, viewer: Person | None, *, days: Period) -> StatisticsPage:
    """Return the health of the site and the statistics of the last days. Raises NotFound without the right."""
    require_site_right(viewer, SiteRight.VIEW_STATISTICS)
    return StatisticsPage(health=site_health(tx), statistics=statistics_over(tx, days=days))
