import re
from urllib.parse import quote

import pytest

from tests.support.acts import ledger_acts, perform_act, site_moderator
from tests.support.cast import ALICE, BOB, CAROL, DAVE, MALLORY
from tests.support.clubs import found_club
from tests.support.factories import deal_game, play_turn, sign_in_guest, stored_game, table_settings
from tests.support.html import Page
from tests.support.moderation import execute
from tests.support.visitors import Site, Visitor
from webapp.kernel import urls
from webapp.kernel.game_status import GameStatus
from webapp.kernel.rights import GameRight

PAUSE = GameRight.PAUSE


@pytest.fixture
def mo(site: Site) -> Visitor:
    return site.signed_out().with_session(site_moderator(site.database).cookie)


def _bulk_act_path(act: GameRight, *slugs: str) -> str:
    return urls.bulk_act(act) + "?" + "&".join(f"game={slug}" for slug in slugs)


def _send_bulk_act(
    visitor: Visitor, page: Page, act: GameRight, games: list[str], **fields: str
) -> Page:
    form = next(form for form in page.forms if form.method == "post")
    answer = visitor.client.post(
        form.action,
        data=form.fields | {"game": games, "reason": "the server was down", **fields},
    )
    assert answer.status_code == 200, Page(answer.text).text
    return Page(answer.text)


def test_bulk_act_changes_or_refuses_each_game_separately(site: Site, mo: Visitor) -> None:
    dealt = site.dealt_game(ALICE, BOB, CAROL)
    paused_slug = deal_game(site.database, dealt.guests)
    moved_slug = deal_game(site.database, dealt.guests, table_settings(public=True))
    perform_act(site.database, paused_slug, PAUSE)
    page = mo.page(_bulk_act_path(PAUSE, dealt.slug, paused_slug, moved_slug, moved_slug))
    assert page.text.count("The game is paused.") == 2
    assert "This game is paused. Resume it first." in page.text
    play_turn(site.database, moved_slug, dealt.guests[0])
    games = [f"{dealt.slug}:0:0", f"{moved_slug}:0:0", "zzzzzzzzzzzz:0:0", "odd", "a:b:c"]
    for _ in range(2):
        text = _send_bulk_act(mo, page, PAUSE, games).text
        assert f"Alice's table {dealt.slug} Done" in text
        assert f"Alice's table {moved_slug} The game has moved on" in text
        assert f"{urls.moderated_game('zzzzzzzzzzzz')}" not in text
        assert "zzzzzzzzzzzz There is no such game" in text
    assert ledger_acts(site.database) == ["pause", "pause"]
    assert stored_game(site.database, dealt.slug, dealt.guests[0]).status == GameStatus.PAUSED
    assert stored_game(site.database, moved_slug, dealt.guests[0]).status == GameStatus.RUNNING


def test_games_chosen_on_the_dashboard_reach_the_preview(site: Site, mo: Visitor) -> None:
    dealt = site.dealt_game(ALICE, BOB, CAROL)
    other = deal_game(site.database, dealt.guests)
    dashboard = mo.get(urls.moderation()).text
    values = set(re.findall(r'name="game" value="([^"]+)"', dashboard))
    assert {value.partition(":")[0] for value in values} == {dealt.slug, other}
    assert "This will happen in 2 games" in mo.page(_bulk_act_path(PAUSE, *values)).text


def test_every_bulk_act_page_links_back_to_the_list_of_the_chosen_games(site: Site) -> None:
    club = found_club(site.database, sign_in_guest(site.database, DAVE))
    slug = site.dealt_game(ALICE, BOB, CAROL).slug
    execute(site.database, "UPDATE game SET club_id = (SELECT id FROM club)")
    founder, games = site.signed_in(DAVE), urls.moderation(club=club)
    dashboard = founder.page(games)
    [form] = [form for form in dashboard.forms if "back" in form.fields]
    assert form.fields["back"] == games
    path = f"{_bulk_act_path(PAUSE, slug)}&back={quote(games)}"
    preview = founder.page(path)
    results = _send_bulk_act(founder, preview, PAUSE, [f"{slug}:0:0"])
    for page in (preview, results):
        [back_path] = [link.href for link in page.links if link.href.startswith(games)]
        assert founder.get(back_path).status_code == 200


@pytest.mark.parametrize(
    "back_path", ["https://elsewhere.example/", "/moderationx", "/moderation?\n"]
)
def test_foreign_back_link_is_replaced_by_a_list_that_the_viewer_may_see(
    site: Site, mo: Visitor, back_path: str
) -> None:
    slug = site.dealt_game(ALICE, BOB, CAROL).slug
    page = mo.page(f"{_bulk_act_path(PAUSE, slug)}&back={quote(back_path)}")
    assert [link.text for link in page.links if link.href == urls.moderation()] == [
        "Moderation",
        "Back without changing anything",
    ]


def test_bulk_act_page_without_a_chosen_game_says_so(mo: Visitor) -> None:
    assert "No game was chosen, so nothing was done." in mo.page(_bulk_act_path(PAUSE)).text


def test_absurd_bulk_act_shows_the_form_again(site: Site, mo: Visitor) -> None:
    slug = site.dealt_game(ALICE, BOB, CAROL).slug
    page = mo.page(_bulk_act_path(GameRight.EXTEND, slug))
    form = next(form for form in page.forms if form.method == "post")
    for fields in ({"reason": ""}, {"reason": "x", "length": "0"}, {"reason": "x", "unit": "eons"}):
        assert mo.send(form, **fields).status_code == 422
    assert ledger_acts(site.database) == []


@pytest.mark.parametrize("act", [GameRight.REWIND, GameRight.OPEN_SEAT, GameRight.PEEK])
def test_act_that_differs_between_games_is_not_offered_for_many(
    site: Site, mo: Visitor, act: GameRight
) -> None:
    assert mo.get(_bulk_act_path(act, site.dealt_game(ALICE, BOB, CAROL).slug)).status_code == 404


def test_others_find_nothing(site: Site) -> None:
    slug = site.dealt_game(ALICE, BOB, CAROL).slug
    stranger = site.signed_in(MALLORY)
    assert stranger.get(_bulk_act_path(PAUSE, slug)).status_code == 404
    answer = stranger.post(urls.bulk_act(PAUSE), game=f"{slug}:0:0", reason="x", form_id="y")
    assert answer.status_code == 404
    assert ledger_acts(site.database) == []
