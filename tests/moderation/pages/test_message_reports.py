"""A message of table talk is reported as it stands, shown to moderators, and removed by them alone."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from tests.support.acts import ledger_acts
from tests.support.cast import ALICE, BOB, CAROL, DAVE, MALLORY
from tests.support.html import Page
from tests.support.moderation import execute, make_moderator, moderator_of
from tests.support.page_robot import discard_form
from tests.support.transactions import transaction
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls
from webapp.moderation.queries import reports
from webapp.play.emails.turn_email import TurnContext
from webapp.privacy.deletion import delete_account

INSULT = "Bob is a stupid mole"


@pytest.fixture
def game(site: Site) -> DealtGame:
    """A public game in which Carol has insulted Bob."""
    game = site.dealt_game(ALICE, BOB, CAROL, public=True)
    say(game.visitors[2], game.slug, INSULT)
    return game


def say(visitor: Visitor, slug: str, message: str) -> None:
    form = visitor.page(urls.game(slug)).form(urls.messages(slug))
    assert visitor.send(form, message=message).status_code == 303


def report(visitor: Visitor, slug: str, number: int = 1) -> int:
    """Report a message with the form to which its page leads; return the status."""
    path = urls.new_report(slug, message=number)
    assert path in [link.href for link in visitor.page(urls.message(slug, number)).links]
    form = visitor.page(path).form_named("report")
    return visitor.send(form, complaint="That hurts").status_code


def remove(visitor: Visitor, number: int, reason: str = "Please be kind") -> int:
    form = visitor.page(urls.report(number)).form_named("remove")
    return visitor.send(form, **{"removal-reason": reason}).status_code


def report_number(site: Site) -> int:
    with transaction(site.database) as tx:
        return tx.execute(text("SELECT max(id) FROM report")).scalar_one()


def test_reported_message_is_quoted_to_moderators_alone(site: Site, game: DealtGame) -> None:
    bob = game.visitors[1]
    assert report(bob, game.slug) == 303
    mo = moderator_of(site)
    for path in (urls.reports(), urls.report(report_number(site))):
        page = mo.page(path)
        assert "A message" in page.text
        assert INSULT in page.text
        assert "That hurts" in page.text
    for visitor in game.visitors:
        assert "That hurts" not in visitor.page(urls.game(game.slug)).text
        visitor.page(urls.report(report_number(site)), status=404)


def test_report_keeps_what_the_message_said_when_it_was_reported(
    site: Site, game: DealtGame
) -> None:
    _, bob, carol = game.visitors
    report(bob, game.slug)
    path = urls.message(game.slug, 1)
    assert carol.send(carol.page(path).form(path), message="Bob is nice").status_code == 303
    mo = moderator_of(site)
    assert INSULT in mo.page(urls.reports()).text
    page = mo.page(urls.report(report_number(site)))
    assert INSULT in page.text
    assert "Its author has changed it since. Now it says: Bob is nice" in page.text


def test_report_keeps_what_a_deleted_message_said(site: Site, game: DealtGame) -> None:
    _, bob, carol = game.visitors
    report(bob, game.slug)
    carol.send(carol.page(urls.message(game.slug, 1)).form(urls.delete_message(game.slug, 1)))
    page = moderator_of(site).page(urls.report(report_number(site)))
    assert INSULT in page.text
    assert "Its author has deleted it" in page.text
    assert not page.has_form_named("remove")


def test_report_forgets_what_someone_said_who_deletes_their_account(
    site: Site, game: DealtGame
) -> None:
    report(game.visitors[1], game.slug)
    with transaction(site.database) as tx:
        delete_account(tx, game.guests[2].person, typed_address=CAROL.address)
    page = moderator_of(site).page(urls.report(report_number(site)))
    assert INSULT not in page.text
    assert "Its text is no longer kept." in page.text


def test_report_names_the_author_also_once_someone_else_has_their_seat(
    site: Site, game: DealtGame
) -> None:
    report(game.visitors[1], game.slug)
    execute(
        site.database,
        "UPDATE seat SET name = 'Agate', bot_name = 'Agate', bot_level = 'easy', account_id = NULL"
        " WHERE number = 2",
    )
    mo = moderator_of(site)
    assert "A message: Carol" in mo.page(urls.reports()).text
    assert "About Carol at Alice's table" in mo.page(urls.report(report_number(site))).text


def test_only_a_message_that_the_reporter_reads_can_be_reported(
    site: Site, game: DealtGame
) -> None:
    alice, bob, carol = game.visitors
    other_game = site.dealt_game(ALICE, BOB, CAROL, seed="another table")
    for visitor, slug, number in (
        (carol, game.slug, "1"),
        (site.signed_in(MALLORY), game.slug, "1"),
        (bob, other_game.slug, "1"),
        (bob, game.slug, "2"),
        (bob, game.slug, "9" * 30),
        (bob, game.slug, "one"),
    ):
        assert visitor.get(f"{urls.new_report(slug)}?message={number}").status_code == 404
        answer = visitor.post(urls.new_report(slug), message=number, complaint="That hurts")
        assert answer.status_code == 404
    alice.send(alice.page(urls.message(game.slug, 1)).form(urls.mute_author(game.slug, 1)))
    assert alice.get(urls.new_report(game.slug, message=1)).status_code == 404


def test_signed_out_reporter_signs_in_first(site: Site, game: DealtGame) -> None:
    answer = site.signed_out().post(urls.new_report(game.slug), message="1", complaint="That hurts")
    assert (answer.status_code, answer.location) == (303, urls.sign_in())


def test_message_is_reported_once_by_each_person(game: DealtGame) -> None:
    alice, bob, _ = game.visitors
    assert [report(visitor, game.slug) for visitor in (bob, bob, alice)] == [303, 409, 303]


def test_report_of_a_message_needs_a_complaint(game: DealtGame) -> None:
    bob = game.visitors[1]
    form = bob.page(urls.new_report(game.slug, message=1)).form_named("report")
    answer = bob.send(form, complaint=" ")
    assert answer.status_code == 422
    assert INSULT in answer.text


def test_removed_message_is_gone_everywhere(site: Site, game: DealtGame) -> None:
    alice, bob, carol = game.visitors
    report(bob, game.slug)
    assert remove(moderator_of(site), report_number(site)) == 303
    alice.send(discard_form(alice, game.slug))
    for visitor in game.visitors:
        for path in (urls.game(game.slug), urls.history(game.slug), urls.message(game.slug, 1)):
            assert INSULT not in visitor.get(path).text
    assert "Removed by a moderator." in bob.page(urls.game(game.slug)).text
    assert "Removed by a moderator." in bob.page(urls.history(game.slug)).text
    emails = site.deliver_emails()
    [context] = [
        email
        for email in emails
        if isinstance(email, TurnContext) and email.envelope.name == BOB.name
    ]
    assert [(message.text, message.is_removed) for message in context.messages] == [("", True)]
    assert carol.post(urls.message(game.slug, 1), message=INSULT).status_code == 409


def test_author_reads_why_their_message_was_removed(site: Site, game: DealtGame) -> None:
    alice, bob, carol = game.visitors
    report(bob, game.slug)
    remove(moderator_of(site), report_number(site))
    assert "A moderator removed your message." in carol.page(urls.game(game.slug)).text
    assert "Please be kind" in carol.page(urls.message(game.slug, 1)).text
    for visitor in (alice, bob):
        for path in (urls.game(game.slug), urls.message(game.slug, 1), urls.history(game.slug)):
            assert "Please be kind" not in visitor.page(path).text


def test_removal_is_recorded_in_the_ledger(site: Site, game: DealtGame) -> None:
    report(game.visitors[1], game.slug)
    mo = moderator_of(site)
    remove(mo, report_number(site))
    assert ledger_acts(site.database) == ["remove-message"]
    page = mo.page(urls.ledger())
    assert "A message of theirs was removed from table talk." in page.text
    assert "Reason: Please be kind" in page.text
    assert INSULT not in page.text
    assert "Remove a message" in mo.page(urls.moderated_game(game.slug)).text
    assert "Removed from the table by a moderator" in mo.page(urls.report(report_number(site))).text


def test_second_press_removes_nothing_more(site: Site, game: DealtGame) -> None:
    report(game.visitors[1], game.slug)
    mo, dave = moderator_of(site), moderator_of(site, DAVE)
    forms = [
        visitor.page(urls.report(report_number(site))).form_named("remove")
        for visitor in (mo, dave)
    ]
    fields = {"removal-reason": "Please be kind"}
    assert [mo.send(forms[0], **fields).status_code for _ in range(2)] == [303, 303]
    answer = dave.send(forms[1], **fields)
    assert answer.status_code == 409
    assert "This message is gone already" in Page(answer.text).text
    assert ledger_acts(site.database) == ["remove-message"]


def test_removal_needs_a_reason(site: Site, game: DealtGame) -> None:
    report(game.visitors[1], game.slug)
    assert remove(moderator_of(site), report_number(site), reason=" ") == 422
    assert INSULT in game.visitors[0].page(urls.game(game.slug)).text


def test_only_moderators_who_never_sat_at_the_table_remove_messages(
    site: Site, game: DealtGame
) -> None:
    report(game.visitors[1], game.slug)
    path, fields = urls.remove_message(report_number(site)), {"removal-reason": "no"}
    for visitor in (*game.visitors, site.signed_in(MALLORY)):
        assert visitor.post(path, **fields).status_code == 404
    make_moderator(site.database, ALICE)
    answer = game.visitors[0].post(path, **fields)
    assert answer.status_code == 409
    assert "leave this to another moderator" in Page(answer.text).text
    assert INSULT in game.visitors[1].page(urls.game(game.slug)).text


def test_report_about_no_message_removes_none(site: Site, game: DealtGame) -> None:
    bob = game.visitors[1]
    form = bob.page(urls.new_report(game.slug)).form_named("report")
    bob.send(form, seat="2", kind="unfair", complaint="She insults us")
    mo = moderator_of(site)
    assert not mo.page(urls.report(report_number(site))).has_form_named("remove")
    path = urls.remove_message(report_number(site))
    assert mo.post(path, **{"removal-reason": "no"}).status_code == 404


def test_removal_changes_neither_position_nor_clock(site: Site, game: DealtGame) -> None:
    form = discard_form(game.visitors[0], game.slug)
    columns = "SELECT seq, deadline_at, wake_at, remind_at FROM game WHERE slug = :slug"
    with transaction(site.database) as tx:
        earlier_values = tx.execute(text(columns), {"slug": game.slug}).one()
    report(game.visitors[1], game.slug)
    remove(moderator_of(site), report_number(site))
    with transaction(site.database) as tx:
        assert tx.execute(text(columns), {"slug": game.slug}).one() == earlier_values
    assert game.visitors[0].send(form).status_code == 303


def test_evidence_is_forgotten_some_time_after_the_decision(site: Site, game: DealtGame) -> None:
    report(game.visitors[1], game.slug)
    mo = moderator_of(site)
    number = report_number(site)
    with transaction(site.database, site.clock.now) as tx:
        assert reports.forget_messages(tx, site.clock.now + timedelta(days=1)) == 0
    form = mo.page(urls.report(number)).form_named("decide")
    assert mo.send(form, decision="dismiss", answer="No harm meant").status_code == 303
    with transaction(site.database, site.clock.now) as tx:
        assert reports.forget_messages(tx, site.clock.now + timedelta(days=1)) == 1
    assert INSULT not in mo.page(urls.reports(state="decided")).text
    assert "Its text is no longer kept." in mo.page(urls.report(number)).text
