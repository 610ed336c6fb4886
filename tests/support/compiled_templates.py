"""Compile templates once for all applications of a test run: every test has an application of its own."""

from collections.abc import Callable
from typing import ParamSpec

from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from webapp import app

P = ParamSpec("P")


class CompiledTemplates(BytecodeCache):
    """The bytecode of templates, in memory, by a digest of their names and texts."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        code = self._codes.get((bucket.key, bucket.checksum))
        if code is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key, bucket.checksum] = bucket.bytecode_to_string()


def _with_cache(make: Callable[P, Flask], compiled: CompiledTemplates) -> Callable[P, Flask]:
    def made(*args: P.args, **words: P.kwargs) -> Flask:
        application = make(*args, **words)
        application.jinja_env.bytecode_cache = compiled
        return application

    return made


create_app = _with_cache(app.create_app, CompiledTemplates())
"""``webapp.app.create_app``, with templates that another application has used already compiled."""
