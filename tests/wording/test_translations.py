import re
import shlex
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from babel import Locale

from webapp.i18n import (
    DEFAULT_LANGUAGE,
    N_,
    NN_,
    TRANSLATED_LANGUAGES,
    Language,
    language_for,
    read_catalogue,
    zone_for,
)

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "webapp" / "translations" / "messages.pot"


LATVIAN = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=3; plural=(n%10==0 || (n%100>=11 && n%100<=19) ? 0 : n%10==1 && n%100!=11 ? 1 : 2);\\n"

msgid "%(name)s drew: %(card)s."
msgstr "%(card)s: to paņēma %(name)s."

msgid "%(num)s nugget"
msgid_plural "%(num)s nuggets"
msgstr[0] "%(num)s kripatu"
msgstr[1] "%(num)s kripata"
msgstr[2] "%(num)s kripatas"

msgctxt "verb"
msgid "Pass"
msgstr "Garām"

msgctxt "letters"
msgid "a"
msgid_plural "b"
msgstr[0] "c"
msgstr[1] "d"
msgstr[2] "e"

#, fuzzy
msgid "The game is over."
msgstr "Varbūt."
"""


def latvian() -> Language:
    """A language with three plural forms and a few sentences, read as its file would be."""
    return Language("lv", Locale("lv"), read_catalogue(BytesIO(LATVIAN.encode()), "lv"))


def test_english_is_there_without_a_catalogue() -> None:
    english = language_for("en")
    assert english.name == "English"
    assert english.gettext("%(name)s drew: %(card)s.", name="A", card="map") == "A drew: map."
    assert english.ngettext("%(num)s nugget", "%(num)s nuggets", 2) == "2 nuggets"
    assert english.pgettext("verb", "Pass") == "Pass"
    assert english.npgettext("letters", "a", "b", 2) == "b"
    assert english.gettext("100%%") == "100%"


def test_a_translation_may_put_its_words_in_another_order() -> None:
    told = latvian().gettext("%(name)s drew: %(card)s.", name="Anna", card="karte")
    assert told == "karte: to paņēma Anna."


def test_plurals_follow_the_language_and_the_rule_in_its_file() -> None:
    told = {
        count: latvian().ngettext("%(num)s nugget", "%(num)s nuggets", count)
        for count in (0, 1, 2, 11, 21)
    }
    assert told == {
        0: "0 kripatu",
        1: "1 kripata",
        2: "2 kripatas",
        11: "11 kripatu",
        21: "21 kripata",
    }
    assert latvian().pgettext("verb", "Pass") == "Garām"
    assert latvian().npgettext("letters", "a", "b", 1) == "d"
    assert latvian().name == "Latviešu"


def test_what_is_uncertain_or_missing_stays_english() -> None:
    assert latvian().gettext("The game is over.") == "The game is over."
    assert latvian().gettext("Not there.") == "Not there."


def test_markers_leave_their_messages_as_they_are() -> None:
    assert N_("Pass") == "Pass"
    assert NN_("one", "many") == ("one", "many")


@pytest.mark.parametrize("code", [None, "", "xx", "../../etc/passwd"])
def test_an_unknown_language_is_english(code: str | None) -> None:
    assert language_for(code) is language_for(DEFAULT_LANGUAGE)


@pytest.mark.parametrize("name", [None, "", "Mars/Olympus", "../../etc/passwd", "\0"])
def test_an_unknown_zone_is_utc(name: str | None) -> None:
    assert zone_for(name).key == "UTC"


def test_a_known_zone_is_found() -> None:
    assert zone_for("Europe/Kyiv").key == "Europe/Kyiv"


def test_the_english_source_holds_every_message_of_code_and_templates(tmp_path: Path) -> None:
    """The very command of the README, into another file."""
    fresh = tmp_path / "messages.pot"
    extract(fresh)
    assert fresh.read_text("utf-8") == SOURCE.read_text("utf-8"), (
        "run the command of webapp/translations/README.md"
    )


def extract(into: Path) -> None:
    readme = (SOURCE.parent / "README.md").read_text("utf-8")
    (command,) = re.findall(r"^    pybabel (.+)$", readme, re.MULTILINE)
    words = [
        str(into) if word == "webapp/translations/messages.pot" else word
        for word in shlex.split(command)
    ]
    subprocess.run([sys.executable, "-m", "babel.messages.frontend", *words], cwd=ROOT, check=True)


def test_no_message_has_a_placeholder_without_a_name() -> None:
    for line in SOURCE.read_text("utf-8").splitlines():
        if line.startswith(("msgid", '"')):
            assert not re.search(r"(?<!%)%(?![(%])", line), line


def test_every_catalogue_there_is_can_be_loaded() -> None:
    assert [language_for(code).code for code in TRANSLATED_LANGUAGES] == list(TRANSLATED_LANGUAGES)
