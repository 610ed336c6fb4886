import pytest

from tests.support.acts import HOUR, ledger_acts, limit_of, perform_act, site_moderator
from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.factories import DAY, play_turn, stored_game
from tests.support.html import Page
from tests.support.statements import recorded_statements
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls
from webapp.kernel.rights import GameRight
from webapp.moderation.emails.moderator_act import ModeratorActContext
from webapp.moderation.performing import TIME_TO_UNDO
from webapp.play.emails.turn_email import TurnContext

EXTEND, PAUSE, RESUME = GameRight.EXTEND, GameRight.PAUSE, GameRight.RESUME


@pytest.fixture
def dealt(site: Site) -> DealtGame:
    """A private game of Alice, Bob and Carol; Alice hosts and is to play."""
    return site.dealt_game(ALICE, BOB, CAROL)


@pytest.fixture
def mo(site: Site) -> Visitor:
    return site.signed_out().with_session(site_moderator(site.database).cookie)


def _press_act_button(visitor: Visitor, slug: str, act: GameRight, **fields: str) -> Page:
    """Perform an act as its page offers it; return the page that follows, or the refused form."""
    query = {name: value for name, value in fields.items() if name != "reason"}
    act_page = visitor.page(urls.moderated_act(slug, act, **query))
    form = next(form for form in act_page.forms if "reason" in form.fields or form.method == "post")
    answer = visitor.send(form, reason=fields.get("reason", "asked by email"))
    assert answer.status_code == 303, Page(answer.text).text
    return Page(visitor.get(answer.location).text)


def test_extension_is_previewed_and_then_performed(
    site: Site, dealt: DealtGame, mo: Visitor
) -> None:
    page = mo.page(urls.moderated_act(dealt.slug, EXTEND, length=3, unit="hours"))
    sentence = "Alice's deadline moves from Tue 3 Mar, 13:00 CET to Tue 3 Mar, 16:00 CET."
    assert sentence in page.text
    assert ledger_acts(site.database) == []
    _press_act_button(mo, dealt.slug, EXTEND, length="3", unit="hours")
    row = stored_game(site.database, dealt.slug, dealt.guests[0]).row
    assert row.deadline_at == site.clock.now + DAY + 3 * HOUR
    text = dealt.visitors[1].page(urls.game(dealt.slug)).text
    assert "Mo, a moderator of this site" in text
    assert "asked by email" in text
    assert "Alice's deadline moves from" in dealt.visitors[2].page(urls.history(dealt.slug)).text


def test_form_of_an_act_starts_with_something_possible(dealt: DealtGame, mo: Visitor) -> None:
    hand_over_text = mo.page(urls.moderated_act(dealt.slug, GameRight.HAND_OVER_TABLE)).text
    assert "Bob" in hand_over_text
    assert "This will happen" in hand_over_text
    resend_text = mo.page(urls.moderated_act(dealt.slug, GameRight.RESEND_EMAIL)).text
    assert "there's none to send again" in resend_text
    assert "Please fix" not in resend_text


def test_host_can_take_no_seat_from_another_player(dealt: DealtGame, mo: Visitor) -> None:
    host = dealt.visitors[0]
    open_path = urls.moderated_act(dealt.slug, GameRight.OPEN_SEAT)
    assert host.get(open_path).status_code == 404
    assert "Alice leaves the game" in mo.page(open_path).text
    bot_path = urls.moderated_act(dealt.slug, GameRight.SEAT_BOT)
    refusal = "A person sits there. Someone else can take over only once the seat is open."
    assert refusal in host.page(bot_path).text
    assert refusal not in mo.page(bot_path).text


def test_host_is_offered_a_bot_only_while_a_seat_is_open(dealt: DealtGame, mo: Visitor) -> None:
    bot_path = urls.moderated_act(dealt.slug, GameRight.SEAT_BOT)

    def is_offered() -> bool:
        page = dealt.visitors[0].page(urls.game(dealt.slug))
        return bot_path in {link.href for link in page.links}

    assert not is_offered()
    _press_act_button(mo, dealt.slug, GameRight.OPEN_SEAT, seat="2")
    assert is_offered()


def test_announcement_asks_for_a_message(dealt: DealtGame, mo: Visitor) -> None:
    page = mo.page(urls.moderated_act(dealt.slug, GameRight.ANNOUNCE_TO_TABLE))
    assert "Message" in page.text
    assert "Reason" not in page.text


