"""The settings of a club: its profile and defaults, its seasons, and closing it."""

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from webapp.clubs import founding, seasons
from webapp.clubs.access import ClubAccess, club_for
from webapp.clubs.club_page import SettingsPage, settings_page
from webapp.clubs.pages.forms import (
    ClubForm,
    ReasonForm,
    SeasonForm,
    act_in_club,
    browser_language,
    form_fields_of_club,
)
from webapp.kernel import urls
from webapp.kernel.i18n import N_
from webapp.kernel.rights import ClubRight
from webapp.kernel.tx import Tx
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view
from webapp.web.identity_gate import require_proof
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import SignInRequired, checked_viewer, locale_of, token

pages = Blueprint("club_settings", __name__)


@pages.get(urls.club_settings.rule)
def show_settings(slug: str) -> ResponseReturnValue:
    return _show_settings(slug)


@pages.post(urls.club_settings.rule)
@form_view
def change_club(slug: str) -> ResponseReturnValue:
    form = ClubForm(browser_language(), request.form)

    def change(tx: Tx, access: ClubAccess) -> None:
        founding.change_club(tx, access, form.profile())

    return act_in_club(
        slug,
        form,
        change,
        success_message=N_("Saved."),
        redirect_path=urls.club(slug),
        show_again=_show_settings,
    )


@pages.post(f"{urls.club.rule}/seasons")
@form_view
def add_season(slug: str) -> ResponseReturnValue:
    form = SeasonForm(browser_language(), request.form)

    def store_season(tx: Tx, access: ClubAccess) -> None:
        starts_on, ends_on = form.day("starts_on"), form.day("ends_on")
        seasons.add_season(
            tx, access, name=form.text("season_name"), starts_on=starts_on, ends_on=ends_on
        )

    return act_in_club(
        slug,
        form,
        store_season,
        success_message=N_("Season added."),
        redirect_path=urls.club_settings(slug),
        show_again=_show_settings,
    )


@pages.post(urls.club_season.rule)
@form_view
def delete_season(slug: str, season: int) -> ResponseReturnValue:
    def remove_stored_season(tx: Tx, access: ClubAccess) -> None:
        seasons.remove_season(tx, access, season)

    form = PageForm(browser_language(), request.form)
    return act_in_club(
        slug,
        form,
        remove_stored_season,
        success_message=N_("Season deleted. Its games stay."),
        redirect_path=urls.club_settings(slug),
        show_again=_show_settings,
    )


@pages.post(f"{urls.club.rule}/close")
@form_view
def close_club(slug: str) -> ResponseReturnValue:
    form = ReasonForm(browser_language(), request.form)

    def close(tx: Tx, access: ClubAccess) -> None:
        founding.close_club(tx, access, reason=form.text("reason"))
        require_proof(tx, ClubRight.CLOSE_CLUB)

    return act_in_club(
        slug,
        form,
        close,
        success_message=N_("The club is closed. Its games continue."),
        redirect_path=urls.clubs(),
        show_again=_show_settings,
    )


def _show_settings(
    slug: str, submitted_form: PageForm | None = None, error: FormError | None = None
) -> Response:
    """Return the page of settings. Raises SignInRequired, NotFound and NotAllowed."""
    with current_context().read_only() as tx:
        access = club_for(tx, slug, token(), mode="show")
    if checked_viewer(access.me) is None:
        raise SignInRequired
    page = settings_page(access)
    return render_page(
        "clubs/settings.html",
        viewer=access.me,
        nav_position=PagePosition(urls.club_settings(slug)),
        status=200 if error is None else error.status,
        page=page,
        error=error,
        **_settings_forms(page, submitted_form),
    )


def _settings_forms(page: SettingsPage, submitted_form: PageForm | None) -> dict[str, PageForm]:
    language = locale_of(page.me).language
    return {
        "form": submitted_form
        if isinstance(submitted_form, ClubForm)
        else ClubForm(language, **form_fields_of_club(page.club)),
        "close_form": submitted_form
        if isinstance(submitted_form, ReasonForm)
        else ReasonForm(language),
        "season_form": submitted_form
        if isinstance(submitted_form, SeasonForm)
        else SeasonForm(language),
    }
