"""Load templates and compile routes once for all applications of a test run: every test has an application of its own."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec

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


class _CompiledRule(Rule):
    """A route whose functions that build paths are compiled once: they depend on the path alone."""

    _url_builder_by_rule: ClassVar[dict[tuple[str, bool], Callable[..., tuple[str, str]]]] = {}

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:  # noqa: FBT001, FBT002 - as in Rule
        if self.defaults or self.subdomain or self.host:
            return super()._compile_builder(append_unknown)
        key = (self.rule, append_unknown)
        if key not in self._url_builder_by_rule:
            self._url_builder_by_rule[key] = super()._compile_builder(append_unknown)
        return self._url_builder_by_rule[key]


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
