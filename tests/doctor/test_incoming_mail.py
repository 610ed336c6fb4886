"""The doctor signs in to the mailbox of IMAP_URL."""

import pytest

from tests.support.dovecot import running_dovecot
from tests.support.settings import local_settings
from webapp.doctor.mail import check_incoming_mail


def test_site_without_a_mailbox_is_not_checked() -> None:
    assert list(check_incoming_mail(local_settings())) == []


@pytest.mark.parametrize(
    "password, folder, status",
    [("open-sesame", "INBOX", "ok"), ("wrong", "INBOX", "error"), ("open-sesame", "None", "error")],
)
def test_mailbox_is_opened(password: str, folder: str, status: str) -> None:
    with running_dovecot() as server:
        url = server.url("reply", password).replace("INBOX", folder)
        settings = local_settings(
            IMAP_URL=url, REPLY_ADDRESS="reply@lodepost.test", SMTP_URL="smtp://127.0.0.1"
        )
        [result] = check_incoming_mail(settings)
    assert result.status == status
    assert password not in result.message
    assert "127.0.0.1" in result.message


def test_mailbox_without_an_address_for_answers_is_a_warning() -> None:
    settings = local_settings(IMAP_URL="imap://a:b@127.0.0.1:9", SMTP_URL="smtp://127.0.0.1")
    assert [result.status for result in check_incoming_mail(settings)] == ["warning", "error"]
