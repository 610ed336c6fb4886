"""A player who knows nothing but the pages: follows the links of the hand and the mine, and presses what is there."""

from collections.abc import Callable
from typing import Protocol

from engine.shuffle import draws
from tests.support.html import Form, Page
from tests.support.visitors import Visitor
from webapp import urls

Pick = Callable[[int], int]


class Reader(Protocol):
    """Whoever can open a page of the site."""

    def page(self, path: str) -> Page: ...


class NotAwaited(Exception):
    """The page asks its reader for nothing; the game may have moved on meanwhile."""


def chance(seed: str) -> Pick:
    """Numbers below n, the same in every run."""
    numbers = draws(seed.encode(), b"", "robot")
    return lambda n: next(numbers) % n


def is_awaited(page: Page) -> bool:
    """Whether the page asks its reader for something."""
    return bool(page.links_of("card-tile")) or page.has_form_named("confirm") or _asks(page)


def take_turn(visitor: Visitor, slug: str, pick: Pick) -> None:
    """Do what the table page asks for, and press the button."""
    answer = visitor.send(decide(visitor, slug, pick))
    assert (answer.status_code, answer.location) == (303, urls.game(slug)), Page(answer.text).words


def decide(reader: Reader, slug: str, pick: Pick) -> Form:
    """Choose by the links of the table page until it offers to confirm; the form, ready to be sent. Raises NotAwaited."""
    page = reader.page(urls.game(slug))
    while not page.has_form_named("confirm"):
        if not is_awaited(page):
            raise NotAwaited
        page = reader.page(_choose(page, pick))
    return _filled(page.form_named("confirm"), pick)


def _choose(page: Page, pick: Pick) -> str:
    """A place or a person for the card that is chosen; a card first; the discards when nothing else is left."""
    targets = page.links_of("mine__place") + page.links_of("option")
    if targets:
        return targets[pick(len(targets))].href
    chosen = [link for link in page.links_of("card-tile") if link.current]
    tiles = page.links_of("discard") if chosen else page.links_of("card-tile")
    return tiles[pick(len(tiles))].href


def _asks(page: Page) -> bool:
    return bool(page.links_of("mine__place") or page.links_of("option"))


def _filled(form: Form, pick: Pick) -> Form:
    for name, values in form.choices.items():
        form.fields[name] = values[pick(len(values))]
    return form
