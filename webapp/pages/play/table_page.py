"""The page of a game that was dealt: what happened since the reader's last turn, what can be done now, and the one form."""

from typing import Final

from flask import Response, request

from engine.actions import Action
from engine.story import LineKey
from webapp import urls
from webapp.pages.play.move_picker import PickerView, Selection, picker_view_for
from webapp.pages.play.turn_form import fields_of
from webapp.services.lobby.lobby_page import LobbyPage, lobby_page
from webapp.services.play.access import game_for
from webapp.services.play.cards import HistoryEntry
from webapp.services.play.page_data import TablePage
from webapp.services.play.reading import table_page
from webapp.services.tx import read_only
from webapp.web.context import current_context
from webapp.web.layout import Here, show
from webapp.web.problems import Problem
from webapp.web.session import known, locale_of, token
from webapp.wording.actions import action_name
from webapp.wording.history import latest_deal
from webapp.wording.mine import goals_in_words
from webapp.wording.people import awaiting_sentence, game_sentence, role_reminder
from webapp.wording.perspective import Perspective

_LOOK_AGAIN: Final = 3
"""Seconds after which the page looks whether the bots have played."""
_AT_ONCE: Final = 7
"""Turns from the reader's own on that are shown without being asked for."""


def read_game_page(slug: str) -> LobbyPage | TablePage:
    """Return what the viewer may see of a game: the lobby before the deal, else the table. Raises NotFound."""
    context = current_context()
    with read_only(context.database) as tx:
        game, seat, me = game_for(tx, slug, token(), now=context.now())
        if game.status.is_dealt:
            return table_page(tx, game, seat, me)
        return lobby_page(tx, game, me, keys=context.keys)


def show_running(page: TablePage, choice: Selection, problem: Problem | None = None) -> Response:
    """The table as the reader may see it, with what was chosen so far."""
    locale = locale_of(page.me)
    names = tuple(seat.name for seat in page.seats)
    perspective = Perspective(language=locale.language, names=names, me=page.seat)
    slug, news = page.table.slug, _news(page)
    picker_view = picker_view_for(page.view, page.menu, choice, slug=slug, perspective=perspective)
    return show(
        "play/table/table.html",
        me=known(page.me),
        here=Here(urls.game(slug), slug),
        status=200 if problem is None else problem.status,
        page=page,
        view=page.view,
        perspective=perspective,
        picker_view=picker_view,
        confirm=_confirm(picker_view, perspective, page),
        problem=problem,
        rules_url=urls.rulebook(page.table.rulebook),
        status_sentence=awaiting_sentence(page.view.awaiting, perspective),
        role_sentence=role_reminder(page.view, perspective),
        game_sentence=game_sentence(page.view, perspective),
        goals=goals_in_words(page.view, locale.language),
        news=news,
        pictured_from=_first_of_this_mine(news),
        at_once=_AT_ONCE,
        round_just_ended=_tells_of_a_round(news),
        look_again=_look_again(page),
    )


def _confirm(
    picker_view: PickerView, perspective: Perspective, page: TablePage
) -> dict[str, object] | None:
    """What the form of the chosen action says and sends."""
    if picker_view.action is None:
        return None
    words = action_name(picker_view.action, perspective, view=page.view)
    return {"words": words, "fields": _fields(picker_view.action, page.view.seq)}


def _fields(action: Action, seq: int) -> dict[str, str]:
    return {"seq": str(seq), **fields_of(action)}


def _news(page: TablePage) -> tuple[HistoryEntry, ...]:
    """What came of the reader's own last turn, and all that happened since, oldest first."""
    return page.since if page.own is None else (page.own, *page.since)


def _first_of_this_mine(news: tuple[HistoryEntry, ...]) -> int:
    """The first turn whose place can be shown in the mine as it stands: the turns before lie under an earlier round."""
    deal = latest_deal([told.lines for told in news])
    return 0 if deal < 0 else news[deal].seq + 1


def _tells_of_a_round(news: tuple[HistoryEntry, ...]) -> bool:
    """Whether the reader may not have seen yet how the last round ended."""
    return any(line.key is LineKey.ROUND_ENDED for told in news for line in told.lines)


def _look_again(page: TablePage) -> int | None:
    """Bots answer within seconds: the page comes back by itself while one is awaited, unless told not to."""
    awaited = any(seat.is_awaited and seat.is_bot for seat in page.seats)
    return _LOOK_AGAIN if awaited and "still" not in request.args else None
