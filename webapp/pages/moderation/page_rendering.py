"""What all pages of moderators share: the viewer, and the sentences that their templates use."""

from functools import partial

from flask import Response

from webapp.pages.moderation import cause_sentences, labels
from webapp.services.accounts.person import Person
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of
from webapp.wording.acts import actor_sentence, reason_sentence
from webapp.wording.deadlines import DeadlineLocale


def render_moderation(
    template: str, *, viewer: Person, path: str, status: int = 200, **context: object
) -> Response:
    """Return a page of moderation, whose template may name causes, acts and emails."""
    locale = locale_of(viewer)
    language = locale.language
    deadline_locale = DeadlineLocale(language, locale.zone, current_context().now(), None)
    return render_page(
        template,
        viewer=viewer,
        nav_position=PagePosition(path),
        status=status,
        cause_label=partial(cause_sentences.cause_label, language=language),
        cause_sentence=partial(cause_sentences.cause_sentence, language=language),
        act_label=partial(labels.act_label, language=language),
        group_title=partial(labels.group_title, language=language),
        email_name=partial(labels.email_name, language=language),
        email_outcome=partial(labels.email_outcome, language=language),
        email_reason=partial(labels.email_reason, language=language),
        status_label=partial(labels.status_label, language=language),
        scope_label=partial(labels.scope_label, language=language),
        sanction_label=partial(labels.sanction_label, language=language),
        step_sentence=partial(labels.step_sentence, locale=deadline_locale),
        actor_sentence=partial(actor_sentence, language=language),
        reason_sentence=partial(reason_sentence, language=language),
        **context,
    )
