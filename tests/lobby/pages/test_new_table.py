import re

import pytest

from engine.rulebooks.catalogue import RULEBOOKS
from tests.support.cast import ALICE, BOB
from tests.support.factories import open_table as open_by_hand
from tests.support.factories import sign_in_guest
from tests.support.html import Page
from tests.support.transactions import transaction
from tests.support.visitors import Site, Visitor, open_table
from webapp.accounts.emails.sign_in import SignInContext
from webapp.kernel import urls
from webapp.kernel.site_settings import SiteSettings
from webapp.lobby.seats import MAX_GAMES_OF_NEWCOMER
from webapp.site.queries import settings


def test_new_table_page_redirects_a_signed_out_visitor_to_sign_in(site: Site) -> None:
    visitor = site.signed_out()
    assert visitor.get(urls.new_game()).location == urls.sign_in()
    with visitor.client.session_transaction() as session:
        assert session["return_path"] == urls.new_game()


def test_form_lists_every_rulebook_with_its_summary(site: Site) -> None:
    page = site.signed_in(ALICE).page(urls.new_game())
    assert page.form(urls.tables()).choices["rulebook"] == list(RULEBOOKS)
    assert {urls.rulebook(key) for key in RULEBOOKS} <= {link.href for link in page.links}
    assert "One goal is revealed at a time" in page.text


