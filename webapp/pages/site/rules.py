"""The rules in our own words: a page for every rulebook, and all of them side by side."""

from flask import Blueprint, abort
from flask.typing import ResponseReturnValue

from engine.rulebooks.catalogue import RULEBOOKS
from webapp import urls
from webapp.rules_text.comparing import comparison
from webapp.rules_text.pages import chapters
from webapp.web.layout import Here, show
from webapp.web.session import locale_of
from webapp.wording.rulebooks import rulebook_name, rulebook_summary

pages = Blueprint("rules", __name__)


@pages.get(urls.rules())
def show_comparison() -> ResponseReturnValue:
    """Where the rulebooks differ, one row for every switch."""
    language = locale_of(None).language
    return show(
        "site/rules/compare.html",
        me=None,
        here=Here(urls.rules()),
        comparison=comparison(language),
        hrefs={key: urls.rulebook(key) for key in RULEBOOKS},
    )


@pages.get("/rules/<key>")
def show_rulebook(key: str) -> ResponseReturnValue:
    """One rulebook; every rule that a refusal names has an anchor."""
    if key not in RULEBOOKS:
        abort(404)
    language = locale_of(None).language
    return show(
        "site/rules/rulebook.html",
        me=None,
        here=Here(urls.rulebook(key)),
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
