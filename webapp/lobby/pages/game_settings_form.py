"""The fields with which a host or a club chooses the rules, the pace, and what becomes of late players."""

from collections.abc import Sequence
from datetime import time, timedelta
from typing import Any, Final

import msgspec
from babel.dates import get_day_names
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, RadioField, SelectField, SelectMultipleField, StringField
from wtforms.widgets import CheckboxInput, ListWidget

from engine.rulebook import MAX_ROUNDS, HouseRules
from engine.rulebooks.catalogue import DEFAULT_RULEBOOK, RULEBOOKS
from webapp.clock.pace.calendar import ALL_WEEKDAYS
from webapp.clock.pace.pace import (
    NAMED_PACES,
    USUAL_LATE_RULES,
    AbsencePolicy,
    LateRules,
    NamedPace,
    Pace,
    PaceName,
    named_pace,
)
from webapp.clock.paces import expected_round_time
from webapp.clubs.club_page import ClubCard
from webapp.kernel.i18n import N_, Language, zone_for
from webapp.web.forms import (
    PageForm,
    number_between,
    one_line,
    one_of,
    one_of_if_sent,
    optional_number,
    time_of_day,
    whole_number,
)
from webapp.web.time_zones import ZoneField, canonical_zone
from webapp.wording.deadlines import REPLACEMENT_NAMES
from webapp.wording.paces import pace_essence, pace_name, pace_sentence, round_forecast
from webapp.wording.tables import HOUSE_RULES, house_rule_label, rulebook_name

_DURATION_BY_UNIT: Final = {
    "minutes": timedelta(minutes=1),
    "hours": timedelta(hours=1),
    "days": timedelta(days=1),
}
_HOUR: Final = timedelta(hours=1)
_MAX_UNITS: Final = 100_000
"""More of any unit than a pace may have, and few enough for a ``timedelta``; the use case knows the exact limits."""
_CUSTOM: Final = "custom"
_PACE_NAMES: Final[tuple[PaceName, ...]] = (*NAMED_PACES, _CUSTOM)
OWN_PACE_FIELDS: Final = (
    "allowance",
    "unit",
    "bank",
    "refill",
    "weekdays",
    "opens",
    "closes",
)
_FORECAST_SEAT_COUNT: Final = 5
_ABSENCE_POLICIES: Final[tuple[AbsencePolicy, ...]] = ("stop", "bot", "neutral")
_ABSENCE_DAYS: Final = ("3", "7", "14", "30", "60")
_NO_STRIKE_LIMIT: Final = 0
_STRIKE_LIMITS: Final = (_NO_STRIKE_LIMIT, 2, 3, 5)
_NO_CONDITION: Final = 0
_LOWEST_PERCENTAGES: Final = (_NO_CONDITION, 50, 70, 80, 90, 95)


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
    zone = ZoneField(N_("Time zone of the game"), validators=[one_line])

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

    def offer_zone(self, zone: str) -> None:
        """Begin with this zone, unless another one was chosen."""
        if not self.zone.data:
            self.zone.data = canonical_zone(zone)

    def offer_forecast(self, answer_times: Sequence[timedelta]) -> None:
        """Count on players who answer as quickly as these medians say."""
        self._answer_times = tuple(answer_times)

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

    def pace_essences(self) -> dict[str, str]:
        """Return for each named pace the time per turn and how long a round takes, in a few words."""
        return {
            name: pace_essence(*self._pace_and_round(name), self.locale_language)
            for name in NAMED_PACES
        }

    def pace_hints(self) -> dict[str, str]:
        """Return for each named pace what it means, and how long a round takes."""
        return {name: self._hint(name) for name in NAMED_PACES}

    def _pace_and_round(self, name: NamedPace) -> tuple[Pace, timedelta]:
        pace = named_pace(name, zone_for(self.zone.data).key)
        return pace, expected_round_time(_FORECAST_SEAT_COUNT, pace, self._answer_times)

    def _hint(self, name: NamedPace) -> str:
        (pace, length), language = self._pace_and_round(name), self.locale_language
        meaning = pace_sentence(pace, language).partition(": ")[2]
        return f"{meaning[:1].upper()}{meaning[1:]}. {round_forecast(length, _FORECAST_SEAT_COUNT, language)}"