def test_paused_game_shows_the_time_left_and_offers_no_turn(site: Site, dealt: DealtGame) -> None:
    site.clock.now += DAY - 4 * HOUR
    host = dealt.visitors[0]
    answer_page = _press_act_button(host, dealt.slug, PAUSE, reason="Bob is ill")
    assert "Done" in answer_page.text
    site.clock.now += 10 * DAY
    page = host.page(urls.game(dealt.slug))
    assert "you'll have 4 hours left" in page.text
    assert "Alice, the host: Bob is ill" in page.text
    assert not page.has_form(urls.turns(dealt.slug))
    assert (
        "Alice will have at least 4 hours left"
        in dealt.visitors[1].page(urls.game(dealt.slug)).text
    )
    _press_act_button(host, dealt.slug, RESUME)
    assert "4 hours left" in host.page(urls.game(dealt.slug)).text


def test_everyone_gets_an_email_about_the_act(site: Site, dealt: DealtGame, mo: Visitor) -> None:
    site.deliver_emails()
    _press_act_button(mo, dealt.slug, PAUSE)
    assert site.deliver_emails() == []
    site.clock.move(TIME_TO_UNDO)
    emails = site.deliver_emails()
    assert {email.envelope.name for email in emails} == {"Alice", "Bob", "Carol"}
    assert {type(email) for email in emails} == {ModeratorActContext}


def test_turn_email_waits_until_the_game_is_resumed(
    site: Site, dealt: DealtGame, mo: Visitor
) -> None:
    _press_act_button(mo, dealt.slug, PAUSE)
    assert not [email for email in site.deliver_emails() if isinstance(email, TurnContext)]
    site.clock.now += 3 * DAY
    _press_act_button(mo, dealt.slug, RESUME)
    [turn] = [email for email in site.deliver_emails() if isinstance(email, TurnContext)]
    assert turn.deadline_at == site.clock.now + DAY


def test_bot_of_the_chosen_level_takes_over(dealt: DealtGame, mo: Visitor) -> None:
    seat_bot_page = mo.page(
        urls.moderated_act(dealt.slug, GameRight.SEAT_BOT, seat=2, level="random")
    )
    assert "Please choose how the bots play: easy, steady or keen." in seat_bot_page.text
    _press_act_button(mo, dealt.slug, GameRight.SEAT_BOT, seat="2", level="keen")
    table_text = dealt.visitors[0].page(urls.game(dealt.slug)).text
    assert "Agate (bot, keen) takes over seat 2." in table_text
    assert "bot, keen ·" in table_text


def test_form_sent_twice_is_answered_alike_and_acts_once(
    site: Site, dealt: DealtGame, mo: Visitor
) -> None:
    form = mo.page(urls.moderated_act(dealt.slug, EXTEND)).forms[-1]
    answers = [mo.send(form, reason="twice") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 303]
    assert ledger_acts(site.database) == ["extend"]


def test_game_that_has_moved_on_is_shown_again_with_the_new_preview(
    site: Site, dealt: DealtGame, mo: Visitor
) -> None:
    form = mo.page(urls.moderated_act(dealt.slug, EXTEND)).forms[-1]
    play_turn(site.database, dealt.slug, dealt.guests[0])
    answer = mo.send(form, reason="too slow")
    assert answer.status_code == 409
    page = Page(answer.text)
    assert "Bob's deadline moves from" in page.text
    assert page.forms[-1].fields["seq"] == "1"
    assert mo.send(page.forms[-1], reason="too slow").status_code == 303


def test_second_of_two_moderators_is_refused_with_the_reason(
    site: Site, dealt: DealtGame, mo: Visitor
) -> None:
    form = mo.page(urls.moderated_act(dealt.slug, EXTEND)).forms[-1]
    perform_act(site.database, dealt.slug, EXTEND, extra=DAY)
    answer = mo.send(form, reason="me too")
    assert answer.status_code == 409
    assert "Someone else has changed this game" in Page(answer.text).text


@pytest.mark.parametrize(
    "fields, status",
    [
        ({"reason": ""}, 422),
        ({"reason": "x" * 501}, 422),
        ({"length": "0"}, 422),
        ({"length": "99999999999999999999"}, 422),
        ({"unit": "centuries"}, 422),
        ({"length": "300", "unit": "days"}, 422),
        ({"seq": "-1"}, 422),
        ({"seq": "7"}, 409),
        ({"entry": "7"}, 409),
    ],
)
def test_absurd_values_of_an_act_are_refused_with_its_form(
    site: Site, dealt: DealtGame, mo: Visitor, fields: dict[str, str], status: int
) -> None:
    form = mo.page(urls.moderated_act(dealt.slug, EXTEND)).forms[-1]
    answer = mo.send(form, **{"reason": "why not", **fields})
    assert answer.status_code == status
    assert ledger_acts(site.database) == []
    assert Page(answer.text).forms


@pytest.mark.parametrize("query", ["length=0&unit=days", "length=2", "x=1", "length=&unit=%00"])
def test_act_page_with_an_odd_query_shows_the_form(
    dealt: DealtGame, mo: Visitor, query: str
) -> None:
    assert mo.get(f"{urls.moderated_act(dealt.slug, EXTEND)}?{query}").status_code == 200


