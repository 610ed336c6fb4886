"""Announcements of moderators near the top of the table page, until the player has seen them.

What was seen is kept in the browser's session, so that a glance at the page needs no row in the database. A player who has
taken a turn since has seen the announcement too; it stays below, among the changes by moderators.
"""

from typing import Final

from flask import Blueprint, redirect, request, session
from flask.typing import ResponseReturnValue
from wtforms import HiddenField

from webapp.kernel import urls
from webapp.kernel.public_acts import ShownAct
from webapp.kernel.refusals import NotFound
from webapp.kernel.rights import GameRight
from webapp.play.access import game_for
from webapp.play.views.table_page import TablePage
from webapp.web.forms import PageForm, form_view, submission, whole_number
from webapp.web.session import SignInRequired, locale_of, token

pages = Blueprint("announcements", __name__)

_SESSION_KEY: Final = "seen_announcements"
_MAX_GAMES: Final = 20
"""The number of games for which a browser keeps what was seen: cookies are small."""


class SeenAnnouncementsForm(PageForm):
    newest = HiddenField(validators=[whole_number])


@pages.post(urls.seen_announcements.rule)
@form_view
def mark_seen(slug: str) -> ResponseReturnValue:
    """Keep which announcement is the newest that the player has seen."""
    form = SeenAnnouncementsForm(locale_of(None).language, request.form)
    with submission(form) as tx:
        access = game_for(tx, slug, token())
        if access.person is None:
            raise SignInRequired
        if access.seat is None:
            raise NotFound
    seen_in_other_games = [
        (game, entry) for game, entry in _last_seen_entry_by_slug().items() if game != slug
    ]
    session[_SESSION_KEY] = [*seen_in_other_games, (slug, form.number("newest") or 0)][-_MAX_GAMES:]
    return redirect(urls.game(slug), 303)


def new_announcements(page: TablePage) -> tuple[ShownAct, ...]:
    """Return the announcements to the table since the player's last turn that they have not marked as seen, newest first."""
    if page.seat is None:
        return ()
    last_turn = -1 if page.last_own_turn is None else page.last_own_turn.seq
    seen = _last_seen_entry_by_slug().get(page.table.slug, 0)
    return tuple(
        act
        for act in page.acts
        if act.act == GameRight.ANNOUNCE_TO_TABLE and act.seq >= last_turn and act.id > seen
    )


def _last_seen_entry_by_slug() -> dict[str, int]:
    """Return the newest entry seen of each game, the game of the last press last: a list, because cookies sort keys."""
    return dict(session.get(_SESSION_KEY, ()))
