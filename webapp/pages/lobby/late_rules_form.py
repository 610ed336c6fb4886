"""The fields with which a host chooses what becomes of absent and late players, and how reliable players must be."""

from datetime import timedelta
from typing import Final

import msgspec
from wtforms import RadioField, SelectField

from webapp.i18n import N_, Language
from webapp.pace.late_rules import USUAL_LATE_RULES, AbsencePolicy, LateRules
from webapp.web.forms import PageForm
from webapp.web.validators import one_of_if_sent
from webapp.wording.late_players import REPLACEMENT_NAMES

_ABSENCE_POLICIES: Final[tuple[AbsencePolicy, ...]] = ("stop", "bot", "neutral")
_ABSENCE_DAYS: Final = ("3", "7", "14", "30", "60")
_NO_STRIKE_LIMIT: Final = 0
_STRIKE_LIMITS: Final = (_NO_STRIKE_LIMIT, 2, 3, 5)
_NO_CONDITION: Final = 0
_LOWEST_PERCENTAGES: Final = (_NO_CONDITION, 50, 70, 80, 90, 95)


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


def late_rule_fields_of(rules: LateRules) -> dict[str, str]:
    """Return the values of the fields for these rules."""
    cap = rules.absence_cap if rules.absence == "stop" else USUAL_LATE_RULES.absence_cap
    return {
        "absence": rules.absence,
        "absence_days": str(cap.days),
        "strikes": str(rules.strikes_until_open),
        "replacement": rules.replacement,
        "lowest_reliability": str(rules.lowest_reliability),
    }


def _absence_choices(language: Language) -> list[tuple[str, str]]:
    return [
        ("stop", language.gettext("Their clock stops while they're away")),
        ("bot", language.gettext("A bot plays for them while they're away")),
        ("neutral", language.gettext("Their clock keeps running, so they can run out of time")),
    ]


def _share_text(percent: int, language: Language) -> str:
    if percent == _NO_CONDITION:
        return language.gettext("It doesn't matter")
    return language.gettext("At least %(percent)s%% of turns in time", percent=percent)


def _limit_text(limit: int, language: Language) -> str:
    if limit == _NO_STRIKE_LIMIT:
        return language.gettext("Never")
    return language.ngettext("After %(num)s missed turn", "After %(num)s missed turns", limit)
