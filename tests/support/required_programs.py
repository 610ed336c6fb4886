"""Programs that some tests need: return their paths, or skip the test with the command that installs them.

If CI is set, a skip counts as a failure, so a successful run there has run every test. While `dev.py test` installs
missing programs beside the tests, a test that needs one waits.
"""

import fcntl
import shutil
import socket
from functools import cache
from pathlib import Path

import pytest

from tests.support import programs
from tests.support.programs import (
    DEBIAN_POSTGRES_FOLDER,
    chromium_program,
    dovecot_program,
    postfix_program,
    postgres_programs,
    system_program,
)
from webapp.embedded.programs import PostgresPrograms


@cache
def _wait_for_installation() -> None:
    """Wait until `dev.py` has installed what it can: it locks the module that does so before it runs any test."""
    with Path(programs.__file__).open() as locked_file:
        fcntl.flock(locked_file, fcntl.LOCK_SH)


def chromium() -> str:
    """Return the path of a Chromium, or skip the test."""
    _wait_for_installation()
    found_program = chromium_program()
    if not found_program:
        pytest.skip(
            "Chromium not found: apt-get install chromium-headless-shell, or set LODEPOST_TEST_CHROMIUM"
        )
    return found_program


def ipv6_loopback() -> str:
    """Return the IPv6 loopback address, or skip the test."""
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("no IPv6 loopback address: sysctl net.ipv6.conf.lo.disable_ipv6=0")
    return "::1"


def system_postgres(install_folder: Path = DEBIAN_POSTGRES_FOLDER) -> PostgresPrograms:
    """Return the Postgres that is installed on this system, or skip the test."""
    _wait_for_installation()
    found_program = postgres_programs(install_folder)
    if found_program is None:
        pytest.skip("Postgres 15 or newer not found: apt-get install postgresql")
    return PostgresPrograms(str(found_program[0]), found_program[1])


def redis_server() -> str:
    """Return the path of a Redis server, or skip the test."""
    _wait_for_installation()
    found_program = shutil.which("redis-server")
    if found_program is None:
        pytest.skip("Redis not found: apt-get install redis-server")
    return found_program


def postfix() -> str:
    """Return the path of Postfix, or skip the test; only root can start it."""
    _wait_for_installation()
    found_program = postfix_program()
    if not found_program:
        pytest.skip("Postfix not found, or not running as root: apt-get install postfix")
    return found_program


def dovecot() -> str:
    """Return the path of Dovecot, or skip the test; only root can start it with a configuration of its own."""
    _wait_for_installation()
    found_program = dovecot_program()
    if not found_program:
        pytest.skip("Dovecot not found, or not running as root: apt-get install dovecot-imapd")
    return found_program


def proxy(name: str) -> str:
    """Return the path of nginx or caddy, or skip the test."""
    return _installed(name, package=name)


def curl() -> str:
    """Return the path of curl, or skip the test."""
    return _installed("curl", package="curl")


def systemd_analyze() -> str:
    """Return the path of the program that checks units, or skip the test."""
    return _installed("systemd-analyze", package="systemd")


def promtool() -> str:
    """Return the path of the program that checks metrics and rules of Prometheus, or skip the test."""
    return _installed("promtool", package="prometheus")


def _installed(name: str, *, package: str) -> str:
    _wait_for_installation()
    found_program = system_program(name)
    if found_program is None:
        pytest.skip(f"{name} not found: apt-get install {package}")
    return found_program
