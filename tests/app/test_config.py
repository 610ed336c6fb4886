from pathlib import Path

import pytest
from sqlalchemy import create_engine

from webapp.kernel.config import Settings, settings_from
from webapp.kernel.keys import mailbox_key_for
from webapp.kernel.operator_errors import Misconfigured

KEY = "0123456789abcdef0123456789abcdef"
ALL_SETTINGS = {
    "DATABASE_URL": "postgres://lode:hush@db.example.org:5433/lode",
    "REDIS_URL": "redis://:hush@cache.example.org:6379/0",
    "SMTP_URL": "smtp://lode:hush@mail.example.org:587",
    "BASE_URL": "https://play.example.org/",
    "SECRET_KEY": KEY,
    "LISTEN": "[::1]:9000",
    "TRUSTED_PROXIES": "2",
    "DRAIN_SECONDS": "20",
    "EMAIL_WAIT_MINUTES": "0",
    "METRICS_TOKEN": KEY[::-1],
    "MAIL_FROM": "dwarfs@example.org",
    "DATA_DIR": "/srv/lodepost",
    "SECURITY_CONTACT": "security@example.org, https://example.org/report",
    "SECURITY_POLICY": "https://example.org/security",
    "HSTS_SUBDOMAINS": "no",
}


def problems_of(environ: dict[str, str]) -> list[str]:
    with pytest.raises(Misconfigured) as error_info:
        settings_from(environ)
    return error_info.value.problems


@pytest.mark.parametrize(
    "base_url, host, domain",
    [
        ("https://play.example", "play.example", "play.example"),
        ("http://192.0.2.7:8000", "192.0.2.7", "192.0.2.7"),
        ("http://[2001:db8::1]:8000", "2001:db8::1", "localhost"),
    ],
)
def test_message_id_domain_is_the_host_unless_it_is_an_ipv6_address(
    base_url: str, host: str, domain: str
) -> None:
    settings = settings_from({"BASE_URL": base_url})
    assert (settings.host, settings.mail_domain) == (host, domain)


@pytest.mark.parametrize(
    "url, connect_fields",
    [
        ("postgresql:///lode?host=/run/postgresql", {"host": "/run/postgresql", "dbname": "lode"}),
        (
            "postgres://u:p@/lode?host=/run/postgresql&port=5433",
            {"host": "/run/postgresql", "port": "5433", "user": "u", "password": "p"},
        ),
    ],
)
def test_database_may_be_reached_through_a_socket(url: str, connect_fields: dict[str, str]) -> None:
    engine = create_engine(settings_from({"DATABASE_URL": url, "SECRET_KEY": KEY}).database_url)
    connect_arguments = engine.dialect.create_connect_args(engine.url)[1]
    assert connect_fields.items() <= connect_arguments.items()


@pytest.mark.parametrize(
    "configured, spelled",
    [
        ("https://Play.Example.org:443", "https://play.example.org"),
        ("HTTPS://play.example.org/", "https://play.example.org"),
        ("http://play.example.org:80", "http://play.example.org"),
        ("http://play.example.org:443", "http://play.example.org:443"),
        ("https://play.example.org:8443", "https://play.example.org:8443"),
        ("https://[2001:DB8::1]:443", "https://[2001:db8::1]"),
    ],
)
def test_base_url_is_spelled_as_browsers_do(configured: str, spelled: str) -> None:
    assert settings_from({"BASE_URL": configured}).base_url == spelled


def test_empty_environment_means_a_server_for_this_machine() -> None:
    settings = settings_from({})
    assert settings == Settings(
        database_url="",
        redis_url="",
        smtp_url="",
        secret_key="",
        base_url="http://127.0.0.1:8000",
        listen_host="127.0.0.1",
        listen_port=8000,
        trusted_proxies=0,
        mail_from="lodepost@localhost.test",
        data_dir=Path.cwd() / "lodepost-data",
        email_wait_minutes=0,
        reply_address="reply@localhost.test",
    )
    assert settings.broker_url == "memory://localhost/"
    assert settings.maildir == settings.data_dir / "mail"


def test_options_of_postgres_are_kept() -> None:
    url = "postgresql://db.example.org/lode?sslmode=verify-full&connect_timeout=5"
    settings = settings_from({"DATABASE_URL": url, "SECRET_KEY": KEY})
    assert settings.database_url == url.replace("postgresql", "postgresql+psycopg")


def test_blank_values_count_as_unset() -> None:
    assert settings_from(dict.fromkeys(ALL_SETTINGS, "  ")) == settings_from({})


