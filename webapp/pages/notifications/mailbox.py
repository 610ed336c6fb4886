"""The mails of a server that sends none: they lie on this machine, and are read on it.

Whoever can read them can sign in as anybody. So there is no such page unless the operator named no relay and both BASE_URL
and the bound address are this machine's alone (``mailbox_key_for``); each request, of whatever kind, must come from this machine, ask for it
by a name that only it has, and have passed nobody on the way; and the browser must have been given the key that the
operator's terminal showed. The key stands in an address once: looking at that address changes nothing, a press on the
button there puts a cookie in its place.
"""

import hashlib
import hmac
from typing import Final

from flask import Blueprint, Flask, Response, abort, make_response, redirect, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.config import Settings, mailbox_key_for
from webapp.pages.notifications.filed_emails import FiledMails, Mail, recipients_of
from webapp.web.layout import Here, show
from webapp.web.local_requests import is_local_request
from webapp.web.security_headers import content_policy

_COOKIE: Final = "lodepost-mailbox"
_ON_A_PAGE: Final = 50
_FRAMED_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox"
)
"""A letter brings its own styles and nothing else: no script, no picture, no form, and an origin of its own."""


def mailbox_for(settings: Settings) -> Blueprint | None:
    """The page, where there may be one."""
    key = mailbox_key_for(settings)
    return None if key is None else _blueprint(key, FiledMails(settings.maildir))


def hide_mailbox(app: Flask) -> None:
    """Nothing is there for who asks from elsewhere, in whatever way: ask this before anybody judges the request itself."""

    def hide() -> None:
        if _is_of_mailbox(request.path) and not is_local_request():
            abort(404)

    app.before_request(hide)


def _is_of_mailbox(path: str) -> bool:
    # Of several slashes Werkzeug makes one, and sends whoever asked so there.
    return f"/{path.lstrip('/').partition('/')[0]}" == urls.mailbox()


def _blueprint(key: str, filed: FiledMails) -> Blueprint:
    pages = Blueprint("mailbox", __name__)

    @pages.before_request
    def keep_out() -> Response | None:
        return None if _may_enter(key) else _locked()

    @pages.get(urls.mailbox())
    def show_mails() -> ResponseReturnValue:
        """The mails, newest first; the button where the address holds the key."""
        if "key" in request.args:
            return show("notifications/mailbox/open.html", me=None, here=_here(), key=key)
        return _list(filed)

    @pages.post(urls.mailbox())
    def open_mailbox() -> ResponseReturnValue:
        """Remember in this browser that it knew the key."""
        opened = redirect(urls.mailbox(), 303)
        value, path = _cookie_for(key), urls.mailbox()
        opened.set_cookie(_COOKIE, value, path=path, httponly=True, samesite="Strict")
        return opened

    @pages.get("/mailbox/<string:name>")
    def show_mail(name: str) -> ResponseReturnValue:
        """One mail: its text, its header, and the frame that shows it as HTML."""
        return _letter(name, _read(filed, name))

    @pages.get("/mailbox/<string:name>/html")
    def show_html(name: str) -> ResponseReturnValue:
        """The HTML of a mail, for its frame."""
        return _framed(_read(filed, name))

    return pages


def _may_enter(key: str) -> bool:
    """By the cookie; or by the key itself, where it is asked for."""
    if _same(request.cookies.get(_COOKIE, ""), _cookie_for(key)) and "key" not in request.args:
        return True
    return request.path == urls.mailbox() and _same(request.values.get("key", ""), key)


def _list(filed: FiledMails) -> Response:
    mails = filed.all()
    to = request.args.get("to", "").strip()
    found = [mail for mail in mails if to.casefold() in mail.recipient.casefold()]
    page = max(1, request.args.get("page", 1, type=int))
    shown = found[(page - 1) * _ON_A_PAGE : page * _ON_A_PAGE]
    return show(
        "notifications/mailbox/mails.html",
        me=None,
        here=_here(),
        to=to,
        recipients=recipients_of(mails),
        mails=[(mail, opened) for mail in shown if (opened := filed.read(mail.key))],
        newer=page - 1 if page > 1 else None,
        older=page + 1 if len(found) > page * _ON_A_PAGE else None,
    )


def _letter(name: str, mail: Mail) -> Response:
    page = show("notifications/mailbox/mail.html", me=None, here=_here(), mail=mail, name=name)
    page.headers["Content-Security-Policy"] = f"{content_policy()}; frame-src 'self'"
    return page


def _framed(mail: Mail) -> Response:
    # Inside a frame no page of ours opens: links lead to a tab of their own.
    html = mail.html.replace("<head>", '<head><base target="_blank">', 1)
    framed = make_response(html)
    framed.headers["Content-Security-Policy"] = _FRAMED_POLICY
    framed.headers["X-Frame-Options"] = "SAMEORIGIN"
    return framed


def _read(filed: FiledMails, name: str) -> Mail:
    mail = filed.read(name)
    if mail is None:
        abort(404)
    return mail


def _locked() -> Response:
    return show("notifications/mailbox/locked.html", me=None, here=_here(), status=403)


def _cookie_for(key: str) -> str:
    return hashlib.sha256(b"lodepost mailbox cookie " + key.encode()).hexdigest()


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())


def _here() -> Here:
    return Here(urls.mailbox())
