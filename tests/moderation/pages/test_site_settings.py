import re

import pytest

from tests.support.cast import ALICE, BOB, CAROL, MO
from tests.support.html import Page
from tests.support.transactions import transaction
from tests.support.visitors import Site, Visitor, open_table, table_link
from webapp.kernel import urls
from webapp.moderation.moderators import add_moderator


@pytest.fixture
def moderator(site: Site) -> Visitor:
    with transaction(site.database, site.clock.now) as tx:
        add_moderator(tx, MO.address, reason="helps")
    return site.signed_in(MO)


def change(moderator: Visitor, **values: str) -> Page:
    """Send the form with these values; return the page that follows."""
    form = moderator.page(urls.site_settings()).form(urls.site_settings())
    answer = moderator.send(form, **({"reason": "asked for"} | values))
    if answer.status_code != 303:
        return Page(answer.text)
    return moderator.page(answer.location)


def test_name_and_colour_are_used_at_once_on_every_page(site: Site, moderator: Visitor) -> None:
    page = change(moderator, site_name="Deep <Mine>", accent_colour="#0B5394")
    assert "Changed 2 settings." in page.text
    home_text = site.signed_out().get(urls.home()).text
    assert "Deep &lt;Mine&gt;" in home_text
    [style_sheet_path] = re.findall(r'href="(/static/lodepost\.css\?[^"]+)"', home_text)
    with site.signed_out().get(style_sheet_path.replace("&amp;", "&")) as answer:
        assert "--accent: #0b5394;" in answer.text
    assert "accent=0b5394" in style_sheet_path


@pytest.mark.parametrize("accent", ["zzz", "ffffff", "%00", "'><script>"])
def test_style_sheet_ignores_an_unusable_accent(site: Site, accent: str) -> None:
    with site.signed_out().get(f"/static/lodepost.css?accent={accent}") as answer:
        assert "--accent: #7a4a12;" in answer.text


def test_settings_form_with_errors_keeps_what_was_typed(moderator: Visitor) -> None:
    page = change(moderator, accent_colour="#ffee00", most_invited="many", reason="")
    for sentence in ("too pale", "whole number", "Please fill this in."):
        assert sentence in page.text
    assert page.form(urls.site_settings()).fields["most_invited"] == "many"


def test_legal_pages_are_linked_once_they_have_a_text(site: Site, moderator: Visitor) -> None:
    visitor = site.signed_out()
    visitor.page(urls.legal_page("imprint"), status=404)
    visitor.page(urls.legal_page("none-such"), status=404)
    source = "# Who\n\nMo <script>alert(1)</script> [mail](mailto:mo@example.test) [x](javascript:y) ![i](http://x/y.png)"
    change(moderator, imprint=source)
    html = visitor.get(urls.legal_page("imprint")).text
    assert "<h2>Who</h2>" in html
    assert 'href="mailto:mo@example.test"' in html
    assert "<script>alert" not in html
    assert 'href="javascript:' not in html
    assert html.count("<img") == 1, "only the icon of the site"
    links = [link.text for link in visitor.page(urls.home()).links]
    assert "Imprint" in links
    assert "Privacy notice" not in links


def test_maintenance_closes_the_site_for_all_but_moderators(site: Site, moderator: Visitor) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    change(moderator, maintenance="New pumps until ten.")
    for visitor in (site.signed_out(), game.visitors[0]):
        answer = visitor.get(urls.home())
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "300")
        assert "New pumps until ten." in answer.text
        assert visitor.get("/nowhere").status_code == 503
        assert visitor.get(urls.health()).status_code == 200
        assert visitor.get(urls.sign_in_code()).status_code == 200
        assert visitor.post(urls.passkey_sign_in_options()).status_code == 200
    refused_turn = game.visitors[0].client.post(urls.turns(game.slug), data={"do": "pass"})
    assert refused_turn.status_code == 503
    assert moderator.get(urls.home()).status_code == 200
    for path in (urls.site_settings(), urls.moderation()):
        assert "The site is closed" in moderator.page(path).text
    change(moderator, maintenance="")
    assert game.visitors[0].get(urls.home()).status_code == 200


def test_second_of_two_moderators_is_shown_the_settings_of_the_first(
    site: Site, moderator: Visitor
) -> None:
    form = moderator.page(urls.site_settings()).form(urls.site_settings())
    change(moderator, site_name="First")
    answer = moderator.send(form, site_name="Second", reason="mine")
    assert answer.status_code == 422
    page = Page(answer.text)
    assert "Someone else changed the settings" in page.text
    assert page.form(urls.site_settings()).fields["site_name"] == "First"


def test_link_of_a_table_lets_someone_sign_up_on_a_site_by_invitation(
    site: Site, moderator: Visitor
) -> None:
    host = site.signed_in(ALICE)
    link = urls.invitation(table_link(host, open_table(host)))
    change(moderator, sign_up="invitation")
    site.deliver_emails()
    stranger, guest = site.signed_out(), site.signed_out()
    assert "You need an invitation" in stranger.page(urls.sign_in()).text
    for visitor, path in ((stranger, urls.sign_in()), (guest, urls.sign_in(return_path=link))):
        visitor.page(path)
        answer = visitor.post(urls.sign_in(), address="someone@example.test")
        assert answer.location == urls.sign_in_code()
        assert bool(site.deliver_emails()) is (visitor is guest)
