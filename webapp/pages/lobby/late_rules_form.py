"""The fields with which a host chooses what becomes of players who keep missing turns."""

from typing import Any, Final

import msgspec
from werkzeug.datastructures import MultiDict
from wtforms import RadioField, SelectField

from webapp.i18n import N_, Language
from webapp.pace.late_rules import USUAL_LATE_RULES, LateRules
from webapp.web.forms import PageForm
from webapp.web.validators import one_of_if_sent
from webapp.wording.late_players import REPLACEMENT_NAMES

_NEVER: Final = 0
_LIMITS: Final = (_NEVER, 2, 3, 5)


class LateRulesForm(PageForm):
    """After how many missed turns a seat opens, and who steps in. A form that is sent without these opens no seat."""

    strikes = SelectField(
        N_("A player loses their seat after"),
        [one_of_if_sent([str(limit) for limit in _LIMITS])],
        default=str(USUAL_LATE_RULES.strikes_until_open),
        validate_choice=False,
    )
    replacement = RadioField(
        N_("Who steps in"),
        [one_of_if_sent(REPLACEMENT_NAMES)],
        default=USUAL_LATE_RULES.replacement,
        validate_choice=False,
    )

    def __init__(
        self,
        language: Language,
        formdata: MultiDict[str, str] | None = None,
        **data: Any,  # noqa: ANN401 - the defaults of any field
    ) -> None:
        super().__init__(language, formdata, **data)
        self._are_rules_chosen = formdata is None or "strikes" in formdata
        self.strikes.choices = [(str(limit), _limit_text(limit, language)) for limit in _LIMITS]
        self.replacement.choices = [
            (key, language.gettext(text)) for key, text in REPLACEMENT_NAMES.items()
        ]

    def with_strikes(self, rules: LateRules) -> LateRules:
        """Return these rules with what was chosen for missed turns in a form that was checked."""
        if not self._are_rules_chosen:
            return rules
        replacement = next(
            (policy for policy in REPLACEMENT_NAMES if policy == self.replacement.data),
            USUAL_LATE_RULES.replacement,
        )
        limit = int(self.text("strikes"))
        return msgspec.structs.replace(rules, strikes_until_open=limit, replacement=replacement)


def _limit_text(limit: int, language: Language) -> str:
    if limit == _NEVER:
        return language.gettext("Never")
    return language.ngettext("%(num)s missed turn", "%(num)s missed turns", limit)
