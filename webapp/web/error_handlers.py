"""Turn every refusal that no view handles, from use cases, rules or the web itself, into a page."""

import logging
from contextlib import suppress
from types import TracebackType
from typing import Final, Literal, NamedTuple, TypeAlias

from flask import Flask, Response, flash, redirect, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, SecurityError

from engine.errors import IllegalAction
from webapp.accounts import passkeys, security_log
from webapp.accounts.identity import IdentityUnconfirmed
from webapp.accounts.person import Banned, PasskeyRequired
from webapp.accounts.security_log import SecurityEventKind
from webapp.kernel import urls
from webapp.kernel.i18n import N_
from webapp.kernel.refusals import (
    FieldErrors,
    NotAllowed,
    NotFound,
    NotInGame,
    Refused,
    StaleTurn,
    Unavailable,
)
from webapp.logs.fields import current_request_id, event_fields
from webapp.moderation.sanctions import ban_of
from webapp.web.context import current_context
from webapp.web.forms import ForgedForm, FormError, form_error_for
from webapp.web.identity_gate import ask_for_proof, is_gated_url, show_sign_in_gate
from webapp.web.layout import render_page
from webapp.web.request_log import request_fields
from webapp.web.session import (
    SignInRequired,
    is_signed_in,
    locale_of,
    remember_path_after_passkey,
    remember_return_path,
    require_viewer,
    this_device,
    token,
    viewer_from_session,
)
from webapp.wording.error_messages import csrf_sentence

DeniedArea: TypeAlias = Literal["moderation", "table", "club"]


_ExcInfo: TypeAlias = tuple[type, BaseException, TracebackType] | tuple[None, None, None]
_RETRY_AFTER_SECONDS: Final = 5
_FIRST_SERVER_ERROR_STATUS: Final = 500
_log = logging.getLogger(__name__)


class _ErrorText(NamedTuple):
    title: str
    text: str


_ERROR_TEXTS: Final[dict[int, _ErrorText]] = {
    400: _ErrorText(
        N_("Something was wrong with that request"),
        N_("Nothing was changed. Please go back, reload the page and try again."),
    ),
    403: _ErrorText(
        N_("You can't see this"),
        N_("You don't have permission to see or do this. Nothing was changed."),
    ),
    404: _ErrorText(
        N_("Page not found"),
        N_("This page doesn't exist, or you don't have access to it."),
    ),
    405: _ErrorText(
        N_("You can't do that here"),
        N_("You can't open this page directly. Nothing was changed."),
    ),
    409: _ErrorText(
        N_("You can't do that now"),
        N_(
            "Something changed since you opened this page, so we did nothing. Please take another look."
        ),
    ),
    413: _ErrorText(
        N_("Too much text"),
        N_("That's too much text. Nothing was changed. Please shorten it."),
    ),
    415: _ErrorText(
        N_("Something was wrong with that request"),
        N_("We only accept forms sent from this site. Nothing was changed."),
    ),
    422: _ErrorText(
        N_("Something is missing or wrong"),
        N_("Nothing was changed. Please go back and fix it."),
    ),
    429: _ErrorText(
        N_("Too many attempts"),
        N_("Nothing was changed. Please wait a few minutes, then try again."),
    ),
    500: _ErrorText(
        N_("Something went wrong"),
        N_("It's our fault, and we've logged it. Your games are safe. Please try again."),
    ),
    503: _ErrorText(
        N_("Back in a moment"),
        N_("We can't reach the database right now. Nothing is lost. Please try again soon."),
    ),
}


def handle_errors(app: Flask) -> None:
    """Register a page for every error of this application."""
    app.register_error_handler(HTTPException, _handle_http_error)
    app.register_error_handler(Refused, _handle_refused)
    app.register_error_handler(IllegalAction, _handle_refused)
    app.register_error_handler(FormError, _handle_form_error)
    app.register_error_handler(SignInRequired, _handle_sign_in_required)
    app.register_error_handler(Banned, _handle_banned)
    app.register_error_handler(IdentityUnconfirmed, ask_for_proof)
    app.register_error_handler(PasskeyRequired, _handle_passkey_required)
    app.register_error_handler(Unavailable, _handle_unavailable)
    app.log_exception = _log_exception  # type: ignore[method-assign]


def _log_exception(exc_info: _ExcInfo) -> None:
    """Log an unexpected error with its route: the path may hold a token, which must not be logged."""
    fields = request_fields()
    _log.error(
        "%s %s failed.",
        fields["method"],
        fields["route"],
        exc_info=exc_info,
        extra=event_fields("request-failed", **fields),
    )


def _handle_http_error(error: HTTPException) -> ResponseReturnValue:
    if isinstance(error, ForgedForm):
        return _error_page(400, csrf_sentence(locale_of(None).language))
    if isinstance(error, SecurityError):
        return _wrong_host_page()
    status = _known_status(error)
    if status == 404:  # noqa: PLR2004
        return _handle_not_found()
    page = _error_page(status)
    for name, value in error.get_headers():
        if name not in {"Content-Type", "Content-Length"}:
            page.headers.add(name, value)
    return page


def _known_status(error: HTTPException) -> int:
    """Return the status of the error, or the general one for its kind if no page explains it."""
    status = error.code or _FIRST_SERVER_ERROR_STATUS
    if status in _ERROR_TEXTS:
        return status
    return 400 if status < _FIRST_SERVER_ERROR_STATUS else _FIRST_SERVER_ERROR_STATUS


