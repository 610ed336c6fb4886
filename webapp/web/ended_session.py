"""Whether the session that a browser remembers still goes on: the cookie outlives it."""

from webapp.services.accounts.sessions import person_for
from webapp.services.tx import read_only
from webapp.web.context import current_context
from webapp.web.session import known, token


def session_has_ended() -> bool:
    """Whether the browser came with the token of a session that is no more; the token is dropped then."""
    if token() is None:
        return False
    with read_only(current_context().database) as tx:
        return known(person_for(tx, token(), now=current_context().now())) is None
