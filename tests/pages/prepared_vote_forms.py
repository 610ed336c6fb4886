"""Forms of votes, prepared as players find them on the table page: a no, and the yes that completes a vote."""

from tests.pages.form_scene import Preparation, PressedForm, Scene, shown_form
from tests.support.html import Page
from webapp import urls

_VOTERS = ("host", "player", "seated-moderator")


def _answer(answer: str, *, earlier_voters: int) -> Preparation:
    """Return the preparation of an answer to the host's proposal, after so many others have agreed."""

    def prepare(scene: Scene) -> PressedForm:
        slug = scene.populated_site.slugs["private"]
        host, *others = map(scene.visitor, _VOTERS)
        shown_form(host, urls.game(slug), urls.votes(slug), kind="shorten").send()
        page = others[0].page(urls.game(slug))
        path = _ballot_path(page, slug)
        for visitor in others[:earlier_voters]:
            shown_form(visitor, urls.game(slug), path, answer="yes").send()
        return shown_form(others[earlier_voters], urls.game(slug), path, answer=answer)

    return prepare


def _ballot_path(page: Page, slug: str) -> str:
    [path] = [form.action for form in page.forms if form.action.startswith(f"{urls.votes(slug)}/")]
    return path


VOTE_FORMS: dict[str, Preparation] = {
    "votes.answer:no": _answer("no", earlier_voters=0),
    "votes.answer:last-yes": _answer("yes", earlier_voters=1),
}
