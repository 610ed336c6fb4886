"""Forms of table talk and private notes, and what the table page shows of them."""

from collections.abc import Sequence
from typing import Final

from wtforms import HiddenField, TextAreaField

from engine.cards import HAND_SIZES
from webapp.kernel.i18n import N_
from webapp.play.history import HistoryEntry
from webapp.play.pages.move_picker import PickerView
from webapp.play.talk.private_notes import MAX_NOTE_LENGTH, SUSPICIONS
from webapp.play.talk.talk import MAX_MESSAGE_LENGTH, MessageInput
from webapp.play.views.table_page import TablePage
from webapp.web.forms import (
    PageForm,
    new_form_id,
    one_line,
    one_of_if_sent,
    optional_number,
    required,
)
from webapp.web.session import locale_of
from webapp.wording.talk import phrases


class MessageForm(PageForm):
    """A message; ``form_id`` is new in each form that is shown, so that one sent twice is stored once."""

    message = TextAreaField(N_("Message"), render_kw={"maxlength": MAX_MESSAGE_LENGTH, "rows": 2})
    phrase = HiddenField(validators=[one_line])
    """The text of the button that was pressed, which is sent instead of the typed text."""
    form_id = HiddenField(validators=[required])

    def message_input(self) -> MessageInput:
        """Return what is said. A phrase has an id of its own, so that what was typed can still be sent."""
        phrase, form_id = self.text("phrase"), self.text("form_id")
        if phrase:
            return MessageInput(phrase, f"{form_id} {phrase}")
        return MessageInput(self.text("message"), form_id)


class EditMessageForm(PageForm):
    message = TextAreaField(N_("Message"), render_kw={"maxlength": MAX_MESSAGE_LENGTH, "rows": 3})


class DeleteMessageForm(PageForm):
    """A button."""

    do = HiddenField(validators=[one_line])


MARKS: Final = {
    f"{seat} {suspicion or 'none'}": (seat, suspicion)
    for seat in range(max(HAND_SIZES))
    for suspicion in (None, *SUSPICIONS)
}
"""What the buttons beside the seats send: the number of the seat, and its mark or none."""


class NoteForm(PageForm):
    """The viewer's private note, and what a button beside a seat marks its player as."""

    note = TextAreaField(N_("Your notes"), render_kw={"maxlength": MAX_NOTE_LENGTH})
    replaces = HiddenField(validators=[one_line])
    """The version of the note that the form was made from."""
    round = HiddenField(validators=[optional_number])
    mark = HiddenField(validators=[one_of_if_sent(MARKS)])


def talk_values(
    page: TablePage,
    entries: Sequence[HistoryEntry],
    picker: PickerView | None,
    typed: PageForm | None,
) -> dict[str, object]:
    """Return the messages of the timeline, those from before it, the forms of a new one with what was typed, and phrases to press.

    What was typed with a turn that was refused stays beside it; if there is nothing to confirm any more, in the other form.
    """
    first_seq = entries[0].seq if entries else None
    timed = [
        message
        for message in page.talk.messages
        if first_seq is not None and message.seq >= first_seq
    ]
    with_turn = turn_message_values(picker, typed)
    form = typed if isinstance(typed, MessageForm) else None
    return {
        "timed_messages": timed,
        "untimed_messages": page.talk.messages[: len(page.talk.messages) - len(timed)],
        "message_form": form
        or MessageForm(
            locale_of(page.me).language,
            form_id=with_turn["message_form_id"],
            message="" if with_turn["turn_message"] else _message_with_turn(typed),
        ),
        **with_turn,
        "phrases": phrases(page.view, locale_of(page.me).language) if _has_company(page) else [],
        **_note_values(page, typed),
    }


def turn_message_values(picker: PickerView | None, typed: PageForm | None = None) -> dict[str, str]:
    """Return what is typed beside the turn that can be confirmed, and the id of the message.

    It is the same id again: what was sent with a turn that was taken after all is not sent once more.
    """
    is_turn_shown = picker is not None and (picker.action is not None or bool(picker.gold))
    form_id = typed.text("form_id") if typed is not None and "form_id" in typed else ""
    return {
        "turn_message": _message_with_turn(typed) if is_turn_shown else "",
        "message_form_id": form_id or new_form_id(),
    }


def _message_with_turn(typed: PageForm | None) -> str:
    return typed.text("message") if typed is not None and "seq" in typed else ""


def _note_values(page: TablePage, typed: PageForm | None) -> dict[str, object]:
    """Return the form of the viewer's note, with what was typed, and the stored text if the form was made from another one."""
    notes = page.notes
    form = typed if isinstance(typed, NoteForm) else None
    if notes is None or form is None:
        text = "" if notes is None else notes.text
        note_form = NoteForm(locale_of(page.me).language, note=text)
        return {"note_form": note_form, "other_note": "", "is_note_typed": False}
    is_other_shown = form.text("replaces") != notes.version
    return {
        "note_form": form,
        "other_note": notes.text if is_other_shown else "",
        "is_note_typed": True,
    }


def _has_company(page: TablePage) -> bool:
    """Return whether someone sits there who reads messages besides the viewer: bots don't."""
    return any(not (seat.is_me or seat.is_bot or seat.is_free) for seat in page.seats)
