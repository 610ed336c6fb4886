"""The people whom the viewer has blocked, and those whom they have muted: a page for each, because both can be long lists."""

from flask import Blueprint, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp.accounts import blocks
from webapp.kernel import urls
from webapp.web.context import current_context
from webapp.web.forms import PageForm, form_view, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, require_viewer

blocked_pages = Blueprint("blocked", __name__)
muted_pages = Blueprint("muted", __name__)


@blocked_pages.get(urls.blocked_people.rule)
def show_blocked() -> ResponseReturnValue:
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        blocked_people = blocks.blocks_made_by(tx, viewer)
    return render_page(
        "accounts/blocked.html",
        viewer=viewer,
        nav_position=PagePosition(urls.blocked_people()),
        blocked=blocked_people,
    )


@muted_pages.get(urls.muted_people.rule)
def show_muted() -> ResponseReturnValue:
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        muted_people = blocks.mutes_made_by(tx, viewer)
    return render_page(
        "accounts/muted.html",
        viewer=viewer,
        nav_position=PagePosition(urls.muted_people()),
        muted=muted_people,
    )


@blocked_pages.post(urls.unblock.rule)
@form_view
def unblock(ref: str) -> ResponseReturnValue:
    language = locale_of(None).language
    with submission(PageForm(language, request.form)) as tx:
        blocks.unblock(tx, require_viewer(tx), ref)
    flash(language.gettext("You can meet again."), "good")
    return redirect(urls.blocked_people(), 303)


@muted_pages.post(urls.unmute.rule)
@form_view
def unmute(ref: str) -> ResponseReturnValue:
    language = locale_of(None).language
    with submission(PageForm(language, request.form)) as tx:
        blocks.unmute(tx, require_viewer(tx), ref)
    flash(language.gettext("You see their messages again, the earlier ones too."), "good")
    return redirect(urls.muted_people(), 303)
