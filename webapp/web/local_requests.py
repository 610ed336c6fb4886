"""Whether a request comes from this very machine, by a name that only it has, past nobody."""

from typing import Final

from flask import request

from webapp.config import is_loopback
from webapp.web.hosts import called_host

_FORWARDED: Final = frozenset(
    {"forwarded", "via", "true-client-ip", "cf-connecting-ip", "cf-ray", "fastly-client-ip"}
)
_FORWARDED_PREFIXES: Final = ("x-forward", "x-real-", "x-original-", "x-client-", "x-cluster-")


def is_local_request() -> bool:
    """Neither a proxy nor a page of another site can ask so; a proxy that says nothing of itself can."""
    names = [name.lower() for name, _ in request.headers]
    passed_on = any(name in _FORWARDED or name.startswith(_FORWARDED_PREFIXES) for name in names)
    return not passed_on and is_loopback(called_host()) and is_loopback(request.remote_addr or "")
