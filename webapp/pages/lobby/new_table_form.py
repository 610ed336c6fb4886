"""The form that opens a table, and the wish that is read from it."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, Form, RadioField, SelectField, StringField

from engine.cards import HAND_SIZES
from engine.rulebook import MAX_ROUNDS, HouseRules
from engine.rulebooks.catalogue import DEFAULT_RULEBOOK, RULEBOOKS
from webapp.i18n import Language
from webapp.services.lobby.new_table import TableSettings
from webapp.web.forms import labelled
from webapp.web.inputs import Inputs
from webapp.wording.rulebooks import house_rule_label, rulebook_name

_UNITS: Final = {
    "minutes": timedelta(minutes=1),
    "hours": timedelta(hours=1),
    "days": timedelta(days=1),
}
_CHANCE: Final = "chance"
_USUAL_SEATS: Final = 5
_LONGEST: Final = 100_000
"""More of any unit than a turn may ever take; the services know the exact limit."""


class NewTableForm(Form):
    rulebook = RadioField(default=DEFAULT_RULEBOOK, validate_choice=False)
    seats = SelectField(default=str(_USUAL_SEATS), validate_choice=False)
    rounds = SelectField(default=str(MAX_ROUNDS), validate_choice=False)
    intact_diggers_only = BooleanField()
    open_gold = BooleanField()
    no_self_breaking = BooleanField()
    allowance = StringField(default="2")
    unit = SelectField(default="days", validate_choice=False)
    audience = RadioField(default="invited", validate_choice=False)
    starter = SelectField(default=_CHANCE, validate_choice=False)


def new_table_form(typed: MultiDict[str, str] | None, language: Language) -> NewTableForm:
    """The form with its choices and labels, filled with what was typed."""
    form = NewTableForm(typed)
    form.rulebook.choices = [(key, rulebook_name(key, language)) for key in RULEBOOKS]
    form.seats.choices = [(str(seats), str(seats)) for seats in HAND_SIZES]
    form.rounds.choices = [(str(rounds), str(rounds)) for rounds in range(MAX_ROUNDS, 0, -1)]
    form.unit.choices = _units(language)
    form.audience.choices = _audiences(language)
    form.starter.choices = _starters(language)
    return labelled(form, _labels(language))


def read_table_settings(typed: Mapping[str, str]) -> TableSettings:
    """The table that was asked for. Raises FieldErrors for all that cannot be read."""
    inputs = Inputs(typed)
    rulebook = inputs.one_of("rulebook", RULEBOOKS)
    seats = inputs.number("seats")
    house = _read_house(inputs)
    allowance = _read_allowance(inputs)
    audience = inputs.one_of("audience", ("invited", "public"))
    starter = _read_starter(inputs)
    inputs.check()
    return TableSettings(
        rulebook=rulebook,
        seats=seats or 0,
        house=house,
        allowance=allowance,
        public=audience == "public",
        starter=starter,
    )


def _read_house(inputs: Inputs) -> HouseRules:
    rounds = inputs.number("rounds")
    if rounds is not None and not 1 <= rounds <= MAX_ROUNDS:
        inputs.refuse("rounds", "out-of-range", low=1, high=MAX_ROUNDS)
    return HouseRules(
        intact_diggers_only=inputs.ticked("intact_diggers_only"),
        open_gold=inputs.ticked("open_gold"),
        no_self_breaking=inputs.ticked("no_self_breaking"),
        rounds=MAX_ROUNDS if rounds is None or "rounds" in inputs.wrong else rounds,
    )


def _read_allowance(inputs: Inputs) -> timedelta:
    number = inputs.number("allowance")
    unit = inputs.one_of("unit", _UNITS)
    if number is None or not unit:
        return timedelta()
    return min(number, _LONGEST) * _UNITS[unit]


def _read_starter(inputs: Inputs) -> int | None:
    """Seats are numbered from one on pages. Nothing said leaves it to chance."""
    if inputs.text("starter") in {"", _CHANCE}:
        return None
    number = inputs.number("starter")
    return None if number is None else number - 1


def _units(language: Language) -> list[tuple[str, str]]:
    return [
        ("minutes", language.gettext("minutes")),
        ("hours", language.gettext("hours")),
        ("days", language.gettext("days")),
    ]


def _audiences(language: Language) -> list[tuple[str, str]]:
    return [
        ("invited", language.gettext("Only people I invite, or who have the table's link")),
        ("public", language.gettext("Everybody: the table is listed on the first page")),
    ]


def _starters(language: Language) -> list[tuple[str, str]]:
    seats = range(1, max(HAND_SIZES) + 1)
    mine = language.gettext("Seat 1, which is mine")
    named = [
        (str(seat), language.gettext("Seat %(seat)s", seat=seat)) for seat in seats if seat > 1
    ]
    return [(_CHANCE, language.gettext("Chance decides")), ("1", mine), *named]


def _labels(language: Language) -> dict[str, str]:
    house = ("rounds", "intact_diggers_only", "open_gold", "no_self_breaking")
    return {name: house_rule_label(name, language) for name in house} | {
        "rulebook": language.gettext("Rulebook"),
        "seats": language.gettext("Seats, yours among them"),
        "allowance": language.gettext("Number"),
        "unit": language.gettext("Unit"),
        "audience": language.gettext("Who may sit down"),
        "starter": language.gettext("Who starts the first round"),
    }
