"""What all pages of moderators share: the viewer, and the sentences that their templates use.

Its own module because the dashboard and the pages of games, people and reports render in the same way.
"""

from functools import partial

from flask import Response

from webapp.pages.moderation import sentences
from webapp.services.accounts.person import Person
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of


def render_moderation(
    template: str, *, viewer: Person, path: str, status: int = 200, **context: object
) -> Response:
    """Return a page of moderation, whose template may name causes, acts and emails."""
    language = locale_of(viewer).language
    return render_page(
        template,
        viewer=viewer,
        nav_position=PagePosition(path),
        status=status,
        cause_label=partial(sentences.cause_label, language=language),
        cause_sentence=partial(sentences.cause_sentence, language=language),
        act_label=partial(sentences.act_label, language=language),
        group_title=partial(sentences.group_title, language=language),
        email_name=partial(sentences.email_name, language=language),
        email_outcome=partial(sentences.email_outcome, language=language),
        email_reason=partial(sentences.email_reason, language=language),
        status_label=partial(sentences.status_label, language=language),
        scope_label=partial(sentences.scope_label, language=language),
        sanction_label=partial(sentences.sanction_label, language=language),
        step_sentence=partial(sentences.step_sentence, language=language),
        **context,
    )
