"""Forms of turns, prepared as the host finds them: a turn that is played or held, and the buttons beside a held one."""

from collections.abc import Callable

from tests.pages.form_scene import Preparation, PressedForm, Scene, shown_form
from tests.support.visitors import Visitor
from webapp import urls


def _turn(*, minutes: int) -> Preparation:
    """Return the preparation of a discard that is held for so many minutes."""

    def prepare(scene: Scene) -> PressedForm:
        host, slug = scene.visitor("host"), scene.populated_site.slugs["private"]
        shown_form(host, urls.profile(), urls.profile(), hold_minutes=str(minutes)).send()
        return _discard(host, slug)

    return prepare


def _button(path: Callable[[str], str]) -> Preparation:
    """Return the preparation of a button beside the host's held turn."""

    def prepare(scene: Scene) -> PressedForm:
        discard = _turn(minutes=10)(scene)
        discard.send()
        slug = scene.populated_site.slugs["private"]
        return shown_form(discard.visitor, urls.game(slug), path(slug))

    return prepare


def _discard(visitor: Visitor, slug: str) -> PressedForm:
    card_href = visitor.page(urls.game(slug)).links_of("card-tile")[0].href
    discard_href = visitor.page(card_href).links_of("discard")[0].href
    return shown_form(visitor, discard_href, urls.turns(slug))


HELD_TURN_FORMS: dict[str, Preparation] = {
    "table.submit_turn:played": _turn(minutes=0),
    "table.submit_turn:held": _turn(minutes=10),
    "held_turn.withdraw:held": _button(urls.withdraw_turn),
    "held_turn.play:held": _button(urls.play_held_turn),
}
