"""WTForms validators for text that a browser sent; each reports a code of ``web.error_messages``, in the viewer's language."""

import re
from collections.abc import Callable, Collection
from typing import Final, NoReturn, TypeAlias

from wtforms import Field
from wtforms.validators import StopValidation

from engine.cells import is_cell
from webapp.kernel.refusals import FieldError
from webapp.web.forms import PageForm

Validator: TypeAlias = Callable[[PageForm, Field], None]

_MAX_CHARACTERS: Final = 1000
_MAX_DIGITS: Final = 9
_TIME_OF_DAY_PATTERN: Final = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")


def one_line(form: PageForm, field: Field) -> None:
    """Accept printable text on one line, or no text."""
    text = _text_of(field)
    if not text.isprintable():
        _raise_field_error(form, field, "control-characters")
    if len(text) > _MAX_CHARACTERS:
        _raise_field_error(form, field, "too-long", max=_MAX_CHARACTERS)


def required(form: PageForm, field: Field) -> None:
    """Accept any text on one line but no empty one."""
    one_line(form, field)
    if not _text_of(field):
        _raise_field_error(form, field, "required")


def required_lines(form: PageForm, field: Field) -> None:
    """Accept any printable text on one or more lines but no empty one."""
    text = _text_of(field)
    if not "".join(text.split()).isprintable():
        _raise_field_error(form, field, "control-characters")
    if len(text) > _MAX_CHARACTERS:
        _raise_field_error(form, field, "too-long", max=_MAX_CHARACTERS)
    if not text.strip():
        _raise_field_error(form, field, "required")


def optional_number(form: PageForm, field: Field) -> None:
    """Accept a whole number that is not negative, or no text."""
    one_line(form, field)
    text = _text_of(field)
    if text and not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        _raise_field_error(form, field, "not-a-number")


def whole_number(form: PageForm, field: Field) -> None:
    """Accept a whole number that is not negative."""
    required(form, field)
    optional_number(form, field)


def number_between(minimum: int, maximum: int) -> Validator:
    """Return a validator that accepts whole numbers from ``minimum`` to ``maximum``."""

    def validate(form: PageForm, field: Field) -> None:
        whole_number(form, field)
        if not minimum <= int(_text_of(field)) <= maximum:
            _raise_field_error(form, field, "out-of-range", low=minimum, high=maximum)

    return validate


def one_of(choices: Collection[str]) -> Validator:
    """Return a validator that accepts these words."""

    def validate(form: PageForm, field: Field) -> None:
        required(form, field)
        if field.data not in choices:
            _raise_field_error(form, field, "unknown")

    return validate


def one_of_if_sent(choices: Collection[str]) -> Validator:
    """Return a validator that accepts these words, and a field that the browser did not send."""

    def validate(form: PageForm, field: Field) -> None:
        if field.raw_data and field.data not in choices:
            _raise_field_error(form, field, "unknown")

    return validate


def time_of_day(form: PageForm, field: Field) -> None:
    """Accept a time of day such as 08:00, or no text."""
    one_line(form, field)
    if (text := _text_of(field)) and not _TIME_OF_DAY_PATTERN.fullmatch(text):
        _raise_field_error(form, field, "not-a-time")


def cell_label(form: PageForm, field: Field) -> None:
    """Accept the label of a cell of the mine, such as D5."""
    required(form, field)
    if not is_cell(field.data):
        _raise_field_error(form, field, "not-a-cell")


def _text_of(field: Field) -> str:
    """Return what was sent; ``data`` may be the default of a field that was not sent."""
    return str(field.raw_data[0]).strip() if field.raw_data else ""


def _raise_field_error(form: PageForm, field: Field, code: str, **params: str | int) -> NoReturn:
    raise StopValidation(form.sentence_for(FieldError(field.short_name, code, params)))
