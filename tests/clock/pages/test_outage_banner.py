"""After an outage of the server, the table page says that the deadlines have moved, for two days."""

from datetime import timedelta

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.transactions import transaction
from tests.support.visitors import DealtGame, Site
from webapp.clock.queries import maintenance
from webapp.kernel import urls

HOUR = timedelta(hours=1)
DEADLINES_MOVED_SENTENCE = "All deadlines moved by the time that was lost."


def shift_after_outage(site: Site, length: timedelta, *, cause: str = "server") -> None:
    began_at = site.clock.now
    site.clock.move(length)
    with transaction(site.database) as tx:
        maintenance.record_outage(tx, cause=cause, began_at=began_at, ended_at=site.clock.now)


def table_text(site: Site, game: DealtGame) -> str:
    return game.visitors[0].page(urls.game(game.slug)).text


def test_table_page_says_for_two_days_that_the_server_was_down(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    assert DEADLINES_MOVED_SENTENCE not in table_text(site, game)
    shift_after_outage(site, 3 * HOUR)
    assert DEADLINES_MOVED_SENTENCE in table_text(site, game)
    site.clock.move(48 * HOUR)
    assert DEADLINES_MOVED_SENTENCE not in table_text(site, game)


def test_table_page_says_that_no_email_could_be_sent(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    shift_after_outage(site, 3 * HOUR, cause="email")
    text = table_text(site, game)
    assert DEADLINES_MOVED_SENTENCE in text
    assert "send any email from" in text


def test_outage_before_the_game_is_not_shown(site: Site) -> None:
    site.clock.now -= 3 * HOUR
    shift_after_outage(site, HOUR)
    site.clock.move(2 * HOUR)
    assert DEADLINES_MOVED_SENTENCE not in table_text(site, site.dealt_game(ALICE, BOB, CAROL))
