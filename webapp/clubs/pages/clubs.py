"""The list of clubs, founding one, and the page of a club with its standings and what members do there."""

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp.accounts.person import Person
from webapp.clubs import announcements, founding, joining, members
from webapp.clubs.access import ClubAccess
from webapp.clubs.club_page import ClubPage, club_page
from webapp.clubs.joining import leave_club_once, leave_proof
from webapp.clubs.lists import club_list
from webapp.clubs.pages.forms import (
    AnnounceForm,
    ClubForm,
    EmailsForm,
    LeaveClubForm,
    act_in_club,
    browser_language,
)
from webapp.kernel import urls
from webapp.kernel.i18n import N_, Language
from webapp.kernel.tx import Tx
from webapp.picture.charts import MAX_SERIES, ChartData, Series
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, new_form_id, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    checked_viewer,
    locale_of,
    redirect_to_introduction,
    token,
    viewer_from_session,
)
from webapp.wording.perspective import joined_words, player_name
from webapp.wording.times import day_of_month, day_of_year

pages = Blueprint("clubs", __name__)


class _RankedPlayer(Protocol):
    """A line of the standings, as use cases have it."""

    @property
    def name(self) -> str: ...
    @property
    def wins(self) -> int: ...
    @property
    def days_of_wins(self) -> Sequence[date]: ...


@pages.get(urls.clubs.rule)
def show_clubs() -> ResponseReturnValue:
    """Show the viewer's clubs, and the public ones."""
    with current_context().read_only() as tx:
        page = club_list(tx, token())
    return render_page(
        "clubs/list.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.clubs()),
        page=page,
    )


@pages.get(urls.new_club.rule)
def show_new_club() -> ResponseReturnValue:
    """Show the form to a signed-in viewer who has a name."""
    with current_context().read_only() as tx:
        viewer = viewer_from_session(tx)
    if viewer is None or not viewer.name:
        return redirect_to_introduction(viewer, urls.new_club())
    language = locale_of(viewer).language
    return _show_new_club(viewer, ClubForm(language, club_language=language.code, zone=viewer.zone))


@pages.post(urls.clubs.rule)
@form_view
def found_club() -> ResponseReturnValue:
    form = ClubForm(browser_language(), request.form)
    form_token = request.form.get("form_id", "")
    try:
        with submission(form) as tx:
            viewer = viewer_from_session(tx)
            if viewer is None or not viewer.name:
                return redirect_to_introduction(viewer, urls.new_club())
            slug = founding.found_club(
                tx,
                viewer,
                form.profile(),
                form_token=form_token or new_form_id(),
            )
    except FormError as error:
        with current_context().read_only() as tx:
            viewer = viewer_from_session(tx)
        return _show_new_club(viewer, form, error)
    flash(browser_language().gettext("Your club is open. Invite your group."), "good")
    return redirect(urls.club_members(slug), 303)


@pages.get(urls.club.rule)
def show_club(slug: str) -> ResponseReturnValue:
    return _show_club(slug)


@pages.post(f"{urls.club.rule}/ask")
@form_view
def ask_to_join(slug: str) -> ResponseReturnValue:
    def request_membership(tx: Tx, access: ClubAccess) -> None:
        assert access.me is not None
        joining.ask_to_join(tx, access, access.me)

    form = PageForm(browser_language(), request.form)
    return act_in_club(
        slug,
        form,
        request_membership,
        success_message=N_("You've asked to join. A moderator will answer."),
        redirect_path=urls.club(slug),
        show_again=_show_club,
    )


@pages.post(f"{urls.club.rule}/leave")
@form_view
def leave(slug: str) -> ResponseReturnValue:
    """Leave the club, or take back the request to join; a form sent twice gets the same answer."""
    form = LeaveClubForm(browser_language(), request.form)
    try:
        with submission(form) as tx:
            had_requested = leave_club_once(tx, slug, token(), proof=form.text("proof"))
    except FormError as error:
        return _show_club(slug, form, error)
    language = browser_language()
    request_withdrawn_text = language.gettext("You've taken back your request to join.")
    flash(
        request_withdrawn_text if had_requested else language.gettext("You've left the club."),
        "good",
    )
    return redirect(urls.clubs(), 303)


