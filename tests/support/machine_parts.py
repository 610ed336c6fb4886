"""Parts of the machine that some tests need and that may be missing on a developer's.

A missing part skips the test and says what would bring it; with CI set every skip is a failure,
so that a green run there has run everything.
"""

import shutil
import socket
from pathlib import Path

import pytest

from tests.support.machine import (
    POSTGRES_OF_DEBIAN,
    chromium_program,
    postfix_program,
    postgres_programs,
)
from webapp.embedded.binaries import Installation


def chromium() -> str:
    """Return the path of a Chromium, or skip the test."""
    found = chromium_program()
    if not found:
        pytest.skip("no Chromium here: apt-get install chromium, or set LODEPOST_TEST_CHROMIUM")
    return found


def ipv6_loopback() -> str:
    """Return the address of IPv6 that leads back to this machine, or skip the test."""
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("no IPv6 loopback here: sysctl net.ipv6.conf.lo.disable_ipv6=0")
    return "::1"


def system_postgres(installed: Path = POSTGRES_OF_DEBIAN) -> Installation:
    """Return the Postgres of this system, or skip the test."""
    found = postgres_programs(installed)
    if found is None:
        pytest.skip("no Postgres of this system here, 15 or newer: apt-get install postgresql")
    return Installation(str(found[0]), found[1])


def redis_server() -> str:
    """Return the path of a Redis server, or skip the test."""
    found = shutil.which("redis-server")
    if found is None:
        pytest.skip("no Redis here: apt-get install redis-server")
    return found


def postfix() -> str:
    """Return the path of a Postfix that may be started, or skip the test."""
    found = postfix_program()
    if not found:
        pytest.skip("no Postfix here, which only root may start: apt-get install postfix")
    return found
