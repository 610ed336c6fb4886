"""Forms validate themselves: what each validator accepts, and the sentence it shows otherwise."""

import pytest
from werkzeug.datastructures import MultiDict
from wtforms import SelectField, StringField

from tests.support.rendering import ENGLISH
from webapp.i18n import N_
from webapp.services.errors import FieldError
from webapp.web.forms import PageForm
from webapp.web.validators import (
    Validator,
    cell_label,
    number_between,
    one_line,
    one_of,
    optional_number,
    required,
    whole_number,
)

ACCEPTED: list[tuple[Validator, str]] = [
    (one_line, ""),
    (one_line, "  Žaneta's table  "),
    (required, "x"),
    (whole_number, "0"),
    (whole_number, " 12 "),
    (optional_number, ""),
    (number_between(1, 3), "3"),
    (one_of(("hours", "days")), "days"),
    (cell_label, "-A5"),
]
REFUSED: list[tuple[Validator, str, str]] = [
    (one_line, "a\nb", "cannot be shown"),
    (one_line, "a\x00b", "cannot be shown"),
    (one_line, "x" * 1001, "1000"),
    (required, "   ", "fill this in"),
    (whole_number, "", "fill this in"),
    (whole_number, "-1", "whole number"),
    (whole_number, "1.5", "whole number"),
    (whole_number, "٣", "whole number"),
    (whole_number, "1" * 10, "whole number"),
    (optional_number, "x", "whole number"),
    (number_between(1, 3), "4", "from 1 to 3"),
    (one_of(("hours", "days")), "years", "not one of the choices"),
    (one_of(("hours", "days")), "", "fill this in"),
    (cell_label, "nowhere", "no cell"),
]


def form_with(validator: Validator, formdata: MultiDict[str, str]) -> PageForm:
    class OneFieldForm(PageForm):
        field = StringField(validators=[validator], default="7")

    return OneFieldForm(ENGLISH, formdata)


@pytest.mark.parametrize("validator, text", ACCEPTED)
def test_valid_text_is_accepted(validator: Validator, text: str) -> None:
    assert form_with(validator, MultiDict({"field": text})).validate()


@pytest.mark.parametrize("validator, text, sentence", REFUSED)
def test_invalid_text_is_refused_with_one_sentence(
    validator: Validator, text: str, sentence: str
) -> None:
    form = form_with(validator, MultiDict({"field": text}))
    assert not form.validate()
    [error] = form.errors["field"]
    assert sentence in error


@pytest.mark.parametrize("validator", [required, whole_number, one_of(("7",)), cell_label])
def test_default_does_not_replace_a_field_that_was_not_sent(validator: Validator) -> None:
    assert not form_with(validator, MultiDict({"other": "x"})).validate()


class NamedForm(PageForm):
    name = StringField(N_("Your name at this table"), [one_line])
    starter = SelectField(N_("Who starts the first round"), validate_choice=False)


def test_labels_are_in_the_language_of_the_form() -> None:
    class ShoutingLanguage:
        def gettext(self, message: str) -> str:
            return message.upper()

    form = NamedForm(ShoutingLanguage())  # type: ignore[arg-type]
    assert [field.label.text for field in form] == [
        "YOUR NAME AT THIS TABLE",
        "WHO STARTS THE FIRST ROUND",
    ]


def test_error_of_a_service_is_shown_at_its_field() -> None:
    form = NamedForm(ENGLISH, MultiDict({"name": "Alice"}))
    error = form.refuse([FieldError("name", "taken", {"name": "Alice"})])
    assert error.status == 422
    assert form.name.errors == [error.text]
    assert "Alice" in error.text


def test_error_of_a_service_without_a_field_is_part_of_the_message() -> None:
    form = NamedForm(ENGLISH, MultiDict({"name": "Alice"}))
    error = form.refuse([FieldError("scope", "unknown")])
    assert "not one of the choices" in error.text
    assert form.errors == {}


def test_number_of_an_empty_field_is_none() -> None:
    form = NamedForm(ENGLISH, MultiDict({"name": " 12 ", "starter": ""}))
    assert (form.number("name"), form.number("starter")) == (12, None)
