"""Announcements to everyone: previewed, limited, dismissed and withdrawn."""

from datetime import timedelta

import pytest

from tests.support.acts import ledger_acts
from tests.support.cast import ALICE, BOB
from tests.support.html import Page
from tests.support.moderation import moderator_of
from tests.support.visitors import Site, Visitor
from webapp.kernel import urls
from webapp.moderation.site_announcements import MAX_ANNOUNCEMENTS_PER_DAY

ANNOUNCEMENT_TEXT = "Maintenance on <Sunday> at noon"


@pytest.fixture
def mo(site: Site) -> Visitor:
    return moderator_of(site)


def preview(
    visitor: Visitor, text: str = ANNOUNCEMENT_TEXT, *, hours: str = "24", reason: str = "new disks"
) -> Page:
    form = visitor.page(urls.site_announcement()).form(urls.site_announcement())
    return Page(visitor.send(form, announcement=text, hours=hours, reason=reason).text)


def announce(visitor: Visitor, text: str = ANNOUNCEMENT_TEXT, *, hours: str = "24") -> Page:
    """Announce with a preview; return the page that follows."""
    form = preview(visitor, text, hours=hours).form(urls.site_announcement())
    answer = visitor.send(form, announcement=text, reason="new disks")
    return visitor.page(answer.location) if answer.status_code == 303 else Page(answer.text)


def withdraw(visitor: Visitor) -> int:
    form = visitor.page(urls.site_announcement()).form(urls.withdraw_announcement())
    return visitor.send(form, reason="over").status_code


def dismiss_url(page: Page) -> str:
    return next(form.action for form in page.forms if form.action.endswith("/dismiss"))


def test_announcement_is_previewed_and_then_on_every_page_of_signed_in_people(
    site: Site, mo: Visitor
) -> None:
    alice, visitor = site.signed_in(ALICE), site.signed_out()
    page = preview(mo)
    assert f"This will be on every page {ANNOUNCEMENT_TEXT}" in page.text
    assert ANNOUNCEMENT_TEXT not in alice.page(urls.home()).text
    assert "On every page now" in announce(mo).text
    for path in (urls.home(), urls.clubs(), urls.profile(), urls.new_game()):
        assert ANNOUNCEMENT_TEXT in alice.page(path).text
    assert ANNOUNCEMENT_TEXT not in visitor.page(urls.home()).text
    assert ledger_acts(site.database) == ["announce-to-site"]
    ledger = mo.page(urls.ledger()).text
    assert f"every page says: {ANNOUNCEMENT_TEXT}" in ledger
    assert "new disks" in ledger


def test_changed_announcement_is_previewed_again(site: Site, mo: Visitor) -> None:
    form = preview(mo).form(urls.site_announcement())
    answer = mo.send(form, announcement="Something else", reason="new disks")
    assert "This will be on every page Something else" in Page(answer.text).text
    assert ledger_acts(site.database) == []


def test_dismissed_announcement_is_gone_for_one_person_and_the_next_one_is_shown(
    site: Site, mo: Visitor
) -> None:
    announce(mo)
    alice, bob = site.signed_in(ALICE), site.signed_in(BOB)
    page = alice.page(urls.clubs())
    form = next(form for form in page.forms if form.action.endswith("/dismiss"))
    answer = alice.send(form)
    assert (answer.status_code, answer.location) == (303, urls.clubs())
    assert alice.send(form).status_code == 303
    assert ANNOUNCEMENT_TEXT not in alice.page(urls.home()).text
    assert ANNOUNCEMENT_TEXT in bob.page(urls.home()).text
    assert alice.send(form, return_path="//evil.test").location == urls.home()
    assert withdraw(mo) == 303
    announce(mo, "All is well")
    assert "All is well" in alice.page(urls.home()).text


def test_pages_that_do_not_look_up_their_viewer_show_and_dismiss_announcements_too(
    site: Site, mo: Visitor
) -> None:
    announce(mo)
    alice, visitor = site.signed_in(ALICE), site.signed_out()
    paths = (urls.rules(), urls.about(), urls.rights())
    for path in paths:
        assert ANNOUNCEMENT_TEXT in alice.page(path).text
        assert ANNOUNCEMENT_TEXT not in visitor.page(path).text
    page = alice.page(urls.rules())
    answer = alice.send(page.form(dismiss_url(page)))
    assert (answer.status_code, answer.location) == (303, urls.rules())
    for path in paths:
        assert ANNOUNCEMENT_TEXT not in alice.page(path).text
    assert withdraw(mo) == 303
    announce(mo, "All is well")
    assert "All is well" in alice.page(urls.rules()).text


