"""The pages of acts on one game: a preview of what would change, then the act itself with its reason."""

from secrets import randbelow

import msgspec
from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue

from engine.errors import IllegalAction
from webapp import urls
from webapp.i18n import Language
from webapp.pages.moderation.act_forms import INPUT_FORMS, ActInputForm, ReasonForm
from webapp.pages.moderation.labels import act_label
from webapp.rights import GameRight
from webapp.services.accounts.person import Person
from webapp.services.errors import FieldErrors, NotAllowed, NotFound, Refused, StaleTurn
from webapp.services.keys import TokenSource
from webapp.services.lobby.seat_offers import new_offer_link, seat_offer_token
from webapp.services.moderation.act_page import (
    ActPage,
    OfferLine,
    act_page,
    is_at_table,
    with_preview,
)
from webapp.services.moderation.acts import ActRequest, Position, perform_act_request
from webapp.services.play.public_change import ChangeInput
from webapp.services.tx import Tx
from webapp.web.context import current_context
from webapp.web.error_messages import field_sentence, refused_sentence
from webapp.web.forms import FormError, form_view, new_form_id, submission
from webapp.web.identity_gate import require_proof
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, require_viewer
from webapp.wording.acts import ActFacts, ActLocale, act_note, act_sentence
from webapp.wording.rights import right_sentence

pages = Blueprint("acts", __name__)


@pages.get(urls.moderated_act.rule)
def show_act(slug: str, act: str) -> ResponseReturnValue:
    """Show what an act would change. What was filled in is in the query."""
    kind = act_named(act)
    form = INPUT_FORMS[kind](locale_of(None).language, request.args or None)
    return _show(slug, kind, form, is_filled=bool(request.args))


@pages.post(urls.moderated_act.rule)
@form_view
def perform_act(slug: str, act: str) -> ResponseReturnValue:
    """Perform an act; show the preview again, as the game stands now, if it is refused."""
    kind, language = act_named(act), locale_of(None).language
    form = INPUT_FORMS[kind](language, request.form)
    reason = ReasonForm(language, request.form)
    try:
        with submission(reason) as tx:
            if reason.number("undoes") is None:
                form.require_valid()
            _perform(tx, slug, kind, form, reason)
            require_proof(tx, kind)
            may_see_game = is_at_table(tx, require_viewer(tx), slug)
    except FormError as error:
        return _show(slug, kind, form, is_filled=True, reason=reason, error=error)
    if kind == GameRight.OFFER_SEAT:
        flash(language.gettext("The seat is offered. This page shows what becomes of it."), "good")
        return redirect(urls.moderated_act(slug, kind), 303)
    flash(language.gettext("Everyone at the table can see what you changed."), "good")
    return redirect(urls.game(slug) if may_see_game else urls.moderated_game(slug), 303)


def act_named(name: str) -> GameRight:
    """Return the act with this name in its URL. Raises NotFound."""
    act_by_name = {act.value: act for act in INPUT_FORMS}
    if name not in act_by_name:
        raise NotFound
    return act_by_name[name]


def _perform(tx: Tx, slug: str, act: GameRight, form: ActInputForm, reason: ReasonForm) -> None:
    act_request = ActRequest(
        actor=require_viewer(tx),
        slug=slug,
        act=act,
        change_input=_change_input(act, form, reason),
        reason=reason.reason.data or "",
        form_id=reason.text("form_id"),
        undoes=reason.number("undoes"),
        expected=Position(reason.number("seq") or 0, reason.number("entry") or 0),
    )
    perform_act_request(tx, act_request, random_below=randbelow)


def _change_input(act: GameRight, form: ActInputForm, reason: ReasonForm) -> ChangeInput:
    if reason.number("undoes") is not None:
        return ChangeInput()
    change_input = form.change_input()
    if act != GameRight.OFFER_SEAT:
        return change_input
    context = current_context()
    link = new_offer_link(TokenSource(context.keys, context.tokens))
    return msgspec.structs.replace(change_input, link=link)


