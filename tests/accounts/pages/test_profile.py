from email import message_from_bytes

import pytest
from sqlalchemy import text

from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.fakes import drawn
from tests.support.html import Page
from tests.support.transactions import NOON
from tests.support.visitors import Site
from webapp.kernel import urls
from webapp.mail.compose import Composer

COMPOSER = Composer(base_url="http://lodepost.test", mail_from="lodepost@lodepost.test")

ILLEGIBLE_NAMES = [
    "",
    "   ",
    "...",
    "x" * 33,
    "Ann\x00a",
    "Ann\x1b[31m",
    "a\u202eb",
    "\u200b",
    "Z" + "\u0301" * 9,
]


def test_profile_redirects_a_signed_out_visitor_to_sign_in(site: Site) -> None:
    answer = site.signed_out().get(urls.profile())
    assert (answer.status_code, answer.location) == (302, urls.sign_in())


def test_home_redirects_a_player_without_a_name_to_the_profile(site: Site) -> None:
    visitor = site.newcomer(BOB)
    answer = visitor.get(urls.home())
    assert (answer.status_code, answer.location) == (302, urls.profile())
    assert "Choose your name" in visitor.page(urls.profile()).text


def test_newcomer_is_asked_for_a_name_alone(site: Site) -> None:
    page = site.newcomer(BOB).page(urls.profile())
    form = page.form(urls.profile())
    assert set(form.fields) == {"csrf_token", "language", "name", "picks_gold", "zone"}
    assert form.fields["name"] == ""
    assert "Deadlines in UTC time: change" in page.text
    account_pages = {urls.time_away(), urls.account_security(), urls.account_data()}
    assert not account_pages & {link.href for link in page.links}


def test_zone_of_a_newcomer_is_guessed_from_their_language(site: Site) -> None:
    page = Page(site.newcomer(BOB).get(urls.profile(), headers={"Accept-Language": "hi-IN"}).text)
    assert "Deadlines in Kolkata time: change" in page.text
    assert page.form(urls.profile()).fields["zone"] == "Asia/Kolkata"


def test_each_zone_is_offered_once_under_its_present_name(site: Site) -> None:
    zones = site.signed_in(ALICE).page(urls.profile()).form(urls.profile()).choices["zone"]
    assert {"Asia/Kolkata", "Europe/Kyiv", "America/New_York", "UTC"} <= set(zones)
    assert not {"Asia/Calcutta", "Europe/Kiev", "US/Eastern"} & set(zones)


def test_old_name_of_a_zone_is_kept_as_its_present_one(site: Site) -> None:
    alice = site.signed_in(ALICE)
    alice.post(urls.profile(), name="Alice", language="en", zone="Asia/Calcutta")
    assert alice.page(urls.profile()).form(urls.profile()).fields["zone"] == "Asia/Kolkata"


@pytest.mark.parametrize("zone", ["UTC", "Etc/UTC", "Zulu"])
def test_every_name_of_utc_is_chosen_as_utc(site: Site, zone: str) -> None:
    alice = site.signed_in(ALICE)
    alice.post(urls.profile(), name="Alice", language="en", zone=zone)
    assert '<option selected value="UTC">' in alice.get(urls.profile()).text


def test_saving_the_account_returns_to_it_and_naming_oneself_leads_to_the_games(site: Site) -> None:
    newcomer = site.newcomer(BOB)
    form = newcomer.page(urls.profile()).form(urls.profile())
    for _press in range(2):
        assert newcomer.send(form, name="Bob").location == urls.home()
    page = newcomer.page(urls.profile())
    assert newcomer.send(page.form(urls.profile())).location == urls.profile()
    assert "Saved." in newcomer.page(urls.profile()).text


def test_profile_stores_name_zone_and_gold_setting(site: Site) -> None:
    alice = site.signed_in(ALICE)
    form = alice.page(urls.profile()).form(urls.profile())
    assert form.fields["picks_gold"] == "y"
    del form.fields["picks_gold"]
    alice.send(form, name="  Alice   of the Mine ", zone="Asia/Tokyo")
    fields = alice.page(urls.profile()).form(urls.profile()).fields
    assert fields["name"] == "Alice of the Mine"
    assert fields["zone"] == "Asia/Tokyo"
    assert "picks_gold" not in fields


