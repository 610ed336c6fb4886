"""Passkeys in a real browser with scripts and Chromium's virtual authenticator."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser_contexts import open_context
from tests.support.cast import CAROL
from tests.support.filed_emails import MaildirInbox
from tests.support.postgres import memory_folder
from tests.support.serve_process import RunningServer, running_serve_process


@pytest.fixture(scope="module")
def server_with_host_name(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with a host name in its address: browsers offer no passkeys at a bare network address."""
    with (
        memory_folder(tmp_path_factory.mktemp("named")) as folder,
        running_serve_process(folder, host="localhost") as started_server,
    ):
        yield started_server


@pytest.fixture
def page(server_with_host_name: RunningServer, browser: Browser) -> Page:
    """A page of Carol's browser, which has a device for passkeys and logs every error of a script."""
    context = open_context(browser, base_url=server_with_host_name.url, reduced_motion="reduce")
    opened_page = context.new_page()
    session = context.new_cdp_session(opened_page)
    session.send("WebAuthn.enable")
    authenticator_options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": authenticator_options})
    sign_in_by_email(opened_page, MaildirInbox(server_with_host_name.maildir, [CAROL.address]))
    return opened_page


def sign_in_by_email(page: Page, inbox: MaildirInbox) -> None:
    page.goto("/sign-in")
    page.get_by_label("Your email address").fill(CAROL.address)
    page.get_by_role("button", name="Email me a sign-in link").click()
    code = inbox.next_email_to(CAROL.address, "sign-in").code
    page.get_by_label("Six-digit code").fill(code)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_label("Your name").fill(CAROL.name)
    page.get_by_role("button", name="Start playing").click()
    expect(page.get_by_role("heading", name="Your games")).to_be_visible()


def test_passkey_signs_in_and_confirms_until_it_is_removed(page: Page) -> None:
    add_passkey(page)
    sign_in_with_passkey(page)
    expect(page.get_by_role("link", name=CAROL.name)).to_be_visible()
    page.goto("/account/security")
    expect(page.get_by_text("with a passkey", exact=True)).to_be_visible()
    page.goto("/account/confirm")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("heading", name="Sign-in and security")).to_be_visible()
    remove_passkey(page)
    sign_in_with_passkey(page)
    expect(page.get_by_text("That passkey didn't work here")).to_be_visible()


def add_passkey(page: Page) -> None:
    page.goto("/account/passkeys/new")
    expect(page.get_by_text("This browser can't add a passkey here")).to_be_hidden()
    page.get_by_label("Name of the passkey").fill("My laptop")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_text("You can now sign in with this passkey.")).to_be_visible()
    expect(page.get_by_text("My laptop", exact=True)).to_be_visible()


def sign_in_with_passkey(page: Page) -> None:
    """Sign out, and try to sign in again."""
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.goto("/sign-in")
    page.get_by_role("button", name="Sign in with a passkey").click()


def remove_passkey(page: Page) -> None:
    page.goto("/account/security")
    page.get_by_role("link", name="Remove My laptop").click()
    page.get_by_role("button", name="Remove the passkey").click()
    expect(page.get_by_text("The passkey is removed.")).to_be_visible()


def test_pages_without_scripts_hide_passkeys(
    server_with_host_name: RunningServer, browser: Browser
) -> None:
    context = open_context(browser, base_url=server_with_host_name.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/sign-in")
    expect(page.get_by_role("button", name="Email me a sign-in link")).to_be_visible()
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_hidden()
    context.close()
