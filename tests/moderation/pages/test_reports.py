import pytest
from sqlalchemy import text

from tests.support.acts import perform_act
from tests.support.cast import ALICE, BOB, CAROL, DAVE, Character
from tests.support.factories import DAY
from tests.support.fakes import drawn, text_of
from tests.support.html import Page
from tests.support.moderation import execute, moderator_of
from tests.support.transactions import transaction
from tests.support.visitors import DealtGame, Site, Visitor, open_table
from webapp.kernel import urls
from webapp.kernel.rights import GameRight
from webapp.mail.compose import Composer
from webapp.moderation.emails.report_decided import ReportDecidedContext
from webapp.moderation.emails.sanction_email import SanctionContext
from webapp.moderation.performing import TIME_TO_UNDO

COMPOSER = Composer(base_url="http://lodepost.test", mail_from="lodepost@lodepost.test")


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


def report_number(site: Site) -> int:
    """Return the number of the newest report."""
    with transaction(site.database) as tx:
        return tx.execute(text("SELECT max(id) FROM report")).scalar_one()


def report_alice(game: DealtGame, text: str = "She insults us") -> None:
    """Let Bob report Alice, who sits in seat 0."""
    bob = game.visitors[1]
    form = bob.page(urls.new_report(game.slug)).form_named("report")
    assert bob.send(form, seat="0", kind="unfair", complaint=text).status_code == 303


def decide_first_report(mo: Visitor, **fields: str) -> None:
    """Decide on the only report, with the preview in between if there is one."""
    [link] = [
        link
        for link in mo.page(urls.reports()).links
        if link.href.startswith("/moderation/reports/")
    ]
    form = mo.page(link.href).form_named("decide")
    answer = mo.send(form, **fields)
    if answer.status_code == 200:
        assert "This will happen" in Page(answer.text).text
        answer = mo.send(Page(answer.text).form_named("decide"), **fields)
    assert answer.status_code == 303, answer.text


def test_report_is_shown_to_moderators_and_nowhere_else(site: Site, game: DealtGame) -> None:
    report_alice(game)
    mo = moderator_of(site)
    assert "1 waiting" in mo.page(urls.moderation()).text
    assert "She insults us" in mo.page(urls.reports()).text
    assert "She insults us" in mo.page(urls.moderated_game(game.slug)).text
    for visitor in game.visitors:
        assert "She insults us" not in visitor.page(urls.game(game.slug)).text
        visitor.page(urls.reports(), status=404)


def test_replaced_player_reports_the_table_from_the_email_about_it(
    site: Site, game: DealtGame
) -> None:
    bob = game.visitors[1]
    site.deliver_emails()
    perform_act(site.database, game.slug, GameRight.OPEN_SEAT, seat=1)
    site.clock.move(TIME_TO_UNDO)
    [email] = [email for email in site.deliver_emails() if email.envelope.name == "Bob"]
    path = urls.new_report(game.slug)
    assert f"http://lodepost.test{path}" in text_of(
        drawn(COMPOSER.compose(email, now=site.clock.now))
    )
    bob.page(urls.game(game.slug), status=404)
    page = bob.page(path)
    assert urls.game(game.slug) not in [link.href for link in page.links]
    answer = bob.send(page.form_named("report"), seat="0", kind="unfair", complaint="An accomplice")
    assert (answer.status_code, answer.location) == (303, urls.home())
    assert "An accomplice" in moderator_of(site).page(urls.reports()).text


def test_dismissed_report_is_answered_by_email(site: Site, game: DealtGame) -> None:
    report_alice(game)
    site.deliver_emails()
    mo = moderator_of(site)
    decide_first_report(mo, decision="dismiss", answer="This is fair play")
    [email] = site.deliver_emails()
    assert isinstance(email, ReportDecidedContext)
    assert (email.envelope.name, email.answer) == ("Bob", "This is fair play")
    assert "No reports" in mo.page(urls.reports()).text
    assert "This is fair play" in mo.page(urls.report(report_number(site))).text


def test_warned_person_sees_the_reason_until_they_confirm_it(site: Site, game: DealtGame) -> None:
    report_alice(game)
    site.deliver_emails()
    decide_first_report(
        moderator_of(site), decision="warn", reason="Please be kind", answer="We talked"
    )
    emails = site.deliver_emails()
    [warning] = [email for email in emails if isinstance(email, SanctionContext)]
    assert warning.envelope.name == "Alice"
    alice = game.visitors[0]
    page = alice.page(urls.home())
    assert "Please be kind" in page.text
    alice.send(page.form(urls.acknowledge_warning()))
    assert "Please be kind" not in alice.page(urls.home()).text


