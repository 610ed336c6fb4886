import os
import signal
import stat
from pathlib import Path

import psycopg
import pytest

from tests.support.embedded_servers import connect, insert_word, running_server_in, stored_words
from tests.support.postgres import copy_cluster, running_server
from tests.support.required_programs import system_postgres
from webapp.embedded.programs import BUNDLED_MAJOR_VERSION
from webapp.embedded.server import start
from webapp.kernel.operator_errors import EmbeddedError, StartCancelled


def test_server_starts_stops_and_keeps_its_data(tmp_path: Path) -> None:
    with running_server_in(tmp_path / "data", creates_cluster=True) as first_server:
        insert_word(first_server, "gold")
        assert first_server.is_running()
    assert not first_server.is_running()
    with running_server_in(tmp_path / "data") as second_server:
        assert stored_words(second_server) == ["gold"]


def test_server_has_the_bundled_major_version(tmp_path: Path) -> None:
    with running_server_in(tmp_path) as server, connect(server) as connection:
        assert connection.info.server_version // 10_000 == int(BUNDLED_MAJOR_VERSION)


def test_database_is_created_only_once(tmp_path: Path) -> None:
    with running_server_in(tmp_path) as server:
        server.ensure_database("lode")
        server.ensure_database("lode")
        url = server.url_of("lode").replace("+psycopg", "")
        with psycopg.connect(url) as connection:
            assert connection.info.dbname == "lode"


def test_connections_need_the_password(tmp_path: Path) -> None:
    with running_server_in(tmp_path) as server:
        assert server.password not in repr(server)
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(
                host="127.0.0.1", port=server.port, user="lodepost", password="x", dbname="postgres"
            )
    assert stat.S_IMODE((tmp_path / "postgres-password").stat().st_mode) == 0o600


def test_environment_of_the_operator_does_not_reach_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    monkeypatch.setenv("PGSSLMODE", "require")
    with running_server_in(tmp_path) as server, connect(server) as connection:
        assert connection.execute("SHOW client_encoding").fetchone() == ("UTF8",)


def test_second_server_in_the_same_folder_is_rejected(tmp_path: Path) -> None:
    expected = rf"in use by another .*process {os.getpid()}"
    with running_server_in(tmp_path), pytest.raises(EmbeddedError, match=expected):
        start(tmp_path)
    with running_server_in(tmp_path):
        pass


def test_restarted_server_has_the_same_port(tmp_path: Path) -> None:
    with running_server_in(tmp_path) as server:
        insert_word(server, "gold")
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
        server.restart()
        assert stored_words(server) == ["gold"]


def test_startup_error_quotes_the_log(tmp_path: Path) -> None:
    copy_cluster(tmp_path)
    with pytest.raises(EmbeddedError, match="unrecognized configuration parameter"):
        start(tmp_path, settings={"no_such_setting": "1"})


def test_start_is_given_up_when_the_process_is_to_end(tmp_path: Path) -> None:
    copy_cluster(tmp_path)
    with pytest.raises(StartCancelled):
        start(tmp_path, is_stopping=lambda: True)
    assert not (tmp_path / "postgres" / "postmaster.pid").exists()
    with running_server_in(tmp_path) as server:
        insert_word(server, "gold")


def test_long_log_is_rotated(tmp_path: Path) -> None:
    (tmp_path / "postgres.log").write_bytes(b"x" * 5_000_001)
    with running_server_in(tmp_path):
        assert (tmp_path / "postgres.log").stat().st_size < 5_000_001
    assert (tmp_path / "postgres.log.1").exists()


def test_system_postgres_can_serve_a_folder_of_its_own(tmp_path: Path) -> None:
    programs = system_postgres()
    with running_server(tmp_path, programs, settings={}) as server:
        insert_word(server, "gold")
        with connect(server) as connection:
            assert connection.info.server_version // 10_000 == int(programs.major)
            assert connection.execute("SELECT lower('ÄÕ')").fetchone() == ("äõ",)
        server.process.kill()
        server.process.wait()
        server.restart()
        assert stored_words(server) == ["gold"]
    if programs.major != BUNDLED_MAJOR_VERSION:
        with pytest.raises(EmbeddedError, match=f"written by Postgres {programs.major}"):
            start(tmp_path)
