"""The page of a rulebook: its switches choose the sentences, so a page states exactly the rules in force."""

from collections.abc import Callable
from typing import Final

from engine.rulebook import Rulebook
from webapp.kernel.i18n import Language
from webapp.rules_text.ending import ending_chapter, reaching_goals_chapter, rounds_chapter
from webapp.rules_text.gold import gold_chapter
from webapp.rules_text.page_parts import Chapter, Translate
from webapp.rules_text.playing import (
    laying_chapter,
    rocks_and_maps_chapter,
    tools_chapter,
    turns_chapter,
)
from webapp.rules_text.setting_up import beginning_chapter, roles_chapter
from webapp.rules_text.table_settings import bots_chapter, house_rules_chapter, lateness_chapter

_CHAPTERS: Final[tuple[Callable[[Rulebook, Translate], Chapter], ...]] = (
    roles_chapter,
    beginning_chapter,
    turns_chapter,
    laying_chapter,
    tools_chapter,
    rocks_and_maps_chapter,
    reaching_goals_chapter,
    ending_chapter,
    gold_chapter,
    rounds_chapter,
    house_rules_chapter,
    bots_chapter,
    lateness_chapter,
)


def chapters(rulebook: Rulebook, language: Language) -> tuple[Chapter, ...]:
    """Return all the rules of a rulebook, in the order of play."""
    return tuple(write_chapter(rulebook, language.gettext) for write_chapter in _CHAPTERS)
