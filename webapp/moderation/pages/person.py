"""The page of a person for site moderators; the address holds the account's ref, never its id or email address."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.moderation.pages.page_rendering import render_moderation
from webapp.moderation.pages.sanctions import decision_label, report_kind_label
from webapp.moderation.person_page import person_page
from webapp.web.context import current_context
from webapp.web.session import locale_of, require_viewer

pages = Blueprint("person", __name__)


@pages.get(urls.moderated_person.rule)
def show_person(ref: str) -> ResponseReturnValue:
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        page = person_page(tx, viewer, ref)
    language = locale_of(viewer).language
    return render_moderation(
        "moderation/people/person.html",
        viewer=viewer,
        path=urls.moderated_person(ref),
        page=page,
        decision_label=lambda kind: decision_label(kind, language),
        report_kind=lambda kind: report_kind_label(kind, language),
    )
