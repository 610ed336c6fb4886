"""Names of the rulebooks, what sets each apart, and the house rules of a table."""

from typing import Final

from engine.rulebook import MAX_ROUNDS, HouseRules
from webapp.i18n import N_, NN_, Language

_NAMES: Final = {
    "en-2004": N_("English first edition, 2004"),
    "lv-2009": N_("Latvian rules, 2009"),
    "et-2007": N_("Estonian rules, 2007"),
    "sv-web": N_("Swedish web article"),
    "lt-2009": N_("Lithuanian rules, 2009"),
    "uk-2017": N_("Ukrainian rules, 2017"),
}
_SUMMARIES: Final = {
    "en-2004": N_(
        "Path cards go beside any laid card; every goal reached is turned over; a full circle of passes ends the round."
    ),
    "lv-2009": N_(
        "Path cards must continue an unbroken path from the start; every goal reached is turned over; the round runs until all cards are gone."
    ),
    "et-2007": N_(
        "Path cards go beside any laid card; one goal is turned over at a time; the treasure must be turned over; a full circle of passes ends the round."
    ),
    "sv-web": N_(
        "As the Latvian rules, but nothing is built on from a goal card alone, and rounds two and three both begin at the left of the first starter."
    ),
    "lt-2009": N_(
        "As the Latvian rules; only the secrecy of won gold is recommended rather than required."
    ),
    "uk-2017": N_(
        "As the Estonian rules, but each gold-digger gets exactly one gold card, and the youngest begins."
    ),
}
_HOUSE_LABELS: Final = {
    "intact_diggers_only": N_(
        "Gold only for intact gold-diggers: whoever has a broken tool when the treasure is found gets none"
    ),
    "open_gold": N_("Open gold: everybody sees what everybody has won"),
    "no_self_breaking": N_("Nobody breaks a tool of their own"),
    "rounds": N_("Number of rounds"),
}
_SHORTER: Final = NN_("A shorter game of %(num)s round", "A shorter game of %(num)s rounds")


def rulebook_name(key: str, language: Language) -> str:
    return language.gettext(_NAMES[key])


def rulebook_summary(key: str, language: Language) -> str:
    """What sets this rulebook apart, in one sentence."""
    return language.gettext(_SUMMARIES[key])


def house_rule_label(field: str, language: Language) -> str:
    """What a field of HouseRules means, for the form that opens a game."""
    return language.gettext(_HOUSE_LABELS[field])


def house_rules(house: HouseRules, language: Language) -> tuple[str, ...]:
    """The house rules that are on, one phrase each; empty when the table plays by the book."""
    switches = ("intact_diggers_only", "open_gold", "no_self_breaking")
    phrases = [house_rule_label(field, language) for field in switches if getattr(house, field)]
    if house.rounds < MAX_ROUNDS:
        phrases.append(language.ngettext(*_SHORTER, house.rounds))
    return tuple(phrases)
