"""Settings that name who takes reports of vulnerabilities."""

import pytest

from tests.app.test_config import problems_of
from webapp.kernel.config import settings_from


@pytest.mark.parametrize(
    "contact, uris",
    [
        ("mailto:admin@example.org", ("mailto:admin@example.org",)),
        ("admin+lode@example.org", ("mailto:admin%2Blode@example.org",)),
        ("admin@b\u00fccher.example", ("mailto:admin@xn--bcher-kva.example",)),
        ("https://example.org/form?x=1", ("https://example.org/form?x=1",)),
    ],
)
def test_contact_is_stored_as_a_uri(contact: str, uris: tuple[str, ...]) -> None:
    assert settings_from({"SECURITY_CONTACT": contact}).security_contacts == uris


@pytest.mark.parametrize(
    "name, value",
    [
        ("SECURITY_CONTACT", "me"),
        ("SECURITY_CONTACT", "http://example.org/report"),
        ("SECURITY_CONTACT", "a@example.org,"),
        ("SECURITY_CONTACT", "a@example.org\nExpires: 2099-01-01T00:00:00Z"),
        ("SECURITY_CONTACT", "https://example.org/\nPolicy: https://evil.example"),
        ("SECURITY_CONTACT", "https://[::1"),
        ("SECURITY_CONTACT", ",".join(["a@example.org"] * 6)),
        ("SECURITY_POLICY", "policy.html"),
        ("SECURITY_POLICY", "http://example.org/policy"),
        ("SECURITY_POLICY", "https://example.org/a b"),
        ("HSTS_SUBDOMAINS", "maybe"),
    ],
)
def test_impossible_security_setting_is_reported(name: str, value: str) -> None:
    [problem] = problems_of({name: value})
    assert problem.startswith(name)
