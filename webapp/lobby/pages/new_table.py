"""Opening a table: from its form, against bots with one button, or for the players of a finished game."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from wtforms import RadioField, SelectField, StringField

from engine.cards import HAND_SIZES
from engine.rulebooks.catalogue import RULEBOOKS
from webapp.accounts.person import Person
from webapp.clock.paces import median_answer_times
from webapp.clubs.club_page import ClubCard
from webapp.clubs.lists import clubs_to_open_tables_in
from webapp.kernel import urls
from webapp.kernel.i18n import N_, Language
from webapp.kernel.keyring import TokenSource
from webapp.kernel.tx import Tx
from webapp.lobby import bot_game, new_table
from webapp.lobby.new_table import MAX_TABLE_NAME_LENGTH, TableSettings
from webapp.lobby.pages.game_settings_form import OWN_PACE_FIELDS, GameSettingsForm, form_fields_of
from webapp.lobby.rematch import play_again
from webapp.play.access import game_for
from webapp.web.bot_level_field import BotLevelField
from webapp.web.context import current_context
from webapp.web.forms import (
    FormError,
    PageForm,
    form_view,
    new_form_id,
    one_line,
    one_of,
    optional_number,
    submission,
    whole_number,
)
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    SignInRequired,
    locale_of,
    redirect_to_introduction,
    token,
    viewer_from_session,
)
from webapp.wording.tables import HOUSE_RULES, rulebook_name

pages = Blueprint("new_table", __name__)
_RANDOM_STARTER: Final = ""
_NO_CLUB: Final = ""
_DEFAULT_SEAT_COUNT: Final = 5
_FIELDS_ABOVE_MORE: Final = frozenset({"table_name", "seats", "pace", "level", *OWN_PACE_FIELDS})


class NewTableForm(GameSettingsForm):
    """The settings of a table; ``open_table`` checks their limits. Seats are numbered from 1 on pages."""

    table_name = StringField(
        N_("Name of the table (optional)"),
        [one_line],
        render_kw={"maxlength": MAX_TABLE_NAME_LENGTH},
    )
    club = SelectField(N_("Club"), [one_line], default=_NO_CLUB, validate_choice=False)
    seats = RadioField(
        N_("Players, including you"),
        [whole_number],
        default=str(_DEFAULT_SEAT_COUNT),
        validate_choice=False,
    )
    audience = RadioField(
        N_("Who can join"),
        [one_of(("invited", "public"))],
        default="invited",
        validate_choice=False,
    )
    level = BotLevelField()
    starter = SelectField(
        N_("Starting player"),
        [optional_number],
        default=_RANDOM_STARTER,
        validate_choice=False,
    )

    def __init__(
        self,
        language: Language,
        formdata: MultiDict[str, str] | None = None,
        **data: Any,  # noqa: ANN401 - the defaults of any field
    ) -> None:
        super().__init__(language, formdata, **data)
        self.offer_clubs(())
        self.level.offer(self)
        self.seats.choices = [(str(seat_count), str(seat_count)) for seat_count in HAND_SIZES]
        self.audience.choices = _audience_choices(language)
        self.starter.choices = _starter_choices(language)

    def offer_clubs(self, clubs: Iterable[tuple[str, str]]) -> None:
        """Set the clubs in which the host may open tables, as slugs and names."""
        self._club_names = dict(clubs)
        no_club = (_NO_CLUB, self.locale_language.gettext("No club"))
        self.club.choices = [no_club, *self._club_names.items()]

    @property
    def has_errors_under_more(self) -> bool:
        return any(self[name].errors for name in self.data if name not in _FIELDS_ABOVE_MORE)

    def chosen_under_more(self) -> str:
        """Return in a few words what is chosen in the fields that are folded away."""
        return " · ".join(self._choices_in_short())

    def _choices_in_short(self) -> Iterator[str]:
        language = self.locale_language
        # A form of an expired page is shown again without having been checked.
        if self.rulebook.data in RULEBOOKS:
            yield rulebook_name(self.rulebook.data, language)
        if self.club.data in self._club_names:
            yield self._club_names[self.club.data]
        if not self.rounds.errors and (rounds := self.number("rounds")):
            yield language.ngettext("%(num)s round", "%(num)s rounds", rounds)
        if house_rule_count := sum(bool(self[name].data) for name in HOUSE_RULES):
            yield language.ngettext("%(num)s house rule", "%(num)s house rules", house_rule_count)
        yield (
            language.gettext("anyone can join")
            if self.audience.data == "public"
            else language.gettext("by invitation")
        )

    def settings(self) -> TableSettings:
        """Return the settings from a form that was checked."""
        starter = self.number("starter")
        return TableSettings(
            rulebook=self.rulebook.data,
            seats=self.number("seats") or 0,
            house=self.house_rules(),
            pace=self.chosen_pace(),
            public=self.audience.data == "public",
            starter=None if starter is None else starter - 1,
            club=self.text("club"),
            late_rules=self.late_rules(),
            table_name=self.text("table_name"),
        )


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
            slug = _open_table(tx, viewer, form)
    except FormError as error:
        with current_context().read_only() as tx:
            viewer = viewer_from_session(tx)
            clubs = () if viewer is None else clubs_to_open_tables_in(tx, viewer)
        return _show_form(viewer, form, clubs, error)
    return redirect(urls.game(slug), 303)


def _open_table(tx: Tx, host: Person, form: NewTableForm) -> str:
    """Open the table, with bots in the free seats if the host wants that; return its slug."""
    settings, form_token = form.settings(), request.form.get("form_id", "")
    if "bots" not in request.form:
        return new_table.open_table(tx, host, settings, form_token=form_token)
    level = form.text("level")
    return bot_game.deal_with_bots(tx, host, settings, level=level, form_token=form_token)


@pages.get(urls.bot_game.rule)
def show_bot_game() -> ResponseReturnValue:
    """Show the button that deals a game against bots, to those whose wish for one was kept while they signed in."""
    with current_context().read_only() as tx:
        viewer = viewer_from_session(tx)
    if viewer is None or not viewer.name:
        return redirect_to_introduction(viewer, urls.bot_game())
    return render_page(
        "lobby/bot_game.html",
        viewer=viewer,
        nav_position=PagePosition(urls.bot_game()),
        form_id=new_form_id(),
    )


@pages.post(urls.bot_game.rule)
def open_bot_game() -> ResponseReturnValue:
    """Open a game against bots with the usual settings."""
    with current_context().transaction() as tx:
        viewer = viewer_from_session(tx)
        if viewer is None or not viewer.name:
            return redirect_to_introduction(viewer, urls.bot_game())
        form_token = request.form.get("form_id", "")
        slug = bot_game.open_bot_game(tx, viewer, form_token=form_token)
    current_context().nudge(tx.nudges)
    return redirect(urls.game(slug), 303)


@pages.post(urls.rematch.rule)
@form_view
def start_rematch(slug: str) -> ResponseReturnValue:
    """Redirect to the table of the rematch, at which the viewer has a seat now; if they get none, say why at the finished game."""
    form, context = PageForm(locale_of(None).language, request.form), current_context()
    try:
        with submission(form) as tx:
            access = game_for(tx, slug, token(), mode="change")
            if access.person is None:
                raise SignInRequired
            if not access.person.name:
                return redirect_to_introduction(access.person, urls.game(slug))
            TokenSource(context.keys, context.tokens)
            new_slug = play_again(tx, access)
    except FormError as error:
        flash(error.text, "bad")
        return redirect(urls.game(slug), 303)
    return redirect(urls.game(new_slug), 303)


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


def _audience_choices(language: Language) -> list[tuple[str, str]]:
    return [
        ("invited", language.gettext("Only people with an invitation or the link")),
        ("public", language.gettext("Anyone (listed on the home page)")),
    ]


def _starter_choices(language: Language) -> list[tuple[str, str]]:
    seat_numbers = range(2, max(HAND_SIZES) + 1)
    return [
        (_RANDOM_STARTER, language.gettext("Chosen at random")),
        ("1", language.gettext("Seat 1 (you)")),
        *((str(seat), language.gettext("Seat %(seat)s", seat=seat)) for seat in seat_numbers),
    ]
