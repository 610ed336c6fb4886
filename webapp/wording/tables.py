"""What a table is called, and the rules that it plays by: names and summaries of rulebooks, sentences for house rules."""

from typing import Final

from engine.rulebook import MAX_ROUNDS, HouseRules
from webapp.kernel.i18n import N_, NN_, Language
from webapp.wording.perspective import player_name

_USUAL_TITLE: Final = N_("%(host)s's table")

_RULEBOOK_NAMES: Final = {
    "en-2004": N_("English first edition, 2004"),
    "lv-2009": N_("Latvian rules, 2009"),
    "et-2007": N_("Estonian rules, 2007"),
    "sv-web": N_("Swedish web article"),
    "lt-2009": N_("Lithuanian rules, 2009"),
    "uk-2017": N_("Ukrainian rules, 2017"),
}
_RULEBOOK_SUMMARIES: Final = {
    "en-2004": N_(
        "Lay path cards next to any card. All goals you reach are revealed. The round ends when everyone passes in turn."
    ),
    "lv-2009": N_(
        "Path cards must continue an unbroken path from the start. Every goal reached is revealed. The round ends when all cards are used."
    ),
    "et-2007": N_(
        "Lay path cards beside any card in the mine. One goal is revealed at a time, and the treasure itself must be revealed. The round ends when everyone passes in turn."
    ),
    "sv-web": N_(
        "Like the Latvian rules, but you can't build on from a goal card alone. The player to the left of the first starter goes first in rounds two and three."
    ),
    "lt-2009": N_("Like the Latvian rules, but won gold should stay secret rather than must."),
    "uk-2017": N_(
        "Like the Estonian rules, but each gold-digger gets exactly one gold card, the youngest player starts, and the round ends right away when the deck and all hands are empty."
    ),
}
HOUSE_RULES: Final = {
    "intact_diggers_only": N_(
        "Gold-diggers who have a broken tool when the treasure is found get no gold."
    ),
    "open_gold": N_("Everyone can see how much gold each player has won."),
    "no_self_breaking": N_("No one can break their own tools."),
}
"""A sentence for each switch of HouseRules: for forms, tables, emails and the rule pages."""
_SHORTER_GAME_TEXT: Final = NN_(
    "The game has only %(num)s round.", "The game has only %(num)s rounds."
)


def table_title(host_name: str, table_name: str, language: Language) -> str:
    """Return what a table is called. ``table_name`` is what people typed, so templates escape the result."""
    if table_name:
        return table_name
    return language.gettext(_USUAL_TITLE, host=player_name(host_name, language))


def rulebook_name(key: str, language: Language) -> str:
    return language.gettext(_RULEBOOK_NAMES[key])


def rulebook_summary(key: str, language: Language) -> str:
    """Return what sets this rulebook apart."""
    return language.gettext(_RULEBOOK_SUMMARIES[key])


def house_rule_label(field: str, language: Language) -> str:
    """Return the sentence for a switch of HouseRules."""
    return language.gettext(HOUSE_RULES[field])


def house_rules(house: HouseRules, language: Language) -> tuple[str, ...]:
    """Return a sentence for each house rule in force; none when the table plays by the book."""
    sentences = [
        house_rule_label(field, language) for field in HOUSE_RULES if getattr(house, field)
    ]
    if house.rounds < MAX_ROUNDS:
        sentences.append(language.ngettext(*_SHORTER_GAME_TEXT, house.rounds))
    return tuple(sentences)