def test_hostile_reason_is_shown_as_text(site: Site, dealt: DealtGame, mo: Visitor) -> None:
    reason = "<script>alert(1)</script> %(name)s {{ 7 * 7 }}"
    _press_act_button(mo, dealt.slug, PAUSE, reason=reason)
    answer = dealt.visitors[0].get(urls.game(dealt.slug)).text
    assert "<script>alert" not in answer
    assert reason in Page(answer).text


def test_acts_do_not_exist_for_players_and_strangers(site: Site, dealt: DealtGame) -> None:
    stranger, bob = site.signed_in(MALLORY), dealt.visitors[1]
    for visitor in (stranger, bob):
        assert visitor.get(urls.moderated_act(dealt.slug, PAUSE)).status_code == 404
        assert visitor.post(urls.moderated_act(dealt.slug, PAUSE), reason="x").status_code in {
            404,
            422,
        }
    answer = site.signed_out().get(urls.moderated_act(dealt.slug, PAUSE))
    assert answer.status_code == 303
    assert answer.location.startswith(urls.sign_in())


def test_act_that_does_not_exist_is_not_found(dealt: DealtGame, mo: Visitor) -> None:
    for name in ("peek", "view-game-status", "none-such", "%00"):
        path = f"/moderation/games/{dealt.slug}/acts/{name}"
        assert mo.get(path).status_code == 404


def test_moderator_whose_rights_ended_a_second_ago_changes_nothing(
    site: Site, dealt: DealtGame, mo: Visitor
) -> None:
    form = mo.page(urls.moderated_act(dealt.slug, PAUSE)).forms[-1]
    with site.database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE account SET is_moderator = false")
    assert mo.send(form, reason="late").status_code == 404
    assert ledger_acts(site.database) == []


def test_host_finds_the_acts_on_the_table_page(dealt: DealtGame) -> None:
    host, guest = (visitor.page(urls.game(dealt.slug)) for visitor in dealt.visitors[:2])
    assert urls.moderated_act(dealt.slug, PAUSE) in {link.href for link in host.links}
    assert urls.moderated_act(dealt.slug, PAUSE) not in {link.href for link in guest.links}
    # A player reminds the one on turn with a button on the page itself.
    assert urls.moderated_act(dealt.slug, GameRight.NUDGE) not in {
        link.href for link in guest.links
    }


def test_host_hands_the_table_over_and_is_host_no_more(site: Site, dealt: DealtGame) -> None:
    host, hand_over_text = dealt.visitors[0], GameRight.HAND_OVER_TABLE
    assert "Done" in _press_act_button(host, dealt.slug, hand_over_text, seat="3").text
    assert stored_game(site.database, dealt.slug, dealt.guests[0]).row.host_id == (
        dealt.guests[2].person.id
    )
    host.page(urls.moderated_act(dealt.slug, hand_over_text), status=404)


def test_undoing_of_no_act_is_not_found(dealt: DealtGame) -> None:
    path = urls.moderated_act(dealt.slug, EXTEND)
    fields = {"seq": "0", "entry": "0", "undoes": "0", "length": "soon", "reason": "x"}
    assert dealt.visitors[0].post(path, **fields).status_code == 404


def test_preview_of_an_act_reads_the_game_once(site: Site, dealt: DealtGame, mo: Visitor) -> None:
    with recorded_statements(site.database) as statements:
        answer = mo.get(urls.moderated_act(dealt.slug, PAUSE))
    assert answer.status_code == 200
    assert len(statements) <= 4


def test_refusal_by_a_limit_says_when_the_act_is_possible_again(
    site: Site, dealt: DealtGame, mo: Visitor
) -> None:
    announce_right = GameRight.ANNOUNCE_TO_TABLE
    for _ in range(limit_of(announce_right).per_game):
        perform_act(site.database, dealt.slug, announce_right, now=site.clock.now)
    retry_sentence = "It's possible again from Tue 3 Mar, 13:00 CET."
    assert retry_sentence in mo.page(urls.moderated_act(dealt.slug, announce_right)).text
    assert retry_sentence in mo.page(urls.bulk_act(announce_right) + f"?game={dealt.slug}").text


def test_performed_act_reads_nothing_twice(site: Site, dealt: DealtGame, mo: Visitor) -> None:
    act_page = mo.page(urls.moderated_act(dealt.slug, EXTEND))
    form = next(form for form in act_page.forms if form.method == "post")
    with recorded_statements(site.database) as statements:
        assert mo.send(form, reason="asked by email").status_code == 303
    assert len(statements) == len(set(statements))
