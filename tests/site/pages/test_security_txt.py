from datetime import datetime, timedelta

from tests.support.compiled_templates import create_app
from tests.support.transactions import NOON
from tests.support.visitors import Site, settings_for
from webapp.kernel import urls
from webapp.kernel.tx import Database


def test_site_without_a_contact_has_no_security_txt(site: Site) -> None:
    assert site.signed_out().get(urls.security_txt()).status_code == 404


def test_security_txt_has_the_fields_of_rfc_9116(database: Database, database_url: str) -> None:
    settings = settings_for(
        database_url,
        base_url="https://lodepost.test",
        security_contacts=("mailto:security@lodepost.test", "https://lodepost.test/report"),
        security_policy="https://lodepost.test/policy",
    )
    app = create_app(settings, database=database, now=lambda: NOON)
    answer = app.test_client().get(urls.security_txt(), base_url="https://lodepost.test")
    assert answer.content_type == "text/plain; charset=utf-8"
    fields = [tuple(line.split(": ", 1)) for line in answer.text.splitlines()]
    expiry = datetime.fromisoformat(dict(fields)["Expires"])
    assert timedelta(days=30) < expiry - NOON < timedelta(days=365)
    assert [field for field in fields if field[0] != "Expires"] == [
        ("Contact", "mailto:security@lodepost.test"),
        ("Contact", "https://lodepost.test/report"),
        ("Canonical", "https://lodepost.test/.well-known/security.txt"),
        ("Policy", "https://lodepost.test/policy"),
        ("Preferred-Languages", "en"),
    ]
