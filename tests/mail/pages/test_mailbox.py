"""The mailbox page: the list of emails, and each email as text and in a frame."""

import re
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.support.email_contexts import EMAIL_KINDS, EmailContexts
from tests.support.mailbox import email_links, file_email, local_get
from webapp.kernel import urls
from webapp.kernel.config import Settings
from webapp.mail.transport import MaildirTransport, with_envelope


def test_list_shows_titles_and_subjects(
    email_context: EmailContexts, unlocked_browser: FlaskClient, settings: Settings
) -> None:
    file_email(settings, email_context, "sign-in")
    page = local_get(unlocked_browser, urls.mailbox()).text
    assert (page.count("Sign in to Lodepost"), page.count(" is your Lodepost code")) == (1, 1)
    file_email(settings, email_context, "your-turn")
    assert (
        "Your turn: Alice&#39;s table, round 1" in local_get(unlocked_browser, urls.mailbox()).text
    )


def test_empty_mailbox_explains_how_to_get_the_first_email(unlocked_browser: FlaskClient) -> None:
    assert "No emails yet." in local_get(unlocked_browser, urls.mailbox()).text


def test_emails_are_listed_newest_first_by_their_first_line(
    email_context: EmailContexts, unlocked_browser: FlaskClient, settings: Settings
) -> None:
    for kind in ("sign-in", "invitation", "your-turn"):
        file_email(settings, email_context, kind)
    titles = re.findall(
        r'<a href="/mailbox/[^"?]+">([^<]+)</a>', local_get(unlocked_browser, urls.mailbox()).text
    )
    assert titles == [
        "It&#39;s your turn, Alice",
        "Alice invites you to play Saboteur",
        "Sign in to Lodepost",
    ]


def test_emails_are_found_by_recipient(
    email_context: EmailContexts, unlocked_browser: FlaskClient, settings: Settings
) -> None:
    for name in ("alice", "bob", "bob"):
        file_email(settings, email_context, "your-turn", address=f"{name}@example.test")
    page = local_get(unlocked_browser, urls.mailbox()).text
    assert "bob@example.test: 2" in page
    for search_text, expected_count in (
        ("BOB", 2),
        ("alice@example.test", 1),
        ("no-such-recipient", 0),
        ("", 3),
    ):
        page = local_get(unlocked_browser, urls.mailbox(), query_string={"to": search_text}).text
        assert len(email_links(page)) == expected_count
    hostile_search = local_get(
        unlocked_browser, urls.mailbox(), query_string={"to": "<script>alert(1)</script>"}
    )
    assert "<script>alert" not in hostile_search.text


def test_emails_are_listed_in_pages_of_fifty(
    email_context: EmailContexts, unlocked_browser: FlaskClient, settings: Settings
) -> None:
    for _ in range(53):
        file_email(settings, email_context, "sign-in")
    first_page_text = local_get(unlocked_browser, urls.mailbox()).text
    second_page_text = local_get(unlocked_browser, urls.mailbox(page=2)).text
    assert (len(email_links(first_page_text)), len(email_links(second_page_text))) == (50, 3)
    assert "Older emails" in first_page_text
    assert "Older emails" not in second_page_text
    assert "Newer emails" in second_page_text
    assert not set(email_links(first_page_text)) & set(email_links(second_page_text))
    for invalid_page in ("0", "-3", "x", "99999999999999999999"):
        assert (
            local_get(unlocked_browser, f"{urls.mailbox()}?page={invalid_page}").status_code == 200
        )


@pytest.mark.parametrize("kind", EMAIL_KINDS)
def test_email_page_shows_text_headers_and_html(
    email_context: EmailContexts,
    unlocked_browser: FlaskClient,
    settings: Settings,
    kind: str,
) -> None:
    file_email(settings, email_context, kind)
    (link,) = email_links(local_get(unlocked_browser, urls.mailbox()).text)
    page = local_get(unlocked_browser, link)
    assert "Auto-Submitted" in page.text
    assert email_context(kind).envelope.address in page.text
    assert f'src="{link}/html"' in page.text
    framed_page = local_get(unlocked_browser, f"{link}/html")
    assert framed_page.text.startswith("<!doctype html>")
    assert '<base target="_blank">' in framed_page.text


