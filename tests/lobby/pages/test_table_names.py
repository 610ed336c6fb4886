import pytest

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import sign_in_guest
from tests.support.html import Page
from tests.support.transactions import transaction
from tests.support.visitors import Site, Visitor, open_table
from webapp.kernel import urls
from webapp.moderation.queries import moderators

_NAME = "Friday miners"


def refusal_of(visitor: Visitor, name: str) -> str:
    """Return the page that refuses a name of a table."""
    form = visitor.page(urls.new_game()).form(urls.tables())
    answer = visitor.send(form, table_name=name)
    assert answer.status_code == 422
    return str(answer.text)


def test_table_without_a_name_is_called_by_its_host(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), table_name="  ", audience="public")
    assert "Alice's table" in site.signed_out().page(urls.game(slug)).text


def test_name_is_shown_at_the_table_and_in_lists(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, table_name=f" {_NAME.replace(' ', '  ')} ", audience="public")
    for page in (
        alice.page(urls.home()),
        site.signed_out().page(urls.home()),
        site.signed_out().page(urls.game(slug)),
    ):
        assert _NAME in page.text
        assert "Alice's table" not in page.text


def test_host_is_named_beside_the_name_of_a_table_before_the_deal(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), table_name="Bob's table", audience="public")
    for path in (urls.home(), urls.game(slug)):
        assert "Hosted by Alice" in site.signed_in(CAROL).page(path).text


def test_name_is_escaped_on_pages(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, table_name="B&B; 'n' \"q\"", audience="public")
    for path in (urls.home(), urls.game(slug)):
        assert "B&amp;B;" in alice.get(path).text
        assert "B&B;" not in alice.get(path).text


@pytest.mark.parametrize(
    "name, reason",
    [
        ("x" * 41, "at most 40 characters"),
        ("win.example.org", "Names can&#39;t contain web or email addresses"),
        ("Dig (bot)", "Names can&#39;t contain brackets"),
        ("Dig\u202e gold", "characters we can&#39;t show"),
        ("!!", "not only punctuation"),
        ("Lodepost security", "could be mistaken for a message from this site"),
        ("A m\u043ederator writes", "could be mistaken for a message from this site"),
    ],
)
def test_misleading_name_is_refused(site: Site, name: str, reason: str) -> None:
    alice = site.signed_in(ALICE)
    answer = refusal_of(alice, name)
    assert reason in answer
    assert "Ready to dig?" in alice.page(urls.home()).text


def test_refused_name_and_other_settings_stay_in_the_form(site: Site) -> None:
    alice = site.signed_in(ALICE)
    form = alice.page(urls.new_game()).form(urls.tables())
    answer = alice.send(form, table_name="a/b", seats="7")
    assert 'value="a/b"' in answer.text
    assert Page(answer.text).form(urls.tables()).fields["seats"] == "7"


def test_table_is_not_called_like_a_moderator(site: Site) -> None:
    sign_in_guest(site.database, BOB)
    with transaction(site.database) as tx:
        moderators.set_moderator(tx, BOB.address, is_moderator=True)
    assert "could be mistaken" in refusal_of(site.signed_in(ALICE), "B0b")
