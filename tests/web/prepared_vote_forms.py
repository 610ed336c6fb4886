"""Forms of votes, prepared as players find them on the table page: a no, and the yes that completes a vote."""

from tests.support.acts import perform_act
from tests.support.html import Page
from tests.web.form_submissions import FormContext, FormSubmission, PrepareForm, shown_form
from webapp.kernel import urls
from webapp.kernel.rights import GameRight

_VOTERS = ("host", "player", "seated-moderator")


def _prepare_answer_form(answer: str, *, earlier_voters: int) -> PrepareForm:
    """Return the preparation of an answer to the host's proposal, after so many others have agreed."""

    def prepare(form_context: FormContext) -> FormSubmission:
        slug = _game_without_open_seat(form_context)
        host, *other_voters = map(form_context.visitor, _VOTERS)
        shown_form(host, urls.game(slug), urls.votes(slug), kind="shorten").send()
        page = other_voters[0].page(urls.game(slug))
        path = _ballot_path(page, slug)
        for visitor in other_voters[:earlier_voters]:
            shown_form(visitor, urls.game(slug), path, answer="yes").send()
        return shown_form(other_voters[earlier_voters], urls.game(slug), path, answer=answer)

    return prepare


def _proposal_form(form_context: FormContext) -> FormSubmission:
    slug = _game_without_open_seat(form_context)
    return shown_form(form_context.visitor("host"), urls.game(slug), urls.votes(slug), kind="pause")


def _game_without_open_seat(form_context: FormContext) -> str:
    """Let a bot take the open seat of the private game, so that its players may vote; return its slug."""
    site, slug = form_context.site, form_context.populated_site.slugs["private"]
    perform_act(site.database, slug, GameRight.SEAT_BOT, seat=len(_VOTERS), now=site.clock.now)
    return slug


def _ballot_path(page: Page, slug: str) -> str:
    [path] = [form.action for form in page.forms if form.action.startswith(f"{urls.votes(slug)}/")]
    return path


VOTE_FORMS: dict[str, PrepareForm] = {
    "votes.propose_vote": _proposal_form,
    "votes.answer:no": _prepare_answer_form("no", earlier_voters=0),
    "votes.answer:last-yes": _prepare_answer_form("yes", earlier_voters=1),
}