def test_banned_person_gets_one_page_everywhere_and_may_appeal_without_signing_in(
    site: Site, game: DealtGame
) -> None:
    report_alice(game)
    site.deliver_emails()
    mo = moderator_of(site)
    decide_first_report(mo, decision="ban", reason="Insults", days="7", answer="We took care of it")
    alice = game.visitors[0]
    for path in (urls.home(), urls.game(game.slug), urls.profile(), urls.new_game(), "/clubs"):
        page = alice.page(path, status=403)
        assert "Your account is banned" in page.text
        assert "Insults" in page.text
    assert alice.post(urls.turns(game.slug), do="pass", seq="0").status_code == 403
    [ban_email] = [email for email in site.deliver_emails() if isinstance(email, SanctionContext)]
    guest = site.signed_out()
    appeal_form = guest.page(urls.appeal(ban_email.appeal_token)).form_named("appeal")
    assert guest.send(appeal_form, complaint="It was my brother").status_code == 303
    assert guest.send(appeal_form, complaint="Hello?").status_code == 409
    assert "It was my brother" in mo.page(urls.reports()).text
    decide_first_report(mo, decision="unban", answer="All right")
    assert alice.page(urls.home()).text
    site.clock.move(DAY)


def test_reporter_and_reported_person_read_different_texts(site: Site, game: DealtGame) -> None:
    report_alice(game)
    site.deliver_emails()
    mo = moderator_of(site)
    decide_first_report(mo, decision="ban", days="7", reason="Insults", answer="We took care of it")
    texts = {
        text_of(drawn(COMPOSER.compose(email, now=site.clock.now))).partition("\n-- ")[0]
        for email in site.deliver_emails()
        if isinstance(email, ReportDecidedContext | SanctionContext)
    }
    [text_to_reporter] = [text for text in texts if "We took care of it" in text]
    [text_to_reported] = [text for text in texts if "Insults" in text]
    assert len(texts) == 2
    for word in ("Insults", "banned", "Alice"):
        assert word not in text_to_reporter
    for word in ("We took care of it", "Bob", "report"):
        assert word not in text_to_reported


@pytest.mark.parametrize(
    "fields",
    [
        {"decision": "dismiss", "answer": " "},
        {"decision": "warn", "reason": "Insults", "answer": ""},
        {"decision": "warn", "reason": "", "answer": "We took care of it"},
        {"decision": "warn", "reason": "Insults", "answer": "\u202e"},
    ],
)
def test_decision_needs_a_text_for_each_recipient(
    site: Site, game: DealtGame, fields: dict[str, str]
) -> None:
    report_alice(game)
    mo = moderator_of(site)
    answer = mo.send(mo.page(urls.report(report_number(site))).form_named("decide"), **fields)
    if answer.status_code == 200:
        answer = mo.send(Page(answer.text).form_named("decide"), **fields)
    assert answer.status_code == 422
    assert "1 waiting" in mo.page(urls.moderation()).text


def test_sent_appeal_is_shown_with_its_state_and_cannot_be_sent_again(
    site: Site, game: DealtGame
) -> None:
    execute(site.database, "UPDATE account SET zone = 'Europe/Riga'")
    report_alice(game)
    site.deliver_emails()
    mo = moderator_of(site)
    decide_first_report(mo, decision="ban", reason="Insults", days="7", answer="We took care of it")
    [ban_email] = [email for email in site.deliver_emails() if isinstance(email, SanctionContext)]
    guest, path = site.signed_out(), urls.appeal(ban_email.appeal_token)
    first_page = guest.page(path)
    assert "EET" in first_page.text.partition("Banned until")[2][:40]
    guest.send(first_page.form_named("appeal"), complaint="It was my brother")
    sent_page = guest.page(path)
    assert "It was my brother" in sent_page.text
    assert "A moderator will look at it" in sent_page.text
    assert [form for form in sent_page.forms if form.method == "post"] == []
    decide_first_report(mo, decision="dismiss", answer="We are sure it was you")
    decided_page = guest.page(path)
    assert "We are sure it was you" in decided_page.text
    second_answer = guest.post(path, complaint="Once more")
    assert second_answer.status_code == 409
    assert "already sent an appeal" in Page(second_answer.text).text


def test_name_of_a_table_is_reported_before_the_deal(site: Site) -> None:
    host, guest = site.signed_in(ALICE), site.signed_in(BOB)
    slug = open_table(host, audience="public")
    form = guest.page(urls.new_report(slug)).form_named("report")
    answer = guest.send(form, seat="", kind="name", complaint="What a name")
    assert answer.status_code == 303
    mo = moderator_of(site)
    assert "A name: Alice's table" in mo.page(urls.reports()).text
    page = mo.page(urls.report(report_number(site)))
    assert "About Alice's table , hosted by Alice" in page.text
    assert urls.moderated_act(slug, "rename-seat") in [link.href for link in page.links]


