"""How bots are named: with the word "bot" and their level, so that no one takes one for a person."""

from typing import Final

from webapp.i18n import N_, Language

_LEVEL_NAMES: Final[dict[str, str]] = {
    "easy": N_("easy"),
    "steady": N_("steady"),
    "keen": N_("keen"),
}
_LEVEL_CHOICES: Final[dict[str, str]] = {
    "easy": N_("Easy: plays what comes to hand"),
    "steady": N_("Steady: plays sensibly"),
    "keen": N_("Keen: thinks ahead"),
}


def bot_facts(level: str | None, language: Language) -> list[str]:
    """Return what a list of players adds to the name of a bot: that it is one, and its level if this release knows it."""
    level_names = [language.gettext(_LEVEL_NAMES[level])] if level in _LEVEL_NAMES else []
    return [language.gettext("bot"), *level_names]


def bot_label(name: str, level: str | None, language: Language) -> str:
    """Return the name of a bot where it stands by itself: "Agate (bot, steady)"."""
    facts = ", ".join(bot_facts(level, language))
    return language.gettext("%(name)s (%(facts)s)", name=name, facts=facts)


def level_choice(level: str, language: Language) -> str:
    """Return a level as a form offers it."""
    return language.gettext(_LEVEL_CHOICES[level])
