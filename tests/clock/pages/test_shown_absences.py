from datetime import timedelta

from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.visitors import Site, Visitor, open_table, table_link
from webapp.kernel import urls

DAY = timedelta(days=1)


def declare_absence(site: Site, visitor: Visitor, *, days: int) -> None:
    last_day = (site.clock.now + days * DAY).date().isoformat()
    assert visitor.post(urls.start_holiday(), **{"now-last_day": last_day}).status_code == 303


def seat_text(visitor: Visitor, slug: str) -> str:
    return visitor.page(urls.game(slug)).text


def test_players_see_until_which_day_another_is_away(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, public=True, starter=1)
    alice, bob, _ = game.visitors
    assert "away until" not in seat_text(alice, game.slug)
    declare_absence(site, bob, days=2)
    assert "away until Wednesday" in seat_text(alice, game.slug)
    assert "Waiting for Bob (away until Wednesday) to play" in seat_text(alice, game.slug)
    for outsider in (site.signed_in(MALLORY), site.signed_out()):
        assert "away until" not in seat_text(outsider, game.slug)
    site.clock.move(3 * DAY)
    assert "away until" not in seat_text(alice, game.slug)


def test_absence_day_is_in_the_zone_of_the_viewer_and_distant_days_have_a_date(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    alice, bob, _ = game.visitors
    alice.post(urls.profile(), name="Alice", language="en", zone="Asia/Tokyo")
    declare_absence(site, bob, days=2)
    assert "away until Thursday" in seat_text(alice, game.slug)
    alice.post(urls.profile(), name="Alice", language="en", zone="Pacific/Honolulu")
    assert "away until Wednesday" in seat_text(alice, game.slug)
    path = next(
        form.action for form in bob.page(urls.time_away()).forms if form.action.endswith("/end")
    )
    assert bob.post(path).status_code == 303
    declare_absence(site, bob, days=30)
    assert "away until 1 Apr" in seat_text(alice, game.slug)


def test_lobby_shows_absences_to_seated_players(site: Site) -> None:
    alice, bob = site.signed_in(ALICE), site.signed_in(BOB)
    slug = open_table(alice, seats="3", audience="public")
    declare_absence(site, alice, days=1)
    assert "away until Tuesday" in seat_text(alice, slug)
    assert "away until" not in seat_text(bob, slug)
    assert "away until" not in bob.page(urls.invitation(table_link(alice, slug))).text


def test_absence_that_has_not_begun_is_not_shown(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    alice, bob, _ = game.visitors
    bob.post(urls.time_away(), first_day="2026-03-05", last_day="2026-03-06")
    assert "away until" not in seat_text(alice, game.slug)
    site.clock.move(3 * DAY)
    assert "away until Friday" in seat_text(alice, game.slug)
    site.clock.move(1.3 * DAY)
    assert "away until tonight" in seat_text(alice, game.slug)