def _offer_lines(page: ActPage) -> list[tuple[OfferLine, str]]:
    """Return the offers of the page, each with the URL of its link; empty if it has none or it is not the viewer's."""
    context = current_context()
    return [
        (
            offer,
            ""
            if offer.nonce is None
            else urls.absolute_url(
                context.settings.base_url,
                urls.seat_offer(seat_offer_token(offer.nonce, context.keys)),
            ),
        )
        for offer in page.offers
    ]


def _page(tx: Tx, slug: str, act: GameRight) -> ActPage:
    """Return the page without a preview."""
    return act_page(tx, require_viewer(tx), slug, act, None)


def _show(
    slug: str,
    act: GameRight,
    form: ActInputForm,
    *,
    is_filled: bool,
    reason: ReasonForm | None = None,
    error: FormError | None = None,
) -> Response:
    language = locale_of(None).language
    with current_context().read_only() as tx:
        page = _page(tx, slug, act)
        form.offer(page)
        undoes = form.number("undoes") if form.undoes.validate(form) else None
        is_valid = form.validate() if is_filled else not form.needs_input
        if undoes is not None or is_valid:
            change_input = form.change_input() if undoes is None else undoes
            page = with_preview(tx, page, change_input)
    if isinstance(page.refusal, FieldErrors):
        form.refuse(page.refusal.errors)
    return render_page(
        "moderation/acts/act.html",
        viewer=page.viewer,
        nav_position=PagePosition(
            urls.moderated_act(slug, act), slug if page.is_at_table else None
        ),
        status=200 if error is None else error.status,
        page=page,
        form=form,
        offers=_offer_lines(page),
        reason=_refreshed_reason_form(reason, page, language),
        error=error,
        form_id=new_form_id() if reason is None else reason.text("form_id"),
        title=_act_title(form, act, language),
        verb=language.gettext("Undo") if form.text("undoes") else act_label(act, language),
        is_undoing=bool(form.text("undoes")),
        sentence=change_sentence(page),
        note="" if form.text("undoes") else act_note(act, language),
        refusal=_refusal(page),
    )


def _act_title(form: ActInputForm, act: GameRight, language: Language) -> str:
    title = right_sentence(act, language)
    return language.gettext("Undo: %(act)s", act=title) if form.text("undoes") else title


def _refreshed_reason_form(
    reason: ReasonForm | None, page: ActPage, language: Language
) -> ReasonForm:
    """Return the form of the reason for the game as it stands now."""
    form = ReasonForm(language) if reason is None else reason
    form.seq.data, form.entry.data = str(page.position.seq), str(page.position.entry)
    return form


def change_sentence(page: ActPage) -> str:
    """Return what the act of a page would change; empty if nothing can be previewed."""
    if page.change is None:
        return ""
    language, zone = locale_of(page.viewer)
    change = page.change
    facts = ActFacts(
        page.described_as_act or page.act, change.seat, page.name, change.before, change.after
    )
    return act_sentence(facts, ActLocale(language, zone, current_context().now()))


def _refusal(page: ActPage) -> str:
    if page.refusal is None or isinstance(page.refusal, FieldErrors):
        return ""
    return refusal_sentence(page.refusal, page.viewer)


def refusal_sentence(refusal: Refused | IllegalAction, viewer: Person) -> str:
    """Return why an act was refused."""
    language, zone = locale_of(viewer)
    match refusal:
        case NotAllowed():
            locale = ActLocale(language, zone, current_context().now())
            return refused_sentence(refusal, locale)
        case FieldErrors(errors=errors):
            return " ".join(field_sentence(error, language) for error in errors)
        case StaleTurn():
            return language.gettext("The game has moved on since the preview, so we did nothing.")
        case NotFound():
            return language.gettext("There is no such game, or you may not do this there.")
    return language.gettext("The rules don't allow that in this position.")
