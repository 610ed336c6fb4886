"""Turn every refusal that no view handles, from services, rules or the web itself, into a page."""

import logging
from types import TracebackType
from typing import Final, NamedTuple, TypeAlias

from flask import Flask, Response, flash, redirect, request
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, SecurityError

from engine.errors import IllegalAction
from webapp import urls
from webapp.i18n import N_
from webapp.services.errors import (
    FieldErrors,
    NotAllowed,
    NotFound,
    Refused,
    StaleTurn,
    Unavailable,
)
from webapp.web.context import current_context
from webapp.web.error_messages import csrf_sentence
from webapp.web.forms import FormError, form_error_for
from webapp.web.layout import render_page
from webapp.web.session import SignInRequired, is_signed_in, locale_of, remember_return_path
from webapp.web.sign_in_gate import is_game_url, show_sign_in_gate

_ExcInfo: TypeAlias = tuple[type, BaseException, TracebackType] | tuple[None, None, None]
_RETRY_AFTER: Final = 5
_FIRST_SERVER_ERROR: Final = 500
_log = logging.getLogger(__name__)


class _ErrorText(NamedTuple):
    title: str
    text: str


_TEXTS: Final[dict[int, _ErrorText]] = {
    400: _ErrorText(
        N_("This request could not be read"),
        N_("Nothing was changed. Please go back, load the page again and try once more."),
    ),
    403: _ErrorText(
        N_("This is not for you"),
        N_("You are not allowed to see or do this. Nothing was changed."),
    ),
    404: _ErrorText(
        N_("There is no such page"),
        N_("Either there is nothing here, or it is not for you to see. Check the address."),
    ),
    405: _ErrorText(
        N_("This cannot be done here"),
        N_("This address is used in another way. Nothing was changed."),
    ),
    409: _ErrorText(
        N_("That is not possible now"),
        N_("Things have moved on since the page was made. Nothing was changed."),
    ),
    413: _ErrorText(
        N_("That was too much"),
        N_("The form held more than this site reads. Nothing was changed. Please send less."),
    ),
    415: _ErrorText(
        N_("This request could not be read"),
        N_("It was no form of this site. Nothing was changed. Please use the forms on the pages."),
    ),
    422: _ErrorText(
        N_("Something is missing or wrong"),
        N_("Nothing was changed. Please go back and mend what is named here."),
    ),
    429: _ErrorText(
        N_("That was too often"),
        N_("Nothing was changed. Please wait a few minutes, then try once more."),
    ),
    500: _ErrorText(
        N_("Something went wrong here"),
        N_("The fault is ours, and it was written down. Your games are safe. Please try again."),
    ),
    503: _ErrorText(
        N_("Back in a moment"),
        N_("The database does not answer just now. Nothing is lost. Please try again soon."),
    ),
}


def handle_errors(app: Flask) -> None:
    """Register a page for every error of this application."""
    app.register_error_handler(HTTPException, _handle_http_error)
    app.register_error_handler(Refused, _handle_refused)
    app.register_error_handler(IllegalAction, _handle_refused)
    app.register_error_handler(FormError, _handle_form_error)
    app.register_error_handler(SignInRequired, _handle_sign_in_required)
    app.register_error_handler(Unavailable, _handle_unavailable)
    app.log_exception = _log_exception  # type: ignore[method-assign]


def _log_exception(exc_info: _ExcInfo) -> None:
    """Log an unexpected error with the name of its endpoint: the path may hold a token, which must not be logged."""
    _log.error("%s failed (%s).", request.endpoint, request.method, exc_info=exc_info)


def _handle_http_error(error: HTTPException) -> ResponseReturnValue:
    if isinstance(error, CSRFError):
        return _error_page(400, csrf_sentence(locale_of(None).language))
    if isinstance(error, SecurityError):
        return _wrong_host()
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
    status = error.code or _FIRST_SERVER_ERROR
    if status in _TEXTS:
        return status
    return 400 if status < _FIRST_SERVER_ERROR else _FIRST_SERVER_ERROR


def _handle_refused(refused: Refused | IllegalAction) -> ResponseReturnValue:
    if isinstance(refused, NotFound):
        return _handle_not_found()
    if isinstance(refused, FieldErrors | NotAllowed | StaleTurn | IllegalAction):
        try:
            return _handle_form_error(form_error_for(refused))
        except SignInRequired as required:
            return _handle_sign_in_required(required)
    return _error_page(409)


def _handle_not_found() -> ResponseReturnValue:
    """Answer alike for what does not exist and for what this viewer may not see."""
    try:
        if not is_game_url() or is_signed_in():
            return _error_page(404)
    except Unavailable as unavailable:
        return _handle_unavailable(unavailable)
    return _redirect_to_sign_in() if request.method == "POST" else show_sign_in_gate()


def _handle_form_error(error: FormError) -> ResponseReturnValue:
    """Answer for a form that has no page of its own, such as a single button."""
    return _error_page(error.status, error.text)


def _handle_sign_in_required(_: SignInRequired) -> ResponseReturnValue:
    return _redirect_to_sign_in()


def _handle_unavailable(_: Unavailable) -> Response:
    page = _error_page(503)
    page.headers["Retry-After"] = str(_RETRY_AFTER)
    return page


def _error_page(status: int, text: str | None = None) -> Response:
    language = locale_of(None).language
    shown = _TEXTS[status]
    return render_page(
        "web/error.html",
        viewer=None,
        status=status,
        title=language.gettext(shown.title),
        text=text or language.gettext(shown.text),
        # The page for 404 is the same for every path: it does not link to a table that may not exist.
        back=urls.home() if status == 404 else _related_page(),  # noqa: PLR2004
    )


def _wrong_host() -> Response:
    """Answer a request that names another host with the address of this server."""
    language = locale_of(None).language
    base = current_context().settings.base_url
    text = language.gettext(
        "This site is not found under that name. It lives at %(base)s.", base=base
    )
    return render_page(
        "web/error.html",
        viewer=None,
        status=400,
        title=language.gettext(_TEXTS[400].title),
        text=text,
        back=base,
    )


def _redirect_to_sign_in() -> ResponseReturnValue:
    language = locale_of(None).language
    flash(language.gettext("Please sign in first; then do it once more."), "info")
    remember_return_path(_related_page())
    return redirect(urls.sign_in(), 303)


def _related_page() -> str:
    """Return the page of the table, or of the account, that this request is about; else the home page."""
    slug = (request.view_args or {}).get("slug")
    if slug:
        return urls.game(slug)
    return urls.profile() if request.blueprint == "profile" else urls.home()
