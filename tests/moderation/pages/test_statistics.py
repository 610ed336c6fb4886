"""The page of statistics: the health of the site, charts with their tables, and how many statements it takes."""

from datetime import timedelta

import pytest

from tests.support.cast import ALICE, BOB
from tests.support.statements import recorded_statements
from tests.support.transactions import transaction
from tests.support.visitors import Site, Visitor
from webapp.kernel import urls
from webapp.moderation.moderators import add_moderator
from webapp.operations import processes, statistics
from webapp.operations.site_figures import WorkReport

INSERT_TEN_THOUSAND_GAMES = (
    """
    INSERT INTO game (slug, host_id, host_name, rulebook, house, seat_count, allowance, public, status, opened_at, thread_id)
    SELECT 'seeded' || g, (SELECT min(id) FROM account), 'Mo', 'en-2004', '{}', 3, '1 day', true, 'running', %(now)s, ''
    FROM generate_series(1, 10000) g
    """,
    """
    INSERT INTO turn (game_id, seq, seat, by, events, head, at)
    SELECT game.id, s, s, 'player', '', '', %(now)s - (1 - s) * interval '2 hours'
    FROM game, generate_series(0, 1) s
    """,
)


@pytest.fixture
def moderator(site: Site) -> Visitor:
    visitor = site.signed_in(ALICE)
    with transaction(site.database, site.clock.now) as tx:
        add_moderator(tx, ALICE.address, reason="for a test")
    return visitor


def count_today(site: Site) -> None:
    with transaction(site.database, site.clock.now) as tx:
        statistics.count_oldest_missing_day(tx)


def test_quiet_site_without_a_worker_says_what_to_do(moderator: Visitor) -> None:
    text = moderator.page(urls.statistics()).text
    assert "No worker is running: no email is sent and no deadline is watched." in text
    assert "Deadlines are not being checked" in text
    assert "Nothing to show yet." in text


def test_first_day_shows_todays_figures_and_says_why_charts_are_empty(
    site: Site, moderator: Visitor
) -> None:
    site.signed_in(BOB)
    text = moderator.page(urls.statistics()).text
    assert "New accounts 2" in text.partition("Today so far")[2].partition("The last 30 days")[0]
    assert "so far there's only today" in text
    with transaction(site.database) as tx:
        tx.connection.exec_driver_sql(
            "UPDATE account SET created_at = created_at - interval '3 days'"
        )
    for _ in range(4):
        count_today(site)
    assert "so far there's only today" not in moderator.page(urls.statistics()).text


def test_overdue_deadline_is_shown_with_a_link_to_the_games(site: Site, moderator: Visitor) -> None:
    site.dealt_game(BOB)
    site.clock.move(timedelta(days=1, hours=3))
    with transaction(site.database, site.clock.now) as tx:
        processes.record_heartbeat(tx, "host:1", work=WorkReport(sweeps=60))
    text = moderator.page(urls.statistics()).text
    assert "Most overdue deadline" in text
    assert "3 hrs" in text
    assert "Show the stuck games" in text
    assert "No worker is running" not in text


@pytest.mark.parametrize("days, rows", [(30, 30), (365, 53), (7, 30)])
def test_charts_have_a_row_for_every_day_or_week(
    site: Site, moderator: Visitor, days: int, rows: int
) -> None:
    count_today(site)
    html = moderator.get(urls.statistics(days=days)).text
    assert html.count('<svg class="chart"') == 3
    assert html.count('<th scope="row"') == 3 * rows
    assert "style=" not in html


def test_statistics_page_takes_three_statements_with_ten_thousand_games(
    site: Site, moderator: Visitor
) -> None:
    with transaction(site.database) as tx:
        for statement in INSERT_TEN_THOUSAND_GAMES:
            tx.connection.exec_driver_sql(statement, {"now": site.clock.now})
    count_today(site)
    assert "Lately: 10,000." in moderator.page(urls.statistics()).text
    with recorded_statements(site.database) as statements:
        moderator.page(urls.statistics(days=365))
    assert len(statements) == 3


def test_problems_of_a_day_are_described_in_plain_words(site: Site, moderator: Visitor) -> None:
    site.dealt_game(BOB)
    now = site.clock.now
    with transaction(site.database, now) as tx:
        tx.connection.exec_driver_sql(
            "UPDATE notification SET status = 'failed', settled_at = %s", (now,)
        )
        processes.record_heartbeat(tx, "host:1", work=WorkReport(sweeps=9, slow_sweeps=2))
        processes.record_sweep(tx, swept_at=now)
    text = moderator.page(urls.statistics()).text
    assert "See which share of all emails was refused" in text
    assert "2 checks in a day took longer than 5 seconds." in text
    site.clock.move(timedelta(minutes=20))
    assert (
        "The last worker was seen 20 minutes ago. Start one."
        in moderator.page(urls.statistics()).text
    )


def test_wrong_clock_of_a_worker_is_described(site: Site, moderator: Visitor) -> None:
    with transaction(site.database, site.clock.now) as tx:
        for instance in ("host:1", "host:2"):
            processes.record_heartbeat(tx, instance)
        processes.record_wrong_clock(tx, "host:2", clock_ahead=timedelta(days=-3))
    text = moderator.page(urls.statistics()).text
    assert "A worker's clock is wrong by 3 days, so it plays no turn and sends no email." in text
