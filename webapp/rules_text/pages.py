"""The page of a rulebook: its switches choose the sentences, so a page states exactly the rules in force."""

from collections.abc import Callable
from typing import Final

from engine.rulebook import Rulebook
from webapp.i18n import Language
from webapp.rules_text.at_this_table import house_rules, lateness
from webapp.rules_text.ending import ending, reaching, rounds
from webapp.rules_text.gold import gold
from webapp.rules_text.page_parts import Chapter, Translate
from webapp.rules_text.playing import laying, rocks_and_maps, tools, turns
from webapp.rules_text.setting_up import beginning, roles

_CHAPTERS: Final[tuple[Callable[[Rulebook, Translate], Chapter], ...]] = (
    roles,
    beginning,
    turns,
    laying,
    tools,
    rocks_and_maps,
    reaching,
    ending,
    gold,
    rounds,
    house_rules,
    lateness,
)


def chapters(rulebook: Rulebook, language: Language) -> tuple[Chapter, ...]:
    """Return all the rules of a rulebook, in the order of play."""
    return tuple(write(rulebook, language.gettext) for write in _CHAPTERS)
