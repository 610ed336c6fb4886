"""Who may open the mailbox page: a browser on this machine that was given the key."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.compiled_templates import create_app
from tests.support.email_contexts import EmailContexts
from tests.support.mailbox import (
    LOCAL_BASE_URL_SETTING,
    email_links,
    file_email,
    local_get,
    unlock_mailbox,
)
from tests.support.visitors import settings_for
from webapp.kernel import urls
from webapp.kernel.config import Settings
from webapp.kernel.tx import Database


def test_opening_the_printed_url_does_not_unlock_the_mailbox(
    email_context: EmailContexts, browser: FlaskClient, settings: Settings, mailbox_key: str
) -> None:
    file_email(settings, email_context, "sign-in")
    page = local_get(browser, f"{urls.mailbox()}?key={mailbox_key}")
    assert page.status_code == 200
    assert "Open the mailbox in this browser" in page.text
    assert email_context("sign-in").code not in page.text
    assert "lodepost-mailbox" not in str(page.headers.getlist("Set-Cookie"))
    assert local_get(browser, urls.mailbox()).status_code == 403


def test_button_unlocks_the_mailbox_in_this_browser_only(
    email_context: EmailContexts, app: Flask, unlocked_browser: FlaskClient, settings: Settings
) -> None:
    file_email(settings, email_context, "sign-in")
    assert "Sign in to Lodepost" in local_get(unlocked_browser, urls.mailbox()).text
    assert local_get(app.test_client(), urls.mailbox()).status_code == 403


def test_cookie_does_not_contain_the_key_and_is_limited_to_the_mailbox(
    browser: FlaskClient, mailbox_key: str
) -> None:
    (cookie,) = (
        cookie
        for cookie in unlock_mailbox(browser, mailbox_key).headers.getlist("Set-Cookie")
        if cookie.startswith("lodepost-mailbox")
    )
    assert mailbox_key not in cookie
    assert {"HttpOnly", "SameSite=Strict", "Path=/mailbox"} <= set(cookie.split("; "))


@pytest.mark.parametrize("wrong_key", ["", "0" * 32, "ā", "x" * 5000])
def test_wrong_key_does_not_unlock_the_mailbox(browser: FlaskClient, wrong_key: str) -> None:
    page = local_get(browser, urls.mailbox(), query_string={"key": wrong_key})
    assert page.status_code == 403
    assert "This mailbox is locked" in page.text
    assert "csrf_token" not in page.text
    assert unlock_mailbox(browser, wrong_key).status_code in {400, 403}


def test_post_without_a_csrf_token_does_not_unlock_the_mailbox(
    browser: FlaskClient, mailbox_key: str
) -> None:
    answer = browser.post(
        urls.mailbox(), data={"key": mailbox_key}, base_url="http://127.0.0.1:8000"
    )
    assert answer.status_code == 400
    assert "lodepost-mailbox" not in str(answer.headers)


@pytest.mark.parametrize(
    "changed",
    [
        {"smtp_url": "smtp://relay.test"},
        {"base_url": "https://lodepost.test"},
        {"base_url": "http://192.0.2.1:8000"},
        {"listen_host": "0.0.0.0"},
        {"listen_host": "192.0.2.1"},
    ],
)
def test_mailbox_does_not_exist_on_a_reachable_server(
    changed: dict[str, str], database: Database, database_url: str, mailbox_key: str, tmp_path: Path
) -> None:
    settings = settings_for(
        database_url, data_dir=tmp_path, **{**LOCAL_BASE_URL_SETTING, **changed}
    )
    app = create_app(settings, database=database)
    for path in (urls.mailbox(), f"{urls.mailbox()}?key={mailbox_key}", urls.mailbox_email("x")):
        host = urlsplit(settings.base_url).netloc
        assert app.test_client().get(path, base_url=f"http://{host}").status_code == 404


@pytest.mark.parametrize(
    "header",
    [
        "Forwarded",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "X-Forwarded-Proto",
        "X-Forwarded-Anything",
        "X-Real-IP",
        "Via",
        "X-Client-IP",
        "X-Cluster-Client-IP",
        "True-Client-IP",
        "CF-Connecting-IP",
        "X-Original-Forwarded-For",
    ],
)
def test_proxied_request_is_not_found(
    email_context: EmailContexts,
    unlocked_browser: FlaskClient,
    settings: Settings,
    mailbox_key: str,
    header: str,
) -> None:
    file_email(settings, email_context, "sign-in")
    (link,) = email_links(local_get(unlocked_browser, urls.mailbox()).text)
    for path in (urls.mailbox(), f"{urls.mailbox()}?key={mailbox_key}", link, f"{link}/html"):
        assert local_get(unlocked_browser, path, headers={header: "127.0.0.1"}).status_code == 404
        assert local_get(unlocked_browser, path, headers={header: ""}).status_code == 404


@pytest.mark.parametrize("host", ["lodepost.test", "127.0.0.1.nip.test", "192.0.2.1"])
def test_request_for_another_host_is_not_found(unlocked_browser: FlaskClient, host: str) -> None:
    answer = local_get(unlocked_browser, urls.mailbox(), base_url=f"http://{host}:8000")
    assert answer.status_code in {400, 404}
    assert "mailbox" not in answer.text.lower()


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "localhost"])
def test_mailbox_answers_to_every_loopback_name(app: Flask, mailbox_key: str, host: str) -> None:
    answer = local_get(
        app.test_client(), f"{urls.mailbox()}?key={mailbox_key}", base_url=f"http://{host}"
    )
    assert answer.status_code == 200


def test_request_from_another_machine_is_not_found(unlocked_browser: FlaskClient) -> None:
    remote_environ = {"REMOTE_ADDR": "192.0.2.7"}
    assert (
        local_get(unlocked_browser, urls.mailbox(), environ_overrides=remote_environ).status_code
        == 404
    )