def test_links_in_the_text_are_clickable(
    email_context: EmailContexts, unlocked_browser: FlaskClient, settings: Settings
) -> None:
    file_email(settings, email_context, "sign-in")
    (link,) = email_links(local_get(unlocked_browser, urls.mailbox()).text)
    target = f"http://127.0.0.1:8000{urls.sign_in_link(email_context('sign-in').link_token)}"
    assert f'<a href="{target}"' in local_get(unlocked_browser, link).text


def test_framed_email_may_not_run_scripts_or_load_resources(
    email_context: EmailContexts, unlocked_browser: FlaskClient, settings: Settings
) -> None:
    file_email(settings, email_context, "sign-in")
    (link,) = email_links(local_get(unlocked_browser, urls.mailbox()).text)
    email_page, framed_page = (
        local_get(unlocked_browser, link),
        local_get(unlocked_browser, f"{link}/html"),
    )
    policies = framed_page.headers.getlist("Content-Security-Policy")
    assert len(policies) == 1
    assert "default-src 'none'" in policies[0]
    assert "script-src" not in policies[0]
    assert "frame-ancestors 'self'" in policies[0]
    assert "sandbox allow-popups" in policies[0]
    assert "allow-scripts" not in policies[0] + email_page.text
    assert "allow-same-origin" not in policies[0] + email_page.text
    assert framed_page.headers.getlist("X-Frame-Options") == ["SAMEORIGIN"]
    assert "frame-src 'self'" in email_page.headers["Content-Security-Policy"]
    assert email_page.headers["X-Frame-Options"] == "DENY"
    assert email_page.headers["Cache-Control"] == framed_page.headers["Cache-Control"] == "no-store"


def test_hostile_email_is_escaped(unlocked_browser: FlaskClient, settings: Settings) -> None:
    hostile_search = (
        b"Subject: <script>alert(1)</script>\r\nTo: alice@example.test\r\n"
        b'X-Evil: "><img src=x onerror=alert(2)>\r\n\r\n'
        b'<script>alert(3)</script> javascript:alert(4) http://a.test/"onclick="x\r\n'
    )
    MaildirTransport(settings.maildir).send(
        with_envelope(
            hostile_search,
            recipient="alice@example.test",
            mail_from="lodepost@localhost.test",
            message_id="<1@x>",
        )
    )
    (link,) = email_links(local_get(unlocked_browser, urls.mailbox()).text)
    for page in (
        local_get(unlocked_browser, urls.mailbox()).text,
        local_get(unlocked_browser, link).text,
    ):
        assert "<script>" not in page
        assert "<img src=x" not in page
        assert not re.search(r"\sonclick=", page)
    assert "<script>alert(3)</script>" in unescape(local_get(unlocked_browser, link).text)


@pytest.mark.parametrize(
    "name",
    ["none", "..", "../../secret-key", "%2e%2e%2fsecret-key", "1.M1P1Q1.x", "new", "\x00"],
)
def test_unknown_email_is_not_found(
    email_context: EmailContexts,
    unlocked_browser: FlaskClient,
    settings: Settings,
    tmp_path: Path,
    name: str,
) -> None:
    file_email(settings, email_context, "sign-in")
    (tmp_path / "secret-key").write_text("the key")
    for path in (urls.mailbox_email(name), urls.mailbox_email_html(name), f"/mailbox/{name}"):
        answer = local_get(unlocked_browser, path)
        assert answer.status_code in {404, 308}
        assert "the key" not in answer.text


def test_foreign_files_in_the_folder_are_ignored(
    email_context: EmailContexts, unlocked_browser: FlaskClient, settings: Settings
) -> None:
    file_email(settings, email_context, "sign-in")
    (settings.maildir / "new" / "notes.txt").write_text("hello")
    assert len(email_links(local_get(unlocked_browser, urls.mailbox()).text)) == 1


def test_email_that_a_mail_program_has_read_is_still_listed(
    email_context: EmailContexts, unlocked_browser: FlaskClient, settings: Settings
) -> None:
    file_email(settings, email_context, "sign-in")
    (filed_email,) = (settings.maildir / "new").iterdir()
    filed_email.rename(settings.maildir / "cur" / f"{filed_email.name}:2,S")
    (link,) = email_links(local_get(unlocked_browser, urls.mailbox()).text)
    assert local_get(unlocked_browser, link).status_code == 200
