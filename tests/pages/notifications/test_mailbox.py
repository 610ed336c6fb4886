import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.compiled_templates import create_app
from tests.support.email_contexts import KINDS, NOW, email_context, envelope_for
from tests.support.fakes import FakeClock
from tests.support.visitors import settings_for
from webapp import urls
from webapp.config import Settings, mailbox_key_for
from webapp.mail.compose import Composer
from webapp.mail.maildir import MaildirTransport
from webapp.mail.transport import with_envelope
from webapp.services.tx import Database

COMPOSER = Composer(base_url="http://127.0.0.1:8000", mail_from="lodepost@localhost.test")
HERE = {"base_url": "http://127.0.0.1:8000"}


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return settings_for(database_url, data_dir=tmp_path, **HERE)


@pytest.fixture
def app(settings: Settings, database: Database, clock: FakeClock) -> Flask:
    return create_app(settings, database=database, now=clock)


@pytest.fixture
def key(settings: Settings) -> str:
    return str(mailbox_key_for(settings))


@pytest.fixture
def browser(app: Flask) -> FlaskClient:
    client = app.test_client()
    client.environ_base["HTTP_HOST"] = "127.0.0.1:8000"
    return client


@pytest.fixture
def reader(browser: FlaskClient, key: str) -> FlaskClient:
    """A browser that has opened the mailbox."""
    assert open_with(browser, key).status_code == 303
    return browser


def open_with(browser: FlaskClient, key: str) -> Any:
    page = browser.get(urls.mailbox(), query_string={"key": key}, base_url="http://127.0.0.1:8000")
    token = re.search(r'name="csrf_token" value="([^"]+)"', page.text)
    fields = {"csrf_token": token[1] if token else "", "key": key}
    return browser.post(urls.mailbox(), data=fields, base_url="http://127.0.0.1:8000")


def get(browser: FlaskClient, path: str, **wishes: Any) -> Any:
    return browser.get(path, **({"base_url": "http://127.0.0.1:8000"} | wishes))


def file(settings: Settings, kind: str, **changed: Any) -> None:
    envelope = envelope_for(kind, **changed)  # type: ignore[arg-type]
    message = COMPOSER.compose(email_context(kind, envelope=envelope), now=NOW)  # type: ignore[arg-type]
    email = with_envelope(
        message,
        recipient=envelope.address,
        mail_from="lodepost@localhost.test",
        message_id=envelope.message_id,
    )
    MaildirTransport(settings.maildir).send(email)


def links_to_mails(page: str) -> list[str]:
    return re.findall(r'<a href="(/mailbox/[^"?]+)"', page)


def test_a_mail_in_the_list_says_its_subject_once(reader: FlaskClient, settings: Settings) -> None:
    file(settings, "sign-in")
    assert get(reader, urls.mailbox()).text.count("Sign in to Lodepost") == 1
    file(settings, "your-turn")
    assert "Saboteur at Bob&#39;s table" in get(reader, urls.mailbox()).text


def test_looking_at_the_printed_address_opens_nothing(
    browser: FlaskClient, settings: Settings, key: str
) -> None:
    file(settings, "sign-in")
    page = get(browser, f"{urls.mailbox()}?key={key}")
    assert page.status_code == 200
    assert "Open the mailbox in this browser" in page.text
    assert "042137" not in page.text
    assert "lodepost-mailbox" not in str(page.headers.getlist("Set-Cookie"))
    assert get(browser, urls.mailbox()).status_code == 403


def test_a_press_on_the_button_opens_it_in_this_browser_alone(
    app: Flask, reader: FlaskClient, settings: Settings
) -> None:
    file(settings, "sign-in")
    assert "Sign in to Lodepost" in get(reader, urls.mailbox()).text
    assert get(app.test_client(), urls.mailbox()).status_code == 403


def test_the_cookie_is_not_the_key_and_goes_nowhere_else(browser: FlaskClient, key: str) -> None:
    (cookie,) = (
        cookie
        for cookie in open_with(browser, key).headers.getlist("Set-Cookie")
        if cookie.startswith("lodepost-mailbox=")
    )
    assert key not in cookie
    assert {"HttpOnly", "SameSite=Strict", "Path=/mailbox"} <= set(cookie.split("; "))


