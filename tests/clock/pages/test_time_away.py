from datetime import timedelta

import pytest

from tests.support.cast import ALICE, BOB
from tests.support.visitors import Site, Visitor
from webapp.kernel import urls

DAY = timedelta(days=1)


@pytest.fixture
def alice(site: Site) -> Visitor:
    return site.signed_in(ALICE)


def iso_day(site: Site, number: int) -> str:
    """Return the day that comes so many days after today."""
    return (site.clock.now + number * DAY).date().isoformat()


def absence_path(visitor: Visitor) -> str:
    page = visitor.page(urls.time_away())
    form = next(form for form in page.forms if form.action.endswith("/end"))
    return form.action.removesuffix("/end")


def test_absence_is_planned_changed_and_removed(site: Site, alice: Visitor) -> None:
    page = alice.page(urls.time_away())
    answer = alice.send(
        page.form(urls.time_away()),
        first_day=iso_day(site, 2),
        last_day=iso_day(site, 3),
        last_time="18:00",
    )
    assert (answer.status_code, answer.location) == (303, urls.time_away())
    assert "Away from" in alice.page(urls.time_away()).text
    path = absence_path(alice)
    form = alice.page(path).form(path)
    assert (form.fields["first_day"], form.fields["first_time"]) == (iso_day(site, 2), "")
    assert (form.fields["last_day"], form.fields["last_time"]) == (iso_day(site, 3), "18:00")
    assert alice.send(form, last_time="").status_code == 303
    assert alice.page(path).form(path).fields["last_day"] == iso_day(site, 3)
    page = alice.page(urls.time_away())
    assert alice.send(page.form(f"{path}/end")).status_code == 303
    assert "Away from" not in alice.page(urls.time_away()).text.replace("Away from now on", "")
    assert alice.get(path).status_code == 404


def test_zone_is_named_as_on_the_page_of_the_account(alice: Visitor) -> None:
    alice.post(urls.profile(), name="Alice", language="en", zone="Europe/Riga")
    assert "All times are in your time zone, Riga." in alice.page(urls.time_away()).text


def test_holiday_begins_at_once_and_can_be_ended_early(site: Site, alice: Visitor) -> None:
    form = alice.page(urls.time_away()).form(urls.start_holiday())
    assert alice.send(form, **{"now-last_day": iso_day(site, 5)}).status_code == 303
    page = alice.page(urls.time_away())
    assert "Away until" in page.text
    assert not page.has_form(urls.start_holiday())
    path = absence_path(alice)
    site.clock.move(DAY)
    assert alice.send(alice.page(path).form(path), last_day=iso_day(site, 8)).status_code == 303
    assert alice.send(alice.page(path).form(f"{path}/end")).status_code == 303
    assert alice.page(urls.time_away()).has_form(urls.start_holiday())


@pytest.mark.parametrize("first_day", ["", "tomorrow", "2026-02-30", "99999-01-01", "\x00", "0"])
def test_unreadable_day_is_refused_next_to_its_field(
    site: Site, alice: Visitor, first_day: str
) -> None:
    form = alice.page(urls.time_away()).form(urls.time_away())
    answer = alice.send(form, first_day=first_day, last_day=iso_day(site, 3), last_time="18:00")
    assert answer.status_code == 422
    assert 'id="first_day-error-1"' in answer.text
    assert 'value="18:00"' in answer.text
    assert "Your time away</h2>" not in alice.get(urls.time_away()).text


@pytest.mark.parametrize("last_time", ["25:00", "noon", "18:00+02:00", "1"])
def test_unreadable_time_is_refused(site: Site, alice: Visitor, last_time: str) -> None:
    form = alice.page(urls.time_away()).form(urls.start_holiday())
    fields = {"now-last_day": iso_day(site, 3), "now-last_time": last_time}
    answer = alice.send(form, **fields)
    assert answer.status_code == 422
    assert 'id="now-last_time-error-1"' in answer.text


def test_refused_change_of_an_absence_keeps_what_was_typed(site: Site, alice: Visitor) -> None:
    form = alice.page(urls.time_away()).form(urls.time_away())
    alice.send(form, first_day=iso_day(site, 2), last_day=iso_day(site, 3))
    path = absence_path(alice)
    answer = alice.send(alice.page(path).form(path), last_day=iso_day(site, 1))
    assert answer.status_code == 422
    assert f'value="{iso_day(site, 1)}"' in answer.text
    assert alice.page(path).form(path).fields["last_day"] == iso_day(site, 3)


def test_absence_of_another_person_is_not_found(site: Site, alice: Visitor) -> None:
    form = alice.page(urls.time_away()).form(urls.time_away())
    alice.send(form, first_day=iso_day(site, 2), last_day=iso_day(site, 3))
    path, bob = absence_path(alice), site.signed_in(BOB)
    assert bob.get(path).status_code == 404
    assert bob.post(path, first_day=iso_day(site, 1), last_day=iso_day(site, 1)).status_code == 404
    assert bob.post(f"{path}/end").status_code == 303
    assert alice.get(path).status_code == 200


def test_reminders_and_quiet_hours_are_stored(alice: Visitor) -> None:
    page = alice.page(urls.time_away())
    assert alice.send(page.form(urls.reminders()), hours_1="2", hours_3="24").status_code == 303
    fields = {"from_1": "22:00", "until_1": "07:00", "weekdays_1": ["0", "6"]}
    assert alice.send(page.form(urls.quiet_hours()), **fields).status_code == 303
    page = alice.page(urls.time_away())
    fields = page.form(urls.reminders()).fields
    assert (fields["hours_1"], fields["hours_2"]) == ("24", "2")
    fields = page.form(urls.quiet_hours()).fields
    assert (fields["from_1"], fields["until_1"]) == ("22:00", "07:00")
    assert alice.get(urls.time_away()).text.count(" checked ") == 2


@pytest.mark.parametrize(
    "fields",
    [
        {"from_1": "22:00"},
        {"from_1": "x", "until_1": "07:00", "weekdays_1": "1"},
        {"from_1": "22:00", "until_1": "07:00", "weekdays_1": "7"},
        {"weekdays_2": "1"},
    ],
)
def test_wrong_quiet_hours_are_refused(alice: Visitor, fields: dict[str, str]) -> None:
    answer = alice.post(urls.quiet_hours(), **fields)
    assert answer.status_code == 422
    assert "field--bad" in answer.text


@pytest.mark.parametrize("until, open_sections", [("", 0), ("09:00", 1)])
def test_second_quiet_hours_are_folded_while_they_are_empty(
    alice: Visitor, until: str, open_sections: int
) -> None:
    answer = alice.post(urls.quiet_hours(), from_1="22:00", until_2=until)
    assert answer.status_code == 422
    assert answer.text.count("<details open>") == open_sections


@pytest.mark.parametrize("hours", ["x", "-1", "0", "1.5", "9999", "\uff11"])
def test_wrong_reminders_are_refused(alice: Visitor, hours: str) -> None:
    answer = alice.post(urls.reminders(), hours_2=hours)
    assert answer.status_code == 422
    assert 'id="hours_2-error-1"' in answer.text
