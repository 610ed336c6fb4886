"""Signing in: ask for a letter, then its code or its link. Only a person's POST consumes either."""

from flask import Blueprint, Response, flash, redirect, request, session
from flask.typing import ResponseReturnValue
from wtforms import EmailField, Form, StringField

from webapp import urls
from webapp.i18n import Language
from webapp.services.accounts import sessions, sign_in
from webapp.services.accounts.sessions import SignedIn
from webapp.services.accounts.sign_in import Browser, NotSignedIn, SignInRequest
from webapp.services.tx import read_only, transaction
from webapp.web.context import current_context
from webapp.web.error_messages import not_signed_in_sentence
from webapp.web.forms import labelled, marked, typed
from webapp.web.inputs import Inputs
from webapp.web.layout import Here, show
from webapp.web.problems import Problem, shown_again_by
from webapp.web.session import (
    browser,
    forget,
    go_back_to,
    known,
    locale_of,
    proofs,
    remember,
    token,
    way_back,
)

pages = Blueprint("sign_in", __name__)


class AskForm(Form):
    address = EmailField(name="address")


class CodeForm(Form):
    code = StringField()


@pages.get(urls.sign_in())
def show_asking() -> ResponseReturnValue:
    """The form that asks for a letter; ``then`` is where the reader wanted to go."""
    go_back_to(request.args.get("then"))
    with read_only(current_context().database) as tx:
        me = known(sessions.person_for(tx, token(), now=current_context().now()))
    if me is not None:
        return redirect(way_back(urls.home()))
    return _asking()


def ask_again(problem: Problem) -> Response:
    """The form once more, with what was wrong."""
    return _asking(problem)


@pages.post(urls.sign_in())
@shown_again_by(ask_again)
def ask() -> ResponseReturnValue:
    """Have a letter sent; the answer is the same whether there is an account or not."""
    inputs = Inputs(request.form)
    address = inputs.text("address")
    inputs.check()
    language = locale_of(None).language
    with transaction(current_context().database) as tx:
        sign_in.request_sign_in(
            tx,
            SignInRequest(address=address, language=language.code, browser=_browser()),
            keys=current_context().keys,
            tokens=current_context().tokens,
            now=current_context().now(),
        )
    current_context().nudge(tx.nudges)
    session["asked"] = address
    return redirect(urls.sign_in_code(), 303)


@pages.get(urls.sign_in_code())
def show_code_form() -> ResponseReturnValue:
    """Where the six digits of the letter are typed."""
    return _code_form()


def show_code_form_again(problem: Problem) -> Response:
    return _code_form(problem)


@pages.post(urls.sign_in_code())
@shown_again_by(show_code_form_again)
def try_code() -> ResponseReturnValue:
    """Sign in with the code, or say how many tries are left."""
    inputs = Inputs(request.form)
    code = inputs.text("code")
    if not code:
        inputs.refuse("code", "required")
    inputs.check()
    with transaction(current_context().database) as tx:
        answer = sign_in.sign_in_by_code(
            tx,
            code,
            browser=_browser(),
            keys=current_context().keys,
            tokens=current_context().tokens,
            now=current_context().now(),
        )
    if isinstance(answer, SignedIn):
        return _welcome(answer)
    problem = Problem(409, not_signed_in_sentence(answer, _language()))
    return _code_form(problem, takes_codes=answer.tries_left != 0)


@pages.get("/sign-in/link/<token:link>")
def show_link(link: str) -> ResponseReturnValue:
    """A button, for programs open links too; what is wrong, where the link is good for nothing."""
    with read_only(current_context().database) as tx:
        found = sign_in.check_link(tx, link, browser=_browser(), now=current_context().now())
    if found == "valid":
        return _link(link)
    return _no_sign_in(link, NotSignedIn(reason=found))


def show_link_again(problem: Problem, *, link: str) -> Response:
    return _link(link, problem)


@pages.post("/sign-in/link/<token:link>")
@shown_again_by(show_link_again)
def use_link(link: str) -> ResponseReturnValue:
    """Sign in with the link of the letter, once."""
    with transaction(current_context().database) as tx:
        answer = sign_in.sign_in_by_link(
            tx,
            link,
            browser=_browser(),
            tokens=current_context().tokens,
            now=current_context().now(),
        )
    if isinstance(answer, SignedIn):
        return _welcome(answer)
    return _no_sign_in(link, answer)


@pages.post(urls.sign_out())
def sign_out() -> ResponseReturnValue:
    with transaction(current_context().database) as tx:
        sessions.sign_out(tx, token())
    forget()
    return redirect(urls.home(), 303)


def _asking(problem: Problem | None = None) -> Response:
    language = _language()
    form = labelled(AskForm(typed()), {"address": language.gettext("Your mail address")})
    return show(
        "accounts/sign_in/ask.html",
        me=None,
        here=Here(urls.sign_in()),
        status=200 if problem is None else problem.status,
        form=marked(form, problem, language),
        problem=problem,
    )


def _code_form(problem: Problem | None = None, *, takes_codes: bool = True) -> Response:
    language = _language()
    form = labelled(CodeForm(typed()), {"code": language.gettext("The six digits")})
    return show(
        "accounts/sign_in/code.html",
        me=None,
        here=Here(urls.sign_in_code()),
        status=200 if problem is None else problem.status,
        form=marked(form, problem, language),
        problem=problem,
        asked=session.get("asked"),
        takes_codes=takes_codes,
    )


def _link(link: str, problem: Problem | None = None) -> Response:
    return show(
        "accounts/sign_in/link.html",
        me=None,
        here=Here(urls.sign_in_link(link)),
        status=200 if problem is None else problem.status,
        link=link,
        problem=problem,
    )


def _no_sign_in(link: str, answer: NotSignedIn) -> ResponseReturnValue:
    """Why the link is good for nothing; who is signed in by it already is led on."""
    if answer.reason == "used" and _has_used(link):
        flash(
            _language().gettext("You are signed in already: this link has done its work."), "info"
        )
        return redirect(way_back(urls.home()), 303)
    return _asking(Problem(409, not_signed_in_sentence(answer, _language())))


def _has_used(link: str) -> bool:
    with read_only(current_context().database) as tx:
        return sign_in.has_used_link(tx, link, cookie=token(), now=current_context().now())


def _welcome(signed_in: SignedIn) -> ResponseReturnValue:
    remember(signed_in, sign_in.address_proof(signed_in.person.address, current_context().keys))
    if not signed_in.person.name:
        return redirect(urls.profile(), 303)
    return redirect(way_back(urls.home()), 303)


def _browser() -> Browser:
    return Browser(
        key=browser(current_context().tokens),
        user_agent=request.headers.get("User-Agent", ""),
        address_proofs=proofs(),
    )


def _language() -> Language:
    return locale_of(None).language