@pytest.mark.parametrize("wrong", ["", "0" * 32, "ā", "x" * 5000])
def test_a_wrong_key_opens_nothing(browser: FlaskClient, wrong: str) -> None:
    page = get(browser, urls.mailbox(), query_string={"key": wrong})
    assert page.status_code == 403
    assert "The mailbox is locked" in page.text
    assert "csrf_token" not in page.text
    assert open_with(browser, wrong).status_code in {400, 403}


def test_without_the_form_of_its_own_page_no_post_opens_it(browser: FlaskClient, key: str) -> None:
    answer = browser.post(urls.mailbox(), data={"key": key}, base_url="http://127.0.0.1:8000")
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
def test_there_is_no_mailbox_where_others_could_come(
    changed: dict[str, str], database: Database, database_url: str, key: str, tmp_path: Path
) -> None:
    settings = settings_for(database_url, data_dir=tmp_path, **{**HERE, **changed})
    app = create_app(settings, database=database)
    for path in (urls.mailbox(), f"{urls.mailbox()}?key={key}", urls.mailbox_email("x")):
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
def test_a_request_that_was_passed_on_finds_nothing(
    reader: FlaskClient, settings: Settings, key: str, header: str
) -> None:
    file(settings, "sign-in")
    (link,) = links_to_mails(get(reader, urls.mailbox()).text)
    for path in (urls.mailbox(), f"{urls.mailbox()}?key={key}", link, f"{link}/html"):
        assert get(reader, path, headers={header: "127.0.0.1"}).status_code == 404
        assert get(reader, path, headers={header: ""}).status_code == 404


@pytest.mark.parametrize("host", ["lodepost.test", "127.0.0.1.nip.test", "192.0.2.1"])
def test_a_request_by_another_name_finds_nothing(reader: FlaskClient, host: str) -> None:
    answer = get(reader, urls.mailbox(), base_url=f"http://{host}:8000")
    assert answer.status_code in {400, 404}
    assert "mailbox" not in answer.text.lower()


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "localhost"])
def test_this_machine_has_several_names(app: Flask, key: str, host: str) -> None:
    answer = get(app.test_client(), f"{urls.mailbox()}?key={key}", base_url=f"http://{host}")
    assert answer.status_code == 200


def test_a_request_from_another_machine_finds_nothing(reader: FlaskClient) -> None:
    from_afar = {"REMOTE_ADDR": "192.0.2.7"}
    assert get(reader, urls.mailbox(), environ_overrides=from_afar).status_code == 404


def test_an_empty_mailbox_says_how_to_get_the_first_mail(reader: FlaskClient) -> None:
    assert "No mail yet." in get(reader, urls.mailbox()).text


def test_mails_stand_newest_first_by_their_first_line(
    reader: FlaskClient, settings: Settings
) -> None:
    for kind in ("sign-in", "invitation", "your-turn"):
        file(settings, kind)
    titles = re.findall(r'<a href="/mailbox/[^"?]+">([^<]+)</a>', get(reader, urls.mailbox()).text)
    assert titles == [
        "It&#39;s your turn, Anna",
        "Bob invites you to a game of Saboteur",
        "Sign in to Lodepost",
    ]


def test_mails_are_found_by_recipient(reader: FlaskClient, settings: Settings) -> None:
    for name in ("anna", "bob", "bob"):
        file(settings, "your-turn", address=f"{name}@example.org")
    page = get(reader, urls.mailbox()).text
    assert "bob@example.org: 2" in page
    for searched, found in (("BOB", 2), ("anna@example.org", 1), ("nobody", 0), ("", 3)):
        page = get(reader, urls.mailbox(), query_string={"to": searched}).text
        assert len(links_to_mails(page)) == found
    hostile = get(reader, urls.mailbox(), query_string={"to": "<script>alert(1)</script>"})
    assert "<script>alert" not in hostile.text


def test_many_mails_are_shown_a_page_at_a_time(reader: FlaskClient, settings: Settings) -> None:
    for _ in range(53):
        file(settings, "sign-in")
    first = get(reader, urls.mailbox()).text
    second = get(reader, urls.mailbox(page=2)).text
    assert (len(links_to_mails(first)), len(links_to_mails(second))) == (50, 3)
    assert "Older mails" in first
    assert "Older mails" not in second
    assert "Newer mails" in second
    assert not set(links_to_mails(first)) & set(links_to_mails(second))
    for strange in ("0", "-3", "x", "99999999999999999999"):
        assert get(reader, f"{urls.mailbox()}?page={strange}").status_code == 200


