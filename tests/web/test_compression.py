"""What the server sends compressed when browsers reach it without a proxy."""

import gzip

import pytest

from tests.support.cast import ALICE
from tests.support.visitors import Site
from webapp.kernel import urls
from webapp.web.compression import compress_responses
from webapp.web.style_sheet import style_sheet, style_sheet_address


@pytest.fixture
def compressing_site(site: Site) -> Site:
    compress_responses(site.app)
    return site


def test_page_is_compressed_for_browsers_that_accept_it(compressing_site: Site) -> None:
    visitor = compressing_site.signed_out()
    plain = visitor.get(urls.rules())
    compressed = visitor.get(urls.rules(), headers={"Accept-Encoding": "br, gzip;q=0.5"})
    refused = visitor.get(urls.rules(), headers={"Accept-Encoding": "gzip;q=0, br"})
    assert compressed.headers["Content-Encoding"] == "gzip"
    assert 3 * len(compressed.data) < len(plain.data)
    assert "<h1" in gzip.decompress(compressed.data).decode()
    for answer in (plain, refused):
        assert "Content-Encoding" not in answer.headers
        assert "<h1" in answer.text
    for answer in (plain, compressed, refused):
        assert "Accept-Encoding" in answer.vary


def test_form_of_a_compressed_page_is_accepted(compressing_site: Site) -> None:
    visitor = compressing_site.signed_in(ALICE)
    form = visitor.page(urls.profile()).form(urls.profile())
    answer = visitor.client.post(form.action, data=form.fields, headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 303


def test_style_sheet_is_compressed_and_not_sent_again(compressing_site: Site) -> None:
    client = compressing_site.app.test_client()
    address = style_sheet_address("")
    for _ in range(2):
        answer = client.get(address, headers={"Accept-Encoding": "gzip"})
        assert gzip.decompress(answer.data) == style_sheet()
    etag = answer.headers["ETag"]
    assert etag.startswith("W/")
    for headers in ({}, {"Accept-Encoding": "gzip"}):
        again = client.get(address, headers={"If-None-Match": etag, **headers})
        assert (again.status_code, again.data) == (304, b"")


def test_short_answers_and_images_are_sent_as_they_are(compressing_site: Site) -> None:
    client = compressing_site.app.test_client()
    answer = client.get("/healthz", headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200
    assert "Content-Encoding" not in answer.headers
