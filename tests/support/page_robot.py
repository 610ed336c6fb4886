"""A player that uses only the pages: follows the links of the hand and the mine, and sends the forms."""

from collections.abc import Callable
from typing import Protocol

from engine.commitments import drawn_numbers
from tests.support.html import Form, Page
from tests.support.visitors import Visitor
from webapp.kernel import urls

RandomBelow = Callable[[int], int]


class PageReader(Protocol):
    """Anything that can open a page of the site."""

    def page(self, path: str) -> Page: ...


class NotAwaited(Exception):
    """The page offers no move; the game may have moved on meanwhile."""


def seeded_random_below(seed: str) -> RandomBelow:
    """Return a source of numbers below n, the same in every run."""
    numbers = drawn_numbers(seed.encode(), b"", "robot")
    return lambda n: next(numbers) % n


def is_awaited(page: Page) -> bool:
    """Return whether the page offers a move."""
    return (
        bool(page.links_of("card-tile")) or page.has_form_named("confirm") or _offers_choice(page)
    )


def take_turn(visitor: Visitor, slug: str, random_below: RandomBelow) -> None:
    """Take a turn through the links and the form of the table page."""
    answer = visitor.send(decide(visitor, slug, random_below))
    assert (answer.status_code, answer.location) == (303, urls.game(slug)), Page(answer.text).text


def decide(reader: PageReader, slug: str, random_below: RandomBelow) -> Form:
    """Follow links of the table page until it shows the confirm form; return the form, filled. Raises NotAwaited."""
    page = reader.page(urls.game(slug))
    while not page.has_form_named("confirm"):
        if not is_awaited(page):
            raise NotAwaited
        page = reader.page(_choose_link(page, random_below))
    return _filled_form(page.form_named("confirm"), random_below)


def discard_href(reader: PageReader, slug: str, card: int = 0) -> str:
    """Return the address of the page whose form discards a card of the hand; the first by default."""
    tile_href = reader.page(urls.game(slug)).links_of("card-tile")[card].href
    discard_links = reader.page(tile_href).links_of("discard")
    # A card that can only be discarded needs no further choice.
    return discard_links[0].href if discard_links else tile_href


def discard_form(reader: PageReader, slug: str, card: int = 0) -> Form:
    """Return the form that discards a card of the hand; the first by default."""
    return reader.page(discard_href(reader, slug, card)).form_named("confirm")


def _choose_link(page: Page, random_below: RandomBelow) -> str:
    """Return the link to a place or a player for the picked card; to a card first; to discarding if nothing else is left."""
    targets = page.links_of("mine__place") + page.links_of("option")
    if targets:
        return targets[random_below(len(targets))].href
    current_links = [link for link in page.links_of("card-tile") if link.is_current]
    tiles = page.links_of("discard") if current_links else page.links_of("card-tile")
    return tiles[random_below(len(tiles))].href


def _offers_choice(page: Page) -> bool:
    return bool(page.links_of("mine__place") or page.links_of("option"))


def _filled_form(form: Form, random_below: RandomBelow) -> Form:
    for name, values in form.choices.items():
        form.fields[name] = values[random_below(len(values))]
    return form
