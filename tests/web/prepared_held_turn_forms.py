"""Forms of turns, prepared as the host finds them: a turn that is played or held, and the buttons beside a held one."""

from collections.abc import Callable

from tests.support.page_robot import discard_href
from tests.web.form_submissions import FormContext, FormSubmission, PrepareForm, shown_form
from webapp.kernel import urls


def _prepare_discard_form(*, minutes: int) -> PrepareForm:
    """Return the preparation of a discard that is held for so many minutes."""

    def prepare(form_context: FormContext) -> FormSubmission:
        host, slug = form_context.visitor("host"), form_context.populated_site.slugs["private"]
        shown_form(host, urls.profile(), urls.profile(), hold_minutes=str(minutes)).send()
        return shown_form(host, discard_href(host, slug), urls.turns(slug))

    return prepare


def _prepare_held_turn_button_form(path: Callable[[str], str]) -> PrepareForm:
    """Return the preparation of a button beside the host's held turn."""

    def prepare(form_context: FormContext) -> FormSubmission:
        discard_form = _prepare_discard_form(minutes=10)(form_context)
        discard_form.send()
        slug = form_context.populated_site.slugs["private"]
        return shown_form(discard_form.visitor, urls.game(slug), path(slug))

    return prepare


HELD_TURN_FORMS: dict[str, PrepareForm] = {
    "table.submit_turn:played": _prepare_discard_form(minutes=0),
    "table.submit_turn:held": _prepare_discard_form(minutes=10),
    "held_turn.withdraw:held": _prepare_held_turn_button_form(urls.withdraw_turn),
    "held_turn.play:held": _prepare_held_turn_button_form(urls.play_held_turn),
}
