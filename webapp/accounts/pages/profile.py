"""The account of the signed-in player: name, language, time zone and how gold is picked."""

from typing import Final

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, SelectField, StringField

from webapp.accounts import profile
from webapp.accounts.names import MAX_NAME_LENGTH
from webapp.accounts.person import Person
from webapp.clock.reliability import reliability_of
from webapp.kernel import urls
from webapp.kernel.i18n import N_, NN_, TRANSLATED_LANGUAGES, Language, language_for
from webapp.kernel.refusals import FieldError, FieldErrors, NotAllowed
from webapp.lobby.bot_game import open_bot_game
from webapp.mail.outbox.unsubscribe import SCOPES, resubscribe_person
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, one_line, one_of, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    SignInRequired,
    is_own_path,
    locale_of,
    remember_locale,
    remember_return_path,
    require_viewer,
    take_return_path,
)
from webapp.web.time_zones import ZoneField, canonical_zone, guessed_zone, zone_place
from webapp.wording.deadlines import excused_sentence, reliability_sentence

pages = Blueprint("profile", __name__)


_EMAIL_CHOICES: Final = (
    ("complete", N_("All that I need to play")),
    ("link-only", N_("Just a link, no cards or moves")),
)
_FIRST_GAME: Final = "first game"
"""The form token of a newcomer's game: a name that is sent twice opens one game."""
_HOLD_CHOICES: Final = tuple(map(str, range(profile.MAX_HOLD_MINUTES + 1)))


class ProfileForm(PageForm):
    name = StringField(N_("Your name"), [one_line], render_kw={"maxlength": MAX_NAME_LENGTH})
    language = SelectField(N_("Language"), [one_of(TRANSLATED_LANGUAGES)], validate_choice=False)
    zone = ZoneField(N_("Time zone"), validators=[one_line])
    picks_gold = BooleanField(N_("Take the best gold card for me"))
    hold_minutes = SelectField(N_("Hold my turns"), [one_of(_HOLD_CHOICES)], validate_choice=False)
    email_content = SelectField(
        N_("Emails about my games"),
        [one_of(dict(_EMAIL_CHOICES))],
        validate_choice=False,
    )
    wants_every_email = BooleanField(N_("Always email me"))
    moves_need_sign_in = BooleanField(N_("Ask me to sign in before I play from an email"))

    def __init__(
        self, language: Language, formdata: MultiDict[str, str] | None = None, **data: object
    ) -> None:
        super().__init__(language, formdata, **data)
        if formdata is not None and "hold_minutes" not in formdata:
            # A form without it leaves it as it is.
            del self.hold_minutes
        if formdata is not None and "email_content" not in formdata:
            del self.email_content, self.wants_every_email, self.moves_need_sign_in
        if self.email_content is not None:
            self.email_content.choices = [
                (value, language.gettext(label)) for value, label in _EMAIL_CHOICES
            ]
        self.language.choices = [(code, language_for(code).name) for code in TRANSLATED_LANGUAGES]
        if self.hold_minutes is not None:
            self.hold_minutes.choices = [
                (text, _hold_label(int(text), language)) for text in _HOLD_CHOICES
            ]


def _hold_label(minutes: int, language: Language) -> str:
    if minutes == 0:
        return language.gettext("Not at all")
    return language.ngettext(*NN_("%(count)s minute", "%(count)s minutes"), minutes, count=minutes)


@pages.get(urls.profile.rule)
def show_profile() -> ResponseReturnValue:
    try:
        return _show_profile()
    except SignInRequired:
        remember_return_path(urls.profile())
        return redirect(urls.sign_in())


@pages.post(urls.profile.rule)
@form_view
def change_profile() -> ResponseReturnValue:
    """Store the settings, then continue where the player was going: a newcomer to their games."""
    form = ProfileForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            viewer = require_viewer(tx)
            person = profile.change_profile(
                tx,
                viewer,
                name=form.text("name"),
                language=form.language.data,
                zone=form.text("zone"),
                picks_gold=form.picks_gold.data,
            )
            if form.hold_minutes is not None:
                profile.change_hold_minutes(tx, person, minutes=int(form.hold_minutes.data))
            if form.email_content is not None:
                preferences = profile.EmailPreferences(
                    wants_link_only=form.email_content.data == "link-only",
                    wants_every_email=form.wants_every_email.data,
                    moves_need_sign_in=form.moves_need_sign_in.data,
                )
                profile.change_email_preferences(tx, person, preferences)
    except FormError as error:
        return _show_profile(form, error)
    remember_locale(person)
    is_introduction = form.email_content is None
    path = take_return_path(urls.home() if is_introduction else urls.profile())
    # The person may have a name by now: their first press, whose answer they did not wait for, gave it to them.
    if path == urls.bot_game():
        return redirect(path_to_first_game(), 303)
    if not is_introduction:
        flash(language_for(person.language).gettext("Saved."), "good")
    return redirect(path, 303)


def path_to_first_game() -> str:
    """Deal the game against bots that a newcomer wished for before they signed in, and return its path; on a refusal, that of the button."""
    context = current_context()
    try:
        with context.transaction() as tx:
            slug = open_bot_game(tx, require_viewer(tx), form_token=_FIRST_GAME)
    except NotAllowed:
        return urls.bot_game()
    context.nudge(tx.nudges)
    return urls.game(slug)


@pages.post(urls.profile_emails.rule)
def resubscribe() -> ResponseReturnValue:
    """Send the emails again that an unsubscribe link has stopped, and return to the page with the button."""
    scope = SCOPES.get(request.form.get("scope", ""))
    return_path = request.form.get("return_path", "")
    with current_context().transaction() as tx:
        viewer = require_viewer(tx)
        if scope is None:
            raise FieldErrors(FieldError("scope", "unknown"))
        resubscribe_person(
            tx,
            viewer,
            scope,
            slug=request.form.get("table"),
        )
    flash(locale_of(viewer).language.gettext("You'll get these emails again."), "good")
    return redirect(return_path if is_own_path(return_path) else urls.profile(), 303)


@pages.post(urls.dismiss_hints.rule)
def dismiss_hints() -> ResponseReturnValue:
    """Show the person no hints at tables any more, and return to the table."""
    with current_context().transaction() as tx:
        profile.dismiss_hints(tx, require_viewer(tx))
    path = request.form.get("return_path", "")
    return redirect(path if is_own_path(path) else urls.home(), 303)


def _show_profile(form: ProfileForm | None = None, error: FormError | None = None) -> Response:
    """Return the page. Raises SignInRequired."""
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        reliability = reliability_of(tx, viewer.id)
    language = locale_of(viewer).language
    shown_form = form or _profile_form(viewer, language)
    return render_page(
        "accounts/profile.html" if viewer.name else "accounts/introduction.html",
        viewer=viewer,
        nav_position=PagePosition(urls.profile()),
        status=200 if error is None else error.status,
        form=shown_form,
        zone_place=zone_place(shown_form.zone.data or ""),
        guesses_zone=form is None and not viewer.name,
        reliability=reliability_sentence(reliability, language),
        excused=excused_sentence(reliability, language),
        error=error,
    )


def _profile_form(viewer: Person, language: Language) -> ProfileForm:
    """Return the form with the stored settings; for a newcomer, with their probable time zone."""
    email_content = "link-only" if viewer.wants_link_only else "complete"
    form = ProfileForm(language, obj=viewer, email_content=email_content)
    form.zone.data = canonical_zone(viewer.zone)
    if not viewer.name:
        now = current_context().now()
        form.zone.data = guessed_zone("", request.accept_languages, now=now)
    return form
