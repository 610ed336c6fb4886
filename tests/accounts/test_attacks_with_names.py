"""Names made to look like another name, to hide something, or to become a link in the subject of an email."""

import unicodedata

import pytest

from webapp.accounts.names import (
    are_confusable,
    is_invisible,
    name_errors,
    normalize_name,
    prototypes,
)


@pytest.mark.parametrize(
    "name, other_name",
    [
        # Mixed scripts: Cyrillic, Greek, Armenian, Cherokee, Lisu and mathematical characters.
        ("paypal", "p\u0430yp\u0430l"),
        ("scope", "\u0455\u0441\u043e\u0440\u0435"),
        ("Anna", "\u0391nna"),
        ("HOST", "\u041d\u041e\u0405\u0422"),
        ("Uhu", "\u054d\u0570u"),
        ("DAVE", "\u13a0\u13aaVE"),
        ("Tina", "\ua4d4ina"),
        ("Bob", "\U0001d401\U0001d428\U0001d41b"),
        ("ENVY", "\u0415NV\u03a5"),
        # Digits and characters of the alphabet.
        ("Oslo", "0sl0"),
        ("Bill", "Bi11"),
        ("Lila", "\u2113ila"),
        # Pairs of characters.
        ("Walter", "VValter"),
        ("Edwin", "Edvvin"),
        ("Dora", "Clora"),
        ("Edda", "Eclda"),
        ("Emma", "Ernrna"),
        ("Will", "\u2164\u2164ill"),
        # Marks that show nothing, between and after others.
        ("Anna", "An\u034fna"),
        ("Anna", "Anna\U000e0100"),
        ("Anna", "An\u180bna"),
        ("Anna", "An\u00adna"),
        ("Anna", "\u2800Anna"),
        ("Anna", "An\u17b4na"),
        ("Anna", "An\u200d\u200cna"),
        # The same marks in another order, or as one character.
        ("a\u0323\u0302", "\u1ead"),
        ("a\u0302\u0323", "\u1ead"),
        ("J\u0101nis", "Ja\u0304nis"),
        # A character whose compatibility form is not what it looks like.
        ("fran", "\u017fran"),
        ("sran", "\u017fran"),
        # Numbers that are shown on the same side of text from right to left.
        ("\u05d3\u05d5\u05d3 1", "1 \u05d3\u05d5\u05d3"),
        ("Max \u05d3\u05d5\u05d3 1", "Max 1 \u05d3\u05d5\u05d3"),
        # Case.
        ("\u0130ris", "i\u0307ris"),
        ("STRASSE", "stra\u1e9ee"),
    ],
)
def test_attacking_name_is_confusable(name: str, other_name: str) -> None:
    assert are_confusable(name, other_name)
    assert are_confusable(other_name, name)


@pytest.mark.parametrize(
    "name, other_name",
    [
        ("Wanda", "Vanda"),
        ("Clara", "Lara"),
        ("Anna", "Ana"),
        ("Kristi\u0101ns", "Kristians"),
        ("\u00d5nne", "Onne"),
        ("\u0406\u0433\u043e\u0440", "\u0406\u0440\u0438\u043d\u0430"),
        ("\u0141ukasz", "Lukas"),
        ("\u674e", "\u738b"),
        ("\u05e8\u05dd", "\u05de\u05e8"),
        ("\u05d3\u05d5\u05d3 1", "\u05d3\u05d5\u05d3 2"),
    ],
)
def test_names_of_different_people_are_not_confusable(name: str, other_name: str) -> None:
    assert not are_confusable(name, other_name)


@pytest.mark.parametrize(
    "name",
    [
        "Bob\u202etset",
        "\u2066Bob\u2069",
        "Bob\u061c",
        "Bob\u200f",
        "Bo\u200db",
        "Bo\u00adb",
        "Bo\u034fb",
        "Bob\U000e0100",
        "Bob\ufe01",
        "Bo\u180bb",
        "Bob\ufeff",
        "Bob\u1160",
        "Bob\U000e0041",
        "B\u20ddob",
        "Bo\u0488b",
        "Z\u0351\u036b\u0343\u036a\u0302algo",
        "x\u0301\u0302\u0303",
        "Bob\ud83d",
        "Bob\uffff",
    ],
)
def test_name_with_invisible_or_covering_characters_is_refused(name: str) -> None:
    assert [error.code for error in name_errors(normalize_name(name))] == ["control-characters"]


@pytest.mark.parametrize(
    "name",
    [
        "Anna\u2764\ufe0f",
        "Team 1\ufe0f\u20e3",
        "Nguy\u1ec5n Th\u1ecb",
        "\u0928\u092e\u0938\u094d\u0924\u0947",
        "\u05d3\u05d5\u05b4\u05d3",
        "O'Neill",
        "J. R. R. Tolkien",
        "Version 2.0",
        "Fran\u00e7ois",
        "Anna & Bob",
        "50 %",
        "\u0633\u0639\u06cc\u062f \u06f1\u06f0",
    ],
)
def test_name_of_a_person_is_accepted(name: str) -> None:
    assert name_errors(normalize_name(name)) == []


@pytest.mark.parametrize(
    "name",
    [
        "evil.com",
        "Win at EVIL.ZIP",
        "evil.museum",
        "evil.xn--p1ai",
        "xn--80ak6aa92e.com",
        "\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444",
        "\u4f8b\u5b50\u3002\u4e2d\u56fd",
        "\u4f8b\u5b50\uff61\u4e2d\u56fd",
        "evil\uff0ecom",
        "evil\u2024com",
        "evil\ufe52com",
        "q\u0323.com",
        "\u0909\u0926\u093e.\u092d\u093e\u0930\u0924",
        "\u2764.ws",
        "\u2764\ufe0f.ws",
        "evil-.com",
        "192.168.0.1",
        "http://x",
        "x://y",
        "evil\u2215com",
        "evil\u2044com",
        "evil\u29f8com",
        "evil\uff0fcom",
        "evil\\com",
        "bob\uff20example",
        "bob\ufe6bexample",
        "WWW.x",
        "\uff57\uff57\uff57.x",
        "\u2105 Bob",
    ],
)
def test_name_that_could_be_a_link_is_refused(name: str) -> None:
    assert [error.code for error in name_errors(normalize_name(name))] == ["link"]


def test_invisible_characters_have_no_glyph_in_any_alphabet() -> None:
    visible = [
        code
        for code in range(0x110000)
        if is_invisible(chr(code)) and unicodedata.category(chr(code))[0] in "LN"
    ]
    assert list(map(hex, visible)) == ["0x115f", "0x1160", "0x3164", "0xffa0"]


def test_table_of_confusables_is_that_of_unicode_17() -> None:
    assert len(prototypes()) > 8000
    # In the table since versions 15.1, 16.0 and 17.0.
    assert {chr(code) for code in (0x14B, 0x11DDA, 0x1AE9)} <= set(map(chr, prototypes()))


def test_prototypes_are_their_own_prototypes() -> None:
    once = {text.translate(prototypes()) for text in prototypes().values()}
    assert {text.translate(prototypes()) for text in once} == once
