"""What moderators look at: the list of games, the stuck ones first, with saved filters; a game; and a person."""

from collections.abc import Callable
from typing import Final

from flask import Blueprint, redirect, request
from flask.typing import ResponseReturnValue
from wtforms import HiddenField, StringField

from webapp.kernel import urls
from webapp.kernel.i18n import N_
from webapp.moderation import dashboard as saved_filters
from webapp.moderation.dashboard import (
    LIST_STATES_BY_FILTER,
    MAX_NAME_LENGTH,
    TURN_TIME_LIMITS_BY_PACE,
    DashboardQuery,
    dashboard,
)
from webapp.moderation.game_page import moderated_game
from webapp.moderation.pages.health_strip import health_items
from webapp.moderation.pages.page_rendering import render_moderation
from webapp.moderation.pages.sanctions import decision_label, report_kind_label
from webapp.moderation.person_page import person_page
from webapp.operations.health import is_email_held
from webapp.play.changes.acts import acts_by_name
from webapp.web.context import current_context
from webapp.web.forms import PageForm, form_view, one_line, required, submission
from webapp.web.session import locale_of, require_viewer

pages = Blueprint("moderation", __name__)
pages_of_games = Blueprint("moderated_game", __name__)
pages_of_people = Blueprint("person", __name__)

_REFRESH_SECONDS: Final = 60
"""How soon the list reloads, unless the viewer has switched that off."""
_STATE_NAMES: Final = {
    "stuck": N_("Stuck"),
    "server": N_("Stuck: clock, bot or check"),
    "email": N_("Stuck: email"),
    "seat": N_("Stuck: seat"),
    "paused": N_("Paused"),
    "waiting": N_("Waiting for a player"),
    "lobby": N_("Not dealt yet"),
    "over": N_("Over"),
}
_PACE_NAMES: Final = {
    "brisk": N_("Up to 12 hours a turn"),
    "daily": N_("About a day"),
    "relaxed": N_("Up to 4 days"),
    "slow": N_("More than 4 days"),
}


class SaveFilterForm(PageForm):
    name = StringField(
        N_("Name of this filter"), [required], render_kw={"maxlength": MAX_NAME_LENGTH}
    )
    search = HiddenField(validators=[one_line])
    state = HiddenField(validators=[one_line])
    pace = HiddenField(validators=[one_line])
    club = HiddenField(validators=[one_line])


@pages.get(urls.moderation.rule)
def show_dashboard() -> ResponseReturnValue:
    """Show a page of games; the filter is in the address, so that it can be bookmarked and shared."""
    query = DashboardQuery(
        **{
            name: request.args.get(name, "")
            for name in ("search", "state", "pace", "club", "after")
        }
    )
    now = current_context().now()
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        page = dashboard(tx, viewer, query)
        is_closed = bool(current_context().site_settings.current().maintenance)
        # A copy is closed until it is released.
        is_held = is_closed and is_email_held(tx)
    language = locale_of(viewer).language
    is_live = request.args.get("refresh") != "off"
    return render_moderation(
        "moderation/dashboard.html",
        viewer=viewer,
        path=urls.moderation(),
        page=page,
        health=health_items(page.health, language, now=now) if page.health else (),
        is_closed=is_closed,
        is_email_held=is_held,
        query=query,
        states=[(name, language.gettext(_STATE_NAMES[name])) for name in LIST_STATES_BY_FILTER],
        clubs=[(club.slug, club.name) for club in page.clubs],
        paces=[(name, language.gettext(_PACE_NAMES[name])) for name in TURN_TIME_LIMITS_BY_PACE],
        bulk_acts=[act.name for act in acts_by_name().values() if act.is_on_dashboard],
        refresh_seconds=_REFRESH_SECONDS if is_live else None,
        link=_link_builder(query, is_live=is_live),
        back=_link_builder(query, is_live=is_live)(after=query.after),
        script=current_context().dashboard_script,
        save_form=SaveFilterForm(language, **query._asdict()),
    )


@pages.post(urls.saved_filters.rule)
@form_view
def save_filter() -> ResponseReturnValue:
    """Save the filter in the form under a name, and return to the list."""
    form = SaveFilterForm(locale_of(None).language, request.form)
    query = DashboardQuery(
        **{name: form.text(name) for name in ("search", "state", "pace", "club")}
    )
    with submission(form) as tx:
        path = _link_builder(query)()
        saved_filters.save_filter(tx, require_viewer(tx), name=form.text("name"), path=path)
    return redirect(path, 303)


@pages.post(urls.saved_filter.rule)
def delete_filter(number: int) -> ResponseReturnValue:
    with current_context().transaction() as tx:
        saved_filters.delete_filter(tx, require_viewer(tx), number)
    return redirect(urls.moderation(), 303)


@pages_of_games.get(urls.moderated_game.rule)
def show_moderated_game(slug: str) -> ResponseReturnValue:
    """Show why a game waits, what became of every turn and email, and all acts."""
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        page = moderated_game(tx, viewer, slug)
    return render_moderation(
        "moderation/game/game.html", viewer=viewer, path=urls.moderated_game(slug), page=page
    )


@pages_of_people.get(urls.moderated_person.rule)
def show_person(ref: str) -> ResponseReturnValue:
    """Show a person. The address holds the account's ref, never its id or email address."""
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


def _link_builder(query: DashboardQuery, *, is_live: bool = True) -> Callable[..., str]:
    """Return a function that gives the address of the same list with some choices changed, from its beginning."""

    def link(**changed_parameters: str) -> str:
        parameters = (
            query._asdict()
            | {"after": "", "refresh": "" if is_live else "off"}
            | changed_parameters
        )
        return urls.moderation(**{name: value or None for name, value in parameters.items()})

    return link
