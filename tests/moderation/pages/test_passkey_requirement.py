"""Site moderators must have used a passkey in their session, if the site demands it."""

import secrets
from datetime import timedelta

import pytest

from tests.support.authenticator import Authenticator
from tests.support.cast import ALICE, BOB, CAROL, MO
from tests.support.html import Page
from tests.support.moderation import execute, moderator_of
from tests.support.transactions import transaction
from tests.support.visitors import Site, Visitor
from webapp.accounts.passkeys import RelyingParty
from webapp.kernel import urls
from webapp.kernel.site_settings import SiteSettings
from webapp.moderation.settings_change import SettingsChange, change_settings

PARTY = RelyingParty("lodepost.test", "http://lodepost.test")
PASSKEY_PAGE_HEADING = "Moderation needs your passkey"


@pytest.fixture
def device() -> Authenticator:
    return Authenticator(PARTY)


@pytest.fixture
def mo(site: Site) -> Visitor:
    return moderator_of(site)


def store_passkey_requirement(site: Site, value: str = "on") -> None:
    """Change the setting as the operator does on the command line."""
    change = SettingsChange(
        values={"moderators_need_passkey": value},
        reason="safer",
        form_id=secrets.token_urlsafe(),
    )
    with transaction(site.database, site.clock.now) as tx:
        change_settings(tx, None, change, defaults=SiteSettings())
    site.clock.move(timedelta(seconds=6))


def add_passkey(visitor: Visitor, device: Authenticator) -> str:
    """Add a passkey with the form; return where it leads."""
    options = visitor.post(urls.new_passkey_options()).text
    answer = visitor.post(urls.new_passkey(), name="phone", credential=device.create(options))
    assert answer.status_code == 303, Page(answer.text).text
    return str(answer.location)


def confirm_with_passkey(visitor: Visitor, device: Authenticator) -> str:
    """Confirm with the passkey; return where it leads."""
    options = visitor.post(urls.identity_passkey_options()).text
    answer = visitor.post(urls.identity_passkey(), credential=device.sign(options))
    assert answer.status_code == 303, Page(answer.text).text
    return str(answer.location)


def require_passkeys(visitor: Visitor) -> Page:
    form = visitor.page(urls.site_settings()).form(urls.site_settings())
    answer = visitor.send(form, moderators_need_passkey="on", reason="safer")
    return Page(answer.text) if answer.status_code != 303 else visitor.page(answer.location)


def test_moderator_without_a_passkey_adds_one_confirms_and_comes_back(
    site: Site, mo: Visitor, device: Authenticator
) -> None:
    wanted_path = urls.security_log(kind="sign-in")
    mo.page(wanted_path)
    store_passkey_requirement(site)
    page = mo.page(wanted_path, status=403)
    assert PASSKEY_PAGE_HEADING in page.text
    assert urls.new_passkey() in [link.href for link in page.links]
    assert add_passkey(mo, device) == wanted_path
    page = mo.page(wanted_path, status=403)
    assert page.has_form(urls.identity_passkey())
    assert confirm_with_passkey(mo, device) == wanted_path
    mo.page(wanted_path)


def test_every_page_of_moderation_says_what_to_do(site: Site, mo: Visitor) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    store_passkey_requirement(site)
    paths = (
        urls.moderation(),
        urls.site_settings(),
        urls.statistics(),
        urls.security_log(),
        urls.reports(),
        urls.moderated_person("none-such"),
        urls.sanction("none-such", "ban"),
        urls.moderated_game(game.slug),
        urls.moderated_act(game.slug, "pause"),
        urls.bulk_act("pause") + f"?game={game.slug}",
        urls.peek(game.slug),
    )
    for path in paths:
        assert PASSKEY_PAGE_HEADING in mo.page(path, status=403).text, path
    for path in (urls.site_settings(), urls.moderated_act(game.slug, "pause")):
        answer = mo.post(path, reason="because", form_id="x", seq="1", entry="0")
        assert (answer.status_code, PASSKEY_PAGE_HEADING in answer.text) == (403, True)
    site.signed_in(BOB).page(urls.moderation(), status=404)


def test_other_rights_and_pages_need_no_proof(site: Site, mo: Visitor) -> None:
    game = site.dealt_game(MO, BOB, CAROL)
    store_passkey_requirement(site)
    assert "Moderation" in [link.text for link in mo.page(urls.home()).links]
    mo.page(urls.game(game.slug))
    mo.page(urls.history(game.slug))
    mo.page(urls.moderated_act(game.slug, "extend"))


def test_moderator_without_a_proof_sees_no_private_club_or_act(site: Site, mo: Visitor) -> None:
    host = site.signed_in(ALICE)
    form = host.page(urls.new_club()).form(urls.clubs())
    members_path = host.send(form, name="Deep End", visibility="private").location
    club = members_path.rpartition("/")[0]
    game = site.dealt_game(ALICE, BOB, CAROL, public=True)
    assert urls.moderated_act(game.slug, "pause") in mo.get(urls.game(game.slug)).text
    mo.page(club)
    store_passkey_requirement(site)
    mo.page(club, status=404)
    assert urls.moderated_act(game.slug, "pause") not in mo.get(urls.game(game.slug)).text


def test_session_of_a_moderator_with_a_passkey_needs_its_own_proof(
    site: Site, mo: Visitor, device: Authenticator
) -> None:
    add_passkey(mo, device)
    confirm_with_passkey(mo, device)
    store_passkey_requirement(site)
    mo.page(urls.moderation())
    other = site.signed_in(MO)
    assert other.page(urls.moderation(), status=403).has_form(urls.identity_passkey())
    execute(site.database, "DELETE FROM passkey")
    assert PASSKEY_PAGE_HEADING in mo.page(urls.moderation(), status=403).text


def test_demanding_a_passkey_without_having_one_is_refused(
    mo: Visitor, device: Authenticator
) -> None:
    page = require_passkeys(mo)
    assert "this would lock you out" in page.text
    assert page.form(urls.site_settings()).fields["reason"] == "safer"
    mo.page(urls.moderation())
    add_passkey(mo, device)
    assert "Changed 1 setting." in require_passkeys_and_confirm(mo, device).text
    mo.page(urls.moderation())


def require_passkeys_and_confirm(visitor: Visitor, device: Authenticator) -> Page:
    confirm_with_passkey(visitor, device)
    return require_passkeys(visitor)


def test_operator_can_stop_demanding_passkeys(site: Site, mo: Visitor) -> None:
    store_passkey_requirement(site)
    mo.page(urls.moderation(), status=403)
    store_passkey_requirement(site, "off")
    mo.page(urls.moderation())


def test_moderator_reaches_the_passkey_during_maintenance(
    site: Site, mo: Visitor, device: Authenticator
) -> None:
    add_passkey(mo, device)
    store_passkey_requirement(site)
    execute(
        site.database, "INSERT INTO site_setting VALUES ('maintenance', '\"New pumps\"'::jsonb)"
    )
    site.clock.move(timedelta(seconds=6))
    mo.page(urls.home(), status=503)
    assert PASSKEY_PAGE_HEADING in mo.page(urls.moderation(), status=403).text
    assert confirm_with_passkey(mo, device) == urls.moderation()
    mo.page(urls.home())