def test_all_settings_are_read() -> None:
    settings = settings_from(ALL_SETTINGS)
    assert settings.database_url == "postgresql+psycopg://lode:hush@db.example.org:5433/lode"
    assert settings.broker_url == settings.redis_url == ALL_SETTINGS["REDIS_URL"]
    assert settings.smtp_url == ALL_SETTINGS["SMTP_URL"]
    assert settings.base_url == "https://play.example.org"
    assert (settings.listen_host, settings.listen_port) == ("::1", 9000)
    assert settings.trusted_proxies == 2
    assert settings.metrics_token == KEY[::-1]
    assert settings.mail_from == "dwarfs@example.org"
    assert settings.data_dir == Path("/srv/lodepost")
    assert settings.security_contacts == (
        "mailto:security@example.org",
        "https://example.org/report",
    )
    assert settings.security_policy == "https://example.org/security"
    assert not settings.hsts_subdomains


def test_default_base_url_follows_listen_and_default_sender_follows_base_url() -> None:
    assert settings_from({"LISTEN": "[::1]:9000"}).base_url == "http://[::1]:9000"
    assert settings_from({"BASE_URL": "https://a.example"}).mail_from == "lodepost@a.example"


@pytest.mark.parametrize(
    "configured_host, base_url, domain",
    [
        ("https://žaidimai.lt", "https://xn--aidimai-cxb.lt", "xn--aidimai-cxb.lt"),
        ("https://ŽAIDIMAI.lt:8443/", "https://xn--aidimai-cxb.lt:8443", "xn--aidimai-cxb.lt"),
        ("https://рудник.укр", "https://xn--d1aigkns.xn--j1amh", "xn--d1aigkns.xn--j1amh"),
        ("https://straße.example", "https://xn--strae-oqa.example", "xn--strae-oqa.example"),
    ],
)
def test_international_host_is_stored_in_idna_form(
    configured_host: str, base_url: str, domain: str
) -> None:
    settings = settings_from({"BASE_URL": configured_host})
    assert (settings.base_url, settings.mail_domain) == (base_url, domain)
    assert settings.mail_from == f"lodepost@{domain}"


def test_international_sender_domain_is_stored_in_idna_form() -> None:
    settings = settings_from({"MAIL_FROM": "saboteur@žaidimai.lt"})
    assert settings.mail_from == "saboteur@xn--aidimai-cxb.lt"


def test_repr_contains_no_secret() -> None:
    text = repr(settings_from(ALL_SETTINGS))
    assert "hush" not in text
    assert KEY not in text
    assert KEY[::-1] not in text


@pytest.mark.parametrize(
    "name,value",
    [
        ("METRICS_TOKEN", "short"),
        ("METRICS_TOKEN", "ä" * 40),
        ("METRICS_TOKEN", "two words " * 4),
        ("DATABASE_URL", "sqlite:///game.db"),
        ("DATABASE_URL", "postgresql://db.example.org"),
        ("DATABASE_URL", "postgresql://%2Frun%2Fpostgresql/lode"),
        ("DATABASE_URL", "postgresql://db.example.org:huge/lode"),
        ("DATABASE_URL", "postgresql://db.example.org/lode?sslmod=verify-full"),
        ("REDIS_URL", "memcached://cache"),
        ("REDIS_URL", "redis://cache:99999/0"),
        ("SMTP_URL", "mail.example.org:25"),
        ("SMTP_URL", "smtp://mail.example.org:x"),
        ("SMTP_URL", "smtp://mail..example.org"),
        ("SMTP_URL", "smtp://lode:pässwörd@mail.example.org"),
        ("SMTP_URL", "smtp://lode:p%C3%A4ss@mail.example.org"),
        ("SMTP_URL", "smtp://lodė:hush@mail.example.org"),
        ("BASE_URL", "play.example.org"),
        ("BASE_URL", "https://play.example.org/lodepost"),
        ("BASE_URL", "https://play.example.org?x=1"),
        ("BASE_URL", "https://[broken"),
        ("BASE_URL", "https://\u2603-\u0301.lt"),
        ("BASE_URL", f"https://{'ž' * 70}.lt"),
        ("SECRET_KEY", "short"),
        ("LISTEN", "8000"),
        ("LISTEN", "127.0.0.1"),
        ("LISTEN", "127.0.0.1:0"),
        ("LISTEN", "127.0.0.1:70000"),
        ("TRUSTED_PROXIES", "-1"),
        ("TRUSTED_PROXIES", "11"),
        ("TRUSTED_PROXIES", "some"),
        ("DRAIN_SECONDS", "31"),
        ("EMAIL_WAIT_MINUTES", "11"),
        ("DRAIN_SECONDS", "long"),
        ("REPLY_ADDRESS", "no-address"),
        ("REPLY_ADDRESS", "reply+x@example.org"),
        ("REPLY_ADDRESS", f"{'r' * 25}@example.org"),
        ("AUTHSERV_ID", "mx.example.org; dmarc=pass"),
        ("MAIL_FROM", "no-address"),
        ("MAIL_FROM", "žaidimai@example.org"),
        ("MAIL_FROM", "a@example.org\nBcc: b@example.org"),
        ("DATA_DIR", __file__),
    ],
)
def test_invalid_value_is_reported_with_its_name(name: str, value: str) -> None:
    (error_text,) = problems_of({"SECRET_KEY": KEY, name: value})
    assert error_text.startswith(f"{name} ")
    assert error_text.endswith(".")


