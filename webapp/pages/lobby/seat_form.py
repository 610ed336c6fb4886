"""Sitting down under another name than one's own, where somebody at the table is called so already."""

from wtforms import Form, HiddenField, StringField

from webapp.i18n import Language
from webapp.services.accounts.names import LONGEST_NAME
from webapp.services.accounts.person import Person
from webapp.web.forms import labelled, marked, typed
from webapp.web.problems import Problem


class SitForm(Form):
    seat = HiddenField()
    name = StringField(render_kw={"maxlength": LONGEST_NAME})


def sit_form(problem: Problem | None, me: Person | None, language: Language) -> SitForm | None:
    """The form that asks for a name at this table; None unless it was the name that was refused."""
    if problem is None or me is None or all(error.field != "name" for error in problem.errors):
        return None
    form = SitForm(typed())
    form.name.data = form.name.data or me.name
    labels = {"name": language.gettext("Your name at this table")}
    return marked(labelled(form, labels), problem, language)
