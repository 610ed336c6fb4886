"""Every refusal, from services, rules or the web itself, becomes a page here, and nowhere else."""

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
    Denied,
    FieldErrors,
    NotAllowed,
    NotFound,
    Refused,
    StaleTurn,
    Unavailable,
)
from webapp.web.context import current_context
from webapp.web.ended_session import session_has_ended
from webapp.web.error_messages import denied_sentence, field_sentence
from webapp.web.layout import show
from webapp.web.problems import Problem, again_for_request
from webapp.web.session import go_back_to, locale_of, token
from webapp.wording.refusals import refusal

_Fault: TypeAlias = tuple[type, BaseException, TracebackType] | tuple[None, None, None]
_RETRY_AFTER: Final = 5
_log = logging.getLogger(__name__)


class _Words(NamedTuple):
    title: str
    text: str


_WORDS: Final[dict[int, _Words]] = {
    400: _Words(
        N_("This request could not be read"),
        N_("Nothing was changed. Please go back, load the page again and try once more."),
    ),
    403: _Words(
        N_("This is not for you"),
        N_("You are not allowed to see or do this. Nothing was changed."),
    ),
    404: _Words(
        N_("There is no such page"),
        N_("Either there is nothing here, or it is not for you to see. Check the address."),
    ),
    405: _Words(
        N_("This cannot be done here"),
        N_("This address is used in another way. Nothing was changed."),
    ),
    409: _Words(
        N_("That is not possible now"),
        N_("Things have moved on since the page was made. Nothing was changed."),
    ),
    413: _Words(
        N_("That was too much"),
        N_("The form held more than this site reads. Nothing was changed. Please send less."),
    ),
    415: _Words(
        N_("This request could not be read"),
        N_("It was no form of this site. Nothing was changed. Please use the forms on the pages."),
    ),
    422: _Words(
        N_("Something is missing or wrong"),
        N_("Nothing was changed. Please go back and mend what is named here."),
    ),
    429: _Words(
        N_("That was too often"),
        N_("Nothing was changed. Please wait a few minutes, then try once more."),
    ),
    500: _Words(
        N_("Something went wrong here"),
        N_("The fault is ours, and it was written down. Your games are safe. Please try again."),
    ),
    503: _Words(
        N_("Back in a moment"),
        N_("The database does not answer just now. Nothing is lost. Please try again soon."),
    ),
}
_FORGED: Final = N_(
    "The form did not carry the mark of this browser: it was open for too long, or you have signed in or out since. "
    "Nothing was changed. Please send it once more."
)
_STALE: Final = N_(
    "The game has moved on since this page was made. Nothing was done twice; this is how it stands now."
)


def answer_refusals(app: Flask) -> None:
    """Register a page for everything that can be refused."""
    app.register_error_handler(HTTPException, _answer_http)
    app.register_error_handler(Refused, _answer_refused)
    app.register_error_handler(IllegalAction, _answer_refused)
    app.register_error_handler(Unavailable, _answer_unavailable)
    app.log_exception = _write_down  # type: ignore[method-assign]


def _write_down(exc_info: _Fault) -> None:
    """By the name of the page: paths hold tokens, which have no business in a log."""
    _log.error("%s failed (%s).", request.endpoint, request.method, exc_info=exc_info)


def _answer_http(problem: HTTPException) -> ResponseReturnValue:
    if isinstance(problem, CSRFError):
        forged = locale_of(None).language.gettext(_FORGED)
        return _answer(Problem(400, forged))
    if isinstance(problem, SecurityError):
        return _wrong_host()
    status = problem.code if problem.code in _WORDS else (400 if _is_theirs(problem) else 500)
    page = _page(status or 500)
    for name, value in problem.get_headers():
        if name not in {"Content-Type", "Content-Length"}:
            page.headers.add(name, value)
    return page


def _answer_refused(refused: Refused | IllegalAction) -> ResponseReturnValue:
    if isinstance(refused, NotFound):
        return _answer_not_found()
    if isinstance(refused, NotAllowed) and refused.reason is Denied.NOT_SEATED:
        return _answer_not_seated(refused)
    return _answer(_problem_of(refused))


def _answer_not_found() -> ResponseReturnValue:
    """The same for what is not there as for what is not the reader's: both are found out with one look more."""
    try:
        ended = session_has_ended()
    except Unavailable as away:
        return _answer_unavailable(away)
    if ended and request.method == "POST" and _place() is not None:
        return _to_sign_in()
    return _page(404)


def _answer_not_seated(refused: NotAllowed) -> ResponseReturnValue:
    try:
        session_has_ended()
    except Unavailable as away:
        return _answer_unavailable(away)
    return _to_sign_in() if token() is None else _answer(_problem_of(refused))


def _answer_unavailable(_: Unavailable) -> ResponseReturnValue:
    page = _page(503)
    page.headers["Retry-After"] = str(_RETRY_AFTER)
    return page


def _problem_of(refused: Refused | IllegalAction) -> Problem:
    language = locale_of(None).language
    match refused:
        case FieldErrors(errors=errors):
            text = " ".join(field_sentence(error, language) for error in errors)
            return Problem(422, text, errors)
        case NotAllowed(reason=reason):
            return Problem(409, denied_sentence(reason, language))
        case IllegalAction(reason=illegal):
            said = refusal(illegal, language)
            return Problem(409, said.text, refusal=said)
        case StaleTurn():
            return Problem(409, language.gettext(_STALE))
    return Problem(409, language.gettext(_WORDS[409].text))


def _answer(problem: Problem) -> ResponseReturnValue:
    """Tell it on the page where it was asked, with what was typed; on a page of its own where there is none."""
    again = again_for_request()
    if again is None:
        return _page(problem.status, problem.text)
    try:
        return again(problem, **(request.view_args or {}))
    except NotFound:
        return _answer_not_found()
    except Unavailable:
        return _page(503)


def _page(status: int, text: str | None = None) -> Response:
    language = locale_of(None).language
    words = _WORDS[status]
    return show(
        "web/error.html",
        me=None,
        status=status,
        title=language.gettext(words.title),
        text=text or language.gettext(words.text),
        sign_in=urls.sign_in(_path()) if status in {403, 404} and token() is None else None,
        # No page tells whether there is a table of that name: not by a link either.
        back=urls.home() if status == 404 else _back(),  # noqa: PLR2004
    )


def _wrong_host() -> Response:
    """Somebody reached this server by a name that is not its own: tell the right one."""
    language = locale_of(None).language
    base = current_context().settings.base_url
    text = language.gettext(
        "This site is not found under that name. It lives at %(base)s.", base=base
    )
    return show(
        "web/error.html",
        me=None,
        status=400,
        title=language.gettext(_WORDS[400].title),
        text=text,
        sign_in=None,
        back=base,
    )


def _to_sign_in() -> ResponseReturnValue:
    language = locale_of(None).language
    flash(language.gettext("Please sign in first; then do it once more."), "info")
    go_back_to(_back())
    return redirect(urls.sign_in(), 303)


def _back() -> str:
    return _place() or urls.home()


def _place() -> str | None:
    """The page of the table, or of the account, that this was about."""
    slug = (request.view_args or {}).get("slug")
    if slug:
        return urls.game(slug)
    return urls.profile() if request.blueprint == "profile" else None


def _path() -> str | None:
    return request.full_path.rstrip("?") if request.method == "GET" else _place()


def _is_theirs(problem: HTTPException) -> bool:
    return problem.code is not None and problem.code < 500  # noqa: PLR2004 - where our faults begin
