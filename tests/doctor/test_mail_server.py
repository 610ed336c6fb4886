import pytest

from tests.support.settings import local_settings
from tests.support.smtp_sink import CREDENTIALS, running_sink, trusting_context
from webapp.doctor.mail import check_mail_server


def test_missing_mail_server_is_ok() -> None:
    assert check_mail_server(local_settings()).status == "ok"


@pytest.mark.parametrize("tls, scheme", [("starttls", "smtp+starttls"), ("first", "smtps")])
def test_mail_server_with_tls_is_ok(tls: str, scheme: str) -> None:
    with running_sink(tls=tls) as sink:
        settings = local_settings(SMTP_URL=f"{scheme}://localhost:{sink.port}")
        result = check_mail_server(settings, trusted_context=trusting_context())
    assert (result.status, "over TLS" in result.message) == ("ok", True)
    assert sink.accepted_messages == []


@pytest.mark.parametrize(
    "tls, url, message, remedy",
    [
        ("", "smtp+starttls://localhost:{}", "STARTTLS", "offers STARTTLS"),
        ("", "smtps://localhost:{}", "SSL", "in the server's certificate"),
        ("starttls", "smtp+starttls://localhost:{}", "CERTIFICATE_VERIFY", "certificate"),
        ("", "smtp://lodepost:wrong-hush@localhost:{}", "535", "user and password"),
        ("", "smtp://localhost:1", "refused", "SMTP_URL"),
    ],
)
def test_unusable_mail_server_is_an_error(tls: str, url: str, message: str, remedy: str) -> None:
    with running_sink(tls=tls, auth=True) as sink:
        result = check_mail_server(local_settings(SMTP_URL=url.format(sink.port)))
    assert result.status == "error"
    assert message in result.message
    assert remedy in result.remedy
    assert "wrong-hush" not in result.message + result.remedy


def test_mail_server_check_passes_with_a_valid_password() -> None:
    user, password = CREDENTIALS
    with running_sink(auth=True) as sink:
        url = f"smtp://{user}:{password.replace(':', '%3A').replace('/', '%2F')}@localhost:{sink.port}"
        settings = local_settings(SMTP_URL=url.replace("p@ss", "p%40ss"))
        assert check_mail_server(settings).status == "ok"
