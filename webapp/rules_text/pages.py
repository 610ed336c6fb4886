"""The page of a rulebook: its switches in, chapters out, so that a page says exactly what is in force."""

from collections.abc import Callable
from typing import Final

from engine.rulebook import Rulebook
from webapp.i18n import Language
from webapp.rules_text.at_this_table import house_rules, lateness
from webapp.rules_text.ending import ending, gold, reaching, rounds
from webapp.rules_text.playing import laying, rocks_and_maps, tools, turns
from webapp.rules_text.setting_up import beginning, roles
from webapp.rules_text.shapes import Chapter, Say

_CHAPTERS: Final[tuple[Callable[[Rulebook, Say], Chapter], ...]] = (
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
    """All the rules of this rulebook, in the order of play."""
    return tuple(write(rulebook, language.gettext) for write in _CHAPTERS)
