"""The composition root: makes the web application from its settings."""

import secrets
from collections.abc import Callable, MutableMapping
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, Flask, abort, request
from flask.templating import Environment

from webapp import templating
from webapp.accounts.passkeys import relying_party_for
from webapp.kernel import urls
from webapp.kernel.config import Settings
from webapp.kernel.keyring import RandomBytes, keyring_for
from webapp.kernel.keys import derived_keys
from webapp.kernel.nudges import Nudger, SendTask
from webapp.kernel.resources import subject_modules, templates_folder
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database
from webapp.mail.pages import email_reports, mailbox, unsubscribe
from webapp.operations.pages import health
from webapp.operations.pages.metrics import Meter
from webapp.operations.processes import WriteCheck, instance_name
from webapp.play.pages import email_moves
from webapp.site.current_settings import SettingsCache
from webapp.site.pages import style
from webapp.web.context import AppContext, install_context
from webapp.web.error_handlers import handle_errors
from webapp.web.filters import FILTERS
from webapp.web.forms import protect_forms, without_csrf_token
from webapp.web.hosts import answer_by_host, hide_pages, is_local_request
from webapp.web.maintenance import close_for_maintenance
from webapp.web.rate_limits import limit_rates, trust_proxies
from webapp.web.request_log import RequestLog, log_requests
from webapp.web.security_headers import set_security_headers
from webapp.web.session import SessionCookies, cookie_name, record_used_sessions
from webapp.web.style_sheet import StyledFlask

_MAX_BODY_BYTES: Final = 64 * 1024
_MAX_FORM_PARTS: Final = 100
_ENDPOINTS_OF_PROGRAMS: Final = frozenset(
    {"unsubscribe.unsubscribe", "email_reports.receive_report"}
)
"""The endpoints to which mail programs and providers send any content type: RFC 8058 wants the first accepted."""
_FORM_TYPES: Final = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})
_YEAR: Final = timedelta(days=365)
_BLUEPRINTS: Final = tuple(
    value
    for module in subject_modules("pages")
    for value in vars(module).values()
    if isinstance(value, Blueprint)
)
"""The blueprints of all pages but the few that depend on the settings."""


def create_app(
    settings: Settings,
    *,
    send_task: SendTask | None = None,
    database: Database | None = None,
    now: Callable[[], datetime] = utc_now,
    tokens: RandomBytes = secrets.token_bytes,
    request_log: RequestLog = RequestLog(),  # noqa: B008 - a constant
) -> Flask:
    """Return the web application. ``send_task`` sends nudges to the workers; without it they find all work on their own."""
    app = StyledFlask("webapp", template_folder=str(templates_folder()))
    app.config.from_mapping(_flask_configuration(settings))
    app.session_interface = SessionCookies()
    app.url_map.converters.update(urls.CONVERTERS)
    _prepare_templates(app)
    context = _app_context(
        settings, app, database=database, send_task=send_task, now=now, tokens=tokens
    )
    install_context(app, context)
    set_security_headers(app, https=_is_https(settings), hsts_subdomains=settings.hsts_subdomains)
    answer_by_host(app, settings)
    record_used_sessions(app)
    health.measure_requests(app, Meter(context.database, context.write_check, now))
    local_pages = dict.fromkeys((urls.mailbox(), urls.style()), is_local_request)
    hide_pages(app, {**local_pages, urls.metrics(): health.may_read_metrics})
    app.before_request(_require_form)
    close_for_maintenance(app)
    protect_forms(app)
    _register_pages(app, settings)
    limit_rates(app, settings)
    handle_errors(app)
    _trust_proxies(app, settings.trusted_proxies)
    log_requests(app, request_log)
    return app


def _register_pages(app: Flask, settings: Settings) -> None:
    optional_blueprints = (
        mailbox.mailbox_blueprint(settings),
        email_reports.email_reports_blueprint(settings),
        style.style_blueprint(settings),
    )
    for blueprint in (*_BLUEPRINTS, *optional_blueprints):
        if blueprint is not None:
            app.register_blueprint(blueprint)
    without_csrf_token(unsubscribe.unsubscribe)
    without_csrf_token(email_moves.play_move)
    without_csrf_token(email_reports.receive_report)


