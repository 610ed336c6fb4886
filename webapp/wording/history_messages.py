"""What the lines of history say, as data. A language inflects, so every tool, ending and side has sentences of its own.

Placeholders: ``name`` is who acted, ``target`` whom it befell; cards and goals stand after a colon, as nominatives.
"""

from typing import Final, NamedTuple, TypeAlias

from engine.story import LineKey
from webapp.i18n import N_, NN_

Message: TypeAlias = str | tuple[str, str]
"""One message, or its two forms when it holds a number (``num``)."""


class HistoryEntry(NamedTuple):
    """The sentence for others, for who acted (``mine``), and for whom it befell (``at_me``); others' where none is given."""

    others: Message
    mine: Message | None = None
    at_me: Message | None = None


Key: TypeAlias = tuple[LineKey, str]
"""A saying and its variant: a tool, an ending, or nothing."""

SAYINGS: Final[dict[Key, HistoryEntry]] = {
    (LineKey.ROUND_DEALT, ""): HistoryEntry(
        N_("Round %(round)s was dealt. %(name)s begins."),
        N_("Round %(round)s was dealt. You begin."),
    ),
    (LineKey.ROLE_DEALT, "digger"): HistoryEntry(
        N_("%(name)s became a gold-digger and was dealt: %(cards)s."),
        N_("You are a gold-digger this round. You were dealt: %(cards)s."),
    ),
    (LineKey.ROLE_DEALT, "saboteur"): HistoryEntry(
        N_("%(name)s became a saboteur and was dealt: %(cards)s."),
        N_("You are a saboteur this round. You were dealt: %(cards)s."),
    ),
    (LineKey.CARD_LAID, ""): HistoryEntry(
        N_("%(name)s laid a path card at %(cell)s: %(shape)s."),
        N_("You laid a path card at %(cell)s: %(shape)s."),
    ),
    (LineKey.GOALS_REACHED, ""): HistoryEntry(
        N_("%(name)s reached several goals and says which is turned over: %(cells)s."),
        N_("You reached several goals. Say which is turned over: %(cells)s."),
    ),
    (LineKey.STONE_MISFIT, ""): HistoryEntry(
        N_("Goal %(cell)s is stone and fits neither way round; %(name)s says how it lies."),
        N_("Goal %(cell)s is stone and fits neither way round. Say how it lies."),
    ),
    (LineKey.TREASURE_TURNED, ""): HistoryEntry(
        N_("%(name)s reached goal %(cell)s. It is the treasure!"),
        N_("You reached goal %(cell)s. It is the treasure!"),
    ),
    (LineKey.STONE_TURNED, ""): HistoryEntry(
        N_("%(name)s reached goal %(cell)s. It is only stone."),
        N_("You reached goal %(cell)s. It is only stone."),
    ),
    (LineKey.TOOL_BROKEN, "pickaxe"): HistoryEntry(
        N_("%(name)s broke the pickaxe of %(target)s."),
        N_("You broke the pickaxe of %(target)s."),
        N_("%(name)s broke your pickaxe."),
    ),
    (LineKey.TOOL_BROKEN, "lantern"): HistoryEntry(
        N_("%(name)s broke the lantern of %(target)s."),
        N_("You broke the lantern of %(target)s."),
        N_("%(name)s broke your lantern."),
    ),
    (LineKey.TOOL_BROKEN, "cart"): HistoryEntry(
        N_("%(name)s broke the cart of %(target)s."),
        N_("You broke the cart of %(target)s."),
        N_("%(name)s broke your cart."),
    ),
    (LineKey.OWN_TOOL_BROKEN, "pickaxe"): HistoryEntry(
        N_("%(name)s broke their own pickaxe."), N_("You broke your own pickaxe.")
    ),
    (LineKey.OWN_TOOL_BROKEN, "lantern"): HistoryEntry(
        N_("%(name)s broke their own lantern."), N_("You broke your own lantern.")
    ),
    (LineKey.OWN_TOOL_BROKEN, "cart"): HistoryEntry(
        N_("%(name)s broke their own cart."), N_("You broke your own cart.")
    ),
    (LineKey.TOOL_REPAIRED, "pickaxe"): HistoryEntry(
        N_("%(name)s mended the pickaxe of %(target)s."),
        N_("You mended the pickaxe of %(target)s."),
        N_("%(name)s mended your pickaxe."),
    ),
    (LineKey.TOOL_REPAIRED, "lantern"): HistoryEntry(
        N_("%(name)s mended the lantern of %(target)s."),
        N_("You mended the lantern of %(target)s."),
        N_("%(name)s mended your lantern."),
    ),
    (LineKey.TOOL_REPAIRED, "cart"): HistoryEntry(
        N_("%(name)s mended the cart of %(target)s."),
        N_("You mended the cart of %(target)s."),
        N_("%(name)s mended your cart."),
    ),
    (LineKey.OWN_TOOL_REPAIRED, "pickaxe"): HistoryEntry(
        N_("%(name)s mended their own pickaxe."), N_("You mended your own pickaxe.")
    ),
    (LineKey.OWN_TOOL_REPAIRED, "lantern"): HistoryEntry(
        N_("%(name)s mended their own lantern."), N_("You mended your own lantern.")
    ),
    (LineKey.OWN_TOOL_REPAIRED, "cart"): HistoryEntry(
        N_("%(name)s mended their own cart."), N_("You mended your own cart.")
    ),
    (LineKey.ROCK_FELL, ""): HistoryEntry(
        N_("%(name)s played a rockfall at %(cell)s. It buried: %(card)s."),
        N_("You played a rockfall at %(cell)s. It buried: %(card)s."),
    ),
    (LineKey.GOAL_LOOKED_AT, ""): HistoryEntry(
        N_("%(name)s looked at goal %(cell)s with a map."),
        N_("You looked at goal %(cell)s with a map."),
    ),
    (LineKey.GOAL_SEEN, ""): HistoryEntry(
        N_("%(name)s looked at goal %(cell)s with a map and saw: %(goal)s."),
        N_("You looked at goal %(cell)s with a map and saw: %(goal)s."),
    ),
    (LineKey.DISCARDED, ""): HistoryEntry(
        N_("%(name)s discarded a card face down."), N_("You discarded a card face down.")
    ),
    (LineKey.CARD_DISCARDED, ""): HistoryEntry(
        N_("%(name)s discarded face down: %(card)s."), N_("You discarded face down: %(card)s.")
    ),
    (LineKey.PASSED, ""): HistoryEntry(
        N_("%(name)s had no card left and passed."), N_("You had no card left and passed.")
    ),
    (LineKey.CARD_DRAWN, ""): HistoryEntry(
        N_("%(name)s drew: %(card)s."), N_("You drew: %(card)s.")
    ),
    (LineKey.ROUND_ENDED, "treasure"): HistoryEntry(
        N_("Round %(round)s is over: the treasure has been found.")
    ),
    (LineKey.ROUND_ENDED, "exhausted"): HistoryEntry(
        N_("Round %(round)s is over: the deck and all hands are empty.")
    ),
    (LineKey.ROUND_ENDED, "circle-of-passes"): HistoryEntry(
        N_("Round %(round)s is over: with the deck empty, everybody passed in turn.")
    ),
    (LineKey.GOLD_DRAWN, ""): HistoryEntry(
        NN_(
            "%(num)s gold card is shared among the gold-diggers. %(name)s picks first.",
            "%(num)s gold cards are shared among the gold-diggers. %(name)s picks first.",
        ),
        NN_(
            "%(num)s gold card is shared among the gold-diggers. You pick first.",
            "%(num)s gold cards are shared among the gold-diggers. You pick first.",
        ),
    ),
    (LineKey.GOLD_HELD, ""): HistoryEntry(
        N_("%(name)s holds gold cards with these nuggets: %(gold)s."),
        N_("You hold gold cards with these nuggets: %(gold)s."),
    ),
    (LineKey.GOLD_TAKEN, ""): HistoryEntry(
        N_("%(name)s took a gold card."), N_("You took a gold card.")
    ),
    (LineKey.GOLD_KEPT, ""): HistoryEntry(
        NN_(
            "%(name)s took a gold card of %(num)s nugget.",
            "%(name)s took a gold card of %(num)s nuggets.",
        ),
        NN_("You took a gold card of %(num)s nugget.", "You took a gold card of %(num)s nuggets."),
    ),
    (LineKey.PAID, ""): HistoryEntry(
        NN_(
            "%(name)s was paid %(num)s nugget as a saboteur.",
            "%(name)s was paid %(num)s nuggets as a saboteur.",
        ),
        NN_(
            "You were paid %(num)s nugget as a saboteur.",
            "You were paid %(num)s nuggets as a saboteur.",
        ),
    ),
    (LineKey.PAID_IN_CARDS, ""): HistoryEntry(
        NN_(
            "%(name)s was paid %(num)s nugget as a saboteur, in gold cards of: %(gold)s.",
            "%(name)s was paid %(num)s nuggets as a saboteur, in gold cards of: %(gold)s.",
        ),
        NN_(
            "You were paid %(num)s nugget as a saboteur, in gold cards of: %(gold)s.",
            "You were paid %(num)s nuggets as a saboteur, in gold cards of: %(gold)s.",
        ),
    ),
    (LineKey.PAID_IN_CARDS, "nothing"): HistoryEntry(
        N_("%(name)s was to be paid as a saboteur, but no gold cards add up."),
        N_("You were to be paid as a saboteur, but no gold cards add up."),
    ),
    (LineKey.PAID, "nothing"): HistoryEntry(
        N_("%(name)s was to be paid as a saboteur, but no gold cards add up."),
        N_("You were to be paid as a saboteur, but no gold cards add up."),
    ),
    (LineKey.GAME_ENDED, "one"): HistoryEntry(
        N_("The game is over. %(names)s wins it. Nuggets: %(standings)s."),
        N_("The game is over. You win it! Nuggets: %(standings)s."),
    ),
    (LineKey.GAME_ENDED, "shared"): HistoryEntry(
        N_("The game is over. The winners share first place: %(names)s. Nuggets: %(standings)s."),
    ),
    (LineKey.SEAT_GIVEN_UP, ""): HistoryEntry(
        N_("The seat of %(name)s was given up for good. Its hand went to the discards unseen."),
        N_("Your seat was given up for good. Its hand went to the discards unseen."),
    ),
    (LineKey.SEAT_HANDED_OVER, ""): HistoryEntry(
        N_("%(name)s sits here from now on; the seat's history stays."),
        N_("You sit here from now on; the seat's history stays."),
    ),
    (LineKey.REWOUND, ""): HistoryEntry(
        N_("The game went back to how it stood after turn %(to_seq)s."),
    ),
}
