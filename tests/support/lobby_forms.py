"""Send the forms of a table before the deal as a player."""

from tests.support.html import Page
from tests.support.visitors import Visitor
from webapp.kernel import urls

LOBBY_VERBS = ("sit", "leave", "ready", "unready", "fill", "remove", "cancel", "starter", "invite")


def send_lobby_form(visitor: Visitor, slug: str, verb: str, **fields: str) -> str:
    """Send a form of the table's page, which must succeed; return the text of the page after it."""
    page = visitor.page(urls.game(slug))
    answer = visitor.send(page.form(urls.lobby_action(slug, verb)), **fields)
    assert (answer.status_code, answer.location) == (303, urls.game(slug)), Page(answer.text).text
    return visitor.page(urls.game(slug)).text


def refused_lobby_form(visitor: Visitor, slug: str, verb: str, **fields: str) -> str:
    """Send a form that the page need not offer, which must be refused; return the text of the answer."""
    answer = visitor.post(urls.lobby_action(slug, verb), **fields)
    assert answer.status_code in {409, 422}, (verb, answer.status_code)
    return Page(answer.text).text
