"""The ledger, for site moderators: every act of a moderator, with a filter that is in the address."""

from datetime import datetime
from functools import partial
from typing import Any, Final

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from webapp.kernel import urls
from webapp.kernel.i18n import N_, Language, Locale
from webapp.kernel.public_acts import facts_from
from webapp.kernel.rights import GameRight
from webapp.moderation.log_pages import LedgerFilter, LedgerLine, LedgerPage, ledger_page
from webapp.moderation.pages.labels import ledger_acts
from webapp.moderation.pages.page_rendering import render_moderation
from webapp.play.changes.acts import acts_by_name, announcement
from webapp.web.context import current_context
from webapp.web.forms import id_in
from webapp.web.session import locale_of, require_viewer
from webapp.wording import times
from webapp.wording.acts import ActFacts, act_sentence

_MAX_VALUE_LENGTH: Final = 80
_SENTENCES: Final = {
    "moderator-add": N_("They may moderate the whole site."),
    "moderator-remove": N_("They no longer moderate the site."),
    "warn": N_("They got a warning."),
    "rename-person": N_("They got another name."),
    "dismiss-report": N_("Nothing was done about a report."),
    "remove-message": N_("A message of theirs was removed from table talk."),
    "club-close": N_("The club is closed."),
    "club-hand-over": N_("They are the club's founder now."),
    "unban": N_("The ban is lifted."),
    "withdraw-announcement": N_("The announcement on every page was withdrawn."),
}
_SETTING_NAMES: Final = {
    "site_name": N_("Name of the site"),
    "sign_up": N_("Who may create an account"),
    "accent_colour": N_("Colour of links and buttons"),
    "maintenance": N_("Closed for maintenance"),
    "most_open_tables": N_("Tables that one host may have before the deal"),
    "most_games": N_("Games that one person may be in at a time"),
    "most_invited": N_("Invitations by email to one table"),
    "most_invited_a_day": N_("Invitations by email from one person a day"),
    "most_clubs": N_("Clubs that one person may be in"),
    "moderators_need_passkey": N_("Site moderators must have a passkey"),
    "imprint": N_("Imprint"),
    "privacy": N_("Privacy notice"),
}


pages = Blueprint("ledger", __name__)


@pages.get(urls.ledger.rule)
def show_ledger() -> ResponseReturnValue:
    """Show one page of entries; the filter is in the address."""
    ledger_filter = _requested_filter()
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        before_id = id_in(request.args.get("before", ""))
        page = ledger_page(tx, viewer, ledger_filter, before_id=before_id)
    locale = locale_of(viewer)
    query = _query_parameters(ledger_filter)
    return render_moderation(
        "moderation/ledger.html",
        viewer=viewer,
        path=urls.ledger(),
        page=page,
        ledger_filter=ledger_filter,
        query=query,
        acts=ledger_acts(locale.language),
        moderators=_moderator_choices(page, locale.language),
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


def _moderator_choices(page: LedgerPage, language: Language) -> list[tuple[str, str]]:
    unnamed_text = language.gettext("someone without a name")
    named_moderators = [(ref, name or unnamed_text) for ref, name in page.moderators]
    return [*named_moderators, ("operator", language.gettext("The operator"))]


def line_sentence(line: LedgerLine, locale: Locale) -> str:
    """Return what an entry changed; empty for an act that this release does not know."""
    language = locale.language
    if line.act in acts_by_name() or line.act == GameRight.PEEK:
        earlier_facts, later_facts = facts_from(line.before), facts_from(line.after)
        text = announcement(line.act, earlier_facts, later_facts)
        return act_sentence(
            ActFacts(text, line.seat, line.name_at_table or "", earlier_facts, later_facts), locale
        )
    if line.act == "setting-change":
        return _settings_sentence(line, language)
    if line.act == "ban":
        return language.gettext(
            "Banned until %(until)s.", until=_end_text(line, "banned_until", locale)
        )
    if line.act == "announce-to-site":
        return language.gettext(
            "Until %(until)s, every page says: %(text)s",
            until=_end_text(line, "expires_at", locale),
            text=str(line.after.get("text", "")),
        )
    return language.gettext(_SENTENCES[line.act]) if line.act in _SENTENCES else ""


def setting_name(name: str, language: Language) -> str:
    """Return what a setting is called on its page; one that this release does not know keeps its own name."""
    return language.gettext(_SETTING_NAMES[name]) if name in _SETTING_NAMES else name


def _settings_sentence(line: LedgerLine, language: Language) -> str:
    return " ".join(
        language.gettext(
            "%(setting)s: %(after)s instead of %(before)s.",
            setting=setting_name(name, language),
            before=_setting_value_text(line.before.get(name), language),
            after=_setting_value_text(value, language),
        )
        for name, value in line.after.items()
    )


def _setting_value_text(value: Any, language: Language) -> str:  # noqa: ANN401 - of any setting
    if isinstance(value, bool):
        return language.gettext("yes") if value else language.gettext("no")
    text = str(value)
    if not text:
        return language.gettext("nothing")
    return f"“{text}”" if len(text) <= _MAX_VALUE_LENGTH else f"“{text[:_MAX_VALUE_LENGTH]} …”"


def _end_text(line: LedgerLine, name: str, locale: Locale) -> str:
    try:
        at = datetime.fromisoformat(str(line.after.get(name)))
    except ValueError:
        return "?"
    return times.absolute_time(at, now=locale.now, zone=locale.zone, language=locale.language)
