"""Template filters that name rulebooks, house rules, browsers and secrets of the deal.

``webapp.templating`` has those that need no Flask: times, names of cards, lines of the history.
"""

from collections.abc import Callable
from typing import Final, cast

from jinja2 import pass_context
from jinja2.runtime import Context

from engine.rulebook import HouseRules
from webapp.i18n import N_, Language
from webapp.services.site.home import MyGame
from webapp.wording import people, rulebooks


@pass_context
def _rulebook_name(context: Context, key: str) -> str:
    return rulebooks.rulebook_name(key, _language(context))


@pass_context
def _rulebook_summary(context: Context, key: str) -> str:
    return rulebooks.rulebook_summary(key, _language(context))


@pass_context
def _secret_name(context: Context, label: str) -> str:
    """Return what a secret of the deal is for, with the label under which a proof of the game has it."""
    message = _SECRET_NAMES.get(label)
    if message is None:
        return label
    return _language(context).gettext(message, label=label)


@pass_context
def _agent_name(context: Context, agent: str) -> str:
    """Return the browser and the system named in a User-Agent header."""
    language = _language(context)
    browser = next((name for part, name in _BROWSER_MARKS if part in agent), None)
    system = next((name for part, name in _SYSTEM_MARKS if part in agent), None)
    if browser is None or system is None:
        return browser or system or language.gettext("Unknown browser")
    return language.gettext("%(browser)s on %(system)s", browser=browser, system=system)


@pass_context
def _house_rules(context: Context, house: HouseRules) -> tuple[str, ...]:
    return rulebooks.house_rules(house, _language(context))


@pass_context
def _winners_sentence(context: Context, game: MyGame) -> str:
    return people.winners_sentence(
        game.other_winners, i_won=game.i_won, language=_language(context)
    )


def _language(context: Context) -> Language:
    return cast("Language", context["language"])


_SECRET_NAMES: Final = {
    "gold": N_("Gold pile (%(label)s)"),
    "round-1": N_("Cards of round 1 (%(label)s)"),
    "round-2": N_("Cards of round 2 (%(label)s)"),
    "round-3": N_("Cards of round 3 (%(label)s)"),
}
_BROWSER_MARKS: Final = (
    # Browsers also name the browser they imitate, so the imitators come first.
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrom", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEM_MARKS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "Mac"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
FILTERS: Final[dict[str, Callable[..., object]]] = {
    "rulebook_name": _rulebook_name,
    "rulebook_summary": _rulebook_summary,
    "house_rules": _house_rules,
    "agent_name": _agent_name,
    "secret_name": _secret_name,
    "winners_sentence": _winners_sentence,
}
