"""Every component of the pages in every state, on one page, for those who work on this server on their own machine."""

from typing import Final

from flask import Blueprint
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, EmailField, SelectField, StringField, TextAreaField

from engine.cards import ACTION_CARDS, PATH_CARDS, TOOLS
from webapp.kernel import urls
from webapp.kernel.config import Settings
from webapp.kernel.keys import mailbox_key_for
from webapp.web.forms import PageForm, one_line, required
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of

_SAMPLE_NAMES: Final = ("Alice", "Bob", "Carol", "Dave", "Erin", "Fay", "Gus", "Hal", "Ivy", "Jo")


class SampleForm(PageForm):
    """Fields of every kind."""

    name = StringField("Name", [required, one_line])
    address = EmailField("Address", [required])
    pace = SelectField("Pace", choices=["A day per turn", "A week per turn"])  # type: ignore[list-item] # its stubs are older
    message = TextAreaField("Message")
    public = BooleanField("Anyone may join")


def style_blueprint(settings: Settings) -> Blueprint | None:
    """Return the page; None for a server with a relay or an address of its own, which serves people."""
    if mailbox_key_for(settings) is None:
        return None
    pages = Blueprint("style", __name__)
    pages.get(urls.style.rule)(_show_style)
    return pages


def _show_style() -> ResponseReturnValue:
    """Show all components; nothing in them can be sent."""
    language = locale_of(None).language
    form, refused_form = SampleForm(language), SampleForm(language, MultiDict())
    refused_form.validate()
    return render_page(
        "site/style.html",
        viewer=None,
        nav_position=PagePosition(urls.style()),
        form=form,
        refused_form=refused_form,
        cards=(*PATH_CARDS, *ACTION_CARDS),
        tools=TOOLS,
        names=_SAMPLE_NAMES,
    )
