"""The composition root: settings in, an application out."""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final

from flask import Flask, abort, request
from flask_wtf import CSRFProtect
from werkzeug.middleware.proxy_fix import ProxyFix

from webapp import templating, urls
from webapp.clock import utc_now
from webapp.config import Settings, in_url
from webapp.pages.accounts import profile, sign_in
from webapp.pages.lobby import invitation, lobby, new_table
from webapp.pages.notifications import mailbox, unsubscribe
from webapp.pages.operations import health
from webapp.pages.operations.metrics import Meter
from webapp.pages.play import fairness, history, table
from webapp.pages.site import about, home, rules
from webapp.resources import templates_folder
from webapp.services.keys import Keyring, Tokens
from webapp.services.tx import Database, database_for
from webapp.web.context import AppContext, install
from webapp.web.error_handlers import answer_refusals
from webapp.web.filters import FILTERS
from webapp.web.hosts import restrict_hosts
from webapp.web.nudges import Nudger, SendTask
from webapp.web.paths import CONVERTERS
from webapp.web.rate_limits import limit
from webapp.web.security_headers import harden

_LARGEST_BODY: Final = 64 * 1024
_MOST_PARTS: Final = 100
_FORMS: Final = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})
_LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")
_YEAR: Final = timedelta(days=365)
_BLUEPRINTS: Final = (
    home.pages,
    sign_in.pages,
    profile.pages,
    new_table.pages,
    lobby.pages,
    invitation.pages,
    table.pages,
    history.pages,
    fairness.pages,
    rules.pages,
    unsubscribe.pages,
    about.pages,
    health.pages,
)


def create_app(
    settings: Settings,
    *,
    send_task: SendTask | None = None,
    database: Database | None = None,
    now: Callable[[], datetime] = utc_now,
    tokens: Tokens = secrets.token_bytes,
) -> Flask:
    """The web application. ``send_task`` is told by name what may be done at once; without it the clock finds out."""
    app = Flask("webapp", template_folder=str(templates_folder()))
    app.config.from_mapping(_configuration(settings))
    app.url_map.converters.update(CONVERTERS)
    templating.prepare(app.jinja_env)
    # No template needs the settings, and a fault in one shows all that it was given.
    del app.jinja_env.globals["config"]
    app.jinja_env.globals["urls"] = urls
    app.jinja_env.filters.update(FILTERS)
    site = _site(settings, app, database=database, send_task=send_task, now=now, tokens=tokens)
    install(app, site)
    harden(app, https=_is_https(settings))
    # No page of another site can make a browser say "localhost": only its own name and this one are safe to hear.
    restrict_hosts(app, [settings.host, *_LOOPBACK_NAMES])
    health.measure(app, Meter(site.database, now))
    mailbox.hide_mailbox(app)
    health.hide_metrics(app)
    app.before_request(_require_form)
    csrf = CSRFProtect(app)
    for blueprint in (*_BLUEPRINTS, mailbox.mailbox_for(settings)):
        if blueprint is not None:
            app.register_blueprint(blueprint)
    csrf.exempt(unsubscribe.one_click)
    limit(app, settings)
    answer_refusals(app)
    _trust_proxies(app, settings.trusted_proxies)
    _hear_watchers(app, settings)
    return app


def _configuration(settings: Settings) -> dict[str, object]:
    https = _is_https(settings)
    return {
        "SECRET_KEY": settings.secret_key,
        # The prefix makes browsers refuse the name to anybody but this very host.
        "SESSION_COOKIE_NAME": "__Host-lodepost" if https else "lodepost",
        "SESSION_COOKIE_SECURE": https,
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_REFRESH_EACH_REQUEST": False,
        # The session on the server ends earlier; the cookie alone opens nothing.
        "PERMANENT_SESSION_LIFETIME": _YEAR,
        "MAX_CONTENT_LENGTH": _LARGEST_BODY,
        "MAX_FORM_MEMORY_SIZE": _LARGEST_BODY,
        "MAX_FORM_PARTS": _MOST_PARTS,
        "SEND_FILE_MAX_AGE_DEFAULT": _YEAR,
        # A page of a slow game stays open for days.
        "WTF_CSRF_TIME_LIMIT": None,
        # The token suffices; some browsers are told to send no referrer.
        "WTF_CSRF_SSL_STRICT": False,
    }


def _site(
    settings: Settings,
    app: Flask,
    *,
    database: Database | None,
    send_task: SendTask | None,
    now: Callable[[], datetime],
    tokens: Tokens,
) -> AppContext:
    return AppContext(
        settings=settings,
        database=database or database_for(settings.database_url),
        keys=Keyring(settings.secret_key.encode(), domain=settings.mail_domain),
        tokens=tokens,
        now=now,
        nudge=Nudger(send_task) if send_task is not None else _ignore,
        css=_static_address(app, "lodepost.css"),
        icon=_static_address(app, "icon.svg"),
    )


def _require_form() -> None:
    """Refuse bodies that no form of ours has, before anybody looks for a token in them."""
    if request.endpoint == "unsubscribe.one_click":
        # Mail programs say little about the form they send, and RFC 8058 wants them heard.
        return
    if request.method == "POST" and request.mimetype not in _FORMS:
        abort(415)


def _trust_proxies(app: Flask, count: int) -> None:
    if count:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=count, x_proto=count, x_host=0, x_port=0, x_prefix=0
        )


def _hear_watchers(app: Flask, settings: Settings) -> None:
    heard = health.hear_watchers(app.wsgi_app, own_name=in_url(settings.host))
    app.wsgi_app = heard  # type: ignore[method-assign, assignment]


def _is_https(settings: Settings) -> bool:
    return settings.base_url.startswith("https://")


def _static_address(app: Flask, name: str) -> str:
    """Written down once: an error page has no request that could build it."""
    digest = sha256((Path(app.static_folder or "") / name).read_bytes()).hexdigest()
    return f"/static/{name}?v={digest[:12]}"


def _ignore(_nudges: object) -> None:
    """Nobody is to be told; the clock finds everything in the database."""
