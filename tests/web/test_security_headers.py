"""Headers of every response, and errors for malformed requests."""

import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator

import pytest
from flask import Flask, request
from werkzeug.test import TestResponse

from tests.support.cast import ALICE
from tests.support.compiled_templates import create_app
from tests.support.postgres import make_read_only
from tests.support.request_counts import keep_request_counts
from tests.support.visitors import Site, settings_for
from webapp.kernel import urls
from webapp.kernel.tx import Database


def test_pages_have_a_strict_policy_and_are_not_cached(site: Site) -> None:
    headers = site.signed_out().get(urls.home()).headers
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "form-action 'self'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store"
    assert "Strict-Transport-Security" not in headers


COMMON_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
}


def responses_of_every_route(app: Flask) -> Iterator[tuple[str, TestResponse]]:
    """Send a request by every method to every route, signed out; yield what was sent and the response."""
    client, adapter = app.test_client(), app.url_map.bind("localhost")
    for rule in app.url_map.iter_rules():
        known_arguments = {"filename": "lodepost.css", "verb": "approve"}
        arguments = {name: known_arguments.get(name, "1") for name in rule.arguments}
        path = adapter.build(rule.endpoint, arguments)
        for method in ("GET", "HEAD", "OPTIONS", "POST", "DELETE"):
            answer = client.open(
                path, method=method, base_url="https://lodepost.test", data={"x": "y"}
            )
            yield f"{method} {path} {answer.status}", answer
            answer.close()
    yield "a wrong host", client.get("/", headers={"Host": "evil.example"})
    yield "nowhere", client.get("/static/nowhere")


def test_every_response_of_every_route_has_the_strict_headers(
    database: Database, database_url: str
) -> None:
    settings = settings_for(database_url, base_url="https://lodepost.test")
    for place, answer in responses_of_every_route(create_app(settings, database=database)):
        assert {name: answer.headers.get(name) for name in COMMON_HEADERS} == COMMON_HEADERS, place
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"], place
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"], place
        assert "unsafe" not in answer.headers["Content-Security-Policy"], place
        assert "camera=()" in answer.headers["Permissions-Policy"], place
        is_style_sheet = "/static/lodepost.css 200" in place
        assert (answer.headers.get("Cache-Control") == "no-store") is not is_style_sheet, place
        assert "Server" not in answer.headers, place
        assert "Clear-Site-Data" not in answer.headers or "/sign-out" in place, place


def test_every_response_states_its_type_and_every_text_its_encoding(
    database: Database, database_url: str
) -> None:
    settings = settings_for(database_url, base_url="https://lodepost.test")
    for place, answer in responses_of_every_route(create_app(settings, database=database)):
        if answer.content_length:
            assert answer.mimetype, place
            is_text = answer.mimetype.startswith("text/") or answer.mimetype.endswith("+xml")
            assert is_text is ("charset=utf-8" in (answer.content_type or "").lower()), place


@pytest.mark.parametrize("method", ["TRACE", "TRACK", "CONNECT"])
def test_methods_for_diagnosis_are_refused(site: Site, method: str) -> None:
    assert site.signed_out().client.open("/", method=method).status_code == 405


def test_hosts_below_this_one_can_do_without_https(database: Database, database_url: str) -> None:
    settings = settings_for(database_url, base_url="https://lodepost.test", hsts_subdomains=False)
    client = create_app(settings, database=database).test_client()
    answer = client.get(urls.about(), base_url="https://lodepost.test")
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"


def test_script_nonce_is_new_for_every_response(site: Site) -> None:
    policies = [site.signed_out().get(urls.home()).headers["Content-Security-Policy"] for _ in "ab"]
    nonces = [re.findall(r"script-src 'nonce-([\w-]{22,})'", policy) for policy in policies]
    assert all(len(nonces_of_response) == 1 for nonces_of_response in nonces)
    assert nonces[0] != nonces[1]


def test_style_sheet_is_cacheable_under_a_digest_of_its_content(site: Site) -> None:
    page = site.signed_out().get(urls.home()).text
    [style_sheet_path] = re.findall(r'href="(/static/lodepost\.css\?v=[0-9a-f]{12})"', page)
    answer = site.signed_out().get(style_sheet_path)
    assert answer.status_code == 200
    assert "max-age=31536000" in answer.headers["Cache-Control"]
    answer.close()


def test_session_cookie_is_http_only_and_same_site(site: Site) -> None:
    cookie = site.signed_out().get(urls.sign_in()).headers["Set-Cookie"]
    assert cookie.startswith("lodepost=")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie


def test_session_cookie_is_secure_and_host_bound_with_https(
    database: Database, database_url: str
) -> None:
    settings = settings_for(database_url, base_url="https://lodepost.test")
    client = create_app(settings, database=database).test_client()
    answer = client.get(urls.sign_in(), base_url="https://lodepost.test")
    assert answer.headers["Set-Cookie"].startswith("__Host-lodepost=")
    assert "Secure" in answer.headers["Set-Cookie"]
    assert "max-age=31536000" in answer.headers["Strict-Transport-Security"]


