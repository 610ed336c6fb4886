"""External programs that some tests need: find them, and install them where possible.

Uses only the standard library. `python -m tests.support.programs` lists missing programs; as root on Debian it
installs them first.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# The shell draws the same pages in two thirds of the time: it has no windows, tabs or extensions.
_CHROMIUM_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
_OLDEST_POSTGRES_VERSION = 15
_NO_SERVICES = "#!/bin/sh\nexit 101\n"
DEBIAN_POSTGRES_FOLDER = Path("/usr/lib/postgresql")
DEBIAN_SERVICE_POLICY = Path("/usr/sbin/policy-rc.d")


@dataclass(frozen=True)
class Program:
    """An external program."""

    name: str
    package: str
    """The Debian package, or several with spaces between."""
    needed_by: str
    """The tests that are skipped without it."""
    find_program: Callable[[], object]


def chromium_program() -> str | None:
    """Return the path of Chromium: LODEPOST_TEST_CHROMIUM, or the first in PATH."""
    configured_path = os.environ.get("LODEPOST_TEST_CHROMIUM")
    return configured_path or next(filter(None, map(shutil.which, _CHROMIUM_NAMES)), None)


def postgres_programs(postgres_folder: Path = DEBIAN_POSTGRES_FOLDER) -> tuple[int, Path] | None:
    """Return the major version and folder of the oldest installed Postgres that Lodepost supports."""
    postgres_path = shutil.which("postgres")
    folders = [
        *postgres_folder.glob("*/bin"),
        *([Path(postgres_path).resolve().parent] if postgres_path else []),
    ]
    installations = [
        (_major_version_in(folder), folder) for folder in folders if (folder / "initdb").exists()
    ]
    return min(
        (
            installation
            for installation in installations
            if installation[0] >= _OLDEST_POSTGRES_VERSION
        ),
        default=None,
    )


def postfix_program() -> str | None:
    """Return the path of Postfix if running as root, which alone can start it."""
    return system_program("postfix") if os.geteuid() == 0 else None


def dovecot_program() -> str | None:
    """Return the path of Dovecot with its LMTP server, if running as root, which alone can start it."""
    has_lmtp = Path("/usr/lib/dovecot/lmtp").exists()
    return system_program("dovecot") if os.geteuid() == 0 and has_lmtp else None


def system_program(name: str) -> str | None:
    """Return the path of a program in PATH or in the folders of servers, which a user's PATH may lack."""
    return shutil.which(
        name, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/usr/local/sbin"
    )


def missing_programs() -> list[Program]:
    return [program for program in PROGRAMS if not program.find_program()]


def main() -> None:
    """Install missing programs if possible, and print those that stay missing. Never fails."""
    programs_to_install = missing_programs()
    if programs_to_install and os.geteuid() == 0 and shutil.which("apt-get"):
        _install([name for program in programs_to_install for name in program.package.split()])
    for program in missing_programs():
        _print_message(
            f"{program.name} ({program.package}) is missing: {program.needed_by} are skipped"
        )


def _major_version_in(folder: Path) -> int:
    output = subprocess.run(
        [str(folder / "postgres"), "--version"], capture_output=True, text=True, check=False
    ).stdout
    installations = re.search(r"\(PostgreSQL\) (\d+)", output)
    return int(installations[1]) if installations else 0


def _install(packages: list[str]) -> None:
    _print_message(f"installing {', '.join(packages)}")
    environ = {"DEBIAN_FRONTEND": "noninteractive", **os.environ}
    if "postfix" in packages and shutil.which("debconf-set-selections"):
        # Without a configuration the package does not start a service.
        answer = b"postfix postfix/main_mailer_type select No configuration\n"
        subprocess.run(["debconf-set-selections"], input=answer, check=False)
    install_arguments = ["install", "--yes", "--no-install-recommends", *packages]
    with services_kept_stopped():
        for arguments in (["update"], install_arguments):
            subprocess.run(
                ["apt-get", "--quiet=2", *arguments],
                env=environ,
                stdin=subprocess.DEVNULL,
                check=False,
            )


@contextmanager
def services_kept_stopped(policy_file: Path = DEBIAN_SERVICE_POLICY) -> Iterator[None]:
    """Keep packages that are installed in this block from starting their services, which would take ports.

    Debian asks this file. One that is there already is the machine's own and stays as it is.
    """
    if policy_file.exists():
        yield
        return
    policy_file.write_text(_NO_SERVICES, encoding="ascii")
    policy_file.chmod(0o755)
    try:
        yield
    finally:
        policy_file.unlink()


def _print_message(message: str) -> None:
    sys.stderr.write(f"tests: {message}\n")


PROGRAMS = (
    Program(
        "Chromium", "chromium-headless-shell", "the tests that drive a browser", chromium_program
    ),
    Program("Postgres", "postgresql", "the tests on the system's Postgres", postgres_programs),
    Program("Postfix", "postfix", "the tests with a real relay", postfix_program),
    Program(
        "Dovecot", "dovecot-lmtpd dovecot-imapd", "the tests with real mailboxes", dovecot_program
    ),
    Program(
        "Redis",
        "redis-server",
        "the tests of the queue",
        lambda: shutil.which("redis-server"),
    ),
    Program("nginx", "nginx", "the tests with a real proxy", lambda: system_program("nginx")),
    Program("Caddy", "caddy", "the tests with a real proxy", lambda: system_program("caddy")),
    Program("curl", "curl", "the test of the rolling restart", lambda: system_program("curl")),
    Program(
        "systemd-analyze",
        "systemd",
        "the tests of the systemd units",
        lambda: system_program("systemd-analyze"),
    ),
    Program(
        "promtool",
        "prometheus",
        "the tests of metrics and alert rules",
        lambda: system_program("promtool"),
    ),
)


if __name__ == "__main__":
    main()
