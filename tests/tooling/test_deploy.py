"""What the files for operators call is there: commands, settings, folders, addresses."""

import argparse
import configparser
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from webapp import urls
from webapp.cli import _COMMANDS
from webapp.config import settings_from
from webapp.serving.web import _IDLE_TIMEOUT

ROOT = Path(__file__).parents[2]
UNITS = sorted((ROOT / "deploy" / "systemd").iterdir())
SERVICES = [unit for unit in UNITS if unit.suffix == ".service"]
PROXIES = ("nginx.conf", "Caddyfile")
FOR_COMPOSE = {"POSTGRES_PASSWORD", "MAIL_DOMAIN"}


def known_settings() -> set[str]:
    source = (ROOT / "webapp" / "config.py").read_text(encoding="utf-8")
    return set(re.findall(r'reader\.read\(\s*"([A-Z_]+)"', source))


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    return loaded


def read_unit(unit: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(unit.read_text(encoding="utf-8"))
    return parser


def assert_is_command(words: list[str]) -> None:
    """The words are a sub-command and what it takes."""
    configure, _ = _COMMANDS[words[0]].load()
    parser = argparse.ArgumentParser(exit_on_error=False)
    configure(parser)
    parser.parse_args([word.replace("%i", "8000") for word in words[1:]])


def assert_settings_fit(given: dict[str, str]) -> None:
    """The values are taken by the settings as they stand."""
    assert given.keys() <= known_settings()
    settings_from(given)


def test_compose_has_what_production_wants(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert services.keys() == {"postgres", "redis", "web", "worker", "beat", "migrate", "relay"}
    assert services["web"]["deploy"]["replicas"] == services["worker"]["deploy"]["replicas"] == 2
    assert "deploy" not in services["beat"]


@pytest.mark.parametrize("name", ["web", "worker", "beat", "migrate"])
def test_compose_calls_commands_that_are_there_with_settings_that_are_taken(
    name: str, compose: dict[str, Any]
) -> None:
    service = compose["services"][name]
    assert_is_command(service["command"])
    examples = {
        "POSTGRES_PASSWORD": "abc123",
        "BASE_URL": "https://play.example.org",
        "MAIL_FROM": "lodepost@example.org",
        "SECRET_KEY": "k" * 32,
    }
    environ = {key: filled(str(value), examples) for key, value in service["environment"].items()}
    assert_settings_fit(environ)
    assert {"DATABASE_URL", "REDIS_URL", "SMTP_URL"} <= environ.keys()


def filled(value: str, examples: dict[str, str]) -> str:
    """As compose fills it in: ``${NAME:-default}`` and ``${NAME:?what to do}``."""

    def replace(found: re.Match[str]) -> str:
        name, how, words = found.groups()
        return examples.get(name, words if how == "-" else "")

    return re.sub(r"\$\{([A-Z_]+):([-?])([^}]*)\}", replace, value)


def test_compose_and_its_example_name_the_same_settings(compose: dict[str, Any]) -> None:
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    example = (ROOT / "deploy" / "lodepost.env.example").read_text(encoding="utf-8")
    offered = set(re.findall(r"^#?([A-Z_]+)=", example, re.MULTILINE))
    assert set(re.findall(r"\$\{([A-Z_]+)", text)) <= offered
    assert offered <= known_settings() | FOR_COMPOSE


def test_the_services_of_compose_wait_for_services_that_are_there(compose: dict[str, Any]) -> None:
    services = compose["services"]
    for service in services.values():
        assert service.get("depends_on", {}).keys() <= services.keys()
    assert any(
        f"127.0.0.1:8000{urls.readiness()}" in word
        for word in services["web"]["healthcheck"]["test"]
    )


def test_the_image_is_made_of_what_is_there() -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    copied = re.findall(r"^COPY (?!--from)(\S+) (\S+)$", text, re.MULTILINE)
    assert {"engine", "webapp", "tasks", "templates", "migrations", "requirements.lock"} == {
        source for source, _ in copied
    }
    assert all((ROOT / source).exists() for source, _ in copied)
    sent = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {f"!{source}" for source, _ in copied} <= set(sent)
    assert not re.search(r"^USER (root|0)$", text, re.MULTILINE)
    assert "USER 10001" in text


def test_every_image_is_named_with_its_whole_version(compose: dict[str, Any]) -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    images = {service["image"] for service in compose["services"].values()} - {"lodepost"}
    for image in [*images, *re.findall(r"^FROM (\S+)", text, re.MULTILINE)]:
        assert re.fullmatch(r"docker\.io/[a-z/]+:v?\d+\.\d+(\.\d+)?(-slim)?", image), image
    assert "docker.io/library/postgres:17." in str(images), "another major cannot read the data"


def test_the_image_finds_templates_and_migrations_as_a_checkout_does() -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    places = {target for _, target in re.findall(r"^COPY (\w+) (/opt\S+)$", text, re.MULTILINE)}
    assert places == {
        f"/opt/lodepost/{name}" for name in ("engine", "webapp", "tasks", "templates", "migrations")
    }
    assert "PYTHONPATH=/opt/lodepost" in text


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_a_unit_calls_a_command_that_is_there_as_nobody_special(unit: Path) -> None:
    service = read_unit(unit)["Service"]
    program, words = service["ExecStart"].split(" -P -m webapp.cli ")
    assert program == "/opt/lodepost/.venv/bin/python"
    assert_is_command(words.split())
    assert service["User"] == "lodepost"
    assert service["NoNewPrivileges"] == "true"
    environ = dict(pair.split("=", 1) for pair in service["Environment"].split())
    assert environ.keys() - known_settings() == {"PYTHONPATH", "PYTHONUNBUFFERED"}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_names_units_that_are_there(unit: Path) -> None:
    section = re.findall(
        r"^(?:After|Wants|Requires|PartOf)=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE
    )
    named = {word for line in section for word in line.split() if word.startswith("lodepost")}
    files = {re.sub(r"@\w+\.", "@.", name) for name in named}
    assert files <= {path.name for path in UNITS}


def test_the_target_starts_two_two_and_one() -> None:
    text = (ROOT / "deploy" / "systemd" / "lodepost.target").read_text(encoding="utf-8")
    assert len(set(re.findall(r"lodepost-web@\d+\.service", text))) == 2
    assert len(set(re.findall(r"lodepost-worker@\d+\.service", text))) == 2
    assert text.count("lodepost-beat.service") == 1


@pytest.mark.parametrize("name", PROXIES)
def test_a_proxy_leads_to_both_and_hides_the_figures(name: str) -> None:
    text = (ROOT / "deploy" / name).read_text(encoding="utf-8")
    assert text.count("{") == text.count("}")
    assert "127.0.0.1:8000" in text
    assert "127.0.0.1:8001" in text
    assert re.search(rf"(location = |respond ){urls.metrics()}\b.*404", text)


@pytest.mark.parametrize("name", PROXIES)
def test_a_proxy_lets_go_of_a_silent_connection_before_lodepost_does(name: str) -> None:
    text = (ROOT / "deploy" / name).read_text(encoding="utf-8")
    found = re.search(r"^\s*(?:keepalive_timeout|keepalive) (\d+)s;?$", text, re.MULTILINE)
    assert found
    assert int(found[1]) < _IDLE_TIMEOUT


def test_nginx_hands_on_no_claims_and_writes_no_tokens() -> None:
    text = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in text
    assert "proxy_set_header Host $host;" in text
    assert "access_log off;" in text
