"""Whether the session that a browser remembers still goes on: the cookie outlives it."""

from webapp.pages.reader import known, token
from webapp.pages.site import site
from webapp.services.accounts import person_for
from webapp.services.tx import read_only


def session_has_ended() -> bool:
    """Whether the browser came with the token of a session that is no more; the token is dropped then."""
    if token() is None:
        return False
    with read_only(site().database) as tx:
        return known(person_for(tx, token(), now=site().now())) is None
