"""The POSTed turn: an action of the engine, and the position that the player saw."""

from collections.abc import Mapping
from typing import Any, Final, get_args

import msgspec
from werkzeug.datastructures import MultiDict
from wtforms import HiddenField, StringField

from engine.actions import Action
from engine.cards import ACTION_CARDS, PATH_CARDS, TOOLS
from webapp.kernel.i18n import Language
from webapp.play.talk.talk import MessageInput
from webapp.web.forms import PageForm
from webapp.web.validators import cell_label, one_line, one_of, whole_number

_ACTION_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    action.__struct_config__.tag: action.__struct_fields__ for action in get_args(Action)
}
_FIELDS_OF_ALL: Final = ("seq", "do", "message", "form_id")
"""Fields that every turn has."""
_NUMBER_FIELDS: Final = ("seat", "nuggets")
"""Fields with a whole number, which may be sent with blanks or leading zeros."""


class TurnForm(PageForm):
    """``do`` names the action, which has some of the other fields; ``seq`` is the turn after which the page was made."""

    seq = HiddenField(validators=[whole_number])
    do = HiddenField(validators=[one_of(_ACTION_FIELDS)])
    card = HiddenField(validators=[one_of(PATH_CARDS | ACTION_CARDS)])
    cell = HiddenField(validators=[cell_label])
    turned = HiddenField(validators=[one_of(("0", "1"))])
    seat = HiddenField(validators=[whole_number])
    tool = HiddenField(validators=[one_of(TOOLS)])
    nuggets = HiddenField(validators=[whole_number])
    message = StringField()
    """Said to the table together with the turn; empty for nothing."""
    form_id = HiddenField(validators=[one_line])

    def __init__(self, language: Language, formdata: MultiDict[str, str]) -> None:
        super().__init__(language, formdata)
        used_names = {*_FIELDS_OF_ALL, *_ACTION_FIELDS.get(self.text("do"), ())}
        for name in [field.name for field in self if field.name not in used_names]:
            del self[name]

    def message_input(self) -> MessageInput | None:
        """Return what the player says with the turn, if anything."""
        text = self.text("message")
        # Without an id the turn itself tells a second press: it is stale.
        return MessageInput(text, self.text("form_id") or self.text("seq")) if text else None

    def action(self) -> Action:
        """Return the action of a form that was checked."""
        numbers = {name: str(self.number(name)) for name in _NUMBER_FIELDS if name in self}
        return action_from({**self.data, **numbers})


def action_from(fields: Mapping[str, str]) -> Action:
    """Return the action with these form fields; fields that it does not have are ignored."""
    field_names = ("do", *_ACTION_FIELDS[fields["do"]])
    action: Action = msgspec.convert(
        {name: fields[name] for name in field_names}, Action, strict=False
    )
    return action


def form_fields_for(action: Action) -> dict[str, str]:
    """Return the form fields that make this action when they are sent."""
    fields: dict[str, Any] = msgspec.to_builtins(action)
    return {
        name: str(int(value)) if isinstance(value, bool) else str(value)
        for name, value in fields.items()
    }