@pytest.mark.parametrize("kind", KINDS)
def test_a_mail_shows_its_text_its_header_and_its_html(
    reader: FlaskClient, settings: Settings, kind: str
) -> None:
    file(settings, kind)
    (link,) = links_to_mails(get(reader, urls.mailbox()).text)
    page = get(reader, link)
    assert "Auto-Submitted" in page.text
    assert "anna@example.org" in page.text
    assert f'src="{link}/html"' in page.text
    framed = get(reader, f"{link}/html")
    assert framed.text.startswith("<!doctype html>")
    assert '<base target="_blank">' in framed.text


def test_links_in_the_text_can_be_followed(reader: FlaskClient, settings: Settings) -> None:
    file(settings, "sign-in")
    (link,) = links_to_mails(get(reader, urls.mailbox()).text)
    target = f"http://127.0.0.1:8000{urls.sign_in_link('link-token')}"
    assert f'<a href="{target}"' in get(reader, link).text


def test_a_framed_letter_may_do_nothing(reader: FlaskClient, settings: Settings) -> None:
    file(settings, "sign-in")
    (link,) = links_to_mails(get(reader, urls.mailbox()).text)
    outer, framed = get(reader, link), get(reader, f"{link}/html")
    policy = framed.headers.getlist("Content-Security-Policy")
    assert len(policy) == 1
    assert "default-src 'none'" in policy[0]
    assert "script-src" not in policy[0]
    assert "frame-ancestors 'self'" in policy[0]
    assert "sandbox allow-popups" in policy[0]
    assert "allow-scripts" not in policy[0] + outer.text
    assert "allow-same-origin" not in policy[0] + outer.text
    assert framed.headers.getlist("X-Frame-Options") == ["SAMEORIGIN"]
    assert "frame-src 'self'" in outer.headers["Content-Security-Policy"]
    assert outer.headers["X-Frame-Options"] == "DENY"
    assert outer.headers["Cache-Control"] == framed.headers["Cache-Control"] == "no-store"


def test_a_hostile_mail_is_only_words(reader: FlaskClient, settings: Settings) -> None:
    hostile = (
        b"Subject: <script>alert(1)</script>\r\nTo: anna@example.org\r\n"
        b'X-Evil: "><img src=x onerror=alert(2)>\r\n\r\n'
        b'<script>alert(3)</script> javascript:alert(4) http://a.test/"onclick="x\r\n'
    )
    MaildirTransport(settings.maildir).send(
        with_envelope(
            hostile,
            recipient="anna@example.org",
            mail_from="lodepost@localhost.test",
            message_id="<1@x>",
        )
    )
    (link,) = links_to_mails(get(reader, urls.mailbox()).text)
    for page in (get(reader, urls.mailbox()).text, get(reader, link).text):
        assert "<script>" not in page
        assert "<img src=x" not in page
        assert not re.search(r"\sonclick=", page)
    assert "<script>alert(3)</script>" in unescape(get(reader, link).text)


@pytest.mark.parametrize(
    "name",
    ["nothing", "..", "../../secret-key", "%2e%2e%2fsecret-key", "1.M1P1Q1.x", "new", "\x00"],
)
def test_a_name_of_no_mail_is_no_page(
    reader: FlaskClient, settings: Settings, tmp_path: Path, name: str
) -> None:
    file(settings, "sign-in")
    (tmp_path / "secret-key").write_text("the key")
    for path in (urls.mailbox_email(name), urls.mailbox_email_html(name), f"/mailbox/{name}"):
        answer = get(reader, path)
        assert answer.status_code in {404, 308}
        assert "the key" not in answer.text


def test_what_is_no_mail_of_ours_in_the_folder_is_left_out(
    reader: FlaskClient, settings: Settings
) -> None:
    file(settings, "sign-in")
    (settings.maildir / "new" / "notes.txt").write_text("hello")
    assert len(links_to_mails(get(reader, urls.mailbox()).text)) == 1


def test_a_mail_that_another_program_has_read_is_still_here(
    reader: FlaskClient, settings: Settings
) -> None:
    file(settings, "sign-in")
    (filed,) = (settings.maildir / "new").iterdir()
    filed.rename(settings.maildir / "cur" / f"{filed.name}:2,S")
    (link,) = links_to_mails(get(reader, urls.mailbox()).text)
    assert get(reader, link).status_code == 200