def test_announcement_cannot_be_dismissed_ahead(site: Site, mo: Visitor) -> None:
    alice = site.signed_in(ALICE)
    assert alice.post(urls.dismiss_announcement(99)).status_code == 303
    announce(mo)
    assert alice.post(urls.dismiss_announcement(99)).status_code == 303
    assert ANNOUNCEMENT_TEXT in alice.page(urls.home()).text


def test_announcement_expires(site: Site, mo: Visitor) -> None:
    announce(mo, hours="1")
    alice = site.signed_in(ALICE)
    site.clock.move(timedelta(minutes=59))
    path = dismiss_url(alice.page(urls.home()))
    site.clock.move(timedelta(minutes=1))
    assert ANNOUNCEMENT_TEXT not in alice.page(urls.home()).text
    assert alice.post(path).status_code == 303
    assert mo.page(urls.site_announcement()).has_form(urls.site_announcement())


def test_withdrawn_announcement_is_gone_and_recorded(site: Site, mo: Visitor) -> None:
    announce(mo)
    form = mo.page(urls.site_announcement()).form(urls.withdraw_announcement())
    answer_without_reason = mo.send(form, reason="")
    assert (
        answer_without_reason.status_code,
        "Please fill this in" in answer_without_reason.text,
    ) == (422, True)
    assert mo.send(form, reason="over").status_code == 303
    second_answer = mo.send(form, reason="over")
    assert (second_answer.status_code, "was withdrawn already" in second_answer.text) == (409, True)
    assert ANNOUNCEMENT_TEXT not in site.signed_in(ALICE).page(urls.home()).text
    assert ledger_acts(site.database) == ["announce-to-site", "withdraw-announcement"]


def test_announcement_form_sent_twice_announces_once(site: Site, mo: Visitor) -> None:
    form = preview(mo).form(urls.site_announcement())
    for _ in range(2):
        assert mo.send(form, announcement=ANNOUNCEMENT_TEXT, reason="new disks").status_code == 303
    assert ledger_acts(site.database) == ["announce-to-site"]


def test_second_announcement_within_a_short_time_is_refused(site: Site, mo: Visitor) -> None:
    other = preview(mo, "Another").form(urls.site_announcement())
    announce(mo)
    answer = mo.send(other, announcement="Another", reason="new disks")
    assert (answer.status_code, "withdraw the present announcement" in answer.text) == (409, True)
    for _ in range(MAX_ANNOUNCEMENTS_PER_DAY - 1):
        withdraw(mo)
        announce(mo)
    withdraw(mo)
    assert "There were several announcements today" in preview(mo).text
    site.clock.move(timedelta(days=1))
    assert "On every page now" in announce(mo).text


@pytest.mark.parametrize(
    "fields, sentence",
    [
        ({"text": " "}, "Please fill this in."),
        ({"text": "x" * 301}, "at most 300 characters"),
        ({"text": "a\u202eb"}, "invisible"),
        ({"hours": "9999"}, "pick one of the choices"),
        ({"hours": "x"}, "pick one of the choices"),
        ({"reason": ""}, "Please fill this in."),
    ],
)
def test_invalid_announcement_is_refused_and_its_input_kept(
    site: Site, mo: Visitor, fields: dict[str, str], sentence: str
) -> None:
    page = preview(mo, **{"text": ANNOUNCEMENT_TEXT, **fields})
    assert sentence in page.text
    assert ledger_acts(site.database) == []


def test_only_site_moderators_announce(site: Site) -> None:
    alice = site.signed_in(ALICE)
    alice.page(urls.site_announcement(), status=404)
    for path in (urls.site_announcement(), urls.withdraw_announcement()):
        assert (
            alice.post(
                path, announcement=ANNOUNCEMENT_TEXT, hours="1", reason="x", announcement_id="1"
            ).status_code
            == 404
        )
    assert site.signed_out().post(urls.dismiss_announcement(1)).location == urls.sign_in()


def test_settings_form_is_not_disturbed_by_an_announcement(mo: Visitor) -> None:
    form = mo.page(urls.site_settings()).form(urls.site_settings())
    announce(mo)
    assert mo.send(form, site_name="Deep", reason="x").status_code == 303
