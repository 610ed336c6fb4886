"""The security log, for site moderators: sign-ins, rights, acts, exports and deletions."""

from functools import partial

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from webapp.accounts.security_log import SecurityEventKind
from webapp.kernel import urls
from webapp.kernel.i18n import Language
from webapp.moderation.log_pages import SecurityEventRow, security_page
from webapp.moderation.pages.labels import act_label
from webapp.moderation.pages.ledger import setting_name
from webapp.web.context import current_context
from webapp.web.forms import id_in
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, require_viewer
from webapp.wording.security import KINDS_WITHOUT_SIGN_IN, event_name, event_subject

pages = Blueprint("security", __name__)


@pages.get(urls.security_log.rule)
def show_security_log() -> ResponseReturnValue:
    """Show one page of events; the filter is in the address."""
    kind, person = _requested_kind(), request.args.get("person") or None
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        before_id = id_in(request.args.get("before", ""))
        page = security_page(tx, viewer, kind=kind, person_ref=person, before_id=before_id)
    language = locale_of(viewer).language
    return render_page(
        "moderation/security.html",
        viewer=viewer,
        nav_position=PagePosition(urls.security_log()),
        page=page,
        kind=kind,
        kinds=_kind_choices(language),
        person=person,
        older_page_url=urls.security_log(
            kind=kind, person=person, before=page.older_page_before_id
        ),
        kinds_without_sign_in=KINDS_WITHOUT_SIGN_IN,
        event_name=partial(event_name, language=language),
        subject=partial(_event_subject_text, language=language),
    )


def _event_subject_text(event: SecurityEventRow, language: Language) -> str:
    """Return what an event is about, apart from the game, the club and the person that its row links to."""
    if event.changed is not None:
        return ", ".join(setting_name(name, language) for name in event.changed)
    if "act" in event.detail:
        return act_label(str(event.detail["act"]), language)
    return event_subject(event.kind, event.detail, language)


def _requested_kind() -> SecurityEventKind | None:
    """Return the kind in the address; all kinds if there is none, or one that does not exist."""
    try:
        return SecurityEventKind(request.args.get("kind", ""))
    except ValueError:
        return None


def _kind_choices(language: Language) -> list[tuple[str, str]]:
    return [(kind.value, event_name(kind, language)) for kind in SecurityEventKind]
