"""Names that are written from right to left reorder nothing in the sentences and headers that contain them (UAX 9)."""

from email import message_from_bytes, policy

import pytest
from jinja2 import Environment

from tests.support.transactions import NOON
from webapp.kernel.i18n import Locale, isolated, language_for, zone_for
from webapp.mail.mime import header_bytes, mailbox_field, one_line, text_field
from webapp.templating import SENTENCE_FUNCTIONS, rendered_for
from webapp.wording.perspective import Perspective, player_name

ENGLISH = language_for("en")
HEBREW = ("\u05d0\u05d1\u05d9", "\u05d1\u05e0\u05d9", "\u05d2\u05d3")
ARABIC = "\u0633\u0627\u0631\u0629"


def test_each_of_several_names_is_isolated() -> None:
    perspective = Perspective(language=ENGLISH, names=HEBREW)
    expected = [f"\u2068{name}\u2069" for name in HEBREW]
    assert perspective.names_of((0, 1, 2)) == "{}, {} and {}".format(*expected)


@pytest.mark.parametrize("name", ["Anna", "\u0410\u043d\u043d\u0430", "\u674e\u5c0f\u9f8d", ""])
def test_other_names_are_as_they_were(name: str) -> None:
    assert isolated(name) == name


def test_name_is_isolated_once() -> None:
    assert isolated(isolated(ARABIC)) == isolated(ARABIC)
    assert player_name(one_line(ARABIC), ENGLISH) == f"\u2068{ARABIC}\u2069"


def test_whatever_a_sentence_contains_is_isolated() -> None:
    club = f"\u2068{ARABIC} 7\u2069"
    message = "Your invitation to the club %(club)s"
    assert ENGLISH.gettext(message, club=f"{ARABIC} 7") == f"Your invitation to the club {club}"
    templates = Environment(autoescape=True)
    templates.globals.update(SENTENCE_FUNCTIONS)
    for source in (
        "{{ _('%(club)s!', club=name) }}",
        "{{ ngettext('%(club)s!', '%(club)s?', 1, club=name) }}",
    ):
        template = templates.from_string(source)
        with rendered_for(Locale(ENGLISH, zone_for("UTC"), NOON)):
            assert template.render(name=f"{ARABIC} 7") == f"{club}!"
            assert template.render(name="<Bo>") == "&lt;Bo&gt;!"


def test_marks_that_a_name_brings_along_are_no_isolates() -> None:
    assert one_line("\u2068Mallory\u2069\u202e x") == "Mallory x"
    assert one_line(f"\u2069{ARABIC}\u2068") == f"\u2068{ARABIC}\u2069"


def test_subject_keeps_the_isolates_and_a_display_name_has_none() -> None:
    subject = f"{one_line(ARABIC)} invites you, (1)"
    fields = (text_field("Subject", subject), mailbox_field("To", "a@b.test", display_name=ARABIC))
    message = message_from_bytes(header_bytes(fields), policy=policy.default)
    assert message["Subject"] == subject
    assert message["To"].addresses[0].display_name == ARABIC