@pytest.mark.parametrize("name", ILLEGIBLE_NAMES)
def test_illegible_name_is_refused_and_the_form_keeps_what_was_typed(site: Site, name: str) -> None:
    alice = site.signed_in(ALICE)
    answer = alice.post(urls.profile(), name=name, language="en", zone="Asia/Tokyo")
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in answer.text
    assert '<option selected value="Asia/Tokyo">' in answer.text
    assert alice.page(urls.profile()).form(urls.profile()).fields["name"] == "Alice"


@pytest.mark.parametrize(
    "line_end", ["\r\n", "\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"]
)
def test_name_of_two_lines_is_refused_and_adds_no_email_header(site: Site, line_end: str) -> None:
    dealt_game = site.dealt_game(ALICE, BOB, CAROL)
    name_of_two_lines = f"Alice{line_end}Bcc: mallory@example.test"
    alice = dealt_game.visitors[0]
    assert (
        alice.post(urls.profile(), name=name_of_two_lines, language="en", zone="UTC").status_code
        == 422
    )
    assert alice.page(urls.profile()).form(urls.profile()).fields["name"] == "Alice"
    with site.database.engine.begin() as connection:
        # As a name would stand there that came in by another way.
        statement = text("UPDATE account SET name = :name WHERE address = :address")
        connection.execute(statement, {"name": name_of_two_lines, "address": ALICE.address})
    emails = [
        drawn(COMPOSER.compose(email_context, now=NOON)) for email_context in site.deliver_emails()
    ]
    emails_to_alice = [email for email in emails if ALICE.address.encode() in email]
    assert emails_to_alice
    for email in emails_to_alice:
        message = message_from_bytes(email)
        assert "Bcc" not in message
        assert len(email.partition(b"\r\n\r\n")[0].splitlines()) == len(message.keys())


def test_name_is_escaped_on_every_page(site: Site) -> None:
    alice = site.signed_in(ALICE)
    alice.post(urls.profile(), name="<b>\"&'<b>", language="en", zone="UTC")
    for path in (urls.home(), urls.profile(), urls.new_game()):
        assert "<b>" not in alice.get(path).text
        assert "&lt;b&gt;" in alice.get(path).text


@pytest.mark.parametrize("field, value", [("zone", "Mars/Base"), ("language", "xx"), ("zone", "")])
def test_unknown_zone_or_language_is_refused(site: Site, field: str, value: str) -> None:
    typed_fields = {"name": "Alice", "language": "en", "zone": "UTC"} | {field: value}
    answer = site.signed_in(ALICE).post(urls.profile(), **typed_fields)
    assert answer.status_code == 422


def test_another_browser_can_be_signed_out(site: Site) -> None:
    this_browser, other_browser = site.signed_in(ALICE), site.signed_in(ALICE)
    page = this_browser.page(urls.account_security())
    [form] = [form for form in page.forms if form.action.startswith(urls.other_sessions() + "/")]
    assert this_browser.send(form).status_code == 303
    assert other_browser.get(urls.profile()).status_code == 302
    assert this_browser.get(urls.profile()).status_code == 200


def test_all_other_browsers_can_be_signed_out_at_once(site: Site) -> None:
    this_browser, *other_browsers = (site.signed_in(ALICE) for _ in range(3))
    assert this_browser.post(urls.other_sessions()).status_code == 303
    assert "Signed out 2 other browsers" in this_browser.page(urls.account_security()).text
    assert [other_browser.get(urls.profile()).status_code for other_browser in other_browsers] == [
        302,
        302,
    ]


def test_player_cannot_sign_out_the_browser_of_another_player(site: Site) -> None:
    alice, mallory = site.signed_in(ALICE), site.signed_in(MALLORY)
    site.signed_in(ALICE)
    [form] = [
        form
        for form in alice.page(urls.account_security()).forms
        if form.action.startswith(urls.other_sessions() + "/")
    ]
    assert mallory.post(form.action).status_code == 303
    assert alice.page(urls.account_security()).has_form(form.action)


def test_email_address_is_on_no_page_of_other_players(site: Site) -> None:
    site.signed_in(ALICE)
    bob = site.signed_in(BOB)
    assert ALICE.address not in bob.get(urls.home()).text
    assert ALICE.address not in bob.get(urls.profile()).text
