"""What no box of cards says: house rules, and players who are late or gone."""

from engine.rulebook import Rulebook
from webapp.rules_text.shapes import Chapter, Say, rule


def house_rules(_book: Rulebook, _: Say) -> Chapter:
    return Chapter(
        "house-rules",
        _("House rules"),
        (
            rule(
                "",
                _(
                    "A table may change these before anybody sits down. They are off unless its page says otherwise."
                ),
            ),
            rule(
                "",
                _(
                    "Gold only for intact gold-diggers: whoever has a broken tool when the treasure is found gets none, and the others share."
                ),
            ),
            rule("", _("Open gold: everybody sees what everybody has won.")),
            rule("", _("Nobody breaks a tool of their own.")),
            rule("", _("A shorter game of one or two rounds.")),
        ),
    )


def lateness(_book: Rulebook, _: Say) -> Chapter:
    return Chapter(
        "lateness",
        _("When somebody is late or gone"),
        (
            rule(
                "",
                _(
                    "Whoever lets the time of a turn run out discards a card picked by chance, face down; it is the same for both roles. If a choice was open, chance picks the goal, the stone joins the card just laid, and the most valuable gold card is kept."
                ),
            ),
            rule(
                "E12",
                _(
                    "A seat that nobody takes can be given up for good. Its hand goes to the discards unseen; it takes no further turns or cards, keeps its role and the gold it has won, and is paid nothing from then on. The last seat cannot be given up."
                ),
            ),
        ),
    )
