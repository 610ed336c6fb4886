"""Opening a table: its rulebook, number of seats, time for a turn, and who may sit down."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from flask import Blueprint, Response, redirect, request
from flask.typing import ResponseReturnValue

from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import DEFAULT_RULEBOOK
from webapp import urls
from webapp.bot_levels import USUAL_LEVEL
from webapp.game_status import GameStatus
from webapp.pace.late_rules import USUAL_LATE_RULES, LateRules
from webapp.pace.pace import Pace
from webapp.pages.lobby.new_table_form import NewTableForm, form_fields_of
from webapp.services.accounts.person import Person
from webapp.services.clock.paces import median_answer_times
from webapp.services.clubs.club_page import ClubCard
from webapp.services.clubs.lists import clubs_to_open_tables_in
from webapp.services.keys import TokenSource
from webapp.services.lobby import new_table
from webapp.services.lobby.host_actions import fill_with_bots
from webapp.services.lobby.new_table import TableSettings
from webapp.services.lobby.ready_check import salt_of_seat
from webapp.services.play import access
from webapp.services.tx import Tx
from webapp.web.context import current_context
from webapp.web.forms import FormError, form_view, new_form_id, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, redirect_to_introduction, viewer_from_session

pages = Blueprint("new_table", __name__)

_BOT_GAME_SETTINGS: Final = TableSettings(
    rulebook=DEFAULT_RULEBOOK,
    seats=5,
    house=HouseRules(),
    pace=Pace(time_per_turn=timedelta(days=2)),
    public=False,
    # No one else waits for the player, so an absence can stop the clock, and there is no one to take the seat.
    late_rules=LateRules(absence="stop", absence_cap=USUAL_LATE_RULES.absence_cap),
)
"""The settings of a game against bots that is started with one button."""


@pages.get(urls.new_game.rule)
def show_new_table() -> ResponseReturnValue:
    """Show the form to a signed-in viewer who has a name; with ``club``, with the defaults of one of their clubs."""
    club_slug = request.args.get("club")
    with current_context().read_only() as tx:
        viewer = viewer_from_session(tx)
        if viewer is None or not viewer.name:
            return redirect_to_introduction(viewer, urls.new_game(club=club_slug))
        clubs = clubs_to_open_tables_in(tx, viewer)
        answer_times = median_answer_times(tx, [viewer.id])
    defaults = next((_defaults_of(club) for club in clubs if club.slug == club_slug), {})
    form = NewTableForm(locale_of(viewer).language, **defaults)
    form.offer_forecast(answer_times)
    return _show_form(viewer, form, clubs)


@pages.post(urls.tables.rule)
@form_view
def open_table() -> ResponseReturnValue:
    """Open the table with the host in the first seat; with the button ``bots``, bots take the others and the game begins."""
    form = NewTableForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            viewer = viewer_from_session(tx)
            if viewer is None or not viewer.name:
                return redirect_to_introduction(viewer, urls.new_game())
            level = form.text("level") if "bots" in request.form else None
            slug = _open_table(tx, viewer, form.settings(), bot_level=level)
    except FormError as error:
        with current_context().read_only() as tx:
            viewer = viewer_from_session(tx)
            clubs = () if viewer is None else clubs_to_open_tables_in(tx, viewer)
        return _show_form(viewer, form, clubs, error)
    return redirect(urls.game(slug), 303)


@pages.post(urls.bot_game.rule)
def open_bot_game() -> ResponseReturnValue:
    """Open a game against bots with the usual settings."""
    with current_context().transaction() as tx:
        viewer = viewer_from_session(tx)
        if viewer is None or not viewer.name:
            return redirect_to_introduction(viewer, urls.home())
        slug = _open_table(tx, viewer, _BOT_GAME_SETTINGS, bot_level=USUAL_LEVEL)
    current_context().nudge(tx.nudges)
    return redirect(urls.game(slug), 303)


def _open_table(tx: Tx, host: Person, settings: TableSettings, *, bot_level: str | None) -> str:
    """Open a table, with bots of a level in the free seats unless it is None; return its slug."""
    context = current_context()
    slug = new_table.open_table(
        tx,
        host,
        settings,
        form_token=request.form.get("form_id", ""),
        source=TokenSource(context.keys, context.tokens),
    )
    if bot_level is not None:
        game = access.game_for(tx, slug, host, mode="change").game
        # A form that is sent twice finds the game running.
        if game.status == GameStatus.OPEN:
            salt = salt_of_seat(context.keys, game, host)
            fill_with_bots(tx, game, host, level=bot_level, salt=salt)
    return slug


def _defaults_of(club: ClubCard) -> dict[str, Any]:
    """Return how the form begins for a table in this club."""
    return {"club": club.slug, **form_fields_of(club)}


def _show_form(
    viewer: Person | None,
    form: NewTableForm,
    clubs: Sequence[ClubCard],
    error: FormError | None = None,
) -> Response:
    form.offer_clubs((club.slug, club.name) for club in clubs)
    form.offer_zone("UTC" if viewer is None else viewer.zone)
    return render_page(
        "lobby/new_table/new.html",
        viewer=viewer,
        nav_position=PagePosition(urls.new_game()),
        status=200 if error is None else error.status,
        form=form,
        has_clubs=bool(clubs),
        error=error,
        form_id=new_form_id(),
    )
