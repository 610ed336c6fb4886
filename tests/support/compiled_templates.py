"""Load templates and compile routes once for all applications of a test run: every test has an application of its own."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, ParamSpec

from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Rule

from webapp import app
from webapp.web.context import current_context, install_context
from webapp.web.request_log import RequestLog
from webapp.web.style_sheet import StyledFlask

if TYPE_CHECKING:
    from flask.templating import Environment

P = ParamSpec("P")


class CompiledTemplates(BytecodeCache):
    """The bytecode of templates, in memory, by a digest of their names and texts."""

    def __init__(self) -> None:
        self._bytecodes: dict[tuple[str, str], bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        code = self._bytecodes.get((bucket.key, bucket.checksum))
        if code is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._bytecodes[bucket.key, bucket.checksum] = bucket.bytecode_to_string()


_COMPILED_NAMES: Final = (
    "arguments",
    "_parts",
    "_trace",
    "_converters",
    "_build",
    "_build_unknown",
)
"""The attributes that ``Rule.compile`` sets."""


class _CompiledRule(Rule):
    """A route that is compiled once for all maps: what matches and builds its paths depends on the path alone."""

    _compiled_by_rule: ClassVar[dict[str, dict[str, Any]]] = {}

    def compile(self) -> None:
        if self.defaults or self.subdomain or self.host:
            super().compile()
            return
        if self.rule not in self._compiled_by_rule:
            super().compile()
            self._compiled_by_rule[self.rule] = {name: vars(self)[name] for name in _COMPILED_NAMES}
        vars(self).update(self._compiled_by_rule[self.rule])


def _with_cache(
    create_application: Callable[P, Flask], compiled_templates: CompiledTemplates
) -> Callable[P, Flask]:
    shared_environments: list[Environment] = []

    def create_with_cache(*args: P.args, **options: P.kwargs) -> Flask:
        # No request is slow, so that no test finds a line about that in the log.
        options.setdefault("request_log", RequestLog(seconds=lambda: 0.0))
        application = create_application(*args, **options)
        if not shared_environments:
            application.jinja_env.bytecode_cache = compiled_templates
            shared_environments.append(application.jinja_env)
        application.jinja_env = shared_environments[0]
        _share_clock_with_database(application)
        return application

    return create_with_cache


def own_globals_of_templates(application: Flask) -> dict[str, Any]:
    """Let an application load templates for itself; return their globals, which may be changed."""
    environment = application.jinja_env.overlay()
    environment.globals = dict(environment.globals)
    application.jinja_env = environment
    return environment.globals


def _share_clock_with_database(application: Flask) -> None:
    """Let the database tell the time of the application's clock, which a test has set."""
    with application.app_context():
        context = current_context()
        install_context(application, replace(context, database_time=lambda _: context.now()))


StyledFlask.url_rule_class = _CompiledRule
create_app = _with_cache(app.create_app, CompiledTemplates())
"""``webapp.app.create_app``, with templates and routes that another application has used already loaded."""
