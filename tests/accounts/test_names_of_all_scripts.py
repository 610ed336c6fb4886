"""Names and texts in the scripts of the world, with their ordinary marks and joiners (UAX 31); what deceives stays refused."""

import pytest

from webapp.accounts.addresses import parse_address
from webapp.accounts.names import (
    are_confusable,
    name_errors,
    normalize_name,
    plain_text_and_errors,
    typed_text,
)
from webapp.kernel.refusals import FieldErrors
from webapp.moderation.new_reports import checked_complaint

NAMES = {
    "Arabic": "\u0645\u064f\u062d\u064e\u0645\u0651\u064e\u062f",
    "Bengali": "\u09aa\u09cd\u09b0\u09bf\u09af\u09bc\u09be\u0999\u09cd\u0995\u09be",
    "Burmese": "\u1000\u103c\u103d\u1031\u1038\u1019\u103c\u1004\u1037\u103a",
    "Chinese": "\u674e\u5c0f\u9f8d",
    "Georgian": "\u10d1\u10d0\u10d8\u10d0",
    "Greek": "\u03a3\u03c9\u03ba\u03c1\u03ac\u03c4\u03b7\u03c2",
    "Gurmukhi": "\u0a17\u0a41\u0a30\u0a2a\u0a4d\u0a30\u0a40\u0a24",
    "Hebrew": "\u05de\u05b9\u05e9\u05b6\u05c1\u05d4",
    "Hindi": "\u0915\u094d\u0937\u0924\u094d\u0930\u093f\u092f",
    "Hindi with a joiner": "\u0930\u094d\u200d\u0939\u0938\u094d\u0935",
    "Kannada": "\u0ca8\u0cbe\u0c97\u0cb0\u0cbe\u0c9c\u0ccd",
    "Khmer": "\u179f\u17d2\u179a\u17b8\u1798\u17bb\u17c6",
    "Korean": "\uae40\ubbfc\uc218",
    "Lao": "\u0ea1\u0eb0\u0e99\u0eb5\u0ea7\u0eb1\u0e99",
    "Persian with a non-joiner": "\u0631\u0636\u0627\u200c\u0632\u0627\u062f\u0647",
    "Sinhala with a joiner": "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
    "Tamil": "\u0ba4\u0bae\u0bbf\u0bb4\u0bcd\u0b9a\u0bcd\u0b9a\u0bc6\u0bb2\u0bcd\u0bb5\u0bbf",
    "Thai": "\u0e19\u0e49\u0e33\u0e1c\u0e36\u0e49\u0e07",
    "Tibetan": "\u0f56\u0f40\u0fb2\u0f0b\u0f64\u0f72\u0f66",
    "Vietnamese": "Nguye\u0302\u0303n Thi\u0323 Hu\u031bo\u031bng",
    "Yoruba": "O\u0323la\u0301ye\u0323mi\u0301",
}
DECEPTIONS = {
    "joiner between Latin characters": "Ali\u200dce",
    "non-joiner between Latin characters": "Ali\u200cce",
    "joiner at the beginning": "\u200dAlice",
    "joiner at the end": "Alice\u200d",
    "joiner without a virama": "\u0915\u200d\u0916",
    "two joiners": "\u0dc1\u0dca\u200d\u200d\u0dbb",
    "direction": "Ali\u202ece",
    "isolate": "Ali\u2067ce",
    "word joiner": "Ali\u2060ce",
    "marks piled up": "Z\u0351\u036b\u0313\u036a",
    "one mark again and again": "\u0e01\u0e47\u0e47\u0e47",
    "mark of another script": "A\u0e47",
    "virama of another script": "a\u1039",
    "too many marks": "\u1000\u103b\u103c\u103d\u103e\u102d\u102f\u1037\u1038",
}


@pytest.mark.parametrize("script", NAMES)
def test_name_in_its_script_is_accepted(script: str) -> None:
    assert name_errors(normalize_name(NAMES[script])) == []
    assert plain_text_and_errors("text", NAMES[script], max_length=100)[1] == []
    assert checked_complaint(NAMES[script])


@pytest.mark.parametrize("deception", DECEPTIONS)
def test_name_that_deceives_is_refused(deception: str) -> None:
    assert name_errors(normalize_name(DECEPTIONS[deception])) != []


def test_names_that_differ_in_a_joiner_are_confusable() -> None:
    joined = NAMES["Sinhala with a joiner"]
    assert are_confusable(joined, joined.replace("\u200d", ""))


@pytest.mark.parametrize(
    "typed",
    [
        "\ufeffalice@example.org\ufeff",
        "\u00a0alice@example.org\u00a0",
        "alice\u200b@example.org",
        "\uff41lice\uff20example.org",
    ],
)
def test_address_that_was_pasted_with_marks_is_read_as_it_was_meant(typed: str) -> None:
    assert parse_address(typed) == "alice@example.org"


def test_typed_text_keeps_what_is_visible() -> None:
    assert typed_text("\u00a0\uff11\uff12\u200b3\u2060") == "123"


@pytest.mark.parametrize("typed", ["j\u00f5geva@example.org", "\u6c34@example.org"])
def test_mailbox_with_other_characters_is_named_as_a_limit(typed: str) -> None:
    with pytest.raises(FieldErrors, match="address: mailbox-not-ascii"):
        parse_address(typed)


@pytest.mark.parametrize("typed", ["j\u00f5geva", "alice@", "@example.org"])
def test_text_that_is_no_address_at_all_is_not_taken_for_that(typed: str) -> None:
    with pytest.raises(FieldErrors, match="address: not-an-address"):
        parse_address(typed)