def _handle_refused(refusal: Refused | IllegalAction) -> ResponseReturnValue:
    if isinstance(refusal, NotInGame):
        record_denied_access()
        return _error_page(404)
    if isinstance(refusal, NotFound):
        return _handle_not_found()
    if isinstance(refusal, FieldErrors | NotAllowed | StaleTurn | IllegalAction):
        try:
            return _handle_form_error(form_error_for(refusal))
        except SignInRequired as required:
            return _handle_sign_in_required(required)
    return _error_page(409)


def _handle_not_found() -> ResponseReturnValue:
    """Answer alike for what does not exist and for what this viewer may not see."""
    try:
        if not is_gated_url() or is_signed_in():
            record_denied_access()
            return _error_page(404)
    except Unavailable as unavailable:
        return _handle_unavailable(unavailable)
    return _redirect_to_sign_in() if request.method == "POST" else show_sign_in_gate()


def _handle_form_error(error: FormError) -> ResponseReturnValue:
    """Answer for a form that has no page of its own, such as a single button."""
    return _error_page(error.status, error.text)


def _handle_sign_in_required(_: SignInRequired) -> ResponseReturnValue:
    return _redirect_to_sign_in()


def _handle_passkey_required(_: PasskeyRequired) -> Response:
    """Say how to moderate with a passkey; afterwards the page opens that the viewer wanted."""
    related_page = _related_page()
    remember_return_path(related_page)
    remember_path_after_passkey(related_page)
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        has_passkey = passkeys.has_passkey(tx, viewer.id)
    return render_page(
        "accounts/passkey_required.html", viewer=viewer, status=403, has_passkey=has_passkey
    )


def _handle_banned(banned: Banned) -> Response:
    """Answer every page of a banned person with the reason, the end of the ban and the way to appeal."""
    context = current_context()
    with context.read_only() as tx:
        ban = ban_of(tx, banned.person)
    return render_page("accounts/banned.html", viewer=banned.person, status=403, ban=ban)


def _handle_unavailable(unavailable: Unavailable) -> Response:
    fields, cause = request_fields(), type(unavailable.__cause__).__name__
    _log.warning(
        "The database does not answer (%s).",
        cause,
        extra=event_fields("database-unavailable", **fields, cause=cause),
    )
    page = _error_page(503)
    page.headers["Retry-After"] = str(_RETRY_AFTER_SECONDS)
    return page


def _error_page(status: int, text: str | None = None) -> Response:
    language = locale_of(None).language
    error_text = _ERROR_TEXTS[status]
    return render_page(
        "web/error.html",
        viewer=None,
        status=status,
        title=language.gettext(error_text.title),
        text=text or language.gettext(error_text.text),
        # Nothing is logged about a refusal.
        request_id=current_request_id() if status >= _FIRST_SERVER_ERROR_STATUS else None,
        # The page for 404 is the same for every path: it does not link to a table that may not exist.
        back=urls.home() if status == 404 else _related_page(),  # noqa: PLR2004
    )


def _wrong_host_page() -> Response:
    """Answer a request that names another host with the address of this server."""
    language = locale_of(None).language
    base_url = current_context().settings.base_url
    text = language.gettext("This site has a different address: %(base)s", base=base_url)
    return render_page(
        "web/error.html",
        viewer=None,
        status=400,
        title=language.gettext(_ERROR_TEXTS[400].title),
        text=text,
        back=base_url,
    )


def _redirect_to_sign_in() -> ResponseReturnValue:
    language = locale_of(None).language
    flash(language.gettext("Please sign in first, then try again."), "info")
    remember_return_path(_related_page())
    return redirect(urls.sign_in(), 303)


def _related_page() -> str:
    """Return the page of the club, the table, the account or of moderation that this request is about; else the home page."""
    if request.path.startswith(urls.moderation()):
        return _page_of_moderation()
    slug = (request.view_args or {}).get("slug")
    if slug:
        is_club_page = (request.blueprint or "").startswith("club")
        return urls.club(slug) if is_club_page else urls.game(slug)
    if request.path.startswith(urls.profile()):
        return request.path if request.method == "GET" else urls.profile()
    return urls.home()


def _page_of_moderation() -> str:
    """Return the page itself, or after a form the game or the list of games that it was about."""
    if request.method == "GET":
        return request.full_path.rstrip("?")
    slug = (request.view_args or {}).get("slug")
    if slug:
        return urls.moderated_game(slug)
    return urls.dashboard_or_none(request.args.get("back", "")) or urls.moderation()


def record_denied_access() -> None:
    """Record it, if anyone is signed in. The same for what exists and what does not, and it never fails."""
    area = _requested_area()
    if area is None or token() is None:
        return
    with suppress(Unavailable, Banned), current_context().transaction() as tx:
        viewer = viewer_from_session(tx)
        if viewer is None or (area == "moderation" and viewer.is_moderator):
            return
        security_log.record(
            tx,
            SecurityEventKind.ACCESS_DENIED,
            account_id=viewer.id,
            network_address=this_device().network_address,
            detail={"area": area},
        )


def _requested_area() -> DeniedArea | None:
    """Return what kind of page the request is for; None for any other page, and for one that cannot exist."""
    if request.endpoint is None:
        return None
    if request.path.startswith(urls.moderation()):
        return "moderation"
    if is_gated_url():
        return "club" if request.path.startswith(urls.clubs()) else "table"
    return None
