"""Chapters about this site rather than the rulebook: house rules, bots, and players who are late or have left."""

from engine.rulebook import Rulebook
from webapp.rules_text.page_parts import Chapter, Translate, rule
from webapp.wording.tables import HOUSE_RULES


def house_rules_chapter(_book: Rulebook, _: Translate) -> Chapter:
    return Chapter(
        "house-rules",
        _("House rules"),
        (
            rule(
                "",
                _("You can turn these on when you open a table. They're off by default."),
            ),
            *(rule("", _(sentence)) for sentence in HOUSE_RULES.values()),
            rule("", _("The game has only one or two rounds.")),
        ),
    )


def bots_chapter(_book: Rulebook, _: Translate) -> Chapter:
    return Chapter(
        "bots",
        _("Bots"),
        (
            rule("", _("Bots can fill free seats and take over for players who have left.")),
            rule("", _("They know only what a player in their seat would know.")),
            rule(
                "",
                _(
                    "If you play alone with bots, they answer almost at once. With other people they take a second or two, a random time that has nothing to do with their roles."
                ),
            ),
        ),
    )


def lateness_chapter(_book: Rulebook, _: Translate) -> Chapter:
    return Chapter(
        "lateness",
        _("When a player is late or leaves"),
        (
            rule(
                "",
                _(
                    "If your time runs out, a random card from your hand is discarded face down, whatever your role. If you had a choice to make, the goal is picked at random, the stone is turned to join the card just laid, or the most valuable gold card is kept."
                ),
            ),
            rule(
                "E12",
                _(
                    "If no one takes over a player's seat, it can be given up for good. Its cards are discarded face down. It takes no more turns or cards, keeps its role and the gold it has won, and gets nothing from then on. The last seat can't be given up."
                ),
            ),
        ),
    )
