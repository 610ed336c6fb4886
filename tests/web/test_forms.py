"""Forms validate themselves: what each validator accepts, and the sentence it shows otherwise."""

import pytest
from werkzeug.datastructures import MultiDict
from wtforms import SelectField, StringField

from tests.support.rendering import ENGLISH
from webapp.kernel.i18n import N_
from webapp.kernel.refusals import FieldError
from webapp.web.forms import (
    PageForm,
    Validator,
    cell_label,
    number_between,
    one_line,
    one_of,
    optional_number,
    required,
    whole_number,
)
from webapp.wording.error_messages import field_sentence

ACCEPTED_TEXTS: list[tuple[Validator, str]] = [
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
REFUSED_TEXTS: list[tuple[Validator, str, FieldError]] = [
    (one_line, "a\nb", FieldError("field", "control-characters")),
    (one_line, "a\x00b", FieldError("field", "control-characters")),
    (one_line, "x" * 1001, FieldError("field", "too-long", {"max": 1000})),
    (required, "   ", FieldError("field", "required")),
    (whole_number, "", FieldError("field", "required")),
    (whole_number, "-1", FieldError("field", "not-a-number")),
    (whole_number, "1.5", FieldError("field", "not-a-number")),
    (whole_number, "٣", FieldError("field", "not-a-number")),
    (whole_number, "1" * 10, FieldError("field", "not-a-number")),
    (optional_number, "x", FieldError("field", "not-a-number")),
    (number_between(1, 3), "4", FieldError("field", "out-of-range", {"low": 1, "high": 3})),
    (one_of(("hours", "days")), "years", FieldError("field", "unknown")),
    (one_of(("hours", "days")), "", FieldError("field", "required")),
    (cell_label, "nowhere", FieldError("field", "not-a-cell")),
]


def form_with(validator: Validator, formdata: MultiDict[str, str]) -> PageForm:
    class OneFieldForm(PageForm):
        field = StringField(validators=[validator], default="7")

    return OneFieldForm(ENGLISH, formdata)


@pytest.mark.parametrize("validator, text", ACCEPTED_TEXTS)
def test_valid_text_is_accepted(validator: Validator, text: str) -> None:
    assert form_with(validator, MultiDict({"field": text})).validate()


@pytest.mark.parametrize("validator, text, error", REFUSED_TEXTS)
def test_invalid_text_is_refused_with_one_sentence(
    validator: Validator, text: str, error: FieldError
) -> None:
    form = form_with(validator, MultiDict({"field": text}))
    assert not form.validate()
    assert form.errors["field"] == [field_sentence(error, ENGLISH)]


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
    assert error.text == field_sentence(FieldError("scope", "unknown"), ENGLISH)
    assert form.errors == {}


def test_number_of_an_empty_field_is_none() -> None:
    form = NamedForm(ENGLISH, MultiDict({"name": " 12 ", "starter": ""}))
    assert (form.number("name"), form.number("starter")) == (12, None)
