"""The rules: a page for every rulebook, and a comparison of all rulebooks."""

from flask import Blueprint, abort
from flask.typing import ResponseReturnValue

from engine.rulebooks.catalogue import DEFAULT_RULEBOOK, RULEBOOKS
from webapp.kernel import urls
from webapp.rules_text.comparison_table import comparison
from webapp.rules_text.pages import chapters
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of
from webapp.wording.tables import rulebook_name, rulebook_summary

pages = Blueprint("rules", __name__)


@pages.get(urls.rules.rule)
def show_comparison() -> ResponseReturnValue:
    """Show where the rulebooks differ, one row for every switch."""
    language = locale_of(None).language
    return render_page(
        "site/rules/compare.html",
        viewer=None,
        nav_position=PagePosition(urls.rules()),
        comparison=comparison(language),
        hrefs={key: urls.rulebook(key) for key in RULEBOOKS},
    )


@pages.get(urls.how_to_play.rule)
def show_how_to_play() -> ResponseReturnValue:
    """Explain the game in five pictures; what the rulebooks say differently is left to their pages."""
    language = locale_of(None).language
    return render_page(
        "site/rules/how_to_play.html",
        viewer=None,
        nav_position=PagePosition(urls.how_to_play()),
        rulebook_href=urls.rulebook(DEFAULT_RULEBOOK),
        rulebook_label=rulebook_name(DEFAULT_RULEBOOK, language),
    )


@pages.get(urls.rulebook.rule)
def show_rulebook(key: str) -> ResponseReturnValue:
    """Show one rulebook; every rule that a refusal names has an anchor."""
    if key not in RULEBOOKS:
        abort(404)
    language = locale_of(None).language
    return render_page(
        "site/rules/rulebook.html",
        viewer=None,
        nav_position=PagePosition(urls.rulebook(key)),
        rulebook=RULEBOOKS[key],
        chapters=chapters(RULEBOOKS[key], language),
        name=rulebook_name(key, language),
        summary=rulebook_summary(key, language),
        others=[
            (other, rulebook_name(other, language), urls.rulebook(other))
            for other in RULEBOOKS
            if other != key
        ],
        compare_href=urls.rules(),
    )
