"""A move by a link in an email: its preview, and the button that plays it, signed in or not. Links themselves change nothing."""

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from engine.actions import Action, Lay
from engine.errors import IllegalAction
from webapp.accounts.person import Banned, Person
from webapp.clock.held_turn import HeldTurn
from webapp.kernel import urls
from webapp.kernel.i18n import Language
from webapp.kernel.refusals import NotAllowed, StaleTurn
from webapp.kernel.tx import Tx
from webapp.picture.places import Preview
from webapp.play.turns import email_moves as use_cases
from webapp.play.turns.email_moves import MovePage
from webapp.web.context import current_context
from webapp.web.forms import form_error_for
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, viewer_from_session
from webapp.wording.actions import action_name, done_sentence
from webapp.wording.perspective import perspective_at

pages = Blueprint("email_moves", __name__)


@pages.get(urls.move.rule)
def preview_move(link: str) -> ResponseReturnValue:
    """Show what would be played, and a button; mail programs follow links too, so a GET plays nothing."""
    return _show(link, request.args.get("do", ""))


@pages.post(urls.move.rule)
def play_move(link: str) -> ResponseReturnValue:
    """Play the move, however the reader came here: the link is what allows it, so no cookie and no CSRF token is asked for."""
    context, action_text = current_context(), request.form.get("do", "")
    before = _page(link, action_text)
    if before.needs_sign_in:
        return _show(link, action_text, status=403)
    try:
        with context.transaction() as tx:
            held_turn = use_cases.play_move(tx, link, action_text)
    except StaleTurn:
        return _show(link, action_text, status=409)
    except (NotAllowed, IllegalAction) as refusal:
        error = form_error_for(refusal)
        return _show(link, action_text, status=error.status, error_text=error.text)
    context.nudge(tx.nudges)
    return _show(link, action_text, before=before, held_turn=held_turn)


def _page(link: str, action_text: str) -> MovePage:
    with current_context().read_only() as tx:
        return use_cases.move_page(tx, link, action_text, find_viewer=_find_viewer)


def _find_viewer(tx: Tx) -> Person | None:
    """Return who is signed in; no one if they are banned: the move may be another player's, whose link is enough."""
    try:
        return viewer_from_session(tx)
    except Banned:
        return None


def _show(
    link: str,
    action_text: str,
    *,
    before: MovePage | None = None,
    held_turn: HeldTurn | None = None,
    status: int = 200,
    error_text: str = "",
) -> Response:
    """Return the page of a move; ``before`` is what it showed before the move was played, or was held as ``held_turn``."""
    page = _page(link, action_text)
    outcome = "" if before is None else "held" if held_turn else "played"
    held_turn = held_turn or page.held_turn
    language = locale_of(page.viewer).language
    response = render_page(
        "play/email_move.html",
        viewer=page.viewer,
        nav_position=PagePosition(urls.game(page.table.slug)),
        page=page,
        link=link,
        action_text=action_text,
        sentence=_sentence(before or page, outcome, language),
        held_sentence=_name_of(held_turn.action, page, language) if held_turn else "",
        held_until=held_turn.due_at if held_turn else None,
        preview=_preview_of(page),
        outcome=outcome,
        error_text=error_text,
        status=status,
    )
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def _sentence(page: MovePage, outcome: str, language: Language) -> str:
    """Return the move as a short command, or what was done once it was played; empty if it can't be shown."""
    if page.action is not None and outcome == "played":
        perspective = perspective_at(page.seats, language)
        return done_sentence(page.action, page.seat, perspective, view=page.view)
    return _name_of(page.action, page, language)


def _name_of(action: Action | None, page: MovePage, language: Language) -> str:
    """Return an action as a short command; empty for none."""
    if action is None:
        return ""
    return action_name(action, perspective_at(page.seats, language), view=page.view)


def _preview_of(page: MovePage) -> Preview | None:
    """Return the card on the mine, as it would lie."""
    match page.action:
        case Lay(card, cell, is_turned):
            return Preview(cell, card, is_turned)
    return None
