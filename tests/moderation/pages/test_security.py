import pytest

from tests.support.acts import perform_act, site_moderator
from tests.support.cast import ALICE, BOB, CAROL, MO
from tests.support.caused_emails import cause_sanction_emails, ref_of
from tests.support.factories import Guest, sign_in_guest
from tests.support.moderation import make_moderator
from tests.support.transactions import transaction
from tests.support.visitors import Site, Visitor
from webapp.accounts import security_log
from webapp.accounts.security_log import SecurityEventKind
from webapp.kernel import urls
from webapp.kernel.rights import GameRight
from webapp.moderation.moderators import add_moderator
from webapp.moderation.peeks import PeekRequest, record_peek
from webapp.moderation.performing import find_game_to_act_on
from webapp.wording.security import EVENT_NAMES


@pytest.fixture
def moderator(site: Site) -> Visitor:
    with transaction(site.database, site.clock.now) as tx:
        add_moderator(tx, MO.address, reason="helps")
    return site.signed_in(MO)


def record(site: Site, account_id: int, times: int = 1) -> None:
    with transaction(site.database, site.clock.now) as tx:
        for number in range(times):
            security_log.record(
                tx,
                SecurityEventKind.DATA_EXPORTED,
                account_id=account_id,
                network_address="192.0.2.9",
                detail={"number": 4711 + number},
            )


def test_security_log_shows_events_and_filters_by_kind_and_person(
    site: Site, moderator: Visitor
) -> None:
    alice = sign_in_guest(site.database, ALICE, now=site.clock.now)
    record(site, alice.person.id)
    page = moderator.page(urls.security_log(kind="data-exported"))
    assert "192.0.2.9" in page.text
    assert "Their own data" in page.text
    assert "4711" not in page.text
    [link] = [link for link in page.links if link.text == "Alice"]
    page_about_alice = moderator.page(link.href)
    assert "192.0.2.9" in page_about_alice.text
    assert "192.0.2.9" not in moderator.page(urls.security_log(kind="peek")).text
    granted_page = moderator.page(urls.security_log(kind="rights-granted"))
    assert "The operator" in granted_page.text


def test_act_links_to_the_person_it_is_about_without_their_id(
    site: Site, moderator: Visitor
) -> None:
    alice = sign_in_guest(site.database, ALICE, now=site.clock.now)
    cause_sanction_emails(site.database, [alice])
    page = moderator.page(urls.security_log(kind="act"))
    links = [link for link in page.links if link.text == "Alice"]
    assert [link.href for link in links] == [
        urls.moderated_person(ref_of(site.database, alice))
    ] * 2
    assert f"account: {alice.person.id}" not in page.text


def test_every_row_of_the_security_log_names_its_subject(site: Site, moderator: Visitor) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    guest = site_moderator(site.database)
    for act in (GameRight.PAUSE, GameRight.RESUME):
        perform_act(site.database, game.slug, act, by=guest)
    store_peek_through_log(site, game.slug, guest)
    form = moderator.page(urls.site_settings()).form(urls.site_settings())
    moderator.send(form, most_clubs="7", reason="fewer")
    page = moderator.page(urls.security_log())
    for text in (
        "Pause Alice's table",
        "Peek Alice's table",
        "Clubs that one person may be in",
        "Make site moderator Mo",
        "With a code or a link from an email",
    ):
        assert text in page.text, (text, page.text)
    assert "Ledger entry" not in page.text
    make_moderator(site.database, BOB)
    assert "Looked at roles and cards Mo" not in game.visitors[1].page(urls.security_log()).text


def store_peek_through_log(site: Site, slug: str, guest: Guest) -> None:
    with transaction(site.database, site.clock.now) as tx:
        game = find_game_to_act_on(tx, guest.person, slug, GameRight.PEEK)
        request = PeekRequest(slug=slug, seq=game.seq, reason="a dispute", form_id="x")
        record_peek(tx, guest.person, request)


def test_long_security_log_is_split_into_pages(site: Site, moderator: Visitor) -> None:
    alice = sign_in_guest(site.database, ALICE, now=site.clock.now)
    record(site, alice.person.id, times=60)
    first_page = moderator.page(urls.security_log(kind="data-exported"))
    assert first_page.text.count("192.0.2.9") == 50
    [older_link] = [link for link in first_page.links if link.text == "Older events"]
    assert moderator.page(older_link.href).text.count("192.0.2.9") == 10


@pytest.mark.parametrize(
    "query", ["?kind=none-such", "?before=x", "?before=" + "9" * 30, "?person=%00", "?person=x"]
)
def test_security_log_with_an_unknown_filter_value_is_shown(moderator: Visitor, query: str) -> None:
    moderator.page(urls.security_log() + query)


def test_every_kind_of_security_event_has_a_name() -> None:
    assert set(EVENT_NAMES) == set(SecurityEventKind)
