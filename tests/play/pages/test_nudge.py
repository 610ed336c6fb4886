from datetime import timedelta

from sqlalchemy import select

from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.factories import fill_with_bots, open_table, play_turn, table_settings
from tests.support.html import Form
from tests.support.page_robot import discard_form
from tests.support.transactions import transaction
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.clock.schema import DeadlineEvent
from webapp.clock.sweep import sweep
from webapp.kernel import urls
from webapp.play.emails.turn_email import TurnContext

HOUR = timedelta(hours=1)


def nudge_form(visitor: Visitor, slug: str) -> Form:
    return visitor.page(urls.game(slug)).form(urls.nudge(slug))


def nudged_addresses(site: Site) -> list[str]:
    return [
        context.envelope.address
        for context in site.deliver_emails()
        if isinstance(context, TurnContext) and context.envelope.kind == "nudge"
    ]


def events(site: Site) -> list[tuple[int | None, str]]:
    with transaction(site.database) as tx:
        query = select(DeadlineEvent.seat, DeadlineEvent.by).where(DeadlineEvent.kind == "nudged")
        return [(row.seat, row.by) for row in tx.execute(query)]


def deal(site: Site) -> DealtGame:
    game = site.dealt_game(ALICE, BOB, CAROL, public=True)
    site.deliver_emails()
    site.clock.move(3 * HOUR)
    return game


def test_player_reminds_the_one_whose_turn_it_is(site: Site) -> None:
    game = deal(site)
    _, bob, carol = game.visitors
    assert "Their turn began 3 hours ago." in bob.page(urls.game(game.slug)).text
    form = nudge_form(bob, game.slug)
    for _ in range(2):
        assert bob.send(form).status_code == 303
    assert nudged_addresses(site) == [ALICE.address]
    assert events(site) == [(0, "player")]
    page = carol.page(urls.game(game.slug))
    assert not page.has_form(urls.nudge(game.slug))
    assert "The others are waiting." in page.text


def test_player_who_has_chosen_a_held_turn_gets_no_nudge(site: Site) -> None:
    game = deal(site)
    alice, bob, _ = game.visitors
    profile = alice.page(urls.profile()).form(urls.profile())
    assert alice.send(profile, hold_minutes="10").status_code == 303
    assert alice.send(discard_form(alice, game.slug)).status_code == 303
    assert bob.send(nudge_form(bob, game.slug)).status_code == 303
    assert nudged_addresses(site) == []
    site.clock.move(timedelta(minutes=10))
    with transaction(site.database, site.clock.now) as tx:
        sweep(tx)
    assert "Waiting for Bob" in alice.page(urls.game(game.slug)).text
    site.clock.move(timedelta(minutes=10))
    assert nudged_addresses(site) == []


def test_second_nudge_of_a_day_is_refused_also_in_the_next_turn(site: Site) -> None:
    game = deal(site)
    _, bob, carol = game.visitors
    forms = [nudge_form(visitor, game.slug) for visitor in (bob, carol)]
    assert bob.send(forms[0]).status_code == 303
    assert carol.send(forms[1]).status_code == 409
    for guest in game.guests:
        play_turn(site.database, game.slug, guest, now=site.clock.now)
    assert not carol.page(urls.game(game.slug)).has_form(urls.nudge(game.slug))
    turn = {"turn": str(len(game.guests))}
    answer = carol.send(forms[1], **turn)
    assert answer.status_code == 409
    assert "reminder" in answer.text
    site.clock.move(23 * HOUR)
    assert carol.send(forms[1], **turn).status_code == 409
    site.clock.move(HOUR)
    assert carol.send(forms[1], **turn).status_code == 303
    assert events(site) == [(0, "player")] * 2


def test_own_turn_bots_and_onlookers_have_no_nudge(site: Site) -> None:
    game = deal(site)
    alice = game.visitors[0]
    turn = nudge_form(game.visitors[1], game.slug).fields["turn"]
    assert not alice.page(urls.game(game.slug)).has_form(urls.nudge(game.slug))
    assert alice.post(urls.nudge(game.slug), turn=turn, form_id="x").status_code == 409
    for onlooker in (site.signed_in(MALLORY), site.signed_out()):
        assert not onlooker.page(urls.game(game.slug)).has_form(urls.nudge(game.slug))
        answer = onlooker.post(urls.nudge(game.slug), turn=turn, form_id="x")
        assert answer.status_code in {303, 409}
        assert answer.location in {None, urls.sign_in()}
    bot_slug = open_table(site.database, game.guests[0], table_settings(starter=1))
    fill_with_bots(site.database, bot_slug, game.guests[0])
    assert alice.post(urls.nudge(bot_slug), turn="0", form_id="x").status_code == 409
    assert nudged_addresses(site) == []


def test_player_who_stopped_reminders_gets_no_nudge(site: Site) -> None:
    game = deal(site)
    with transaction(site.database) as tx:
        tx.connection.exec_driver_sql(
            "INSERT INTO opt_out (address, scope, at) VALUES (%s, 'reminders', now())",
            (ALICE.address,),
        )
    assert game.visitors[1].send(nudge_form(game.visitors[1], game.slug)).status_code == 303
    assert nudged_addresses(site) == []
