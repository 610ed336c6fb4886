"""Table talk: a message to the table, and the page on which its author changes it."""

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.kernel.refusals import NotFound
from webapp.play.access import game_for
from webapp.play.pages.table import show_game_page
from webapp.play.pages.talk_forms import DeleteMessageForm, EditMessageForm, MessageForm
from webapp.play.talk import talk
from webapp.play.talk.talk import message_page, mute_author
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import SignInRequired, locale_of, token
from webapp.wording.perspective import perspective_at

pages = Blueprint("talk", __name__)


@pages.post(urls.messages.rule)
@form_view
def send(slug: str) -> ResponseReturnValue:
    """Write to the table, or show it again with what was typed and why it was not sent."""
    form = MessageForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            access = game_for(tx, slug, token())
            talk.send_message(tx, access, form.message_input())
    except FormError as error:
        return show_game_page(slug, error, typed=form)
    if form.text("phrase") and form.text("message"):
        # Text that was typed beside the phrase can still be sent.
        return show_game_page(slug, typed=form)
    return redirect(urls.game(slug) + "#talk", 303)


@pages.get(urls.message.rule)
def show_message(slug: str, number: int) -> ResponseReturnValue:
    return _show_message(slug, number)


@pages.post(urls.message.rule)
@form_view
def edit(slug: str, number: int) -> ResponseReturnValue:
    """Change the viewer's own message, or show the form again with the reason why not."""
    form = EditMessageForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            access = game_for(tx, slug, token())
            talk.edit_message(tx, access, number, form.text("message"))
    except FormError as error:
        return _show_message(slug, number, form, error)
    return redirect(f"{urls.game(slug)}#talk", 303)


@pages.post(urls.delete_message.rule)
@form_view
def delete(slug: str, number: int) -> ResponseReturnValue:
    """Delete the viewer's own message. A second press finds it gone, and says so like the first."""
    form = DeleteMessageForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            access = game_for(tx, slug, token())
            talk.delete_message(tx, access, number)
    except FormError as error:
        return _show_message(slug, number, error=error)
    flash(form.locale_language.gettext("Your message is deleted."), "good")
    return redirect(f"{urls.game(slug)}#talk", 303)


@pages.post(urls.mute_author.rule)
@form_view
def mute(slug: str, number: int) -> ResponseReturnValue:
    """Mute the author of a message; the answer is the same if they are muted already."""
    language = locale_of(None).language
    with submission(PageForm(language, request.form)) as tx:
        access = game_for(tx, slug, token())
        if access.person is None:
            raise SignInRequired
        name = mute_author(tx, access, number)
    flash(language.gettext("You've muted %(name)s. They won't know.", name=name), "good")
    return redirect(urls.muted_people(), 303)


def _show_message(
    slug: str, number: int, form: PageForm | None = None, error: FormError | None = None
) -> Response:
    context = current_context()
    with context.read_only() as tx:
        access = game_for(tx, slug, token())
        if access.person is None:
            raise SignInRequired
        page = message_page(tx, access, number)
    if page is None and error is not None:
        return show_game_page(slug, error)
    if page is None:
        raise NotFound
    language = locale_of(access.person).language
    return render_page(
        "play/talk/message.html",
        viewer=access.person,
        nav_position=PagePosition(urls.message(slug, number), slug),
        status=200 if error is None else error.status,
        page=page,
        message=page.message,
        perspective=perspective_at(page.seats, language),
        form=form or EditMessageForm(language, message=page.message.text),
        error=error,
    )
