"""The fields with which a host or a club chooses a pace."""

from collections.abc import Sequence
from datetime import time, timedelta
from typing import Any, Final

from babel.dates import get_day_names
from werkzeug.datastructures import MultiDict
from wtforms import RadioField, SelectField, SelectMultipleField, StringField
from wtforms.widgets import CheckboxInput, ListWidget

from webapp.i18n import N_, Language, zone_for
from webapp.pace.calendar import ALL_WEEKDAYS
from webapp.pace.pace import NAMED_PACES, NamedPace, Pace, PaceName, named_pace
from webapp.pace.round_length import expected_round_time
from webapp.web.forms import PageForm
from webapp.web.time_zones import zones_by_continent
from webapp.web.validators import (
    one_line,
    one_of,
    one_of_if_sent,
    optional_number,
    time_of_day,
    whole_number,
)
from webapp.wording.paces import pace_name, pace_sentence, round_forecast

_DURATION_BY_UNIT: Final = {
    "minutes": timedelta(minutes=1),
    "hours": timedelta(hours=1),
    "days": timedelta(days=1),
}
_HOUR: Final = timedelta(hours=1)
_MAX_UNITS: Final = 100_000
"""More of any unit than a pace may have, and few enough for a ``timedelta``; the service knows the exact limits."""
_CUSTOM: Final = "custom"
_PACE_NAMES: Final[tuple[PaceName, ...]] = (*NAMED_PACES, _CUSTOM)
_CUSTOM_FIELDS: Final = (
    "allowance",
    "unit",
    "bank",
    "refill",
    "weekdays",
    "opens",
    "closes",
    "zone",
)
_FORECAST_SEAT_COUNT: Final = 5


class PaceForm(PageForm):
    """A pace: one of the named ones, or one of the host's own.

    A form that is sent without the choice of a pace has a time per turn and nothing else.
    """

    pace = RadioField(
        N_("Pace"),
        [one_of_if_sent(_PACE_NAMES)],
        default="daily",
        validate_choice=False,
    )
    allowance = StringField(N_("Number"), [whole_number], default="2")
    unit = SelectField(
        N_("Unit"), [one_of(_DURATION_BY_UNIT)], default="days", validate_choice=False
    )
    bank = StringField(N_("Time bank, in hours"), [optional_number], default="0")
    refill = StringField(N_("Hours back after each turn"), [optional_number], default="0")
    weekdays = SelectMultipleField(
        N_("Playing days"),
        default=[str(day) for day in ALL_WEEKDAYS],
        validate_choice=False,
        option_widget=CheckboxInput(),
        widget=ListWidget(),
    )
    opens = StringField(N_("The clock runs from"), [time_of_day], default="")
    closes = StringField(N_("The clock runs until"), [time_of_day], default="")
    zone = SelectField(N_("Time zone of the game"), [one_line], validate_choice=False)

    def __init__(
        self,
        language: Language,
        formdata: MultiDict[str, str] | None = None,
        **data: Any,  # noqa: ANN401 - the defaults of any field
    ) -> None:
        super().__init__(language, formdata, **data)
        self._answer_times: tuple[timedelta, ...] = ()
        self._is_pace_chosen = formdata is None or "pace" in formdata
        self.pace.choices = [(name, pace_name(name, language)) for name in _PACE_NAMES]
        self.unit.choices = _unit_choices(language)
        day_names = get_day_names("wide", locale=language.locale)
        self.weekdays.choices = [(str(day), day_names[day]) for day in ALL_WEEKDAYS]
        self.zone.choices = zones_by_continent()

    def offer_zone(self, zone: str) -> None:
        """Begin with this zone, unless another one was chosen."""
        if not self.zone.data:
            self.zone.data = zone

    def offer_forecast(self, answer_times: Sequence[timedelta]) -> None:
        """Count on players who answer as quickly as these medians say."""
        self._answer_times = tuple(answer_times)

    @property
    def is_custom(self) -> bool:
        return bool(self.pace.data == _CUSTOM)

    @property
    def has_custom_errors(self) -> bool:
        return any(self[name].errors for name in _CUSTOM_FIELDS)

    def chosen_pace(self) -> Pace:
        """Return the pace from a form that was checked."""
        if not self._is_pace_chosen:
            return Pace(time_per_turn=self._length("allowance", _DURATION_BY_UNIT[self.unit.data]))
        name = next((name for name in NAMED_PACES if name == self.pace.data), None)
        zone = self.text("zone") or "UTC"
        return self._custom_pace(zone) if name is None else named_pace(name, zone)

    def _custom_pace(self, zone: str) -> Pace:
        return Pace(
            time_per_turn=self._length("allowance", _DURATION_BY_UNIT[self.unit.data]),
            bank=self._length("bank", _HOUR),
            refill=self._length("refill", _HOUR),
            zone=zone,
            weekdays=tuple(sorted({_parse_weekday(day) for day in self.weekdays.data or ()})),
            opens=_parse_time(self.text("opens")),
            closes=_parse_time(self.text("closes")),
        )

    def _length(self, field: str, unit: timedelta) -> timedelta:
        return min(self.number(field) or 0, _MAX_UNITS) * unit

    def pace_hints(self) -> dict[str, str]:
        """Return for each named pace what it means, and how long a round takes."""
        return {name: self._hint(name) for name in NAMED_PACES}

    def _hint(self, name: NamedPace) -> str:
        pace, language = named_pace(name, zone_for(self.zone.data).key), self.locale_language
        length = expected_round_time(_FORECAST_SEAT_COUNT, pace, self._answer_times)
        meaning = pace_sentence(pace, language).partition(": ")[2]
        return f"{meaning[:1].upper()}{meaning[1:]}. {round_forecast(length, _FORECAST_SEAT_COUNT, language)}"


def pace_fields_of(pace: Pace) -> dict[str, Any]:
    """Return the values of the fields of ``PaceForm`` for a pace."""
    unit = next(
        (name for name in ("days", "hours") if not pace.time_per_turn % _DURATION_BY_UNIT[name]),
        "minutes",
    )
    return {
        "pace": pace.name,
        "allowance": str(pace.time_per_turn // _DURATION_BY_UNIT[unit]),
        "unit": unit,
        "bank": str(pace.bank // _HOUR),
        "refill": str(pace.refill // _HOUR),
        "weekdays": [str(day) for day in pace.weekdays],
        "opens": "" if pace.opens is None else f"{pace.opens:%H:%M}",
        "closes": "" if pace.closes is None else f"{pace.closes:%H:%M}",
        "zone": pace.zone,
    }


def _parse_weekday(text: str) -> int:
    """Return the number of a weekday, or one that there is not."""
    return int(text) if text.isascii() and text.isdigit() and len(text) == 1 else -1


def _parse_time(text: str) -> time | None:
    return time.fromisoformat(text) if text else None


def _unit_choices(language: Language) -> list[tuple[str, str]]:
    return [
        ("minutes", language.gettext("minutes")),
        ("hours", language.gettext("hours")),
        ("days", language.gettext("days")),
    ]