def test_table_page_shows_all_chosen_settings(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(
        alice,
        rulebook="sv-web",
        seats="10",
        rounds="2",
        open_gold="y",
        no_self_breaking="y",
        pace="custom",
        allowance="36",
        unit="hours",
        audience="public",
        starter="3",
    )
    page = site.signed_out().page(urls.game(slug))
    assert "Swedish web article" in page.text
    assert "9 seats are still free" in page.text
    assert "The game has only 2 rounds" in page.text
    assert "Everyone can see how much gold" in page.text
    assert "No one can break their own tools." in page.text
    assert "36 hours" in page.text
    form = alice.page(urls.game(slug)).form(urls.lobby_action(slug, "starter"))
    assert form.fields["starter"] == "3"


@pytest.mark.parametrize("button_fields", [{}, {"bots": "1"}])
def test_form_sent_twice_opens_one_table(site: Site, button_fields: dict[str, str]) -> None:
    alice = site.signed_in(ALICE)
    form = alice.page(urls.new_game()).form(urls.tables())
    locations = [alice.send(form, seats="3", **button_fields).location for _ in range(2)]
    assert locations[0] == locations[1]
    others = [alice.send(form, seats="4").location, f"/games/{open_table(alice, seats='3')}"]
    assert len({*locations, *others}) == 3


def test_bot_game_form_sent_twice_opens_one_game(site: Site) -> None:
    alice = site.signed_in(ALICE)
    for _ in range(2):
        form = alice.page(urls.home()).form(urls.bot_game())
        first_answer, second_answer = (alice.send(form) for _ in range(2))
        assert (first_answer.status_code, first_answer.location) == (
            second_answer.status_code,
            second_answer.location,
        )
    own_links = [link.href for link in alice.page(urls.home()).links if "/games/" in link.href]
    assert len({*own_links} - {urls.new_game(), urls.open_seats()}) == 2


def test_house_rules_are_off_by_default(site: Site) -> None:
    alice = site.signed_in(ALICE)
    page_text = alice.page(urls.game(open_table(alice))).text
    assert "None: three rounds, by the book." in page_text


@pytest.mark.parametrize(
    "field, value, shown_text",
    [
        ("rulebook", "zz-1999", "Please pick one of the rulebooks listed"),
        ("rulebook", "", "fill this in"),
        ("seats", "2", "A table has 3 to 10 players"),
        ("seats", "11", "A table has 3 to 10 players"),
        ("seats", "-3", "whole number"),
        ("seats", "9" * 30, "whole number"),
        ("seats", "٣", "whole number"),
        ("rounds", "0", "from 1 to 3"),
        ("rounds", "4", "from 1 to 3"),
        ("allowance", "0", "five minutes"),
        ("allowance", "999999999", "thirty days"),
        ("allowance", "two", "whole number"),
        ("allowance", "", "fill this in"),
        ("unit", "years", "pick one of the choices"),
        ("pace", "leisurely", "choose one of the paces"),
        ("bank", "1441", "at most 1440 hours"),
        ("bank", "-1", "whole number"),
        ("refill", "2", "smaller than what every turn puts back"),
        ("weekdays", [], "at least one playing day"),
        ("weekdays", ["7"], "from the days listed"),
        ("weekdays", ["monday"], "from the days listed"),
        ("opens", "08:00", "until when the clock runs"),
        ("closes", "22:00", "from when the clock runs"),
        ("opens", "25:00", "enter a time, such as"),
        ("zone", "Europe/Atlantis", "don't know that time zone"),
        ("audience", "no-choice", "pick one of the choices"),
        ("level", "random", "choose how the bots play: easy, steady or keen"),
        ("starter", "6", "doesn't have that seat"),
        ("starter", "0", "doesn't have that seat"),
        ("seats", "3\x00", "characters we can't show"),
    ],
)
def test_impossible_settings_are_refused_with_the_allowed_values(
    site: Site, field: str, value: str | list[str], shown_text: str
) -> None:
    alice = site.signed_in(ALICE)
    typed_fields = {"pace": "custom", "allowance": "3", "open_gold": "y", field: value}
    answer = alice.send(alice.page(urls.new_game()).form(urls.tables()), **typed_fields)
    page = Page(answer.text)
    assert answer.status_code == 422
    assert shown_text in page.text
    assert page.form(urls.tables()).fields["open_gold"] == "y"
    assert "errors" in page.element_ids
    assert alice.page(urls.home()).links_of("game-list__item") == []


@pytest.mark.parametrize(
    "opens, closes, shown_text",
    [
        ("08:00", "08:00", "The clock would never run"),
        ("23:30", "00:15", "at least an hour a day"),
        ("08:00", "09:00", "more than a year"),
    ],
)
def test_playing_hours_without_enough_time_are_refused_and_kept(
    site: Site, opens: str, closes: str, shown_text: str
) -> None:
    alice = site.signed_in(ALICE)
    typed_fields = {"pace": "custom", "opens": opens, "closes": closes, "weekdays": ["1"]}
    long_turn = {"allowance": "30", "unit": "days"}
    form = alice.page(urls.new_game()).form(urls.tables())

    page = Page(alice.send(form, **typed_fields, **long_turn).text)

    assert shown_text in page.text
    shown_fields = page.form(urls.tables()).fields
    assert {name: shown_fields[name] for name in ("pace", "opens", "closes", "weekdays")} == {
        **typed_fields,
        "weekdays": "1",
    }


def test_form_begins_in_the_zone_of_the_host_and_says_what_each_pace_means(site: Site) -> None:
    page = site.signed_in(ALICE).page(urls.new_game())
    assert page.form(urls.tables()).fields["zone"] == "Europe/Riga"
    assert (
        "8 hours per turn, and a time bank of 1 day that gets 1 hour back with every turn; "
        "the clock stops outside 08:00–22:00 (Europe/Riga time). "  # noqa: RUF001 - an en dash between hours
        "A round takes about 5 days with 5 players."
    ) in page.text
    assert "A round takes about 4 weeks with 5 players." in page.text


def test_chosen_pace_is_shown_at_the_table_and_with_the_deadline(site: Site) -> None:
    alice = site.signed_in(ALICE)
    form = alice.page(urls.new_game()).form(urls.tables())
    slug = open_table(alice, pace="brisk", seats="3")
    assert "Brisk: 8 hours per turn" in alice.page(urls.game(slug)).text
    hours = {"opens": "09:00", "closes": "17:30", "weekdays": ["0", "1", "2", "3", "4"]}
    location = alice.send(form, pace="custom", bank="6", starter="1", bots="1", **hours).location
    text = alice.page(location).text
    assert "You have 2 days for this turn plus 6 hours from your time bank" in text
    assert "the clock stops on Saturday and Sunday, and on other days outside 09:00" in text


def test_all_errors_of_the_form_are_shown_at_once(site: Site) -> None:
    typed_fields = {"rulebook": "zz", "seats": "x", "allowance": "", "unit": "", "audience": ""}
    answer = site.signed_in(ALICE).post(urls.tables(), **typed_fields)
    assert answer.status_code == 422
    assert answer.text.count('class="field__error"') >= 5


def test_bot_game_starts_with_one_button(site: Site) -> None:
    alice = site.signed_in(ALICE)
    page = alice.page(urls.home())
    answer = alice.send(page.form(urls.bot_game()))
    assert answer.status_code == 303
    page = alice.page(answer.location)
    assert "Round 1 of 3" in page.text
    assert page.text.count(" bot, steady ") == 4


def test_table_is_filled_with_bots_of_the_chosen_level(site: Site) -> None:
    alice = site.signed_in(ALICE)
    form = alice.page(urls.new_game()).form(urls.tables())
    page = alice.page(alice.send(form, seats="4", bots="1", level="keen").location)
    assert page.text.count(" bot, keen ") == 3


def test_signed_out_visitor_cannot_open_a_table(site: Site) -> None:
    visitor = site.signed_out()
    for path in (urls.tables(), urls.bot_game()):
        answer = visitor.post(
            path,
            rulebook="en-2004",
            seats="5",
            rounds="3",
            allowance="2",
            unit="days",
            audience="public",
        )
        assert (answer.status_code, answer.location) == (303, urls.sign_in())
    assert "Open tables" not in visitor.page(urls.home()).text


def _request_first_game(site: Site, visitor: Visitor, **fields: str) -> str:
    """Follow the button of the home page, request the email, and return its code."""
    [link] = [link for link in visitor.page(urls.home()).links if "against bots" in link.text]
    page = visitor.page(link.href)
    assert "your game against bots starts" in page.text
    visitor.send(page.form(urls.sign_in()), address=BOB.address, **fields)
    [email] = site.deliver_emails()
    assert isinstance(email, SignInContext)
    return email.code


def test_newcomer_gets_from_home_to_the_first_game_with_the_code(site: Site) -> None:
    visitor = site.signed_out()
    code = _request_first_game(site, visitor, name="Bob", zone="Europe/Tallinn")
    form = visitor.page(urls.sign_in_code()).form(urls.sign_in_code())
    answer = visitor.send(form, code=code)
    assert "Round 1 of 3" in visitor.page(answer.location).text
    assert visitor.page(urls.profile()).form(urls.profile()).fields["zone"] == "Europe/Tallinn"
    assert (
        len([link for link in visitor.page(urls.home()).links if link.href == answer.location]) == 1
    )


def test_newcomer_without_a_name_is_asked_for_it_before_the_first_game(site: Site) -> None:
    visitor = site.signed_out()
    answer = visitor.post(urls.sign_in_code(), code=_request_first_game(site, visitor))
    form = visitor.page(answer.location).form(urls.profile())
    answer = visitor.send(form, name="Bob")
    assert "Round 1 of 3" in visitor.page(answer.location).text
    assert visitor.send(form, name="Bob").location == urls.home(), "a form sent twice deals once"


def test_newcomer_with_a_reserved_name_is_asked_for_another(site: Site) -> None:
    visitor = site.signed_out()
    code = _request_first_game(site, visitor, name="Moderator")
    answer = visitor.post(urls.sign_in_code(), code=code)
    assert answer.location == urls.profile()
    form = visitor.page(urls.profile()).form(urls.profile())
    assert "Round 1 of 3" in visitor.page(visitor.send(form, name="Bob").location).text


def test_name_that_no_one_can_have_is_refused_before_an_email_is_sent(site: Site) -> None:
    visitor = site.signed_out()
    form = visitor.page(urls.sign_in(return_path=urls.bot_game())).form(urls.sign_in())
    answer = visitor.send(form, address=BOB.address, name="x" * 99)
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in answer.text
    assert not site.deliver_emails()


def test_player_keeps_their_name_when_they_sign_in_to_play_against_bots(site: Site) -> None:
    site.signed_in(BOB)
    visitor = site.signed_out()
    code = _request_first_game(site, visitor, name="Robert")
    assert visitor.post(urls.sign_in_code(), code=code).location == urls.bot_game()
    assert visitor.page(urls.profile()).form(urls.profile()).fields["name"] == "Bob"


def test_newcomer_who_presses_twice_gets_to_the_same_first_game(site: Site) -> None:
    newcomer = site.newcomer(BOB)
    newcomer.get(urls.bot_game())
    form = newcomer.page(urls.profile()).form(urls.profile())
    first_location = newcomer.send(form, name="Bob").location
    # The browser sends the second form before it has the cookies of the first answer.
    with newcomer.client.session_transaction() as session:
        session["return_path"] = urls.bot_game()
    assert newcomer.send(form, name="Bob").location == first_location


def test_player_who_signs_in_to_play_against_bots_is_one_button_away(site: Site) -> None:
    alice = site.signed_in(ALICE)
    alice.post(urls.sign_out())
    alice.get(urls.sign_in(return_path=urls.bot_game()))
    alice.post(urls.sign_in(), address=ALICE.address)
    [email] = site.deliver_emails()
    assert isinstance(email, SignInContext)
    page = alice.page(alice.post(urls.sign_in_code(), code=email.code).location)
    answer = alice.send(page.form(urls.bot_game()))
    assert "Round 1 of 3" in alice.page(answer.location).text


def test_newcomer_who_gets_no_game_keeps_the_name(site: Site) -> None:
    newcomer = site.newcomer(BOB)
    newcomer.get(urls.bot_game())
    with transaction(site.database) as tx:
        settings.store_values(tx, {"most_open_tables": 0})
    form = newcomer.page(urls.profile()).form(urls.profile())
    assert newcomer.send(form, name="Bob").location == urls.bot_game()
    assert newcomer.get(urls.bot_game()).status_code == 200


def test_player_without_a_name_is_redirected_to_the_profile(site: Site) -> None:
    answer = site.newcomer(BOB).post(urls.bot_game())
    assert (answer.status_code, answer.location) == (303, urls.profile())


def test_number_of_open_tables_of_a_host_is_limited(site: Site) -> None:
    guest = sign_in_guest(site.database, ALICE)
    for _ in range(SiteSettings().most_open_tables):
        open_by_hand(site.database, guest)
    answer = site.signed_out().with_session(guest.cookie).post(urls.bot_game())
    assert answer.status_code == 409
    assert "You have too many tables" in answer.text


@pytest.mark.parametrize(
    "fields, open_sections",
    [
        ({}, []),
        ({"pace": "custom"}, []),
        ({"allowance": "x"}, []),
        ({"zone": "x" * 99}, ["What the paces mean"]),
        ({"strikes": "x"}, ["When a player is away or disappears"]),
        ({"rounds": "x"}, ["House rules and starting player"]),
        ({"starter": "x"}, ["House rules and starting player"]),
    ],
)
def test_only_form_sections_with_an_error_or_a_choice_are_open(
    site: Site, fields: dict[str, str], open_sections: list[str]
) -> None:
    alice = site.signed_in(ALICE)
    form = alice.page(urls.new_game()).form(urls.tables())
    answer = alice.send(form, **{"seats": "99", **fields})
    assert answer.status_code in {409, 422}
    assert re.findall(r"<details open>\s*<summary>([^<]*)<", answer.text) == open_sections


@pytest.mark.parametrize(
    "fields, is_open",
    [
        ({"seats": "x"}, False),
        ({"table_name": "!!"}, False),
        ({"allowance": "x"}, False),
        ({"starter": "x"}, True),
        ({"club": "no-such-club"}, True),
    ],
)
def test_more_opens_for_an_error_in_what_it_folds_away(
    site: Site, fields: dict[str, str], *, is_open: bool
) -> None:
    alice = site.signed_in(ALICE)
    answer = alice.send(alice.page(urls.new_game()).form(urls.tables()), **fields)
    assert answer.status_code == 422
    assert ('<details class="more" open>' in answer.text) == is_open


def test_more_says_in_one_line_what_is_chosen_there(site: Site) -> None:
    alice = site.signed_in(ALICE)
    page = alice.page(urls.new_game())
    assert "More English first edition, 2004 · 3 rounds · by invitation" in page.text
    choices = {"rounds": "1", "open_gold": "y", "audience": "public", "seats": "x"}
    refused_page = Page(alice.send(page.form(urls.tables()), **choices).text)
    assert "1 round · 1 house rule · anyone can join" in refused_page.text


def test_expired_form_with_impossible_values_is_shown_again(site: Site) -> None:
    alice = site.signed_in(ALICE)
    form = alice.page(urls.new_game()).form(urls.tables())
    values = {"rounds": "many", "rulebook": "none", "csrf_token": "of another browser"}
    answer = alice.send(form, **values)
    assert answer.status_code == 400
    assert "This page had expired" in answer.text


def test_number_of_games_of_a_new_player_is_limited(site: Site) -> None:
    guest = sign_in_guest(site.database, ALICE)
    for _ in range(MAX_GAMES_OF_NEWCOMER):
        open_by_hand(site.database, guest)
    answer = site.signed_out().with_session(guest.cookie).post(urls.bot_game())
    assert answer.status_code == 409
    assert "Everyone starts with three at a time" in answer.text
