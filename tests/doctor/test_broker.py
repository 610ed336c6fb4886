import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.ports import free_port
from tests.support.required_programs import redis_server
from tests.support.settings import local_settings, public_settings
from webapp.doctor.broker import check_redis


@contextmanager
def server_answering(reply: bytes) -> Iterator[int]:
    """Run a server that gives every client the same reply; yield its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve_one_reply() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    while connection.recv(4096):
                        connection.sendall(reply)

        thread = threading.Thread(target=serve_one_reply, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def redis_url(port: int) -> str:
    return f"redis://:redis-hush@127.0.0.1:{port}/0"


@pytest.mark.parametrize(
    "reply", [b"-NOAUTH no\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"-LOADING wait\r\n"]
)
def test_error_about_unusable_redis_does_not_quote_its_password(reply: bytes) -> None:
    with server_answering(reply) as port:
        result = check_redis(public_settings(REDIS_URL=redis_url(port)))
    assert result.status == "error"
    assert f"127.0.0.1 port {port}" in result.message
    assert "redis-hush" not in result.message


def test_answering_redis_is_ok(tmp_path: Path) -> None:
    port = free_port()
    settings = public_settings(REDIS_URL=f"redis://127.0.0.1:{port}/0")
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen([redis_server(), *options], stdout=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + 240
            while (result := check_redis(settings)).status != "ok" and time.monotonic() < deadline:
                time.sleep(0.05)
        finally:
            process.kill()
    assert (result.status, result.message) == ("ok", f"Redis at 127.0.0.1 port {port} answers.")


def test_unreachable_redis_is_an_error() -> None:
    result = check_redis(public_settings(REDIS_URL=redis_url(1)))
    assert result.status == "error"
    assert "REDIS_URL" in result.remedy


def test_missing_redis_is_ok_for_a_single_process_only() -> None:
    assert check_redis(local_settings()).status == "ok"
    assert check_redis(public_settings(REDIS_URL="")).status == "warning"