def test_turn_of_a_banned_player_is_a_cause_of_waiting(site: Site, game: DealtGame) -> None:
    execute(
        site.database,
        "UPDATE account SET banned_until = '2099-01-01' WHERE address = :address",
        address=ALICE.address,
    )
    text = moderator_of(site).page(urls.moderation(state="seat")).text
    assert "Alice is banned and can't play" in text


@pytest.mark.parametrize(
    "fields, status",
    [
        ({"complaint": ""}, 422),
        ({"complaint": "x" * 1001}, 422),
        ({"kind": "none"}, 422),
        ({"seat": "9"}, 422),
        ({"seat": "1"}, 409),
        ({"seat": "\u0661"}, 303),
    ],
)
def test_absurd_report_is_refused(game: DealtGame, fields: dict[str, str], status: int) -> None:
    bob = game.visitors[1]
    form = bob.page(urls.new_report(game.slug)).form_named("report")
    valid_fields = {"seat": "0", "kind": "name", "complaint": "A bad name"}
    assert bob.send(form, **(valid_fields | fields)).status_code == status


def test_report_is_accepted_once_while_it_waits(game: DealtGame) -> None:
    report_alice(game)
    bob = game.visitors[1]
    form = bob.page(urls.new_report(game.slug)).form_named("report")
    answer = bob.send(form, seat="0", kind="unfair", complaint="again")
    assert answer.status_code == 409


def test_stranger_cannot_report_a_private_table(site: Site, game: DealtGame) -> None:
    dave = site.signed_in(DAVE)
    dave.page(urls.new_report(game.slug), status=404)
    assert dave.post(urls.new_report(game.slug), complaint="x").status_code == 404


def test_hostile_complaint_is_shown_as_text(site: Site, game: DealtGame) -> None:
    report_alice(game, "<script>alert(1)</script>")
    answer = moderator_of(site).get(urls.reports())
    assert "<script>alert" not in answer.text
    assert "&lt;script&gt;" in answer.text


def test_second_decision_on_a_report_is_refused(site: Site, game: DealtGame) -> None:
    report_alice(game)
    mo, other_moderator = moderator_of(site), moderator_of(site, DAVE)
    forms = [
        visitor.page(urls.report(report_number(site))).form_named("decide")
        for visitor in (mo, other_moderator)
    ]
    assert mo.send(forms[0], decision="dismiss", answer="no").status_code == 303
    assert other_moderator.send(forms[1], decision="dismiss", answer="no").status_code == 409


def test_banned_player_gets_no_more_emails_about_games(site: Site, game: DealtGame) -> None:
    execute(
        site.database,
        "UPDATE account SET banned_until = '2099-01-01' WHERE address = :address",
        address=ALICE.address,
    )
    assert ALICE.name not in {email.envelope.name for email in site.deliver_emails()}


def test_moderator_reads_no_report_about_oneself(site: Site, game: DealtGame) -> None:
    report_alice(game)
    alice = moderator_of(site, ALICE)
    alice.page(urls.report(report_number(site)), status=404)
    reports_page = alice.page(urls.reports()).text
    assert "1 report is about you: other moderators read it and decide." in reports_page
    own_page = urls.moderated_person(ref_of(site, ALICE))
    assert BOB.name not in reports_page
    assert "She insults us" not in reports_page + alice.page(own_page).text
    mo = moderator_of(site)
    form = mo.page(urls.report(report_number(site))).form_named("decide")
    for decision in ("dismiss", "warn"):
        answer = alice.send(form, decision=decision, reason="no", answer="no")
        assert answer.status_code in {400, 404}
    assert "1 waiting" in mo.page(urls.moderation()).text


def ref_of(site: Site, character: Character) -> str:
    query = text("SELECT ref FROM account WHERE address = :address")
    with transaction(site.database) as tx:
        return str(tx.execute(query, {"address": character.address}).scalar_one())


def test_impossible_numbers_in_decisions_are_refused(site: Site, game: DealtGame) -> None:
    report_alice(game)
    mo = moderator_of(site)
    mo.page(urls.report(10**30), status=404)
    report = urls.report(report_number(site))
    decision = mo.page(report).form_named("decide")
    person = next(
        link.href for link in mo.page(report).links if link.href.startswith("/moderation/people/")
    )
    for days in ("soon", "7.5", "9" * 5000):
        ban_email = mo.post(f"{person}/ban", reason="no", days=days)
        assert ban_email.status_code == 422
        assert days in ban_email.text
        assert (
            mo.send(decision, decision="ban", reason="no", answer="no", days=days).status_code
            == 422
        )
