"""Every command in `docs/operating.md` does what it is quoted for: it is run, with every choice that is written there."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import deal_game, sign_in_guest
from tests.support.fakes import Outbox
from tests.support.postgres import Postgres
from webapp.cli import main
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database
from webapp.privacy.retention import RETENTION_RULES

GUIDE: Final = Path(__file__).parents[2] / "docs" / "operating.md"
_QUOTED_COMMAND: Final = re.compile(r"^ {4}(lodepost .+)$|`(lodepost [^`\n]+)`", re.MULTILINE)


def quoted_commands(document: Path) -> list[str]:
    """Return the commands in code blocks and in running text, each once, as they are written there."""
    matches = _QUOTED_COMMAND.findall(document.read_text(encoding="utf-8"))
    return list(dict.fromkeys(in_block or in_text for in_block, in_text in matches))


def written_out(command: str) -> Iterator[tuple[str, ...]]:
    """Yield the parts of a command for every choice of ``a|b``, without and with all options in brackets."""
    parts = re.sub(r"\[[^\]]*\]", "", command).split()
    yield from product(*(part.split("|") for part in parts))
    options = [option.split(" | ") for option in re.findall(r"\[([^\]]*)\]", command)]
    for chosen_options in product(*options) if options else ():
        yield (*parts, *" ".join(chosen_options).split())


PROCESSES: Final = {"serve", "web", "worker", "beat", "mail-in"}
"""Commands that run until they are stopped; `test_processes.py` starts them."""
TESTED_ELSEWHERE: Final = {"restore", "release", "rotate-key"}
"""Commands that need another database or folder; `test_restored_keys.py` runs them with these options."""
COMMANDS: Final = sorted(
    {
        parts[1:]
        for command in quoted_commands(GUIDE)
        for parts in written_out(command)
        if parts[1] not in PROCESSES | TESTED_ELSEWHERE
    }
)
OPEN_SEAT: Final = ("seat", "open", "SLUG", "SEAT", "--reason", "TEXT")
FIRST_STEPS: Final[dict[tuple[str, ...], tuple[tuple[str, ...], ...]]] = {
    ("game", "resume"): (("game", "pause", "SLUG", "--reason", "TEXT"),),
    ("game", "undo"): (("game", "pause", "SLUG", "--reason", "TEXT"),),
    ("game", "rewind"): (("game", "neutral", "SLUG", "--reason", "TEXT"),),
    ("seat", "bot"): (OPEN_SEAT,),
    ("seat", "offer"): (OPEN_SEAT,),
    ("seat", "person"): (OPEN_SEAT,),
    ("seat", "withdraw"): (
        OPEN_SEAT,
        ("seat", "offer", "SLUG", "SEAT", "--name", "NAME", "--reason", "TEXT"),
    ),
    ("person", "unban"): (("person", "ban", "ADDRESS", "--days", "N", "--reason", "TEXT"),),
    ("moderator", "remove"): (("moderator", "add", "ADDRESS", "--reason", "TEXT"),),
}
"""What has to happen before a command can succeed."""
EXPECTED_STATUS: Final = {"status": 1}
"""No worker runs in a test, which needs action."""


@pytest.fixture
def values(database: Database, database_url: str, tmp_path: Path) -> dict[str, str]:
    """What stands for the words in capitals: a game that was dealt just now, with an email that was given up."""
    guests = [
        sign_in_guest(database, character, now=utc_now()) for character in (ALICE, BOB, CAROL, DAVE)
    ]
    slug = deal_game(database, guests[:3], now=utc_now())
    outbox = Outbox(database)
    outbox.execute("UPDATE notification SET status = 'failed', settled_at = now()")
    email_id = outbox.rows()[0].id
    return {
        "SLUG": slug,
        "SEAT": "2",
        "ADDRESS": DAVE.address,
        "NAME": DAVE.name,
        "ID": str(email_id),
        "TURN": "0",
        "N": "7",
        "TEXT": "asked by phone",
        "FILE": str(tmp_path / "lodepost.backup"),
    }


@pytest.fixture(autouse=True)
def _environment(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("REDIS_URL", "SMTP_URL", "BASE_URL", "LISTEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv("SECRET_KEY", "k" * 32)


def with_values(parts: tuple[str, ...], values: dict[str, str]) -> list[str]:
    if parts[0] == "settings":
        values = values | {"NAME": "most_games", "VALUE": "40"}
    return [values.get(part, part) for part in parts]


@pytest.mark.parametrize("parts", COMMANDS, ids=" ".join)
def test_command_of_the_guide_does_what_it_says(
    parts: tuple[str, ...], values: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for first_parts in FIRST_STEPS.get(parts[:2], ()):
        assert main(with_values(first_parts, values)) == 0
    capsys.readouterr()
    status = main(with_values(parts, values))
    captured = capsys.readouterr()
    assert status == EXPECTED_STATUS.get(parts[0], 0), captured.err
    assert captured.out


def test_backup_of_the_guide_can_be_restored(
    postgres: Postgres, values: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["backup", values["FILE"]]) == 0
    with postgres.empty_database() as url:
        monkeypatch.setenv("DATABASE_URL", url)
        assert main(["restore", values["FILE"]]) == 0
        assert main(["audit"]) == 0


def test_guide_quotes_commands_of_every_kind() -> None:
    """A change of its layout must not leave the test above without commands."""
    assert {"backup", "doctor", "emails", "game", "person", "seat", "settings"} <= {
        parts[0] for parts in COMMANDS
    }
    assert len(COMMANDS) > 30


def test_role_of_the_guide_owns_a_database_that_can_be_migrated(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"guide_{os.getpid()}"
    statements = re.findall(r"^ {4}(CREATE .+;)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(statements) == 2
    with admin_connection(postgres) as admin:
        try:
            for statement in statements:
                admin.execute(statement.replace("lodepost", name).encode())
            monkeypatch.setenv("DATABASE_URL", url_of_role(postgres, name))
            assert main(["migrate"]) == 0
            assert main(["audit"]) == 0
        finally:
            admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
            admin.execute(f"DROP ROLE IF EXISTS {name}".encode())
    assert "The database has schema" in capsys.readouterr().out


@contextmanager
def admin_connection(postgres: Postgres) -> Iterator[psycopg.Connection]:
    url = postgres.url_of("postgres").replace("+psycopg", "", 1)
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def url_of_role(postgres: Postgres, name: str) -> str:
    """Return the address of the role's database, with the password of the guide."""
    parts = urlsplit(postgres.url_of(name))
    return parts._replace(netloc=f"{name}:choose-a-password@{parts.hostname}:{parts.port}").geturl()


def test_guide_names_the_periods_for_which_data_is_kept() -> None:
    rows = re.findall(
        r"^\| `([a-z-]+)` \| (\d+) (day|hour)s? \|", GUIDE.read_text(encoding="utf-8"), re.MULTILINE
    )
    periods = [(data, timedelta(**{f"{unit}s": int(number)})) for data, number, unit in rows]
    assert periods == [(rule.data, rule.period) for rule in RETENTION_RULES]
