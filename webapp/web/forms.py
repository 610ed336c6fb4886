"""Forms as pages show them: labels in the reader's language, what was typed, and what is wrong with it.

The fields carry text to and fro; what it means is read by :mod:`webapp.web.inputs` and judged by the services.
"""

import secrets
from collections.abc import Mapping
from typing import TypeVar

from flask import request
from werkzeug.datastructures import MultiDict
from wtforms import Field, Form, Label

from webapp.i18n import Language
from webapp.web.error_messages import field_sentence
from webapp.web.problems import Problem

F = TypeVar("F", bound=Form)


def typed() -> MultiDict[str, str] | None:
    """What was typed into a form that was sent; None while there is nothing but a page to show."""
    return request.form if request.method == "POST" else None


def once() -> str:
    """A new mark for each form that is shown: by it a form that comes twice is known, as after a double click."""
    # Not of the site's own chance, from which cards are dealt: looking at a form changes no deal.
    return secrets.token_urlsafe()


def labelled(form: F, labels: Mapping[str, str]) -> F:
    """Give the fields their labels."""
    for name, label in labels.items():
        field: Field = form[name]
        field.label = Label(field.id, label)
    return form


def marked(form: F, problem: Problem | None, language: Language) -> F:
    """Say at each field what was wrong with it."""
    for error in problem.errors if problem else ():
        if error.field in form:
            form[error.field].errors = [field_sentence(error, language)]
    return form
