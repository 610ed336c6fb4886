import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.serving.test_serving import free_port
from tests.support.settings import local, public
from tests.support.smtp_sink import USER, running_sink, trusting_context
from webapp.checkup.dependencies import look_at_redis, look_at_relay


@contextmanager
def answering(words: bytes) -> Iterator[int]:
    """A server that says the same to everybody; its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    while connection.recv(4096):
                        connection.sendall(words)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def redis_at(port: int) -> str:
    return f"redis://:redis-hush@127.0.0.1:{port}/0"


@pytest.mark.parametrize(
    "words", [b"-NOAUTH no\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"-LOADING wait\r\n"]
)
def test_what_is_no_working_redis_is_told_without_its_password(words: bytes) -> None:
    with answering(words) as port:
        found = look_at_redis(public(REDIS_URL=redis_at(port)))
    assert found.verdict == "wrong"
    assert f"127.0.0.1 port {port}" in found.words
    assert "redis-hush" not in found.words


def test_a_redis_that_answers_is_well(tmp_path: Path) -> None:
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no Redis here: apt-get install redis-server")
    port = free_port()
    words = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen([program, *words], stdout=subprocess.DEVNULL) as process:
        try:
            until = time.monotonic() + 20
            found = look_at_redis(public(REDIS_URL=f"redis://127.0.0.1:{port}/0"))
            while found.verdict != "well" and time.monotonic() < until:
                time.sleep(0.05)
                found = look_at_redis(public(REDIS_URL=f"redis://127.0.0.1:{port}/0"))
        finally:
            process.kill()
    assert (found.verdict, found.words) == ("well", f"Redis at 127.0.0.1 port {port} answers.")


def test_a_redis_that_is_away_is_told() -> None:
    found = look_at_redis(public(REDIS_URL=redis_at(1)))
    assert found.verdict == "wrong"
    assert "REDIS_URL" in found.remedy


def test_no_redis_is_well_for_one_process_alone() -> None:
    assert look_at_redis(local()).verdict == "well"
    assert look_at_redis(public(REDIS_URL="")).verdict == "doubtful"


def test_without_a_mail_server_mails_stay_here() -> None:
    assert look_at_relay(local()).verdict == "well"


@pytest.mark.parametrize("tls, scheme", [("starttls", "smtp+starttls"), ("first", "smtps")])
def test_a_relay_with_tls_is_well(tls: str, scheme: str) -> None:
    with running_sink(tls=tls) as sink:
        settings = local(SMTP_URL=f"{scheme}://localhost:{sink.port}")
        found = look_at_relay(settings, trusted=trusting_context())
    assert (found.verdict, "over TLS" in found.words) == ("well", True)
    assert sink.taken == []


@pytest.mark.parametrize(
    "tls, url, words, remedy",
    [
        ("", "smtp+starttls://localhost:{}", "STARTTLS", "offers STARTTLS"),
        ("", "smtps://localhost:{}", "SSL", "as its certificate does"),
        ("starttls", "smtp+starttls://localhost:{}", "CERTIFICATE_VERIFY", "certificate"),
        ("", "smtp://lodepost:wrong-hush@localhost:{}", "535", "user and password"),
        ("", "smtp://localhost:1", "refused", "SMTP_URL"),
    ],
)
def test_a_relay_that_cannot_be_used_is_told(tls: str, url: str, words: str, remedy: str) -> None:
    with running_sink(tls=tls, auth=True) as sink:
        found = look_at_relay(local(SMTP_URL=url.format(sink.port)))
    assert found.verdict == "wrong"
    assert words in found.words
    assert remedy in found.remedy
    assert "wrong-hush" not in found.words + found.remedy


def test_a_relay_with_the_right_password_is_well() -> None:
    user, password = USER
    with running_sink(auth=True) as sink:
        url = f"smtp://{user}:{password.replace(':', '%3A').replace('/', '%2F')}@localhost:{sink.port}"
        assert look_at_relay(local(SMTP_URL=url.replace("p@ss", "p%40ss"))).verdict == "well"
