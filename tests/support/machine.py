"""Parts of the machine that some tests need: which are here, and what brings the others.

Standard library alone. `python -m tests.support.machine` says what is missing, and as root on a Debian brings it.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_OLDEST_POSTGRES = 15
POSTGRES_OF_DEBIAN = Path("/usr/lib/postgresql")


@dataclass(frozen=True)
class Part:
    """Something that is no library of ours."""

    name: str
    package: str
    """What Debian calls it."""
    stands_for: str
    """Which tests are skipped without it."""
    found: Callable[[], object]


def chromium_program() -> str | None:
    """The path of a Chromium: the named one, or one that the shell would find."""
    named = os.environ.get("LODEPOST_TEST_CHROMIUM")
    return named or next(filter(None, map(shutil.which, _CHROMIUM_NAMES)), None)


def postgres_programs(installed: Path = POSTGRES_OF_DEBIAN) -> tuple[int, Path] | None:
    """The oldest Postgres of this system that Lodepost runs on: its major, and the folder of its programs."""
    named = shutil.which("postgres")
    places = [
        *installed.glob("*/bin"),
        *([Path(named).resolve().parent] if named else []),
    ]
    known = [(_major_in(place), place) for place in places if (place / "initdb").exists()]
    return min((each for each in known if each[0] >= _OLDEST_POSTGRES), default=None)


def postfix_program() -> str | None:
    """The path of a Postfix, where we are root: nobody else may start one."""
    return shutil.which("postfix", path=f"{os.defpath}:/usr/sbin") if os.geteuid() == 0 else None


def missing() -> list[Part]:
    return [part for part in PARTS if not part.found()]


def main() -> None:
    """Bring what is missing where that is possible, and name what stays missing. Nothing here can fail a run."""
    lacking = missing()
    if lacking and os.geteuid() == 0 and shutil.which("apt-get"):
        _install([part.package for part in lacking])
    for part in missing():
        _say(f"there is no {part.name} ({part.package}): {part.stands_for} are skipped")


def _major_in(place: Path) -> int:
    said = subprocess.run(
        [str(place / "postgres"), "--version"], capture_output=True, text=True, check=False
    ).stdout
    found = re.search(r"\(PostgreSQL\) (\d+)", said)
    return int(found[1]) if found else 0


def _install(packages: list[str]) -> None:
    _say(f"installing {', '.join(packages)}, for tests that need them")
    environ = {"DEBIAN_FRONTEND": "noninteractive", **os.environ}
    if "postfix" in packages and shutil.which("debconf-set-selections"):
        # Without settings of its own it is not started as a service.
        answer = b"postfix postfix/main_mailer_type select No configuration\n"
        subprocess.run(["debconf-set-selections"], input=answer, check=False)
    for words in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        subprocess.run(
            ["apt-get", "--quiet=2", *words], env=environ, stdin=subprocess.DEVNULL, check=False
        )


def _say(words: str) -> None:
    sys.stderr.write(f"tests: {words}\n")


PARTS = (
    Part("Chromium", "chromium", "the tests that drive a browser", chromium_program),
    Part("Postgres", "postgresql", "the tests on the system's Postgres", postgres_programs),
    Part("Postfix", "postfix", "the tests with a real relay", postfix_program),
    Part(
        "Redis",
        "redis-server",
        "the tests of the queue",
        lambda: shutil.which("redis-server"),
    ),
)


if __name__ == "__main__":
    main()
