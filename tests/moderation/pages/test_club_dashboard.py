"""The list of games as the moderators of a club see it."""

import pytest

from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.clubs import found_club
from tests.support.moderation import execute, moderator_of, set_turn_email_status
from tests.support.statements import recorded_statements
from tests.support.transactions import NOON
from tests.support.visitors import Site, Visitor
from webapp.kernel import urls
from webapp.kernel.rights import GameRight


@pytest.fixture
def founder(site: Site) -> Visitor:
    return site.signed_in(DAVE)


@pytest.fixture
def club(site: Site, founder: Visitor) -> str:
    from tests.support.factories import sign_in_guest

    return found_club(site.database, sign_in_guest(site.database, DAVE))


@pytest.fixture
def slug(site: Site, club: str) -> str:
    """A game of the club; its host's address is refused, and the relay repeats it."""
    slug = site.dealt_game(ALICE, BOB, CAROL).slug
    execute(site.database, "UPDATE game SET club_id = (SELECT id FROM club)")
    answer = f"550 <{ALICE.address}>: no such user"
    set_turn_email_status(site.database, slug, "failed", reason=answer, at=NOON)
    return slug


def test_club_moderator_sees_the_games_of_the_club_without_addresses(
    founder: Visitor, club: str, slug: str
) -> None:
    resend = urls.moderated_act(slug, GameRight.RESEND_EMAIL)
    for path in (urls.moderation(club=club), urls.moderated_game(slug), resend):
        text = founder.get(path).text
        assert slug in text
        assert "no such user" in text
        assert ALICE.address not in text
        assert "/moderation/people/" not in text


def test_club_page_leads_its_moderators_to_the_games_and_back(
    site: Site, founder: Visitor, club: str, slug: str
) -> None:
    games = urls.moderation(club=club)
    assert games in founder.get(urls.club(club)).text
    assert games in moderator_of(site).get(urls.club(club)).text
    assert games in founder.get(urls.moderated_game(slug)).text
    assert urls.club(club) in founder.get(games).text
    nothing_found_text = founder.get(urls.moderation(club=club, search="no-such-name")).text
    assert f'href="{games}"' in nothing_found_text
    assert f'href="{urls.moderation()}"' not in nothing_found_text


def test_club_moderator_cannot_find_people_by_their_addresses(
    founder: Visitor, club: str, slug: str
) -> None:
    page = founder.page(urls.moderation(club=club, search=ALICE.address))
    assert "No games match" in page.text
    assert slug in founder.page(urls.moderation(club=club, search="alice")).text


def test_only_a_site_moderator_reads_the_reports_about_a_game_of_the_club(
    site: Site, founder: Visitor, slug: str
) -> None:
    statement = """INSERT INTO report (kind, reporter_id, game_id, complaint, at)
        SELECT 'other', host_id, id, 'They never finish a round.', now() FROM game"""
    execute(site.database, statement)
    complaint = "They never finish a round."
    assert complaint in moderator_of(site).page(urls.moderated_game(slug)).text
    assert complaint not in founder.page(urls.moderated_game(slug)).text


def test_other_clubs_and_the_whole_site_do_not_exist_for_a_club_moderator(
    site: Site, founder: Visitor, club: str, slug: str
) -> None:
    founder.page(urls.moderation(), status=404)
    founder.page(urls.moderation(club="none"), status=404)
    founder.page(urls.reports(), status=404)
    other = site.dealt_game(ALICE, BOB, CAROL, seed="other").slug
    founder.page(urls.moderated_game(other), status=404)
    assert other not in founder.page(urls.moderation(club=club)).text


def test_member_and_stranger_get_no_list_of_the_club(site: Site, club: str, slug: str) -> None:
    site.signed_in(BOB).page(urls.moderation(club=club), status=404)
    site.signed_in(BOB).page(urls.moderated_game(slug), status=404)


def test_site_moderator_filters_by_club_in_three_statements(
    site: Site, club: str, slug: str
) -> None:
    mo = moderator_of(site)
    with recorded_statements(site.database) as statements:
        assert slug in mo.get(urls.moderation(club=club)).text
    assert len(statements) <= 3
