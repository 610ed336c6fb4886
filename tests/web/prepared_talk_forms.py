"""Forms of table talk, prepared as the author of a message finds them (to change or delete it) and as others do (to mute them)."""

from tests.web.form_submissions import FormContext, FormSubmission, shown_form
from webapp.kernel import urls


def _edit_form(form_context: FormContext) -> FormSubmission:
    slug, path = _sent_message(form_context)
    assert slug in path
    return shown_form(form_context.visitor("player"), path, path, message="Who has two lamps?")


def _delete_form(form_context: FormContext) -> FormSubmission:
    slug, path = _sent_message(form_context)
    return shown_form(form_context.visitor("player"), path, urls.delete_message(slug, 1))


def _sent_message(form_context: FormContext) -> tuple[str, str]:
    """Let the player write to the private table; return its slug and the page of the message."""
    slug, player = form_context.populated_site.slugs["private"], form_context.visitor("player")
    shown_form(player, urls.game(slug), urls.messages(slug), message="Who has a lamp?").send()
    return slug, urls.message(slug, 1)


def _mute_form(form_context: FormContext) -> FormSubmission:
    slug, path = _sent_message(form_context)
    return shown_form(form_context.visitor("host"), path, urls.mute_author(slug, 1))


def _unmute_form(form_context: FormContext) -> FormSubmission:
    _mute_form(form_context).send()
    visitor = form_context.visitor("host")
    page = visitor.page(urls.muted_people())
    form = next(form for form in page.forms if form.action.startswith(urls.muted_people()))
    return FormSubmission(visitor, form.action, form.fields)


TALK_FORMS = {
    "talk.edit": _edit_form,
    "talk.delete": _delete_form,
    "talk.mute": _mute_form,
    "muted.unmute": _unmute_form,
}
