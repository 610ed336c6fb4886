import pytest

from tests.support.settings import local_settings, public_settings
from webapp.doctor.addresses import check_addresses, check_public_address
from webapp.kernel.config import Settings


@pytest.mark.parametrize("settings", [local_settings(), public_settings()])
def test_consistent_addresses_are_ok(settings: Settings) -> None:
    assert [result.status for result in check_addresses(settings)] == ["ok"]


@pytest.mark.parametrize(
    "settings, status, message",
    [
        (public_settings(TRUSTED_PROXIES="0"), "error", "TRUSTED_PROXIES is 0"),
        (public_settings(BASE_URL="http://play.example.org"), "warning", "BASE_URL is http"),
        (public_settings(SMTP_URL=""), "error", "no one else can sign in"),
        (public_settings(LISTEN="0.0.0.0:8000"), "warning", "from every network"),
        (local_settings(SMTP_URL="smtp://mail.example.org"), "warning", "will not work elsewhere"),
        (
            local_settings(BASE_URL="http://localhost:9000"),
            "warning",
            "port 9000, LISTEN has port 8000",
        ),
    ],
)
def test_inconsistent_addresses_are_reported_with_a_remedy(
    settings: Settings, status: str, message: str
) -> None:
    (result,) = [result for result in check_addresses(settings) if result.status != "ok"]
    assert result.status == status
    assert message in result.message
    assert result.remedy


def test_public_address_must_answer_with_a_status_of_lodepost() -> None:
    requested_urls = []

    def status_for(http_status: int) -> str:
        def fetch_status(address: str) -> int:
            requested_urls.append(address)
            return http_status

        return check_public_address(public_settings(), fetch_status).status

    assert [status_for(200), status_for(503), status_for(404)] == ["ok", "ok", "warning"]
    assert set(requested_urls) == {"https://play.example.org/healthz"}


def test_unreachable_public_address_is_a_warning() -> None:
    def fetch_status(_: str) -> int:
        raise OSError("no such host")

    result = check_public_address(public_settings(), fetch_status)
    assert result.status == "warning"
    assert "no such host" in result.message
