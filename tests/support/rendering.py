"""Render templates without an application: the environment, the layout around a page, and sample data."""

import re
from datetime import UTC, datetime
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from webapp.kernel.i18n import Locale, language_for, zone_for
from webapp.kernel.resources import templates_folder
from webapp.play.summaries import SeatSummary
from webapp.templating import prepare_environment, rendered_for
from webapp.web.layout import Layout, NavLink
from webapp.wording.perspective import Perspective

NOW = datetime(2026, 5, 5, 12, tzinfo=UTC)
ENGLISH = language_for("en")
HOSTILE_NAME = "<b>\"Bob\" & 'Co'</b>"
ANNA = Perspective(language=ENGLISH, names=("Anna", HOSTILE_NAME, "Carol", "Dave"), me=0)


@cache
def template_environment() -> Environment:
    """Return the environment of pages and emails, which refuses undefined variables."""
    environment = Environment(
        loader=FileSystemLoader(templates_folder()), autoescape=True, undefined=StrictUndefined
    )
    prepare_environment(environment)
    environment.globals["csrf_token"] = lambda: "t<"
    return environment


def layout(**changed_fields: Any) -> Layout:
    variables: dict[str, Any] = {
        "site_name": "Lodepost",
        "home": "/",
        "css": "/static/lodepost.css",
        "how_to_play": "/how-to-play",
        "rules": "/rules",
        "about": "/about",
        "links": (NavLink("/", "Home", current=True), NavLink("/next", "Table")),
    }
    return Layout(**(variables | changed_fields))


def page_variables(**changed_fields: Any) -> dict[str, Any]:
    """Return what ``render_page`` gives to every template."""
    return {"language": ENGLISH, "layout": layout(), "csp_nonce": "n"} | changed_fields


def render(source: str, **values: Any) -> str:
    """Render a template given as text, with runs of white space as one space."""
    return re.sub(r"\s+", " ", rendered(template_environment().from_string(source), **values))


def rendered(template: Template, **values: Any) -> str:
    """Render a template for an English reader in Riga."""
    with rendered_for(Locale(ENGLISH, zone_for("Europe/Riga"), NOW)):
        return template.render(page_variables(**values))


def sample_seat_summary(number: int, **changed_fields: Any) -> SeatSummary:
    """Return one of Anna's table; seat 1 is to play."""
    variables: dict[str, Any] = {
        "number": number,
        "name": ANNA.names[number],
        "is_bot": False,
        "is_me": number == 0,
        "is_free": False,
        "is_ready": True,
        "has_salt": False,
        "is_gone": False,
        "is_awaited": number == 1,
    }
    return SeatSummary(**(variables | changed_fields))
