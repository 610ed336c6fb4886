"""The forms of acts: what each act asks for, and the reason that all of them need."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from werkzeug.datastructures import MultiDict
from wtforms import Field, HiddenField, SelectField, StringField, TextAreaField

from webapp.kernel.i18n import N_, Language
from webapp.kernel.refusals import MAX_REASON_LENGTH
from webapp.moderation.act_page import ActPage
from webapp.moderation.pages.labels import email_name
from webapp.play.changes.acts import (
    Act,
    ActField,
    ActInput,
    ChoiceField,
    EmailField,
    LevelField,
    LineField,
    NumberField,
    SeatField,
    TurnField,
)
from webapp.web.bot_level_field import BotLevelField
from webapp.web.forms import (
    PageForm,
    number_between,
    one_line,
    one_of,
    optional_number,
    whole_number,
)
from webapp.wording.perspective import bot_label


class BulkReasonForm(PageForm):
    """Performs an act on several games; where they stood is with each of them."""

    reason = TextAreaField(
        N_("Reason"), render_kw={"maxlength": MAX_REASON_LENGTH, "rows": 3, "required": True}
    )
    form_id = HiddenField(validators=[one_line])


class ReasonForm(BulkReasonForm):
    """Performs an act that was previewed: the reason, and where the game stood then."""

    seq = HiddenField(validators=[whole_number])
    entry = HiddenField(validators=[whole_number])
    undoes = HiddenField(validators=[optional_number])


class ActInputForm(PageForm):
    """What an act needs besides a reason: the fields that it declares."""

    act: Act[Any]
    undoes = HiddenField(validators=[optional_number])
    """The entry of the ledger to be undone, instead of everything else."""

    def __init__(
        self, language: Language, formdata: MultiDict[str, str] | None = None, **data: str
    ) -> None:
        super().__init__(language, formdata, **data)
        self.needs_input = self.act.needs_input
        """Whether there is nothing to preview before the form is filled in."""
        for field in self.act.fields:
            if isinstance(field, ChoiceField):
                choices = field.choices.items()
                self._select(field.name).choices = [
                    (word, language.gettext(text)) for word, text in choices
                ]

    def offer(self, page: ActPage) -> None:
        """Set the choices that depend on the game, and what is chosen at first."""
        for field in self.act.fields:
            match field:
                case SeatField():
                    self._offer_seats(field, page)
                case TurnField():
                    self._offer_turns(page)
                case EmailField():
                    self._offer_emails(page)
                case LevelField():
                    level = self[field.name]
                    assert isinstance(level, BotLevelField)
                    level.offer(self)

    def given(self) -> ActInput:
        """Return what was filled in."""
        given: ActInput = self.act.read_form(self)
        return given

    def _offer_seats(self, field: SeatField, page: ActPage) -> None:
        language = self.locale_language
        choices = [
            (
                str(seat.number + 1),
                language.gettext(
                    "Seat %(seat)s: %(name)s",
                    seat=seat.number + 1,
                    name=bot_label(seat.name, seat.bot_level, language)
                    if seat.is_bot
                    else seat.name,
                ),
            )
            for seat in page.seats
        ]
        likely_seat = field.first_choice(page.seats, is_at_table=page.is_at_table)
        self._set_choices(field.name, choices, str(likely_seat.number + 1))

    def _offer_turns(self, page: ActPage) -> None:
        language = self.locale_language
        choices = [
            (
                str(turn.seq),
                language.gettext("turn %(turn)s: %(name)s", turn=turn.seq, name=turn.name)
                if turn.name
                else language.gettext("turn %(turn)s", turn=turn.seq),
            )
            for turn in page.turns
        ]
        self._set_choices("turn", choices)

    def _offer_emails(self, page: ActPage) -> None:
        self.needs_input = not page.emails
        choices = [
            (
                str(email.id),
                f"{email_name(email.kind, self.locale_language)}, {email.name}: {email.reason}",
            )
            for email in page.emails
        ]
        self._set_choices("email", choices)

    def _select(self, name: str) -> SelectField:
        field = self[name]
        assert isinstance(field, SelectField)
        return field

    def _set_choices(
        self, name: str, choices: list[tuple[str, str]], likely_choice: str = ""
    ) -> None:
        """Set the choices of a field; the first one is chosen unless another one is likelier."""
        field = self._select(name)
        field.choices = choices
        if not field.data and choices:
            field.data = likely_choice or choices[0][0]


def act_form(
    act: Act[Any], language: Language, formdata: MultiDict[str, str] | None = None
) -> ActInputForm:
    """Return the form of an act, with what the browser has sent."""
    return _form_class(act)(language, formdata)


@cache
def _form_class(act: Act[Any]) -> type[ActInputForm]:
    fields = {field.name: _FIELD_MAKERS[type(field)](field) for field in act.fields}
    return type("ActForm", (ActInputForm,), {"act": act, **fields})


def _number_field(field: NumberField) -> Field:
    return StringField(
        field.label,
        [number_between(field.low, field.high)],
        default=field.default,
        render_kw={"inputmode": "numeric", "maxlength": len(str(field.high))},
    )


def _choice_field(field: ChoiceField) -> Field:
    return SelectField(
        field.label, [one_of(field.choices)], default=field.default, validate_choice=False
    )


def _line_field(field: LineField) -> Field:
    attributes: dict[str, object] = {"maxlength": field.max_length}
    if field.is_private:
        attributes["autocomplete"] = "off"
    return StringField(field.label, [one_line], render_kw=attributes)


def _select_field(field: SeatField | TurnField | EmailField) -> Field:
    return SelectField(field.label, [whole_number], validate_choice=False)


_FIELD_MAKERS: Final[dict[type[ActField], Callable[[Any], Field]]] = {
    NumberField: _number_field,
    ChoiceField: _choice_field,
    LineField: _line_field,
    SeatField: _select_field,
    TurnField: _select_field,
    EmailField: _select_field,
    LevelField: lambda _: BotLevelField(),
}
