"""What the example configurations of nginx and Caddy let through, log and limit."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.proxies import HOST, PROXY_NAMES, SOURCE_HEADER, RunningProxy, running_proxy
from tests.deploy.proxy_client import Answer, ProxyClient
from tests.support.html import Page
from tests.support.ports import free_port
from tests.support.redis import wait_until
from tests.support.visitors import settings_for
from webapp.app import create_app
from webapp.kernel import urls
from webapp.kernel.tx import Database
from webapp.serving.listener import listener_at
from webapp.serving.web import WebThread
from webapp.web.style_sheet import style_sheet_address

TOKEN = "dG9rZW4tb2YtYS10ZXN0-0123456789"
TOKEN_PATHS = (
    urls.sign_in_link(TOKEN),
    urls.unsubscribe(TOKEN),
    urls.invitation(TOKEN),
    f"/{TOKEN}",
    f"/mailbox?key={TOKEN}",
    f"/games//{TOKEN}",
    f"/.{TOKEN}",
)
SHORT_TIMES = {
    "nginx": {"header_timeout 10s": "header_timeout 1s", "body_timeout 10s": "body_timeout 1s"},
    "caddy": {"read_header 10s": "read_header 1s", "read_body 30s": "read_body 1s"},
}


def echo(environ: dict[str, Any], answer: Callable[..., object]) -> Iterable[bytes]:
    """Answer with the headers of the request."""
    headers = {name: value for name, value in environ.items() if name.startswith("HTTP_")}
    answer("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(headers).encode()]


@contextmanager
def web_ports_of(app: Any) -> Iterator[list[int]]:
    """Serve an application on two ports; yield them."""
    threads = [WebThread(app, listener_at("127.0.0.1", 0)) for _ in range(2)]
    for thread in threads:
        thread.start()
    yield [int(thread._server.effective_port) for thread in threads]
    for thread in threads:
        thread.stop()


@pytest.fixture(params=PROXY_NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def echoing(name: str, tmp_path: Path) -> Iterator[RunningProxy]:
    with web_ports_of(echo) as ports, running_proxy(name, tmp_path / name, ports) as running:
        yield running


@pytest.fixture
def site_ports(database: Database, database_url: str) -> Iterator[list[int]]:
    settings = settings_for(database_url, base_url=f"https://{HOST}", trusted_proxies=1)
    with web_ports_of(create_app(settings, database=database)) as ports:
        yield ports


@pytest.fixture
def site(name: str, tmp_path: Path, site_ports: list[int]) -> Iterator[RunningProxy]:
    with running_proxy(name, tmp_path / name, site_ports) as running:
        yield running


@pytest.fixture
def client() -> Iterator[Callable[..., ProxyClient]]:
    """A function that returns clients, which are closed at the end."""
    clients: list[ProxyClient] = []

    def open_client(running: RunningProxy, **options: str) -> ProxyClient:
        clients.append(ProxyClient(running, **options))
        return clients[-1]

    yield open_client
    for opened_client in clients:
        opened_client.close()


def test_web_process_gets_what_the_proxy_knows_and_not_what_the_client_claims(
    echoing: RunningProxy, client: Callable[..., ProxyClient]
) -> None:
    claims = {"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "gopher"}
    answer = client(echoing, source="127.0.0.7").get("/", **claims)
    headers = json.loads(answer.text)
    assert headers["HTTP_X_FORWARDED_FOR"] == "127.0.0.7"
    assert headers["HTTP_X_FORWARDED_PROTO"] == "https"
    assert headers["HTTP_HOST"] == HOST


def test_pages_and_style_sheets_are_compressed_and_files_not_sent_again(
    site: RunningProxy, client: Callable[..., ProxyClient]
) -> None:
    browser = client(site)
    assert "Content-Encoding" not in browser.get(urls.rules()).headers
    for path in (urls.rules(), style_sheet_address("")):
        answer = browser.get(path, Accept_Encoding="gzip")
        assert answer.headers["Content-Encoding"] == "gzip"
        # Caddy sends a second header of this name.
        assert ("Vary", "Accept-Encoding") in answer.headers.items()
    again = browser.get(path, Accept_Encoding="gzip", If_None_Match=answer.headers["ETag"])
    assert again.status == 304


def test_log_has_the_id_that_the_request_has_in_the_log_of_the_site(
    site: RunningProxy, client: Callable[..., ProxyClient]
) -> None:
    answer = client(site).get(urls.rules())
    assert len(answer.headers["X-Request-ID"]) == 16
    # Lines are written after the answer.
    wait_until(lambda: answer.headers["X-Request-ID"] in site.logs)


def test_each_line_of_the_access_log_is_a_json_object(
    echoing: RunningProxy, client: Callable[..., ProxyClient]
) -> None:
    client(echoing).get('/quote"d/\\path')
    wait_until(lambda: '"status"' in echoing.logs)
    lines = [line for line in echoing.logs.splitlines() if '"status"' in line]
    assert all(isinstance(json.loads(line), dict) for line in lines)


def test_logs_contain_no_token(site: RunningProxy, client: Callable[..., ProxyClient]) -> None:
    browser = client(site)
    for path in TOKEN_PATHS:
        browser.get(path, Referer=f"https://{HOST}{path}", Cookie=f"lodepost={TOKEN}")
        browser.post(path, {"code": TOKEN})
        browser.post(path, {"code": TOKEN * 50_000})
    browser.get(f"{urls.sign_in()}?return_path={TOKEN}")
    last_answer = browser.get(urls.rules())
    wait_until(lambda: last_answer.headers["X-Request-ID"] in site.logs)
    assert urls.sign_in() in site.logs
    assert TOKEN not in site.logs


def test_logs_contain_no_token_if_no_web_process_answers(
    name: str, tmp_path: Path, client: Callable[..., ProxyClient]
) -> None:
    with running_proxy(name, tmp_path / name, [free_port(), free_port()]) as running:
        answers = [client(running).get(path) for path in TOKEN_PATHS[:2]]
        assert {answer.status for answer in answers} == {503}
        assert {answer.text.strip() for answer in answers} == {
            "Back in a moment: please try again."
        }
        wait_until(lambda: "/sign-in" in running.logs)
        assert TOKEN not in running.logs


def test_metrics_are_not_reached(site: RunningProxy, client: Callable[..., ProxyClient]) -> None:
    for path in (
        "/metrics",
        "/metrics/",
        "/metrics?x=1",
        "//metrics",
        "/%6detrics",
        "/x/../metrics",
    ):
        answer = client(site).get(path)
        assert answer.status in {301, 308, 404}, path
        assert "lodepost_" not in answer.text


def test_large_form_gets_the_page_of_the_site(
    site: RunningProxy, client: Callable[..., ProxyClient]
) -> None:
    answer = client(site).post(urls.sign_in(), {"address": "x" * 100_000})
    assert answer.status == 413
    assert "too much" in Page(answer.text).text.lower()


def test_larger_form_gets_an_answer_of_the_proxy(
    site: RunningProxy, client: Callable[..., ProxyClient]
) -> None:
    answer = client(site).post(urls.sign_in(), {"address": "x" * 1_200_000})
    assert (answer.status, answer.text.strip()) == (413, "This form is too large.")


@pytest.mark.parametrize(
    "part", [b"GET / HTTP/1.1\r\nHo", b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\na"]
)
def test_slow_client_is_disconnected(
    name: str, tmp_path: Path, client: Callable[..., ProxyClient], part: bytes
) -> None:
    with (
        web_ports_of(echo) as ports,
        running_proxy(name, tmp_path / name, ports, SHORT_TIMES[name]) as running,
    ):
        connection = client(running)._connection
        connection.connect()
        connection.sock.sendall(part.replace(b"Host: h", f"Host: {HOST}".encode()))
        received = b"".join(iter(lambda: connection.sock.recv(10_000), b""))
        # Caddy ends with an empty answer; what the web process would have answered is JSON.
        assert b"HTTP_HOST" not in received


def test_nginx_limits_the_requests_of_one_source(
    tmp_path: Path, client: Callable[..., ProxyClient]
) -> None:
    with (
        web_ports_of(echo) as ports,
        # So that it does not matter how fast this machine is.
        running_proxy("nginx", tmp_path / "nginx", ports, {"rate=20r/s": "rate=1r/m"}) as running,
    ):
        browser = client(running)

        def answers_to(*sources: str) -> list[Answer]:
            return [browser.get("/", **{SOURCE_HEADER: source}) for source in sources]

        def refusals_of(*sources: str) -> list[Answer]:
            return [answer for answer in answers_to(*sources) if answer.status != 200]

        network = [f"2001:db8:0:7::{n:x}" for n in range(1, 200)]
        assert refusals_of(*network)
        assert refusals_of("2001:db8:0:8::1", "2001:db8:1:7::1", "192.0.2.1") == []
        refused, *_ = refusals_of(*["192.0.2.2"] * 200)
        assert refusals_of("192.0.2.3") == []
        assert (refused.status, refused.headers["Retry-After"]) == (429, "10")
        assert refused.text == "Too many requests. Please wait a moment.\n"