def test_all_invalid_values_are_reported_together() -> None:
    problems = problems_of({"LISTEN": "x", "BASE_URL": "y", "TRUSTED_PROXIES": "z"})
    assert [error_text.split()[0] for error_text in problems] == [
        "LISTEN",
        "BASE_URL",
        "TRUSTED_PROXIES",
    ]


def test_errors_do_not_quote_passwords() -> None:
    environ = {"DATABASE_URL": "mysql://me:hush@db/x", "REDIS_URL": "amqp://:hush@mq"}
    assert "hush" not in "\n".join(problems_of({**environ, "SMTP_URL": "hush"}))


@pytest.mark.parametrize("password", ["hüsh", "h%C3%BCsh", "hush%FF"])
def test_error_about_a_non_ascii_password_does_not_quote_it(password: str) -> None:
    [error_text] = problems_of({"SMTP_URL": f"smtp://lode:{password}@mail.example.org"})
    assert error_text.startswith("SMTP_URL")
    assert not [part for part in ("hüsh", "hush", "%C3", "lode") if part in error_text]


def test_database_url_requires_a_secret_key() -> None:
    (error_text,) = problems_of({"DATABASE_URL": "postgresql://db/lode"})
    assert error_text.startswith("SECRET_KEY is not set")


def test_local_server_has_a_mailbox_key() -> None:
    key = mailbox_key_for(settings_from({"SECRET_KEY": KEY}))
    assert key is not None
    assert len(key) == 32
    assert key not in KEY
    assert key != mailbox_key_for(settings_from({"SECRET_KEY": KEY[::-1]}))


@pytest.mark.parametrize(
    "environ",
    [
        {"SMTP_URL": "smtp://mail.example.org"},
        {"BASE_URL": "https://play.example.org"},
        {"LISTEN": "0.0.0.0:8000", "BASE_URL": "http://127.0.0.1:8000"},
    ],
)
def test_server_that_others_can_reach_has_no_mailbox(environ: dict[str, str]) -> None:
    assert mailbox_key_for(settings_from({"SECRET_KEY": KEY, **environ})) is None


@pytest.mark.parametrize("name", ["DATABASE_URL", "REDIS_URL", "SMTP_URL"])
@pytest.mark.parametrize("password", ["hush/hush", "hush#hush", "hush?hush", "[hush", "hush℀"])
def test_error_about_a_malformed_url_does_not_quote_its_password(name: str, password: str) -> None:
    scheme = {"DATABASE_URL": "postgresql", "REDIS_URL": "redis", "SMTP_URL": "smtp"}[name]
    address = f"{scheme}://lode:{password}@host.example.org:5432/lode"
    [error_text] = problems_of({"SECRET_KEY": KEY, name: address})
    assert error_text.startswith(name)
    assert "hush" not in error_text


def test_emails_wait_for_their_readers_only_where_they_leave_the_machine() -> None:
    assert settings_from({}).email_wait_minutes == 0
    assert settings_from({"SMTP_URL": "smtp://relay.example.org"}).email_wait_minutes == 5


def test_old_keys_are_separated_by_commas_or_line_breaks() -> None:
    keys = ("a" * 32, "a phrase with spaces" + "b" * 32, "c" * 32)
    settings = settings_from(
        {"SECRET_KEY": KEY, "OLD_SECRET_KEYS": f"{keys[0]}, {keys[1]}\n{keys[2]}\n"}
    )
    assert settings.old_secret_keys == keys
    assert all(key not in repr(settings) for key in keys)


@pytest.mark.parametrize(
    "environ, problem",
    [
        ({"OLD_SECRET_KEYS": "short"}, "OLD_SECRET_KEYS has 5 characters"),
        ({"OLD_SECRET_KEYS": KEY}, "OLD_SECRET_KEYS contains SECRET_KEY itself"),
        ({"OLD_HOSTS": "play.example.org"}, "OLD_HOSTS names the host of BASE_URL"),
        ({"OLD_HOSTS": "https://old.example/path"}, "OLD_HOSTS must be"),
        ({"OLD_HOSTS": "ftp://old.example"}, "OLD_HOSTS must be"),
    ],
)
def test_impossible_old_keys_and_hosts_are_reported(environ: dict[str, str], problem: str) -> None:
    with pytest.raises(Misconfigured, match=problem):
        settings_from({"SECRET_KEY": KEY, "BASE_URL": "https://play.example.org", **environ})


def test_hosts_are_names_or_addresses() -> None:
    environ = {"OLD_HOSTS": "Old.example, http://192.0.2.7:8000,https://sp\u0113le.example/,[::2]"}
    assert settings_from(environ).old_hosts == (
        "old.example",
        "192.0.2.7",
        "xn--sple-cva.example",
        "::2",
    )