@pages.post(f"{urls.club.rule}/announce")
@form_view
def announce(slug: str) -> ResponseReturnValue:
    form = AnnounceForm(browser_language(), request.form)

    def publish_announcement(tx: Tx, access: ClubAccess) -> None:
        announcements.announce(tx, access, text=form.text("announcement"))

    return act_in_club(
        slug,
        form,
        publish_announcement,
        success_message=N_("Announced. Members who want it get an email."),
        redirect_path=urls.club(slug),
        show_again=_show_club,
    )


@pages.post(f"{urls.club.rule}/emails")
@form_view
def choose_emails(slug: str) -> ResponseReturnValue:
    """Start or stop the emails about the club for the viewer."""
    form = EmailsForm(browser_language(), request.form)

    def store_email_choices(tx: Tx, access: ClubAccess) -> None:
        members.choose_emails(
            tx, access, announcements=form.announcements.data, requests=form.requests.data
        )

    return act_in_club(
        slug,
        form,
        store_email_choices,
        success_message=N_("Saved."),
        redirect_path=urls.club(slug),
        show_again=_show_club,
    )


def _show_new_club(
    viewer: Person | None, form: ClubForm, error: FormError | None = None
) -> Response:
    return render_page(
        "clubs/new.html",
        viewer=viewer,
        nav_position=PagePosition(urls.new_club()),
        status=200 if error is None else error.status,
        form=form,
        error=error,
        form_id=new_form_id(),
    )


def _show_club(
    slug: str, submitted_form: PageForm | None = None, error: FormError | None = None
) -> Response:
    season = request.args.get("season", type=int)
    with current_context().read_only() as tx:
        page = club_page(tx, slug, token(), season_id=season)
    language = locale_of(page.me, default_language=page.club.language).language
    is_announcing = isinstance(submitted_form, AnnounceForm)
    return render_page(
        "clubs/club.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.club(slug), default_language=page.club.language),
        status=200 if error is None else error.status,
        page=page,
        error=error,
        announce_form=submitted_form if is_announcing else AnnounceForm(language),
        emails_form=EmailsForm(
            language, announcements=page.wants_announcements, requests=page.wants_requests
        ),
        leave_proof=_leave_proof_token(page),
        chart_data=_wins_chart(page.standings, language),
    )


def _leave_proof_token(page: ClubPage) -> str:
    if page.me is None:
        return ""
    return leave_proof(page.club.slug, page.me, current_context().keys)


def _wins_chart(standings: Sequence[_RankedPlayer], language: Language) -> ChartData | None:
    """Return the wins of the leading players up to each day on which one of them has won; None if no one has."""
    leading_players = [row for row in standings if row.wins][:MAX_SERIES]
    if not leading_players:
        return None
    days = sorted({day for row in leading_players for day in row.days_of_wins})
    return ChartData(
        key="wins",
        title=language.gettext("Wins of the leading players"),
        summary=_leaders_sentence(leading_players, language),
        labels=_day_labels(days, language),
        series=tuple(
            Series(
                name=_player_name(row, language),
                values=tuple(sum(win_day <= day for win_day in row.days_of_wins) for day in days),
            )
            for row in leading_players
        ),
    )


def _day_labels(days: Sequence[date], language: Language) -> tuple[str, ...]:
    """Return the days, with their year only if it is not the same one."""
    is_one_year = days[0].year == days[-1].year
    day_text_of = day_of_month if is_one_year else day_of_year
    return tuple(day_text_of(day, language) for day in days)


def _leaders_sentence(leading_players: Sequence[_RankedPlayer], language: Language) -> str:
    top_wins = leading_players[0].wins
    names = tuple(_player_name(row, language) for row in leading_players if row.wins == top_wins)
    return language.ngettext(
        "Most wins: %(names)s, with %(num)s.",
        "Most wins: %(names)s, with %(num)s.",
        top_wins,
        names=joined_words(names, language),
    )


def _player_name(row: _RankedPlayer, language: Language) -> str:
    return player_name(row.name, language)
