"""The language of a page follows the browser's Accept-Language header."""

import pytest
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from webapp.kernel.i18n import TRANSLATED_LANGUAGES
from webapp.web.session import best_language


@pytest.mark.parametrize(
    "header", ["", "*", "de, fr;q=0.5", "en-GB,en;q=0.9", ";;q=,,", "en;q=x", "a" * 10_000]
)
def test_every_accept_language_header_leads_to_a_translated_language(header: str) -> None:
    assert best_language(parse_accept_header(header, LanguageAccept)) in TRANSLATED_LANGUAGES


@pytest.mark.parametrize("accept_header, expected", [("ja", "lv"), ("", "lv"), ("en-GB,ja", "en")])
def test_default_language_of_a_page_is_used_for_browsers_that_accept_no_translated_one(
    accept_header: str, expected: str
) -> None:
    assert best_language(parse_accept_header(accept_header, LanguageAccept), "lv") == expected
