"""The mailbox page: the emails that a server without a relay keeps on this machine.

Anyone who can read them can sign in as any player. So the page exists only if no relay is configured and both BASE_URL and
the bound address belong to this machine alone (``mailbox_key_for``). Every request, by any method, must come from this
machine, for a host name that only it has, and past no proxy; and the browser must have been given the key that the
operator's terminal showed. The key is in a URL once: opening that URL changes nothing, and the button there replaces the
key by a cookie.
"""

import hashlib
import hmac
from typing import Final

from flask import Blueprint, Response, abort, flash, make_response, redirect, request
from flask.typing import ResponseReturnValue
from wtforms import TextAreaField

from webapp.kernel import urls
from webapp.kernel.config import Settings
from webapp.kernel.i18n import N_
from webapp.kernel.keys import mailbox_key_for
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Tx
from webapp.mail.pages.filed_emails import EmailFolder, FiledEmail, answer_to, recipients_of
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, required_lines, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.security_headers import content_security_policy
from webapp.web.session import cookie_name, locale_of

_EMAILS_PER_PAGE: Final = 50
_MAX_ANSWER_LENGTH: Final = 1000
_FRAME_POLICY: Final = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox"
)
"""An email has its own styles and nothing else: no script, no picture from elsewhere, no form, and an origin of its own."""


class AnswerForm(PageForm):
    """The answer to an email."""

    answer = TextAreaField(
        N_("Your answer"),
        [required_lines],
        render_kw={"maxlength": _MAX_ANSWER_LENGTH, "rows": 3},
    )


def mailbox_blueprint(settings: Settings) -> Blueprint | None:
    """Return the pages of the mailbox, or None if this server must not have them."""
    key = mailbox_key_for(settings)
    if key is None:
        return None
    name = cookie_name("lodepost-mailbox", settings.base_url)
    return _blueprint(key, EmailFolder(settings.maildir), name, settings.reply_address)


def _blueprint(key: str, folder: EmailFolder, name_of_cookie: str, reply_address: str) -> Blueprint:
    pages = Blueprint("mailbox", __name__)

    @pages.before_request
    def require_key() -> Response | None:
        return None if _is_unlocked(key, name_of_cookie) else _show_locked()

    @pages.get(urls.mailbox.rule)
    def show_emails() -> ResponseReturnValue:
        """Show the emails, newest first; the button instead if the URL has the key."""
        if "key" in request.args:
            return render_page(
                "mail/mailbox/open.html", viewer=None, nav_position=_mailbox_nav(), key=key
            )
        return _show_list(folder)

    @pages.post(urls.mailbox.rule)
    def open_mailbox() -> ResponseReturnValue:
        """Remember in this browser that it had the key."""
        response = redirect(urls.mailbox(), 303)
        value, path = _cookie_for(key), urls.mailbox()
        response.set_cookie(name_of_cookie, value, path=path, httponly=True, samesite="Strict")
        return response

    @pages.get(urls.mailbox_email.rule)
    def show_email(name: str) -> ResponseReturnValue:
        """Show one email: its text, its headers, and a frame with its HTML."""
        return _show_email(name, _read_email(folder, name))

    @pages.post(urls.mailbox_answer.rule)
    def answer_email(name: str) -> ResponseReturnValue:
        """Answer an email with the receiver that reads answers on every server."""
        return _answer_email(name, _read_email(folder, name), reply_address)

    @pages.get(urls.mailbox_email_html.rule)
    def show_html(name: str) -> ResponseReturnValue:
        """Return the HTML of an email, for its frame."""
        return _frame_content(_read_email(folder, name))

    return pages


def _is_unlocked(key: str, name_of_cookie: str) -> bool:
    """Return whether the browser has the cookie, or sends the key itself."""
    if (
        _are_equal(request.cookies.get(name_of_cookie, ""), _cookie_for(key))
        and "key" not in request.args
    ):
        return True
    return request.path == urls.mailbox() and _are_equal(request.values.get("key", ""), key)


def _show_list(folder: EmailFolder) -> Response:
    files = folder.all_files()
    recipient_text = request.args.get("to", "").strip()
    found_files = [file for file in files if recipient_text.casefold() in file.recipient.casefold()]
    page = max(1, request.args.get("page", 1, type=int))
    shown_files = found_files[(page - 1) * _EMAILS_PER_PAGE : page * _EMAILS_PER_PAGE]
    return render_page(
        "mail/mailbox/list.html",
        viewer=None,
        nav_position=_mailbox_nav(),
        to=recipient_text or None,
        recipients=recipients_of(files),
        emails=[(file, email) for file in shown_files if (email := folder.read(file.key))],
        newer_page=page - 1 if page > 1 else None,
        older_page=page + 1 if len(found_files) > page * _EMAILS_PER_PAGE else None,
    )


def _show_email(
    name: str, email: FiledEmail, form: "AnswerForm | None" = None, error: FormError | None = None
) -> Response:
    page = render_page(
        "mail/mailbox/email.html",
        viewer=None,
        nav_position=_mailbox_nav(),
        email=email,
        name=name,
        form=form or AnswerForm(locale_of(None).language),
        error=error,
        status=200 if error is None else error.status,
    )
    page.headers["Content-Security-Policy"] = f"{content_security_policy()}; frame-src 'self'"
    return page


def _answer_email(name: str, email: FiledEmail, reply_address: str) -> ResponseReturnValue:
    form = AnswerForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            _receive_answer(tx, email, form.text("answer"), reply_address)
    except FormError as error:
        return _show_email(name, email, form, error)
    text = form.locale_language.gettext("Sent. The answer arrives here in a few seconds.")
    flash(text, "good")
    return redirect(urls.mailbox(to=email.recipient), 303)


def _receive_answer(tx: Tx, email: FiledEmail, typed_text: str, reply_address: str) -> None:
    """Hand the answer to the receiver, which knows from the key of this page that its sender may read the recipient's emails."""
    # Imported by this page alone: web processes send and read no emails.
    from webapp.mail.inbound.receiving import OwnAddresses, find_mailbox, receive

    mailbox = find_mailbox(tx, email.reply_to, OwnAddresses(reply_address, ""))
    if mailbox is None:
        raise NotFound
    message = answer_to(email, typed_text, now=current_context().now())
    receive(tx, mailbox, message, is_vouched=True)


def _frame_content(email: FiledEmail) -> Response:
    # Links open in a new tab: Lodepost's own pages refuse to be framed.
    html = email.html.replace("<head>", '<head><base target="_blank">', 1)
    response = make_response(html)
    response.headers["Content-Security-Policy"] = _FRAME_POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


def _read_email(folder: EmailFolder, name: str) -> FiledEmail:
    email = folder.read(name)
    if email is None:
        abort(404)
    return email


def _show_locked() -> Response:
    return render_page(
        "mail/mailbox/locked.html", viewer=None, nav_position=_mailbox_nav(), status=403
    )


def _cookie_for(key: str) -> str:
    return hashlib.sha256(b"lodepost mailbox cookie " + key.encode()).hexdigest()


def _are_equal(given_key: str, expected_key: str) -> bool:
    return hmac.compare_digest(given_key.encode("utf-8", "replace"), expected_key.encode())


def _mailbox_nav() -> PagePosition:
    return PagePosition(urls.mailbox())