class LateRulesForm(PageForm):
    """The rules for late and absent players. A form that is sent without the fields for missed turns opens no seat."""

    absence = RadioField(
        N_("When a player is away"),
        [one_of_if_sent(_ABSENCE_POLICIES)],
        default=USUAL_LATE_RULES.absence,
        validate_choice=False,
    )
    absence_days = SelectField(
        N_("Days away that each player gets, at most"),
        [one_of_if_sent(_ABSENCE_DAYS)],
        default=str(USUAL_LATE_RULES.absence_cap.days),
        validate_choice=False,
    )
    strikes = SelectField(
        N_("A player loses their seat"),
        [one_of_if_sent([str(limit) for limit in _STRIKE_LIMITS])],
        default=str(USUAL_LATE_RULES.strikes_until_open),
        validate_choice=False,
    )
    replacement = RadioField(
        N_("Who steps in"),
        [one_of_if_sent(REPLACEMENT_NAMES)],
        default=USUAL_LATE_RULES.replacement,
        validate_choice=False,
    )
    lowest_reliability = SelectField(
        N_("How reliable players must be"),
        [one_of_if_sent([str(percent) for percent in _LOWEST_PERCENTAGES])],
        default=str(USUAL_LATE_RULES.lowest_reliability),
        validate_choice=False,
    )

    def offer_late_rules(self) -> None:
        """Set the choices of these fields."""
        language = self.locale_language
        self.absence.choices = _absence_choices(language)
        self.absence_days.choices = [(days, days) for days in _ABSENCE_DAYS]
        self.strikes.choices = [
            (str(limit), _limit_text(limit, language)) for limit in _STRIKE_LIMITS
        ]
        self.replacement.choices = [
            (key, language.gettext(text)) for key, text in REPLACEMENT_NAMES.items()
        ]
        self.lowest_reliability.choices = [
            (str(percent), _share_text(percent, language)) for percent in _LOWEST_PERCENTAGES
        ]

    def late_rules(self) -> LateRules:
        """Return the rules from a form that was checked."""
        lowest_reliability = self.number("lowest_reliability") or _NO_CONDITION
        rules = LateRules(absence=self.absence.data, lowest_reliability=lowest_reliability)
        if self.absence.data not in {"neutral", "bot"}:
            days = self.number("absence_days")
            cap = USUAL_LATE_RULES.absence_cap if days is None else timedelta(days=days)
            rules = msgspec.structs.replace(rules, absence="stop", absence_cap=cap)
        return self._with_strikes(rules)

    def _with_strikes(self, rules: LateRules) -> LateRules:
        """Return these rules with what was chosen for missed turns."""
        was_sent_without_strikes = self.strikes.raw_data == []
        if was_sent_without_strikes:
            return rules
        replacement = next(
            (policy for policy in REPLACEMENT_NAMES if policy == self.replacement.data),
            USUAL_LATE_RULES.replacement,
        )
        limit = int(self.text("strikes"))
        return msgspec.structs.replace(rules, strikes_until_open=limit, replacement=replacement)


class GameSettingsForm(PaceForm, LateRulesForm):
    """What tables and the defaults of clubs have in common: the rules, the pace, and what becomes of late players."""

    rulebook = RadioField(
        N_("Rulebook"), [one_of(RULEBOOKS)], default=DEFAULT_RULEBOOK, validate_choice=False
    )
    rounds = SelectField(
        N_("Rounds"),
        validators=[number_between(1, MAX_ROUNDS)],
        default=str(MAX_ROUNDS),
        validate_choice=False,
    )
    intact_diggers_only = BooleanField()
    open_gold = BooleanField()
    no_self_breaking = BooleanField()

    def __init__(
        self,
        language: Language,
        formdata: MultiDict[str, str] | None = None,
        **data: Any,  # noqa: ANN401 - the defaults of any field
    ) -> None:
        super().__init__(language, formdata, **data)
        for name in HOUSE_RULES:
            self[name].label.text = house_rule_label(name, language)
        self.rulebook.choices = [(key, rulebook_name(key, language)) for key in RULEBOOKS]
        self.rounds.choices = [(str(rounds), str(rounds)) for rounds in range(MAX_ROUNDS, 0, -1)]
        self.offer_late_rules()

    @property
    def has_house_errors(self) -> bool:
        return any(self[name].errors for name in ("rounds", *HOUSE_RULES))

    def house_rules(self) -> HouseRules:
        """Return the house rules from a form that was checked."""
        return HouseRules(
            intact_diggers_only=self.intact_diggers_only.data,
            open_gold=self.open_gold.data,
            no_self_breaking=self.no_self_breaking.data,
            rounds=self.number("rounds") or MAX_ROUNDS,
        )


def form_fields_of(club: ClubCard) -> dict[str, Any]:
    """Return the values of the fields of ``GameSettingsForm`` with which the tables of a club begin."""
    return {
        "rulebook": club.rulebook,
        "rounds": str(club.house.rounds),
        "intact_diggers_only": club.house.intact_diggers_only,
        "open_gold": club.house.open_gold,
        "no_self_breaking": club.house.no_self_breaking,
        **_pace_fields_of(club.pace),
        **_late_rule_fields_of(club.late_rules),
    }


def _pace_fields_of(pace: Pace) -> dict[str, Any]:
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
        "zone": canonical_zone(pace.zone),
    }


def _late_rule_fields_of(rules: LateRules) -> dict[str, str]:
    """Return the values of the fields for these rules."""
    cap = rules.absence_cap if rules.absence == "stop" else USUAL_LATE_RULES.absence_cap
    return {
        "absence": rules.absence,
        "absence_days": str(cap.days),
        "strikes": str(rules.strikes_until_open),
        "replacement": rules.replacement,
        "lowest_reliability": str(rules.lowest_reliability),
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


def _absence_choices(language: Language) -> list[tuple[str, str]]:
    return [
        ("stop", language.gettext("Their clock stops while they're away")),
        ("bot", language.gettext("A bot plays for them while they're away")),
        ("neutral", language.gettext("Their clock keeps running, so they can run out of time")),
    ]


def _limit_text(limit: int, language: Language) -> str:
    if limit == _NO_STRIKE_LIMIT:
        return language.gettext("Never")
    return language.ngettext("After %(num)s missed turn", "After %(num)s missed turns", limit)


def _share_text(percent: int, language: Language) -> str:
    if percent == _NO_CONDITION:
        return language.gettext("It doesn't matter")
    return language.gettext("At least %(percent)s%% of turns in time", percent=percent)