class _Environment(Environment):
    """Templates with equal globals share them, instead of looking them up through a chain, which took a tenth of a page."""

    context_class = templating.TemplateContext

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the globals of a template, which are those of the environment unless it has some of its own."""
        return super().make_globals(d) if d else self.globals


def _prepare_templates(app: Flask) -> None:
    app.jinja_environment = _Environment
    app.jinja_options = app.jinja_options | {
        "extensions": [templating.WithoutBlankText],
        # All templates stay loaded.
        "cache_size": -1,
    }
    templating.prepare_environment(app.jinja_env)
    # No template needs the settings, and an error report on a template shows all its variables.
    del app.jinja_env.globals["config"]
    app.jinja_env.filters.update(FILTERS)


def _flask_configuration(settings: Settings) -> dict[str, object]:
    uses_https = _is_https(settings)
    session_keys = derived_keys("session cookies", settings)
    return {
        "SECRET_KEY": session_keys[0],
        "SECRET_KEY_FALLBACKS": session_keys[1:],
        # Browsers accept a cookie with this prefix from this very host only.
        "SESSION_COOKIE_NAME": cookie_name(
            "__Host-lodepost" if uses_https else "lodepost", settings.base_url
        ),
        "SESSION_COOKIE_SECURE": uses_https,
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_REFRESH_EACH_REQUEST": False,
        # The session on the server ends earlier, and the cookie alone is worthless.
        "PERMANENT_SESSION_LIFETIME": _YEAR,
        "MAX_CONTENT_LENGTH": _MAX_BODY_BYTES,
        "MAX_FORM_MEMORY_SIZE": _MAX_BODY_BYTES,
        "MAX_FORM_PARTS": _MAX_FORM_PARTS,
        "SEND_FILE_MAX_AGE_DEFAULT": _YEAR,
    }


def _app_context(
    settings: Settings,
    app: Flask,
    *,
    database: Database | None,
    send_task: SendTask | None,
    now: Callable[[], datetime],
    tokens: RandomBytes,
) -> AppContext:
    database = database or Database(settings.database_url)
    return AppContext(
        settings=settings,
        database=database,
        site_settings=SettingsCache(database, settings.site_defaults, now),
        write_check=WriteCheck(database, instance_name(), now=now),
        keys=keyring_for(settings),
        tokens=tokens,
        now=now,
        nudge=Nudger(send_task) if send_task is not None else _ignore_nudges,
        icon=_static_file(app, "icon.svg"),
        dashboard_script=_static_file(app, "dashboard.js"),
        share_link_script=_static_file(app, "share_link.js"),
        table_script=_static_file(app, "table.js"),
        passkey_script=_static_file(app, "passkeys.js")
        if relying_party_for(settings.base_url) is not None
        else None,
        time_zone_script=_static_file(app, "time_zone.js"),
        stepper_script=_static_file(app, "stepper.js"),
    )


def _static_file(app: Flask, name: str) -> str:
    """Return the URL of a file with a digest of its content. Computed once, because an error page may have no request context."""
    content = (Path(app.static_folder or "") / name).read_bytes()
    return f"/static/{name}?v={sha256(content).hexdigest()[:12]}"


def _require_form() -> None:
    """Refuse bodies that no form of this site has, before the CSRF token is read from them."""
    if request.endpoint in _ENDPOINTS_OF_PROGRAMS:
        return
    if request.method == "POST" and request.mimetype not in _FORM_TYPES:
        abort(415)


def _trust_proxies(app: Flask, count: int) -> None:
    if count:
        app.wsgi_app = trust_proxies(app.wsgi_app, count)  # type: ignore[method-assign, assignment]


def _is_https(settings: Settings) -> bool:
    return settings.base_url.startswith("https://")


def _ignore_nudges(_nudges: object) -> None:
    """Send nothing; the workers find everything in the database."""
