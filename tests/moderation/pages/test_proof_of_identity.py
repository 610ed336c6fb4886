"""Dangerous acts ask for a fresh proof of who acts, and keep what was typed meanwhile."""

from datetime import timedelta
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.support.acts import ledger_acts
from tests.support.authenticator import Authenticator
from tests.support.cast import ALICE, BOB, CAROL, DAVE, MALLORY
from tests.support.factories import deal_game, play_turn
from tests.support.html import Form, Page
from tests.support.moderation import execute, moderator_of
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.accounts.emails.identity_code import IdentityCodeContext
from webapp.accounts.passkeys import RelyingParty
from webapp.kernel import urls
from webapp.kernel.rights import DANGEROUS_RIGHTS, GameRight

REASON = 'they said "<stop>"\nand left'


@pytest.fixture
def mo(site: Site) -> Visitor:
    return moderator_of(site)


@pytest.fixture
def dealt(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


def wait_until_proof_expires(site: Site) -> None:
    """Let the proof of the sign-in become too old."""
    site.clock.move(timedelta(minutes=16))


def form_of_act(visitor: Visitor, slug: str, act: GameRight) -> Form:
    page = visitor.page(urls.moderated_act(slug, act))
    return next(form for form in page.forms if form.method == "post")


def assert_proof_is_requested(answer: TestResponse) -> Page:
    """Check that the answer asks for the proof; return its page."""
    page = Page(answer.text)
    assert (answer.status_code, "Confirm it's you" in page.text) == (403, True), page.text
    return page


def request_code(site: Site, visitor: Visitor, code_page: Page) -> tuple[Form, str]:
    """Request a code on the page that asks; return the form for it and the code."""
    answer = visitor.send(code_page.form(urls.identity_code()))
    assert answer.status_code == 403
    codes = [
        email.code for email in site.deliver_emails() if isinstance(email, IdentityCodeContext)
    ]
    return Page(answer.text).form(urls.identity()), codes[-1]


def confirm(visitor: Visitor, form: Form, **fields: Any) -> TestResponse:
    """Send a form of the page that asks, and then the form that waits, as a browser does; return the last page."""
    data = form.fields | fields
    answer = visitor.client.post(form.action, data=data)
    assert answer.status_code == 307, Page(answer.text).text
    answer = visitor.client.post(answer.location, data=data)
    return visitor.get(answer.location) if answer.status_code == 303 else answer


def test_cancelled_game_waits_for_the_proof_and_keeps_the_reason(
    site: Site, dealt: DealtGame, mo: Visitor
) -> None:
    wait_until_proof_expires(site)
    form = form_of_act(mo, dealt.slug, GameRight.CANCEL_GAME)
    code_page = assert_proof_is_requested(mo.send(form, reason=REASON))
    assert ledger_acts(site.database) == []
    code_form, code = request_code(site, mo, code_page)
    refused_answer = mo.send(code_form, code="no code")
    assert (refused_answer.status_code, "You have 4 tries left" in refused_answer.text) == (
        409,
        True,
    )
    kept_form = Page(refused_answer.text).form(urls.identity())
    assert kept_form.fields["reason"] == REASON
    answer = mo.client.post(kept_form.action, data=kept_form.fields | {"code": code})
    path = urls.moderated_act(dealt.slug, GameRight.CANCEL_GAME)
    assert (answer.status_code, answer.location) == (307, path)
    answer = mo.client.post(answer.location, data=kept_form.fields | {"code": code})
    assert answer.status_code == 303
    assert ledger_acts(site.database) == ["cancel-game"]
    assert "and left" in dealt.visitors[1].page(urls.game(dealt.slug)).text
    assert confirm(mo, kept_form, code=code).status_code == 200
    assert ledger_acts(site.database) == ["cancel-game"]


def test_passkey_is_a_proof_for_the_form_that_waits(
    site: Site, dealt: DealtGame, mo: Visitor
) -> None:
    device = Authenticator(RelyingParty("lodepost.test", "http://lodepost.test"))
    options = mo.post(urls.new_passkey_options()).text
    mo.post(urls.new_passkey(), name="phone", credential=device.create(options))
    wait_until_proof_expires(site)
    form = form_of_act(mo, dealt.slug, GameRight.CANCEL_GAME)
    passkey_form = assert_proof_is_requested(mo.send(form, reason=REASON)).form(
        urls.identity_passkey()
    )
    answer_without_proof = mo.send(passkey_form, credential="{}")
    passkey_form = Page(answer_without_proof.text).form(urls.identity_passkey())
    options = mo.client.post(urls.identity_passkey_options(), data=passkey_form.fields).text
    answer = confirm(mo, passkey_form, credential=device.sign(options))
    assert answer.status_code == 200
    assert ledger_acts(site.database) == ["cancel-game"]


def test_game_that_moved_on_meanwhile_shows_the_form_as_it_was_typed(
    site: Site, dealt: DealtGame, mo: Visitor
) -> None:
    wait_until_proof_expires(site)
    form = form_of_act(mo, dealt.slug, GameRight.CANCEL_GAME)
    code_form, code = request_code(
        site, mo, assert_proof_is_requested(mo.send(form, reason=REASON))
    )
    play_turn(site.database, dealt.slug, dealt.guests[0])
    answer = confirm(mo, code_form, code=code)
    assert answer.status_code == 409
    assert "and left</textarea>" in answer.text
    assert ledger_acts(site.database) == []


def test_bulk_act_waits_for_the_proof_with_all_its_games(
    site: Site, dealt: DealtGame, mo: Visitor
) -> None:
    other = deal_game(site.database, dealt.guests)
    wait_until_proof_expires(site)
    path = urls.bulk_act(GameRight.CANCEL_GAME)
    token = mo.token()
    games = [f"{dealt.slug}:0:0", f"{other}:0:0"]
    fields = {"csrf_token": token, "form_id": "f", "reason": REASON, "game": games}
    code_page = mo.client.post(path, data=fields)
    assert_proof_is_requested(code_page)
    assert all(code_page.text.count(game) == code_page.text.count(games[0]) > 0 for game in games)
    held_fields = {"held_path": path, "game": games, "reason": REASON, "form_id": "f"}
    mo.client.post(urls.identity_code(), data={"csrf_token": token, **held_fields})
    [email] = [
        email_context
        for email_context in site.deliver_emails()
        if isinstance(email_context, IdentityCodeContext)
    ]
    form = Form(urls.identity(), "post", "", {"csrf_token": token})
    answer = confirm(mo, form, code=email.code, **held_fields)
    assert answer.text.count("Done") == 2
    assert ledger_acts(site.database) == ["cancel-game", "cancel-game"]


def test_harmless_act_needs_no_fresh_proof(site: Site, dealt: DealtGame, mo: Visitor) -> None:
    wait_until_proof_expires(site)
    form = form_of_act(mo, dealt.slug, GameRight.PAUSE)
    assert mo.send(form, reason="asked").status_code == 303
    assert GameRight.PAUSE not in DANGEROUS_RIGHTS


def test_proof_is_requested_only_from_those_who_may_act(
    site: Site, dealt: DealtGame, mo: Visitor
) -> None:
    form = form_of_act(mo, dealt.slug, GameRight.CANCEL_GAME)
    wait_until_proof_expires(site)
    mallory = site.signed_in(MALLORY)
    wait_until_proof_expires(site)
    fields = {name: text for name, text in form.fields.items() if name != "csrf_token"}
    assert mallory.post(form.action, **fields | {"reason": "no"}).status_code == 404
    answer_without_proof = mo.send(form, reason="")
    assert (
        answer_without_proof.status_code,
        "Please fill this in" in answer_without_proof.text,
    ) == (422, True)


def test_ban_and_its_end_wait_for_a_proof(site: Site, dealt: DealtGame, mo: Visitor) -> None:
    ref = give_bob_a_known_ref(site)
    for kind in ("ban", "unban"):
        form = mo.page(urls.sanction(ref, kind)).form(urls.sanction(ref, kind))
        preview = Page(mo.send(form, reason=REASON, days="7").text).form(urls.sanction(ref, kind))
        wait_until_proof_expires(site)
        code_page = assert_proof_is_requested(mo.send(preview, reason=REASON))
        code_form, code = request_code(site, mo, code_page)
        answer = confirm(mo, code_form, code=code)
        assert answer.status_code == 200
    assert ledger_acts(site.database) == ["ban", "unban"]


def give_bob_a_known_ref(site: Site) -> str:
    """Give Bob's account a known reference; return it."""
    execute(site.database, "UPDATE account SET ref = 'bobsref' WHERE name = 'Bob'")
    return "bobsref"


def test_settings_wait_for_a_proof(site: Site, mo: Visitor) -> None:
    wait_until_proof_expires(site)
    form = mo.page(urls.site_settings()).form(urls.site_settings())
    unchanged_answer = mo.send(form, reason="nothing new")
    assert unchanged_answer.status_code == 303
    code_page = assert_proof_is_requested(mo.send(form, imprint="# Who\n\nMo", reason="the law"))
    code_form, code = request_code(site, mo, code_page)
    answer = confirm(mo, code_form, code=code)
    assert "Changed 1 setting." in answer.text
    site.clock.move(timedelta(seconds=6))
    assert "<h1>Who" in mo.get(urls.legal_page("imprint")).text.replace("<h2>", "<h1>")


@pytest.mark.parametrize("verb", ["promote", "hand-over", "remove"])
def test_change_of_rank_in_a_club_waits_for_a_proof(site: Site, verb: str) -> None:
    founder = site.signed_in(ALICE)
    form = founder.page(urls.new_club()).form(urls.clubs())
    members_path = founder.send(form, name="Deep End", visibility="public").location
    slug = members_path.split("/")[2]
    guest = site.signed_in(DAVE)
    guest.send(guest.page(urls.club(slug)).form(urls.club_action(slug, "ask")))
    page = founder.page(members_path)
    approve_form = next(form for form in page.forms if form.action.endswith("/approve"))
    wait_until_proof_expires(site)
    assert founder.send(approve_form).status_code == 303
    page = founder.page(members_path)
    act = next(form for form in page.forms if form.action.endswith(f"/{verb}"))
    code_page = assert_proof_is_requested(founder.send(act))
    code_form, code = request_code(site, founder, code_page)
    answer = confirm(founder, code_form, code=code)
    assert answer.status_code == 200
    assert "Dave" not in answer.text if verb == "remove" else "Dave" in answer.text


def test_closing_a_club_waits_for_a_proof(site: Site) -> None:
    founder = site.signed_in(ALICE)
    form = founder.page(urls.new_club()).form(urls.clubs())
    slug = founder.send(form, name="Deep End", visibility="public").location.split("/")[2]
    close_form = founder.page(urls.club_settings(slug)).form(urls.club_action(slug, "close"))
    wait_until_proof_expires(site)
    assert_proof_is_requested(founder.send(close_form))
    assert "Close this club" in founder.page(urls.club_settings(slug)).text


def test_held_form_is_sent_to_this_site_only(site: Site, mo: Visitor) -> None:
    for path in ("https://evil.test/", "//evil.test/", ""):
        answer = mo.post(urls.identity_code(), held_path=path)
        assert (answer.status_code, answer.location) == (303, urls.identity())
        [email] = [
            email_context
            for email_context in site.deliver_emails()
            if isinstance(email_context, IdentityCodeContext)
        ]
        answer = mo.post(urls.identity(), code=email.code, held_path=path)
        assert (answer.status_code, answer.location) == (303, urls.account_security())


def test_form_of_another_site_or_account_does_not_wait_for_the_proof(
    site: Site, dealt: DealtGame, mo: Visitor
) -> None:
    held_fields = {
        "held_path": urls.moderated_act(dealt.slug, GameRight.CANCEL_GAME),
        "reason": "forged",
        "form_id": "f",
    }
    for path, proof_field in ((urls.identity(), "code"), (urls.identity_passkey(), "credential")):
        for forged_fields in ({}, {"csrf_token": "of another session"}):
            answer = mo.client.post(
                path, data=held_fields | forged_fields | {proof_field: "123456"}
            )
            assert (answer.status_code, "forged" in answer.text) == (400, False)
            assert "Confirm it's you" in Page(answer.text).text
    assert mo.client.post(urls.identity_code(), data=held_fields).status_code == 400


def test_proof_that_expired_before_a_passkey_is_made_leads_back_to_its_page(
    site: Site, mo: Visitor
) -> None:
    token = mo.page(urls.new_passkey()).form(urls.new_passkey()).fields["csrf_token"]
    wait_until_proof_expires(site)
    answer = mo.client.post(urls.new_passkey_options(), data={"csrf_token": token})
    assert (answer.status_code, answer.location) == (303, urls.identity())
    mo.post(urls.identity_code())
    [email] = [
        email_context
        for email_context in site.deliver_emails()
        if isinstance(email_context, IdentityCodeContext)
    ]
    answer = mo.post(urls.identity(), code=email.code)
    assert (answer.status_code, answer.location) == (303, urls.new_passkey())
    mo.page(answer.location)
