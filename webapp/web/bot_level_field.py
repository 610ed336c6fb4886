"""The field that asks how well bots play."""

from typing import Any

from wtforms import Field, SelectField
from wtforms.validators import StopValidation

from webapp.kernel.bot_levels import OFFERED_LEVELS, USUAL_LEVEL
from webapp.kernel.i18n import N_
from webapp.kernel.refusals import FieldError
from webapp.web.forms import PageForm
from webapp.wording.perspective import level_choice


def _refuse_unoffered_level(form: PageForm, field: Field) -> None:
    if field.data not in OFFERED_LEVELS:
        raise StopValidation(form.sentence_for(FieldError("level", "unknown")))


class BotLevelField(SelectField):
    """A choice of level; a form that was sent without it means the usual level."""

    def __init__(self, **data: Any) -> None:  # noqa: ANN401 - the library's own
        label, checks = N_("How the bots play"), [_refuse_unoffered_level]
        super().__init__(label, checks, default=USUAL_LEVEL, validate_choice=False, **data)

    def offer(self, form: PageForm) -> None:
        """Set the choices in the language of the form."""
        self.choices = [
            (level, level_choice(level, form.locale_language)) for level in OFFERED_LEVELS
        ]
