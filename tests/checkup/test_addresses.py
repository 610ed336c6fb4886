import pytest

from tests.support.settings import local, public
from webapp.checkup.addresses import look_at_addresses, look_from_outside
from webapp.config import Settings


@pytest.mark.parametrize("settings", [local(), public()])
def test_settings_that_fit_each_other_are_well(settings: Settings) -> None:
    assert [one.verdict for one in look_at_addresses(settings)] == ["well"]


@pytest.mark.parametrize(
    "settings, verdict, words",
    [
        (public(TRUSTED_PROXIES="0"), "wrong", "TRUSTED_PROXIES is 0"),
        (public(BASE_URL="http://play.example.org"), "doubtful", "BASE_URL is http"),
        (public(SMTP_URL=""), "wrong", "nobody else can sign in"),
        (public(LISTEN="0.0.0.0:8000"), "doubtful", "open to every network"),
        (local(SMTP_URL="smtp://mail.example.org"), "doubtful", "lead nowhere"),
        (local(BASE_URL="http://localhost:9000"), "doubtful", "port 9000, and LISTEN port 8000"),
    ],
)
def test_what_does_not_fit_is_told_with_what_would(
    settings: Settings, verdict: str, words: str
) -> None:
    (found,) = [one for one in look_at_addresses(settings) if one.verdict != "well"]
    assert found.verdict == verdict
    assert words in found.words
    assert found.remedy


def test_its_public_name_must_lead_here() -> None:
    asked = []

    def answers(status: int) -> str:
        def fetch(address: str) -> int:
            asked.append(address)
            return status

        return look_from_outside(public(), fetch).verdict

    assert [answers(200), answers(503), answers(404)] == ["well", "well", "doubtful"]
    assert set(asked) == {"https://play.example.org/healthz"}


def test_a_public_name_that_leads_nowhere_is_told() -> None:
    def fetch(_: str) -> int:
        raise OSError("no such host")

    found = look_from_outside(public(), fetch)
    assert found.verdict == "doubtful"
    assert "no such host" in found.words
