"""The ledger, for site moderators: every act of a moderator, with a filter that is in the address."""

from functools import partial

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.kernel.i18n import Language
from webapp.moderation.ledger_page import LedgerFilter, LedgerPage, ledger_page
from webapp.moderation.pages.labels import ledger_acts
from webapp.moderation.pages.ledger_sentences import line_sentence
from webapp.moderation.pages.page_rendering import render_moderation
from webapp.web.context import current_context
from webapp.web.session import locale_of, require_viewer
from webapp.wording.acts import ActLocale

pages = Blueprint("ledger", __name__)
_MAX_DIGITS = 18


@pages.get(urls.ledger.rule)
def show_ledger() -> ResponseReturnValue:
    """Show one page of entries; the filter is in the address."""
    ledger_filter = _requested_filter()
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        page = ledger_page(tx, viewer, ledger_filter, before_id=_before_id())
    language, zone = locale_of(viewer)
    locale = ActLocale(language, zone, current_context().now())
    query = _query_parameters(ledger_filter)
    return render_moderation(
        "moderation/ledger.html",
        viewer=viewer,
        path=urls.ledger(),
        page=page,
        ledger_filter=ledger_filter,
        query=query,
        acts=ledger_acts(language),
        moderators=_moderator_choices(page, language),
        older_page_url=urls.ledger(**query | {"before": page.older_page_before_id}),
        line_sentence=partial(line_sentence, locale=locale),
    )


def _requested_filter() -> LedgerFilter:
    """Return the filter of the address; what is empty there filters nothing."""
    parameters = {
        name: request.args.get(name, "").strip() for name in ("act", "by", "game", "person")
    }
    # People copy the whole address of a game.
    slug = parameters["game"].rstrip("/").rpartition("/")[2]
    return LedgerFilter(
        act=parameters["act"] or None,
        actor_ref=parameters["by"] or None,
        game_slug=slug or None,
        person_ref=parameters["person"] or None,
    )


def _query_parameters(ledger_filter: LedgerFilter) -> dict[str, str | int | None]:
    return {
        "act": ledger_filter.act,
        "by": ledger_filter.actor_ref,
        "game": ledger_filter.game_slug,
        "person": ledger_filter.person_ref,
    }


def _before_id() -> int | None:
    text = request.args.get("before", "")
    is_number = text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS
    return int(text) if is_number else None


def _moderator_choices(page: LedgerPage, language: Language) -> list[tuple[str, str]]:
    unnamed_text = language.gettext("someone without a name")
    named_moderators = [(ref, name or unnamed_text) for ref, name in page.moderators]
    return [*named_moderators, ("operator", language.gettext("The operator"))]
