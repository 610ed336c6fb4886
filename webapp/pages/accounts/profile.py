"""One's own account: name, language, time zone, how gold is picked, and where one is signed in."""

from typing import Final

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, Form, SelectField, StringField

from webapp import urls
from webapp.clock import known_zones
from webapp.i18n import LANGUAGES, Language, language_for
from webapp.services.accounts import profile, sessions
from webapp.services.accounts.names import LONGEST_NAME
from webapp.services.accounts.person import Person
from webapp.services.accounts.sessions import SessionCard
from webapp.services.errors import FieldError, FieldErrors, NotFound
from webapp.services.notifications.unsubscribe import SCOPES, resubscribe_person
from webapp.services.tx import Tx, read_only, transaction
from webapp.web.context import current_context
from webapp.web.forms import labelled, marked, typed
from webapp.web.inputs import Inputs
from webapp.web.layout import Here, show
from webapp.web.problems import Problem, shown_again_by
from webapp.web.session import (
    go_back_to,
    is_own_path,
    locale_of,
    remember_words,
    token,
    way_back,
)

pages = Blueprint("profile", __name__)


_SPELLED_ZONES: Final = tuple(
    sorted(name for name in known_zones() if "/" in name and not name.startswith("Etc/"))
)


class ProfileForm(Form):
    name = StringField()
    language = SelectField(validate_choice=False)
    zone = SelectField(validate_choice=False)
    picks_gold = BooleanField()


@pages.get(urls.profile())
def show_profile() -> ResponseReturnValue:
    with read_only(current_context().database) as tx:
        me = sessions.person_for(tx, token(), now=current_context().now())
        cards = _session_cards(tx, me)
    if me is None:
        go_back_to(urls.profile())
        return redirect(urls.sign_in())
    return _profile(me, cards)


def show_profile_again(problem: Problem) -> Response:
    """What was typed, and what is wrong with it."""
    with read_only(current_context().database) as tx:
        me = sessions.person_for(tx, token(), now=current_context().now())
        cards = _session_cards(tx, me)
    if me is None:
        raise NotFound
    return _profile(me, cards, problem)


@pages.post(urls.profile())
@shown_again_by(show_profile_again)
def change_profile() -> ResponseReturnValue:
    """Keep name, language, zone and wishes; on to where the reader was going."""
    inputs = Inputs(request.form)
    name = inputs.text("name")
    language = inputs.one_of("language", LANGUAGES)
    zone = inputs.text("zone")
    inputs.check()
    with transaction(current_context().database) as tx:
        person = profile.change_profile(
            tx,
            _signed_in(tx),
            name=name,
            language=language,
            zone=zone,
            picks_gold=inputs.ticked("picks_gold"),
        )
    remember_words(person)
    flash(language_for(person.language).gettext("Your account is saved."), "good")
    return redirect(way_back(urls.home()), 303)


@pages.post("/profile/sessions/<token:ref>")
def end_session(ref: str) -> ResponseReturnValue:
    """Sign another browser out."""
    with transaction(current_context().database) as tx:
        me = _signed_in(tx)
        sessions.sign_out_browser(tx, me, ref)
    flash(locale_of(me).language.gettext("That browser is signed out."), "good")
    return redirect(urls.profile(), 303)


@pages.post(urls.other_sessions())
def end_other_sessions() -> ResponseReturnValue:
    """Sign every browser out but this one."""
    with transaction(current_context().database) as tx:
        me = _signed_in(tx)
        ended = sessions.sign_out_other_browsers(tx, me, token=token() or "")
    language = locale_of(me).language
    text = language.ngettext(
        "%(num)s other browser is signed out.", "%(num)s other browsers are signed out.", ended
    )
    flash(text, "good")
    return redirect(urls.profile(), 303)


@pages.post(urls.letters())
def have_letters_again() -> ResponseReturnValue:
    """Take back what was stopped by a press in a letter, and go on where that was read."""
    scope = SCOPES.get(request.form.get("scope", ""))
    then = request.form.get("then", "")
    with transaction(current_context().database) as tx:
        me = _signed_in(tx)
        if scope is None:
            raise FieldErrors(FieldError("scope", "unknown"))
        resubscribe_person(tx, me, scope, slug=request.form.get("table"))
    flash(locale_of(me).language.gettext("You get these letters again."), "good")
    return redirect(then if is_own_path(then) else urls.profile(), 303)


def _signed_in(tx: Tx) -> Person:
    me = sessions.person_for(tx, token(), now=current_context().now())
    if me is None:
        raise NotFound
    return me


def _session_cards(tx: Tx, me: Person | None) -> tuple[SessionCard, ...]:
    if me is None:
        return ()
    return sessions.sessions_of(tx, me, token=token() or "", now=current_context().now())


def _profile(
    me: Person, cards: tuple[SessionCard, ...], problem: Problem | None = None
) -> Response:
    language = locale_of(me).language
    return show(
        "accounts/profile.html",
        me=me,
        here=Here(urls.profile()),
        status=200 if problem is None else problem.status,
        form=marked(_form(me, language), problem, language),
        problem=problem,
        sessions=cards,
        longest_name=LONGEST_NAME,
    )


def _form(me: Person, language: Language) -> ProfileForm:
    form = ProfileForm(typed(), obj=me)
    form.language.choices = [(code, language_for(code).name) for code in LANGUAGES]
    form.zone.choices = _zones()
    labels = {
        "name": language.gettext("Your name at the table"),
        "language": language.gettext("Language of pages and letters"),
        "zone": language.gettext("Time zone"),
        "picks_gold": language.gettext("Pick the best gold card for me, without asking"),
    }
    return labelled(form, labels)


def _zones() -> dict[str, list[tuple[str, str]]]:
    """Time zones by continent, as lists of choices."""
    zones: dict[str, list[tuple[str, str]]] = {"UTC": [("UTC", "UTC")]}
    for zone in _SPELLED_ZONES:
        continent, _, place = zone.partition("/")
        zones.setdefault(continent, []).append((zone, place.replace("_", " ")))
    return zones