def test_session_cookie_is_signed_with_sha_256(site: Site) -> None:
    cookie = site.signed_out().get(urls.sign_in()).headers["Set-Cookie"]
    signature = cookie.split(";")[0].rpartition(".")[2]
    assert len(urlsafe_b64decode(signature + "=")) == 32


def test_signed_out_home_page_sets_no_cookie(site: Site) -> None:
    assert "Set-Cookie" not in site.signed_out().get(urls.home()).headers


@pytest.mark.parametrize("host", ["evil.example", "lodepost.test.evil.example", "", "a b", "x\x00"])
def test_request_for_another_host_gets_the_right_address(site: Site, host: str) -> None:
    answer = site.signed_out().get(urls.home(), headers={"Host": host})
    assert answer.status_code == 400
    assert "http://lodepost.test" in answer.text


@pytest.mark.parametrize("host", ["lodepost.test", "lodepost.test:8000", "localhost", "127.0.0.1"])
def test_requests_for_the_own_host_and_loopback_are_accepted(site: Site, host: str) -> None:
    assert site.signed_out().get(urls.home(), headers={"Host": host}).status_code == 200


def test_forwarding_headers_count_only_behind_trusted_proxies(
    database: Database, database_url: str
) -> None:
    forwarding_headers = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}
    for proxy_count, expected_address in ((0, "127.0.0.1"), (1, "203.0.113.9")):
        app = create_app(settings_for(database_url, trusted_proxies=proxy_count), database=database)
        app.add_url_rule("/who", "who", lambda: request.remote_addr or "")
        assert app.test_client().get("/who", headers=forwarding_headers).text == expected_address


@pytest.mark.parametrize(
    "method, path, status",
    [
        ("get", "/nowhere", 404),
        ("get", "/games/%ff%fe", 401),
        ("get", "/games/a%00b", 401),
        ("get", "/rules/zz-1999", 404),
        ("get", "/u/unknown", 404),
        ("get", "/invitations/unknown", 404),
        ("get", "/games/zzzz/turns", 405),
        ("delete", "/", 405),
    ],
)
def test_error_is_a_page_with_a_heading(site: Site, method: str, path: str, status: int) -> None:
    answer = site.signed_out().client.open(path, method=method)
    assert answer.status_code == status
    assert "<h1>" in answer.text


def test_body_that_is_not_a_form_is_refused(site: Site) -> None:
    alice = site.signed_in(ALICE)
    for kind in ("application/json", "text/plain", ""):
        answer = alice.client.post(urls.tables(), data=b"{}", content_type=kind)
        assert answer.status_code == 415


def test_body_that_is_too_large_is_refused(site: Site) -> None:
    answer = site.signed_in(ALICE).post(urls.tables(), rulebook="x" * 70_000)
    assert answer.status_code == 413
    assert "too much text" in answer.text


def test_form_with_too_many_parts_is_refused(site: Site) -> None:
    parts = {f"part{number}": "x" for number in range(150)}
    answer = site.signed_in(ALICE).client.post(
        urls.tables(), data=parts, content_type="multipart/form-data"
    )
    assert answer.status_code == 413


def test_too_many_sign_in_requests_are_refused(site: Site) -> None:
    keep_request_counts(site.app)
    visitor = site.signed_out()
    token = visitor.token()
    fields = {"csrf_token": token, "address": "player@example.test"}
    answers = [visitor.client.post(urls.sign_in(), data=fields) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [303] * 10 + [429]
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert "Too many attempts" in answers[-1].text


def test_pages_answer_503_without_a_database(database_url: str) -> None:
    unreachable_settings = settings_for("postgresql+psycopg://unknown@127.0.0.1:9/none")
    client = create_app(unreachable_settings).test_client()
    for path in (urls.home(), urls.game("abc"), urls.profile(), urls.sign_in()):
        answer = client.get(path)
        assert answer.status_code == 503
        assert int(answer.headers["Retry-After"]) > 0
        assert "Nothing is lost" in answer.text
    assert client.get(urls.health()).status_code == 503
    assert client.get(urls.rules()).status_code == 200


@pytest.mark.own_database
def test_forms_answer_503_with_a_read_only_database(site: Site, database: Database) -> None:
    visitor = site.signed_out()
    token = visitor.token()
    make_read_only(database)
    fields = {"csrf_token": token, "address": "player@example.test"}
    answer = visitor.client.post(urls.sign_in(), data=fields)
    assert answer.status_code == 503
    assert "Nothing is lost" in answer.text


def test_server_error_page_reveals_nothing_about_the_error(
    database: Database, database_url: str
) -> None:
    app = create_app(settings_for(database_url), database=database)

    def fail() -> str:
        secret = "a hand of cards"
        raise RuntimeError(secret)

    app.add_url_rule("/fail", "fail", fail)
    answer = app.test_client().get("/fail")
    assert answer.status_code == 500
    assert "our fault" in answer.text
    assert "a hand of cards" not in answer.text
    assert "Traceback" not in answer.text
    assert answer.headers["Cache-Control"] == "no-store"
