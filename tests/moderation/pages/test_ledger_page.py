"""The ledger as site moderators read it."""

from datetime import timedelta

import pytest

from tests.support.acts import perform_act, site_moderator, store_peek, undo_act
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.caused_emails import cause_sanction_emails, ref_of
from tests.support.factories import Guest, play_to_end, sign_in_guest
from tests.support.html import Page
from tests.support.moderation import execute, make_moderator
from tests.support.statements import recorded_statements
from tests.support.transactions import transaction
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls
from webapp.kernel.rights import GameRight
from webapp.kernel.site_settings import SETTING_NAMES, SiteSettings
from webapp.moderation.moderators import add_moderator
from webapp.moderation.settings_change import SettingsChange, change_settings


@pytest.fixture
def guest(site: Site) -> Guest:
    return site_moderator(site.database)


@pytest.fixture
def mo(site: Site, guest: Guest) -> Visitor:
    return site.signed_out().with_session(guest.cookie)


@pytest.fixture
def dealt(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


def lines_of(page: Page) -> str:
    """Return the text of the entries, without the filter above them."""
    return page.text.partition("Show ")[2]


def test_empty_ledger_says_so(mo: Visitor) -> None:
    assert "There are no such entries." in mo.page(urls.ledger()).text


def test_ledger_entries_name_act_target_actor_and_reason(
    site: Site, dealt: DealtGame, mo: Visitor, guest: Guest
) -> None:
    entry = perform_act(site.database, dealt.slug, GameRight.PAUSE, by=guest, reason="<b>storm")
    undo_act(site.database, dealt.slug, GameRight.PAUSE, entry)
    alice = sign_in_guest(site.database, ALICE, now=site.clock.now)
    cause_sanction_emails(site.database, [alice])
    change = SettingsChange(
        values={"site_name": "Deep Mine", "moderators_need_passkey": "on"},
        reason="better",
        form_id="x",
    )
    with transaction(site.database, site.clock.now) as tx:
        add_moderator(tx, BOB.address, reason="helps")
    page = mo.page(urls.ledger())
    for text in (
        "Pause undone later Alice's table",
        "The game is paused. When it's resumed, Alice will have",
        "Reason: <b>storm",
        "Mo, a moderator of this site",
        "Undo: ",
        "Banned until",
        "They may moderate the whole site.",
        "The operator of this site",
    ):
        assert text in page.text, text
    links = [link.href for link in page.links]
    assert urls.moderated_game(dealt.slug) in links
    assert urls.moderated_person(ref_of(site.database, alice)) in links
    with transaction(site.database, site.clock.now) as tx:
        change_settings(tx, None, change, defaults=SiteSettings())
    execute(site.database, "DELETE FROM site_setting WHERE name = 'moderators_need_passkey'")
    text = mo.page(urls.ledger(act="setting-change")).text
    assert "Name of the site: “Deep Mine” instead of “Lodepost”." in text
    assert "Site moderators must have a passkey: yes instead of no." in text


def test_ledger_is_filtered_by_act_moderator_game_and_person(
    site: Site, dealt: DealtGame, mo: Visitor, guest: Guest
) -> None:
    other = site.dealt_game(BOB, ALICE, CAROL, seed="other")
    perform_act(site.database, dealt.slug, GameRight.PAUSE, by=guest, reason="one")
    perform_act(site.database, other.slug, GameRight.EXTEND, reason="two", extra=timedelta(days=1))
    alice = sign_in_guest(site.database, ALICE, now=site.clock.now)
    cause_sanction_emails(site.database, [alice])
    ref, ref_of_mo = ref_of(site.database, alice), ref_of(site.database, guest)
    expected: dict[str, tuple[str, str]] = {
        urls.ledger(act="pause"): ("Reason: one", "Reason: two"),
        urls.ledger(by=ref_of_mo): ("Reason: one", "Reason: two"),
        urls.ledger(by="operator", game=other.slug): ("Reason: two", "Reason: one"),
        urls.ledger(game=f"http://lodepost.test/games/{dealt.slug}"): ("Reason: one", "two"),
        urls.ledger(person=ref): ("Banned until", "Reason: two"),
    }
    for path, (shown_text, hidden_text) in expected.items():
        text = lines_of(mo.page(path))
        assert (shown_text in text, hidden_text in text) == (True, False), path
    assert "Only what was done to one person." in mo.page(urls.ledger(person=ref)).text


def test_long_ledger_is_split_into_pages_that_keep_the_filter(
    site: Site, mo: Visitor, guest: Guest
) -> None:
    execute(
        site.database,
        """
        INSERT INTO ledger (at, act, actor_id, acted_as, reason, form_id)
        SELECT now(), 'dismiss-report', :id, 'site-moderator', 'no ' || n, 'form ' || n
        FROM generate_series(1, 60) AS n
        """,
        id=guest.person.id,
    )
    with recorded_statements(site.database) as statements:
        first_page = mo.page(urls.ledger(act="dismiss-report"))
    assert len(statements) == 3
    assert first_page.text.count("Reason: no") == 50
    [older_link] = [link for link in first_page.links if link.text.strip() == "Older entries"]
    second_page = mo.page(older_link.href)
    assert second_page.text.count("Reason: no") == 10
    assert "Reason: no 11 " not in second_page.text
    assert "act=dismiss-report" in older_link.href


def test_peek_is_hidden_from_a_moderator_who_plays_there_until_the_end(
    site: Site, dealt: DealtGame, mo: Visitor, guest: Guest
) -> None:
    store_peek(site.database, dealt.slug, guest)
    make_moderator(site.database, BOB)
    bob = dealt.visitors[1]
    assert "a dispute" in mo.page(urls.ledger()).text
    for path in (urls.ledger(), urls.ledger(game=dealt.slug), urls.ledger(act="peek")):
        assert "a dispute" not in bob.page(path).text
    play_to_end(site.database, dealt.slug, dealt.guests, now=site.clock.now)
    assert "a dispute" in bob.page(urls.ledger()).text


@pytest.mark.parametrize(
    "query",
    [
        "?act=none-such",
        "?before=x",
        "?before=" + "9" * 30,
        "?person=%00",
        "?by=%ED%A0%80",
        "?game=" + "z" * 3000,
    ],
)
def test_ledger_with_an_unknown_filter_value_is_empty(mo: Visitor, query: str) -> None:
    assert "There are no such entries." in mo.page(urls.ledger() + query).text


def test_only_site_moderators_read_the_ledger(site: Site, dealt: DealtGame) -> None:
    dealt.visitors[0].page(urls.ledger(), status=404)
    assert site.signed_out().get(urls.ledger()).location == urls.sign_in()


def test_every_setting_has_a_name_in_the_ledger(site: Site, mo: Visitor, guest: Guest) -> None:
    for number, name in enumerate(SETTING_NAMES):
        execute(
            site.database,
            """
            INSERT INTO ledger (at, act, acted_as, before, after, reason, form_id)
            VALUES (now(), 'setting-change', 'operator', '{}', jsonb_build_object(cast(:name AS text), 'x'), 'y', :form)
            """,
            name=name,
            form=str(number),
        )
    text = mo.page(urls.ledger()).text
    assert [name for name in SETTING_NAMES if "_" in name and name in text] == []
    assert text.count("instead of") == len(SETTING_NAMES)
