from pathlib import Path

import pytest

from webapp.config import Misconfigured, Settings, is_loopback, mailbox_key_for, settings_from

KEY = "0123456789abcdef0123456789abcdef"
FULL = {
    "DATABASE_URL": "postgres://lode:hush@db.example.org:5433/lode",
    "REDIS_URL": "redis://:hush@cache.example.org:6379/0",
    "SMTP_URL": "smtp://lode:hush@mail.example.org:587",
    "BASE_URL": "https://play.example.org/",
    "SECRET_KEY": KEY,
    "LISTEN": "[::1]:9000",
    "TRUSTED_PROXIES": "2",
    "METRICS_TOKEN": KEY[::-1],
    "MAIL_FROM": "dwarfs@example.org",
    "DATA_DIR": "/srv/lodepost",
}


def problems_of(environ: dict[str, str]) -> list[str]:
    with pytest.raises(Misconfigured) as refused:
        settings_from(environ)
    return refused.value.problems


@pytest.mark.parametrize(
    "base_url, host, domain",
    [
        ("https://play.example", "play.example", "play.example"),
        ("http://192.0.2.7:8000", "192.0.2.7", "192.0.2.7"),
        ("http://[2001:db8::1]:8000", "2001:db8::1", "localhost"),
    ],
)
def test_message_ids_are_made_under_the_host_unless_it_is_an_address_of_ipv6(
    base_url: str, host: str, domain: str
) -> None:
    settings = settings_from({"BASE_URL": base_url})
    assert (settings.host, settings.mail_domain) == (host, domain)


def test_an_empty_environment_is_a_server_for_this_machine() -> None:
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
    )
    assert settings.broker_url == "memory://localhost/"
    assert settings.maildir == settings.data_dir / "mail"


def test_blank_values_count_as_unset() -> None:
    assert settings_from(dict.fromkeys(FULL, "  ")) == settings_from({})


def test_everything_can_be_said() -> None:
    settings = settings_from(FULL)
    assert settings.database_url == "postgresql+psycopg://lode:hush@db.example.org:5433/lode"
    assert settings.broker_url == settings.redis_url == FULL["REDIS_URL"]
    assert settings.smtp_url == FULL["SMTP_URL"]
    assert settings.base_url == "https://play.example.org"
    assert (settings.listen_host, settings.listen_port) == ("::1", 9000)
    assert settings.trusted_proxies == 2
    assert settings.metrics_token == KEY[::-1]
    assert settings.mail_from == "dwarfs@example.org"
    assert settings.data_dir == Path("/srv/lodepost")


def test_the_base_url_follows_the_address_and_the_sender_follows_the_base_url() -> None:
    assert settings_from({"LISTEN": "[::1]:9000"}).base_url == "http://[::1]:9000"
    assert settings_from({"BASE_URL": "https://a.example"}).mail_from == "lodepost@a.example"


@pytest.mark.parametrize(
    "given, base_url, domain",
    [
        ("https://žaidimai.lt", "https://xn--aidimai-cxb.lt", "xn--aidimai-cxb.lt"),
        ("https://ŽAIDIMAI.lt:8443/", "https://xn--aidimai-cxb.lt:8443", "xn--aidimai-cxb.lt"),
        ("https://рудник.укр", "https://xn--d1aigkns.xn--j1amh", "xn--d1aigkns.xn--j1amh"),
        ("https://straße.example", "https://xn--strae-oqa.example", "xn--strae-oqa.example"),
    ],
)
def test_a_name_in_any_script_is_kept_as_it_travels(given: str, base_url: str, domain: str) -> None:
    settings = settings_from({"BASE_URL": given})
    assert (settings.base_url, settings.mail_domain) == (base_url, domain)
    assert settings.mail_from == f"lodepost@{domain}"


def test_the_domain_of_the_sender_may_be_of_any_script() -> None:
    settings = settings_from({"MAIL_FROM": "saboteur@žaidimai.lt"})
    assert settings.mail_from == "saboteur@xn--aidimai-cxb.lt"


def test_no_secret_stands_in_the_repr() -> None:
    words = repr(settings_from(FULL))
    assert "hush" not in words
    assert KEY not in words
    assert KEY[::-1] not in words


@pytest.mark.parametrize(
    "name,value",
    [
        ("METRICS_TOKEN", "short"),
        ("METRICS_TOKEN", "ä" * 40),
        ("METRICS_TOKEN", "two words " * 4),
        ("DATABASE_URL", "sqlite:///game.db"),
        ("DATABASE_URL", "postgresql://db.example.org"),
        ("DATABASE_URL", "postgresql://db.example.org:huge/lode"),
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
        ("MAIL_FROM", "nobody"),
        ("MAIL_FROM", "žaidimai@example.org"),
        ("MAIL_FROM", "a@example.org\nBcc: b@example.org"),
        ("DATA_DIR", __file__),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(name: str, value: str) -> None:
    (problem,) = problems_of({"SECRET_KEY": KEY, name: value})
    assert problem.startswith(f"{name} ")
    assert problem.endswith(".")


def test_every_wrong_value_is_told_at_once() -> None:
    problems = problems_of({"LISTEN": "x", "BASE_URL": "y", "TRUSTED_PROXIES": "z"})
    assert [problem.split()[0] for problem in problems] == ["LISTEN", "BASE_URL", "TRUSTED_PROXIES"]


def test_passwords_are_not_repeated_in_complaints() -> None:
    environ = {"DATABASE_URL": "mysql://me:hush@db/x", "REDIS_URL": "amqp://:hush@mq"}
    assert "hush" not in "\n".join(problems_of({**environ, "SMTP_URL": "hush"}))


@pytest.mark.parametrize("password", ["hüsh", "h%C3%BCsh", "hush%FF"])
def test_a_password_that_no_relay_can_be_told_is_not_repeated(password: str) -> None:
    [problem] = problems_of({"SMTP_URL": f"smtp://lode:{password}@mail.example.org"})
    assert problem.startswith("SMTP_URL")
    assert not [part for part in ("hüsh", "hush", "%C3", "lode") if part in problem]


def test_a_named_database_needs_a_named_secret_key() -> None:
    (problem,) = problems_of({"DATABASE_URL": "postgresql://db/lode"})
    assert problem.startswith("SECRET_KEY is missing")


def test_the_mailbox_has_a_key_of_its_own_on_this_machine() -> None:
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
def test_there_is_no_mailbox_where_others_might_read_it(environ: dict[str, str]) -> None:
    assert mailbox_key_for(settings_from({"SECRET_KEY": KEY, **environ})) is None


@pytest.mark.parametrize("name", ["DATABASE_URL", "REDIS_URL", "SMTP_URL"])
@pytest.mark.parametrize("password", ["hush/hush", "hush#hush", "hush?hush", "[hush", "hush℀"])
def test_a_password_that_breaks_the_address_is_not_repeated(name: str, password: str) -> None:
    scheme = {"DATABASE_URL": "postgresql", "REDIS_URL": "redis", "SMTP_URL": "smtp"}[name]
    address = f"{scheme}://lode:{password}@host.example.org:5432/lode"
    [problem] = problems_of({"SECRET_KEY": KEY, name: address})
    assert problem.startswith(name)
    assert "hush" not in problem


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1"])
def test_loopback_is_known(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["", "0.0.0.0", "::", "10.0.0.1", "localhost.example.org"])
def test_other_hosts_are_not_loopback(host: str) -> None:
    assert not is_loopback(host)
