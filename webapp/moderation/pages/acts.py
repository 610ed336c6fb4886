"""The pages of acts on one game: a preview of what would change, then the act itself with its reason."""

from typing import Any

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue

from engine.errors import IllegalAction
from webapp.accounts.person import Person
from webapp.kernel import urls
from webapp.kernel.i18n import Language
from webapp.kernel.keyring import NewLink, TokenSource
from webapp.kernel.refusals import FieldErrors, NotAllowed, NotFound, Refused, StaleTurn
from webapp.kernel.tx import Tx
from webapp.lobby.offered_seats import new_offer_link, seat_offer_token
from webapp.moderation.act_page import (
    ActPage,
    OfferLine,
    act_page,
    may_see_game_after,
    with_preview,
)
from webapp.moderation.pages.act_forms import ActInputForm, ReasonForm, act_form
from webapp.moderation.performing import ActRequest, PerformedAct, Position, perform_act_request
from webapp.play.changes.acts import Act, ActInput, acts_by_name, announcement
from webapp.web.context import current_context
from webapp.web.forms import FormError, form_view, new_form_id, submission
from webapp.web.identity_gate import require_proof
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, require_viewer
from webapp.wording.acts import ActFacts, act_sentence
from webapp.wording.error_messages import field_sentence, refused_sentence

pages = Blueprint("acts", __name__)


@pages.get(urls.moderated_act.rule)
def show_act(slug: str, act: str) -> ResponseReturnValue:
    """Show what an act would change. What was filled in is in the query."""
    form = act_form(act_named(act), locale_of(None).language, request.args or None)
    return _show(slug, form, is_filled=bool(request.args))


@pages.post(urls.moderated_act.rule)
@form_view
def perform_act(slug: str, act: str) -> ResponseReturnValue:
    """Perform an act; show the preview again, as the game stands now, if it is refused."""
    language = locale_of(None).language
    form = act_form(act_named(act), language, request.form)
    reason = ReasonForm(language, request.form)
    try:
        with submission(reason) as tx:
            if reason.number("undoes") is None:
                form.require_valid()
            viewer = require_viewer(tx)
            performed_act = _perform(tx, viewer, slug, form, reason)
            require_proof(tx, form.act.right)
            may_see_game = may_see_game_after(tx, viewer, performed_act)
    except FormError as error:
        return _show(slug, form, is_filled=True, reason=reason, error=error)
    flash(language.gettext(form.act.done_text), "good")
    if form.act.stays_on_page:
        return redirect(urls.moderated_act(slug, form.act.name), 303)
    return redirect(urls.game(slug) if may_see_game else urls.moderated_game(slug), 303)


def act_named(name: str) -> Act[Any]:
    """Return the act with this name in its URL. Raises NotFound."""
    act = acts_by_name().get(name)
    if act is None or not act.has_page:
        raise NotFound
    return act


def _perform(
    tx: Tx, viewer: Person, slug: str, form: ActInputForm, reason: ReasonForm
) -> PerformedAct:
    act, undoes = form.act, reason.number("undoes")
    act_request = ActRequest(
        actor=viewer,
        slug=slug,
        act=act,
        given=act.with_link(form.given(), _new_link) if undoes is None else ActInput(),
        reason=reason.reason.data or "",
        form_id=reason.text("form_id"),
        undoes=undoes,
        expected=Position(reason.number("seq") or 0, reason.number("entry") or 0),
    )
    return perform_act_request(tx, act_request)


def _new_link() -> NewLink:
    context = current_context()
    return new_offer_link(TokenSource(context.keys, context.tokens))


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


def _show(
    slug: str,
    form: ActInputForm,
    *,
    is_filled: bool,
    reason: ReasonForm | None = None,
    error: FormError | None = None,
) -> Response:
    act, language = form.act, locale_of(None).language
    with current_context().read_only() as tx:
        page = act_page(tx, require_viewer(tx), slug, act, None)
        form.offer(page)
        undoes = form.number("undoes") if form.undoes.validate(form) else None
        is_valid = form.validate() if is_filled else not form.needs_input
        if undoes is not None or is_valid:
            page = with_preview(tx, page, form.given() if undoes is None else undoes)
    if isinstance(page.refusal, FieldErrors):
        form.refuse(page.refusal.errors)
    return render_page(
        "moderation/acts/act.html",
        viewer=page.viewer,
        nav_position=PagePosition(
            urls.moderated_act(slug, act.name), slug if page.is_at_table else None
        ),
        status=200 if error is None else error.status,
        page=page,
        form=form,
        offers=_offer_lines(page),
        reason=_refreshed_reason_form(reason, page, language),
        error=error,
        form_id=new_form_id() if reason is None else reason.text("form_id"),
        title=_act_title(form, language),
        verb=language.gettext("Undo") if form.text("undoes") else language.gettext(act.label),
        is_undoing=bool(form.text("undoes")),
        sentence=change_sentence(page),
        note="" if form.text("undoes") else act_note(act, language),
        refusal=_refusal(page),
    )


def _act_title(form: ActInputForm, language: Language) -> str:
    title = language.gettext(form.act.summary)
    return language.gettext("Undo: %(act)s", act=title) if form.text("undoes") else title


def act_note(act: Act[Any], language: Language) -> str:
    """Return what one should know before performing an act; empty if there is nothing to add."""
    return language.gettext(act.note) if act.note else ""


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
    change, act = page.change, page.described_as_act or page.act
    text = announcement(act.name, change.before, change.after)
    facts = ActFacts(text, change.seat, page.name, change.before, change.after)
    return act_sentence(facts, locale_of(page.viewer))


def _refusal(page: ActPage) -> str:
    if page.refusal is None or isinstance(page.refusal, FieldErrors):
        return ""
    return refusal_sentence(page.refusal, page.viewer)


def refusal_sentence(refusal: Refused | IllegalAction, viewer: Person) -> str:
    """Return why an act was refused."""
    locale = locale_of(viewer)
    language = locale.language
    match refusal:
        case NotAllowed():
            return refused_sentence(refusal, locale)
        case FieldErrors(errors=errors):
            return " ".join(field_sentence(error, language) for error in errors)
        case StaleTurn():
            return language.gettext("The game has moved on since the preview, so we did nothing.")
        case NotFound():
            return language.gettext("There is no such game, or you may not do this there.")
    return language.gettext("The rules don't allow that in this position.")
