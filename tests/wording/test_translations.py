"""Translations: plural forms, fallbacks to English and UTC, and the extracted messages."""

import re
import shlex
import subprocess
import sys
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

import pytest
from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from webapp.kernel.i18n import DEFAULT_LANGUAGE, N_, NN_, Language, language_for, zone_for

ROOT = Path(__file__).resolve().parents[2]
MESSAGES_POT_FILE = ROOT / "webapp" / "translations" / "messages.pot"


LATVIAN_CATALOGUE = """
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
"""


def latvian() -> Language:
    """Return a language with three plural forms and a few sentences."""
    compiled_catalogue = BytesIO()
    write_mo(compiled_catalogue, read_po(BytesIO(LATVIAN_CATALOGUE.encode()), locale="lv"))
    compiled_catalogue.seek(0)
    return Language("lv", Locale("lv"), GNUTranslations(compiled_catalogue))


def test_english_needs_no_catalogue() -> None:
    english = language_for("en")
    assert english.name == "English"
    assert english.gettext("%(name)s drew: %(card)s.", name="A", card="map") == "A drew: map."
    assert english.ngettext("%(num)s nugget", "%(num)s nuggets", 2) == "2 nuggets"
    assert english.gettext("100%%") == "100%"


def test_translation_can_put_placeholders_in_another_order() -> None:
    sentence = latvian().gettext("%(name)s drew: %(card)s.", name="Anna", card="karte")
    assert sentence == "karte: to paņēma Anna."


def test_plural_forms_follow_the_rule_in_the_catalogue() -> None:
    plurals = {
        count: latvian().ngettext("%(num)s nugget", "%(num)s nuggets", count)
        for count in (0, 1, 2, 11, 21)
    }
    assert plurals == {
        0: "0 kripatu",
        1: "1 kripata",
        2: "2 kripatas",
        11: "11 kripatu",
        21: "21 kripata",
    }
    assert latvian().name == "Latviešu"


def test_missing_translations_fall_back_to_english() -> None:
    assert latvian().gettext("Not there.") == "Not there."


def test_markers_return_their_messages_unchanged() -> None:
    assert N_("Pass") == "Pass"
    assert NN_("one", "many") == ("one", "many")


@pytest.mark.parametrize("code", [None, "", "xx", "../../etc/passwd"])
def test_unknown_language_falls_back_to_english(code: str | None) -> None:
    assert language_for(code) is language_for(DEFAULT_LANGUAGE)


@pytest.mark.parametrize("name", [None, "", "Mars/Olympus", "../../etc/passwd", "\0"])
def test_unknown_time_zone_falls_back_to_utc(name: str | None) -> None:
    assert zone_for(name).key == "UTC"


def test_known_time_zone_is_returned() -> None:
    assert zone_for("Europe/Kyiv").key == "Europe/Kyiv"


def test_messages_pot_has_every_message_of_code_and_templates(tmp_path: Path) -> None:
    """Run the command of the README with another output file, and compare."""
    extracted_file = tmp_path / "messages.pot"
    extract_messages(extracted_file)
    assert extracted_file.read_text("utf-8") == MESSAGES_POT_FILE.read_text("utf-8"), (
        "run the command of webapp/translations/README.md"
    )


def extract_messages(output: Path) -> None:
    readme = (MESSAGES_POT_FILE.parent / "README.md").read_text("utf-8")
    (command,) = re.findall(r"^    pybabel (.+)$", readme, re.MULTILINE)
    arguments = [
        str(output) if argument == "webapp/translations/messages.pot" else argument
        for argument in shlex.split(command)
    ]
    subprocess.run(
        [sys.executable, "-m", "babel.messages.frontend", *arguments], cwd=ROOT, check=True
    )


def test_every_placeholder_in_messages_has_a_name() -> None:
    for line in MESSAGES_POT_FILE.read_text("utf-8").splitlines():
        if line.startswith(("msgid", '"')):
            assert not re.search(r"(?<!%)%(?![(%])", line), line
