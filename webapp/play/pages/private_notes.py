"""A player's private note and marks, which one form of the table page sends: its buttons save the note, or mark a player as well."""

from flask import Blueprint, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.play.access import game_for
from webapp.play.pages.table import show_game_page
from webapp.play.pages.talk_forms import MARKS, NoteForm
from webapp.play.talk.private_notes import save_note, set_mark
from webapp.web.forms import FormError, form_view, submission
from webapp.web.session import locale_of, token

pages = Blueprint("private_notes", __name__)


@pages.post(urls.notes.rule)
@form_view
def save(slug: str) -> ResponseReturnValue:
    """Save the note and the mark, and lead back to the opened seat or note; or show what was typed and why it was not saved."""
    form = NoteForm(locale_of(None).language, request.form)
    marked = MARKS.get(form.text("mark"))
    try:
        with submission(form) as tx:
            access = game_for(tx, slug, token())
            save_note(tx, access, form.text("note"), replaced_version=form.text("replaces"))
            if marked:
                set_mark(tx, access, *marked, round_number=form.number("round") or 0)
    except FormError as error:
        return show_game_page(slug, error, typed=form)
    if marked:
        return redirect(f"{urls.game(slug)}#sheet-{marked[0] + 1}", 303)
    flash(form.locale_language.gettext("Your notes are saved."), "good")
    return redirect(f"{urls.game(slug)}#note", 303)
