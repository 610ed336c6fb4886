"""With a new SECRET_KEY and the old one beside it, no one is signed out, and open forms and links still work."""

from collections.abc import Callable

import pytest
from flask import Flask

from tests.support.cast import ALICE
from tests.support.compiled_templates import create_app
from tests.support.html import Page
from tests.support.transactions import KEYS
from tests.support.visitors import SECRET_KEY, Site, Visitor, settings_for
from webapp.kernel import urls
from webapp.kernel.keys import derived_key

NEW_KEY = "n" * 32


@pytest.fixture
def restarted(site: Site) -> Callable[..., Flask]:
    """Start the same site with other keys."""

    def start(secret_key: str, *old_secret_keys: str) -> Flask:
        settings = settings_for(
            "postgresql://unused", secret_key=secret_key, old_secret_keys=old_secret_keys
        )
        return create_app(settings, database=site.database, now=site.clock)

    return start


def same_browser(visitor: Visitor, app: Flask) -> Visitor:
    """Return the same browser, at a server that was started again."""
    client = app.test_client()
    cookie = visitor.client.get_cookie("lodepost")
    assert cookie is not None
    client.set_cookie("lodepost", cookie.value)
    return Visitor(app, client)


def is_signed_in(visitor: Visitor) -> bool:
    return visitor.get(urls.profile()).status_code == 200


def test_session_and_open_form_survive_a_new_key(
    site: Site, restarted: Callable[..., Flask]
) -> None:
    visitor = site.signed_in(ALICE)
    form = visitor.page(urls.profile()).form(urls.profile())
    moved = same_browser(visitor, restarted(NEW_KEY, SECRET_KEY))
    assert is_signed_in(moved)
    answer = moved.send(form)
    assert answer.status_code == 303, Page(answer.text).text


def test_cookie_is_worthless_once_the_old_key_is_dropped(
    site: Site, restarted: Callable[..., Flask]
) -> None:
    visitor = site.signed_in(ALICE)
    assert not is_signed_in(same_browser(visitor, restarted(NEW_KEY)))


def test_new_cookies_are_signed_with_the_new_key(
    site: Site, restarted: Callable[..., Flask]
) -> None:
    visitor = same_browser(site.signed_in(ALICE), restarted(NEW_KEY, SECRET_KEY))
    form = visitor.page(urls.profile()).form(urls.profile())
    visitor.send(form)
    assert is_signed_in(same_browser(visitor, restarted(NEW_KEY)))


def test_code_requested_before_a_new_key_signs_in_after_it(
    site: Site, restarted: Callable[..., Flask]
) -> None:
    visitor = site.signed_out()
    visitor.post(urls.sign_in(), address=ALICE.address)
    [email] = site.deliver_emails()
    moved = same_browser(visitor, restarted(NEW_KEY, SECRET_KEY))
    moved.post(urls.sign_in_code(), code=email.code)  # type: ignore[attr-defined] # of a sign-in
    assert is_signed_in(moved)


def test_every_purpose_has_a_key_of_its_own(site: Site, restarted: Callable[..., Flask]) -> None:
    app = restarted(SECRET_KEY)
    keys = [
        app.config["SECRET_KEY"],
        derived_key(SECRET_KEY.encode(), "mailbox"),
        derived_key(SECRET_KEY.encode(), "fingerprint"),
    ]
    assert len(set(keys)) == len(keys)
    assert SECRET_KEY.encode() not in keys
    assert KEYS.token("sign-in", b"x") != KEYS.token("invitation", b"x")
