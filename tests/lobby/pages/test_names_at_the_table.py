"""Names in the lobby: escaped, and different from the other names at the table."""

from tests.support.cast import ALICE, BOB
from tests.support.html import Page
from tests.support.lobby_forms import send_lobby_form
from tests.support.visitors import Site, Visitor, open_table
from webapp.kernel import urls


def test_names_at_a_table_are_escaped(site: Site) -> None:
    alice = site.signed_in(ALICE)
    alice.post(urls.profile(), name="<i>Al<i>", language="en", zone="UTC")
    slug = open_table(alice, seats="3", audience="public")
    for path in (urls.game(slug), urls.home(), urls.fairness(slug)):
        assert "<i>" not in site.signed_out().get(path).text
    send_lobby_form(alice, slug, "fill")
    for path in (urls.game(slug), urls.history(slug)):
        answer = alice.get(path).text
        assert "<i>" not in answer
        assert "&lt;i&gt;" in answer


def namesake_of_alice(site: Site, slug: str) -> Visitor:
    """Sign Bob in under the name of Alice, which is taken at her table."""
    bob = site.signed_in(BOB)
    bob.post(urls.profile(), name="alice", language="en", zone="UTC")
    return bob


def test_player_with_a_taken_name_chooses_another_on_the_same_page(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), seats="4", audience="public")
    bob = namesake_of_alice(site, slug)
    sit_forms = [form for form in bob.page(urls.game(slug)).forms if "/sit" in form.action]
    answer = bob.send(sit_forms[1])
    assert answer.status_code == 422
    page = Page(answer.text)
    assert "looks too much like Alice" in page.text
    [form] = [form for form in page.forms if form.action == urls.lobby_action(slug, "sit")]
    assert (form.fields["seat"], form.fields["name"]) == ("2", "alice")
    assert bob.send(form, name="Bob").status_code == 303
    page = bob.page(urls.game(slug))
    assert "Bob you" in page.text
    assert "looks too much like" not in page.text


def test_blank_name_means_the_name_of_the_account(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), seats="4", audience="public")
    bob = site.signed_in(BOB)
    assert bob.post(urls.lobby_action(slug, "sit"), seat="1", name="   ").status_code == 303
    assert "Bob you" in bob.page(urls.game(slug)).text


def test_another_invalid_name_is_refused_on_the_same_page(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), seats="4", audience="public")
    bob = namesake_of_alice(site, slug)
    for typed_name, shown_text in (
        ("A1ice", "looks too much like Alice"),
        ("Bob (bot)", "Names can't contain brackets"),
        ("a\x00b", "characters we can't show"),
        ("<i>" * 11, "Please use at most"),
    ):
        answer = bob.post(urls.lobby_action(slug, "sit"), seat="1", name=typed_name)
        assert answer.status_code == 422
        page = Page(answer.text)
        assert shown_text in page.text
        assert page.form(urls.lobby_action(slug, "sit")).fields["seat"] == "1"
        assert "<i>" not in answer.text
