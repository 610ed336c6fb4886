"""No page, attribute, picture, header or length of either depends on what its reader may not know."""

from collections.abc import Iterator

import pytest
from sqlalchemy import event

from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import GoldChoice
from tests.leaks.counterfactual_games import Worlds, game_in_which, some_game, wire, worlds
from tests.support.html import Page
from tests.support.visitors import Site, Visitor
from webapp import urls


def paths_of(slug: str, seq: int) -> list[str]:
    """Every page about a game under way."""
    steps = {0, seq // 3, seq // 2, max(0, seq - 1), seq}
    return [
        urls.game(slug),
        urls.game(slug, still=1, card="map", cell="I5"),
        urls.fairness(slug),
        urls.export(slug),
        urls.home(),
        urls.next_game(),
        urls.history(slug),
        *(urls.history(slug, until=step) for step in sorted(steps)),
        *(urls.history(slug, seat=seat) for seat in range(4)),
    ]


def seen_by(visitor: Visitor, slug: str, seq: int) -> Iterator[tuple[str, str]]:
    """Every page with everything it says, and those that the links of the table lead to."""
    for path in paths_of(slug, seq):
        yield path, wire(visitor.get(path))
    links = Page(visitor.get(urls.game(slug)).text).links
    for path in sorted({link.href.partition("#")[0] for link in links}):
        if path.startswith(urls.game(slug) + "?"):
            yield path, wire(visitor.get(path))


def seen_in_each(one: Worlds, *, until: int | None = None) -> list[dict[str, str]]:
    stop = one.steps if until is None else until
    return [dict(seen_by(one.visitor, one.slug, stop)) for _ in one.each(until=until)]


@pytest.mark.parametrize("rulebook", RULEBOOKS)
@pytest.mark.parametrize("observer", [None, 0])
def test_no_page_tells_two_worlds_apart(site: Site, rulebook: str, observer: int | None) -> None:
    one = worlds(site, some_game(rulebook, 7 + (observer or 0)), observer=observer)
    assert one.here.states[-1] != one.there.states[-1]
    here, there = seen_in_each(one)
    assert here.keys() == there.keys()
    for path, said in here.items():
        assert said == there[path], path


@pytest.mark.parametrize("observer", [None, 0, 1, 2, 3])
def test_nor_does_a_page_while_gold_is_picked(site: Site, observer: int | None) -> None:
    told, step = game_in_which("uk-2017", lambda state: isinstance(state.choice, GoldChoice))
    here, there = seen_in_each(worlds(site, told, observer=observer), until=step)
    assert here == there


@pytest.mark.parametrize("observer", [None, 1])
def test_open_gold_opens_gold_and_nothing_else(site: Site, observer: int | None) -> None:
    told = some_game("en-2004", 5, house=HouseRules(open_gold=True, rounds=2))
    here, there = seen_in_each(worlds(site, told, observer=observer))
    assert here == there


def test_a_page_of_another_seat_does_tell_them_apart(site: Site) -> None:
    """Were the worlds alike, or the comparison blind, the tests above could not fail."""
    one = worlds(site, some_game("en-2004", 3), observer=0)
    here, there = seen_in_each(one._replace(visitor=one.seated.visitors[1]))
    assert [path for path in here if here[path] != there[path]]


def test_a_page_asks_the_database_the_same_in_both_worlds(site: Site) -> None:
    one = worlds(site, some_game("et-2007", 11), observer=2)
    said: list[str] = []

    def note(_c: object, _cur: object, statement: str, *_others: object) -> None:
        said.append(statement)

    event.listen(site.database.looking, "before_cursor_execute", note)
    asked = []
    for _ in one.each():
        said.clear()
        for path in paths_of(one.slug, one.steps):
            one.visitor.get(path)
        asked.append(tuple(said))
    assert asked[0] == asked[1] != ()


def test_history_shows_what_its_reader_knew_then(site: Site) -> None:
    """Goals seen and roles shown later belong to later steps: the page of a step is as it was when that was the last."""
    told, end = game_in_which("lv-2009", lambda state: state.round > 1)
    one, later = worlds(site, told, observer=0), range(0, end, 9)
    one.lay(one.here)
    pages = [mine_in(one.visitor, one.slug, step) for step in later]
    for step, page in zip(later, pages, strict=True):
        one.lay(one.here, until=step)
        assert mine_in(one.visitor, one.slug, step) == page


def mine_in(visitor: Visitor, slug: str, step: int) -> list[str]:
    """The words of a step of history, without the ways to other steps."""
    words = visitor.page(urls.history(slug, until=step)).words
    return [word for word in words.split() if word not in {"Forward", "Newest", "turn"}]
